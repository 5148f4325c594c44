//! The forward pass of the GPT family.

use autodiff_ops::prelude::*;

use super::layer::{self, LayerParameters, Layers};
use super::layout::Begin::{Ones, Residual, Usual, Zeros};
use super::layout::Extent::{Block, Hidden, ThreeWidths, Vocabulary, Width};
use super::layout::Layout;
use super::{ModelConfig, ModelValue, Parameters, tokens_shape};
use crate::DemoError;

/// The parameters of the family.
pub(super) const LAYOUT: Layout = Layout {
    before: &[
        ("wte", &[Vocabulary, Width], Usual),
        ("wpe", &[Block, Width], Usual),
    ],
    prefix: "h",
    layer: &[
        ("ln_1.weight", &[Width], Ones),
        ("ln_1.bias", &[Width], Zeros),
        ("attn.c_attn.weight", &[Width, ThreeWidths], Usual),
        ("attn.c_attn.bias", &[ThreeWidths], Zeros),
        ("attn.c_proj.weight", &[Width, Width], Residual),
        ("attn.c_proj.bias", &[Width], Zeros),
        ("ln_2.weight", &[Width], Ones),
        ("ln_2.bias", &[Width], Zeros),
        ("mlp.c_fc.weight", &[Width, Hidden], Usual),
        ("mlp.c_fc.bias", &[Hidden], Zeros),
        ("mlp.c_proj.weight", &[Hidden, Width], Residual),
        ("mlp.c_proj.bias", &[Width], Zeros),
    ],
    after: &[
        ("ln_f.weight", &[Width], Ones),
        ("ln_f.bias", &[Width], Zeros),
        ("lm_head.weight", &[Width, Vocabulary], Usual),
    ],
};

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
    let x = embedding(parameters.named("wte")?, tokens)?.add(&positions)?;
    let x = layer::run_all(config, parameters, x, layers, layer_of(config))?;
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
    layer::run(config, parameters, number, x, layers, layer_of(config))
}

fn layer_of<V: ModelValue>(
    config: &ModelConfig,
) -> impl Fn(&V, &LayerParameters<'_, V>) -> Result<V> + Clone + Send + Sync + 'static {
    let config = config.clone();
    move |x, own| one_layer(&config, x, own)
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
