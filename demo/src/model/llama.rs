//! The forward pass of the llama family.

use autodiff_ops::prelude::*;

use super::layer::{self, LayerParameters, Layers};
use super::{ModelConfig, ModelValue, Parameters, attend};
use crate::DemoError;

/// The parameters of a layer, as they come after `layers.0.`.
const OF_LAYER: [&str; 9] = [
    "attn_norm.weight",
    "attn.wq",
    "attn.wk",
    "attn.wv",
    "attn.wo",
    "ffn_norm.weight",
    "ffn.w_gate",
    "ffn.w_up",
    "ffn.w_down",
];

/// `logits = RMS(x + Σ layers) Eᵀ` with `x = E[tokens]`: the head is the embedding `E`.
pub(super) fn logits<V: ModelValue>(
    config: &ModelConfig,
    parameters: &Parameters<V>,
    tokens: &Tensor<usize>,
    layers: Layers,
) -> Result<V, DemoError> {
    let table = parameters.named("tok_emb")?;
    let mut x = embedding(table, tokens)?;
    for number in 0..config.layers {
        let (config, tokens) = (config.clone(), tokens.clone());
        let run = move |x: &V, own: &LayerParameters<'_, V>| one_layer(&config, &tokens, x, own);
        let prefix = format!("layers.{number}");
        x = layer::run(layers, parameters, &prefix, &OF_LAYER, x, run)?;
    }
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
    let turned = |x: V| rope_half(&x, config.rope_theta, 0);
    let mixed = attend(config, [&q, &k, &v], tokens, turned)?;
    let x = x.add(&times(&mixed, "attn.wo")?)?;

    let a = rms_norm(&x, own.named("ffn_norm.weight")?, config.norm_eps)?;
    let gated = times(&a, "ffn.w_gate")?
        .silu()?
        .mul(&times(&a, "ffn.w_up")?)?;
    x.add(&times(&gated, "ffn.w_down")?)
}
