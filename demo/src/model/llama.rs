//! The forward pass of the llama family.

use autodiff_ops::prelude::*;

use super::{ModelConfig, ModelValue, Parameters, attend};
use crate::DemoError;

/// `logits = RMS(x + Σ layers) Eᵀ` with `x = E[tokens]`: the head is the embedding `E`.
pub(super) fn logits<V: ModelValue>(
    config: &ModelConfig,
    parameters: &Parameters<V>,
    tokens: &Tensor<usize>,
) -> Result<V, DemoError> {
    let table = parameters.named("tok_emb")?;
    let mut x = embedding(table, tokens)?;
    for layer in 0..config.layers {
        let of_layer = |name: &str| parameters.named(&format!("layers.{layer}.{name}"));
        let times =
            |x: &V, name: &str| -> Result<V, DemoError> { Ok(linear(x, of_layer(name)?, None)?) };

        let a = rms_norm(&x, of_layer("attn_norm.weight")?, config.norm_eps)?;
        let [q, k, v] = [
            times(&a, "attn.wq")?,
            times(&a, "attn.wk")?,
            times(&a, "attn.wv")?,
        ];
        let turned = |x: V| rope_half(&x, config.rope_theta, 0);
        let mixed = attend(config, [&q, &k, &v], tokens, turned)?;
        x = x.add(&times(&mixed, "attn.wo")?)?;

        let a = rms_norm(&x, of_layer("ffn_norm.weight")?, config.norm_eps)?;
        let gated = times(&a, "ffn.w_gate")?
            .silu()?
            .mul(&times(&a, "ffn.w_up")?)?;
        x = x.add(&times(&gated, "ffn.w_down")?)?;
    }
    let x = rms_norm(&x, parameters.named("norm_f.weight")?, config.norm_eps)?;
    Ok(linear(&x, &table.transpose(0, 1)?, None)?)
}
