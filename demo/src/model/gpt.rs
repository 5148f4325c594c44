//! The forward pass of the GPT family.

use autodiff_ops::prelude::*;

use super::{ModelConfig, ModelValue, Parameters, attend, tokens_shape};
use crate::DemoError;

/// `logits = LN(x + Σ layers) W` with `x = wte[tokens] + wpe[0..time]`.
pub(super) fn logits<V: ModelValue>(
    config: &ModelConfig,
    parameters: &Parameters<V>,
    tokens: &Tensor<usize>,
) -> Result<V, DemoError> {
    let &[_, time] = tokens.shape() else {
        return Err(tokens_shape(tokens).into());
    };
    let positions = slice(
        parameters.named("wpe")?,
        &[0, 0],
        &[time, config.width],
        &[1, 1],
    )?;
    let mut x = embedding(parameters.named("wte")?, tokens)?.add(&positions)?;
    for layer in 0..config.layers {
        let of_layer = |name: &str| parameters.named(&format!("h.{layer}.{name}"));
        let affine = |x: &V, name: &str| -> Result<V, DemoError> {
            let weight = of_layer(&format!("{name}.weight"))?;
            Ok(linear(x, weight, Some(of_layer(&format!("{name}.bias"))?))?)
        };
        let norm = |x: &V, name: &str| -> Result<V, DemoError> {
            let weight = of_layer(&format!("{name}.weight"))?;
            Ok(layer_norm(
                x,
                weight,
                of_layer(&format!("{name}.bias"))?,
                config.norm_eps,
            )?)
        };

        let qkv = affine(&norm(&x, "ln_1")?, "attn.c_attn")?.split(&[config.width; 3], 2)?;
        let [q, k, v] = qkv.as_slice() else {
            return Err(tokens_shape(tokens).into());
        };
        let mixed = attend(config, [q, k, v], tokens, Ok)?;
        x = x.add(&affine(&mixed, "attn.c_proj")?)?;

        let hidden = affine(&norm(&x, "ln_2")?, "mlp.c_fc")?.gelu()?;
        x = x.add(&affine(&hidden, "mlp.c_proj")?)?;
    }
    let [weight, bias] = [
        parameters.named("ln_f.weight")?,
        parameters.named("ln_f.bias")?,
    ];
    let x = layer_norm(&x, weight, bias, config.norm_eps)?;
    Ok(linear(&x, parameters.named("lm_head.weight")?, None)?)
}
