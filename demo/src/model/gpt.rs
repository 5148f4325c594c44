//! The forward pass of the GPT family.

use autodiff_ops::prelude::*;

use super::layer::{self, LayerParameters, Layers};
use super::{ModelConfig, ModelValue, Parameters, tokens_shape};
use crate::DemoError;

/// The parameters of a layer, as they come after `h.0.`.
const OF_LAYER: [&str; 12] = [
    "ln_1.weight",
    "ln_1.bias",
    "attn.c_attn.weight",
    "attn.c_attn.bias",
    "attn.c_proj.weight",
    "attn.c_proj.bias",
    "ln_2.weight",
    "ln_2.bias",
    "mlp.c_fc.weight",
    "mlp.c_fc.bias",
    "mlp.c_proj.weight",
    "mlp.c_proj.bias",
];

/// `logits = LN(x + Σ layers) W` with `x = wte[tokens] + wpe[0..time]`.
pub(super) fn logits<V: ModelValue>(
    config: &ModelConfig,
    parameters: &Parameters<V>,
    tokens: &Tensor<usize>,
    layers: Layers,
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
    for number in 0..config.layers {
        x = numbered_layer(config, parameters, number, x, layers)?;
    }
    let [weight, bias] = [
        parameters.named("ln_f.weight")?,
        parameters.named("ln_f.bias")?,
    ];
    let x = layer_norm(&x, weight, bias, config.norm_eps)?;
    Ok(linear(&x, parameters.named("lm_head.weight")?, None)?)
}

/// Layer `number` of the model on `x: [batch, time, width]`.
pub(crate) fn numbered_layer<V: ModelValue>(
    config: &ModelConfig,
    parameters: &Parameters<V>,
    number: usize,
    x: V,
    layers: Layers,
) -> Result<V, DemoError> {
    let config = config.clone();
    let run = move |x: &V, own: &LayerParameters<'_, V>| one_layer(&config, x, own);
    let prefix = format!("h.{number}");
    layer::run(layers, parameters, &prefix, &OF_LAYER, x, run)
}

/// `x + attention(LN x)`, and to that `+ MLP(LN ..)`.
fn one_layer<V: ModelValue>(
    config: &ModelConfig,
    x: &V,
    own: &LayerParameters<'_, V>,
) -> Result<V> {
    let affine = |x: &V, name: &str| {
        let weight = own.named(&format!("{name}.weight"))?;
        linear(x, weight, Some(own.named(&format!("{name}.bias"))?))
    };
    let norm = |x: &V, name: &str| {
        let weight = own.named(&format!("{name}.weight"))?;
        layer_norm(
            x,
            weight,
            own.named(&format!("{name}.bias"))?,
            config.norm_eps,
        )
    };

    let qkv = affine(&norm(x, "ln_1")?, "attn.c_attn")?;
    let scale = 1.0 / (config.head_width() as f64).sqrt();
    let mixed = self_attention(&qkv, config.heads, scale, true)?;
    let x = x.add(&affine(&mixed, "attn.c_proj")?)?;

    let hidden = affine(&norm(&x, "ln_2")?, "mlp.c_fc")?.gelu()?;
    x.add(&affine(&hidden, "mlp.c_proj")?)
}
