//! Decoder-only language models, written once for every kind of value.
//!
//! The same code runs on plain tensors (sampling, validation), on the tape (training) and on dual
//! numbers (verifying), since every operation does.

mod config;
mod gpt;
mod layer;
mod llama;
mod memory;
mod parameters;

use autodiff_ops::prelude::*;

pub use config::{ConfigError, Family, ModelConfig};
pub(crate) use gpt::numbered_layer as gpt_layer;
pub use layer::Layers;
pub use memory::Step;
pub use parameters::{Initial, ParameterSpec, Parameters};

use crate::DemoError;

/// What a model may do with its values: every operation that a forward pass is written with.
pub trait ModelValue:
    Recompute
    + add
    + attention
    + cross_entropy
    + embedding
    + gelu
    + layer_norm
    + linear
    + mul
    + reshape
    + rms_norm
    + rope_half
    + silu
    + self_attention
    + slice
    + transpose
{
}

impl<V> ModelValue for V where
    V: Recompute
        + add
        + attention
        + cross_entropy
        + embedding
        + gelu
        + layer_norm
        + linear
        + mul
        + reshape
        + rms_norm
        + rope_half
        + silu
        + self_attention
        + slice
        + transpose
{
}

/// A configuration and parameters that fit it.
#[derive(Clone, Debug)]
pub struct Model<V> {
    /// Family and sizes.
    pub config: ModelConfig,
    /// The parameters, in the order of [`ModelConfig::parameters`].
    pub parameters: Parameters<V>,
}

impl<V: ModelValue> Model<V> {
    /// Scores for the token after each of `tokens`: `[batch, time] -> [batch, time, vocabulary]`.
    ///
    /// # Errors
    /// [`DemoError::Autodiff`] where a token is not in the vocabulary or there are more than a block.
    pub fn logits(&self, tokens: &Tensor<usize>) -> Result<V, DemoError> {
        self.logits_of(tokens, Layers::Kept)
    }

    fn logits_of(&self, tokens: &Tensor<usize>, layers: Layers) -> Result<V, DemoError> {
        match self.config.family {
            Family::Gpt => gpt::logits(&self.config, &self.parameters, tokens, layers),
            Family::Llama => llama::logits(&self.config, &self.parameters, tokens, layers),
        }
    }

    /// The mean negative log-probability of `targets`, one for each of `tokens`.
    ///
    /// # Errors
    /// As for [`logits`](Self::logits).
    pub fn loss(&self, tokens: &Tensor<usize>, targets: &Tensor<usize>) -> Result<V, DemoError> {
        self.loss_of(tokens, targets, Layers::Kept)
    }

    /// The same [`loss`](Self::loss), its gradients too, with or without keeping what the layers save.
    ///
    /// # Errors
    /// As for [`logits`](Self::logits).
    pub fn loss_of(
        &self,
        tokens: &Tensor<usize>,
        targets: &Tensor<usize>,
        layers: Layers,
    ) -> Result<V, DemoError> {
        Ok(self
            .logits_of(tokens, layers)?
            .cross_entropy(targets, None)?)
    }
}

/// Causal attention of every head: `[batch, time, width]` each, and back.
///
/// Head `h` of a row is its columns `h·d .. (h + 1)·d` with `d = width / heads`; `place` is applied to
/// the queries and keys of shape `[batch, heads, time, d]`.
fn attend<V: ModelValue>(
    config: &ModelConfig,
    [q, k, v]: [&V; 3],
    tokens: &Tensor<usize>,
    place: impl Fn(V) -> Result<V>,
) -> Result<V> {
    let &[batch, time] = tokens.shape() else {
        return Err(tokens_shape(tokens));
    };
    let [heads, depth] = [config.heads, config.head_width()];
    let by_head = |x: &V| x.reshape(&[batch, time, heads, depth])?.transpose(1, 2);
    let scale = 1.0 / (depth as f64).sqrt();
    let mixed = attention(
        &place(by_head(q)?)?,
        &place(by_head(k)?)?,
        &by_head(v)?,
        scale,
        true,
    )?;
    mixed.transpose(1, 2)?.reshape(&[batch, time, config.width])
}

/// Tokens come as `[batch, time]`.
fn tokens_shape(tokens: &Tensor<usize>) -> TensorAutodiffError {
    TensorError::AxisCount {
        expected: 2,
        actual: tokens.rank(),
    }
    .into()
}
