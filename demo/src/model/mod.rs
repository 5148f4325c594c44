//! Decoder-only language models, written once for every kind of value.
//!
//! The same code runs on plain tensors (sampling, validation), on the tape (training) and on dual
//! numbers (verifying), since every operation does.

mod config;
mod gpt;
mod layer;
mod layout;
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

impl<V> Model<V> {
    /// The same configuration with other parameters.
    #[must_use]
    pub fn with<W>(&self, parameters: Parameters<W>) -> Model<W> {
        Model {
            config: self.config.clone(),
            parameters,
        }
    }
}

impl<T: Element> Model<Tensor<T>> {
    /// The same model on the tape.
    ///
    /// # Errors
    /// [`DemoError::Autodiff`] where a value is not finite.
    pub fn taped(&self) -> Result<Model<TensorValue<T>>, DemoError> {
        Ok(self.with(self.parameters.taped()?))
    }
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

/// Tokens come as `[batch, time]`.
fn tokens_shape(tokens: &Tensor<usize>) -> TensorAutodiffError {
    TensorError::AxisCount {
        expected: 2,
        actual: tokens.rank(),
    }
    .into()
}
