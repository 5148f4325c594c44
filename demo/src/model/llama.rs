//! The forward pass of the llama family.

use autodiff_ops::prelude::*;

use super::layer::{self, LayerParameters, Layers};
use super::layout::Begin::{Ones, Residual, Usual};
use super::layout::Extent::{Hidden, Vocabulary, Width};
use super::layout::Layout;
use super::{ModelConfig, ModelValue, Parameters, tokens_shape};
use crate::DemoError;

/// The parameters of the family.
pub(super) const LAYOUT: Layout = Layout {
    before: &[("tok_emb", &[Vocabulary, Width], Usual)],
    prefix: "layers",
    layer: &[
        ("attn_norm.weight", &[Width], Ones),
        ("attn.wq", &[Width, Width], Usual),
        ("attn.wk", &[Width, Width], Usual),
        ("attn.wv", &[Width, Width], Usual),
        ("attn.wo", &[Width, Width], Residual),
        ("ffn_norm.weight", &[Width], Ones),
        ("ffn.w_gate", &[Width, Hidden], Usual),
        ("ffn.w_up", &[Width, Hidden], Usual),
        ("ffn.w_down", &[Hidden, Width], Residual),
    ],
    after: &[("norm_f.weight", &[Width], Ones)],
};

/// `logits = RMS(x + Σ layers) Eᵀ` with `x = E[tokens]`: the head is the embedding `E`.
pub(super) fn logits<V: ModelValue>(
    config: &ModelConfig,
    parameters: &Parameters<V>,
    tokens: &Tensor<usize>,
    layers: Layers,
) -> Result<V, DemoError> {
    let table = parameters.named("tok_emb")?;
    let x = embedding(table, tokens)?;
    let run = {
        let (config, tokens) = (config.clone(), tokens.clone());
        move |x: &V, own: &LayerParameters<'_, V>| one_layer(&config, &tokens, x, own)
    };
    let x = layer::run_all(config, parameters, x, layers, run)?;
    let x = rms_norm(&x, parameters.named("norm_f.weight")?, config.norm_eps)?;
    Ok(linear(&x, &table.transpose(0, 1)?, None)?)
}

/// `x + attention(RMS x)`, and to that `+ W_down (silu(W_gate ..) · W_up ..)` of its RMS norm.
fn one_layer<V: ModelValue>(
    config: &ModelConfig,
    tokens: &Tensor<usize>,
    x: &V,
    own: &LayerParameters<'_, V>,
) -> Result<V> {
    let times = |x: &V, name: &str| linear(x, own.named(name)?, None);

    let a = rms_norm(x, own.named("attn_norm.weight")?, config.norm_eps)?;
    let [q, k, v] = [
        times(&a, "attn.wq")?,
        times(&a, "attn.wk")?,
        times(&a, "attn.wv")?,
    ];
    let mixed = attend(config, [&q, &k, &v], tokens)?;
    let x = x.add(&times(&mixed, "attn.wo")?)?;

    let a = rms_norm(&x, own.named("ffn_norm.weight")?, config.norm_eps)?;
    let gated = times(&a, "ffn.w_gate")?
        .silu()?
        .mul(&times(&a, "ffn.w_up")?)?;
    x.add(&times(&gated, "ffn.w_down")?)
}

/// Causal attention of every head: `[batch, time, width]` each, and back.
///
/// Head `h` of a row is its columns `h·d .. (h + 1)·d` with `d = width / heads`; queries and keys are turned
/// by their positions.
fn attend<V: ModelValue>(
    config: &ModelConfig,
    [q, k, v]: [&V; 3],
    tokens: &Tensor<usize>,
) -> Result<V> {
    let &[batch, time] = tokens.shape() else {
        return Err(tokens_shape(tokens));
    };
    let [heads, depth] = [config.heads, config.head_width()];
    let by_head = |x: &V| x.reshape(&[batch, time, heads, depth])?.transpose(1, 2);
    let turned = |x: &V| by_head(x)?.rope_half(config.rope_theta, 0);
    let scale = 1.0 / (depth as f64).sqrt();
    let mixed = attention(&turned(q)?, &turned(k)?, &by_head(v)?, scale, true)?;
    mixed.transpose(1, 2)?.reshape(&[batch, time, config.width])
}
