//! A language model whose first values, text and update other programs can repeat exactly.

use autodiff_ops::prelude::*;

use super::inputs::{integers, uniform};
use super::workload::Run;
use crate::DemoError;
use crate::model::{Family, Initial, Model, ModelConfig, Parameters};

const VOCABULARY: usize = 65;
const LAYERS: usize = 4;
const HEADS: usize = 4;
const WIDTH: usize = 128;
const BLOCK: usize = 64;
const BATCH: usize = 12;
const LEARNING_RATE: f64 = 1e-3;
const DECAY: f64 = 0.1;
const OPTIONS: AdamWOptions = AdamWOptions {
    beta1: 0.9,
    beta2: 0.99,
    eps: 1e-8,
};

/// Steps over one batch; without updates, passes over it.
pub(super) fn prepare<T: Element>(updates: bool) -> Result<Run, DemoError> {
    let config = ModelConfig {
        vocabulary: VOCABULARY,
        ..ModelConfig::usual(Family::Gpt, [LAYERS, HEADS, WIDTH, BLOCK])
    };
    let (owned, parameters) = parameters_of::<T>(&config)?;
    // Everything decays, vectors too.
    let mut optimiser = AdamW::new(&owned, OPTIONS, |_, _| DECAY)?;
    let model = Model { config, parameters };
    let tokens = integers(7, &[BATCH, BLOCK], VOCABULARY)?;
    let targets = integers(8, &[BATCH, BLOCK], VOCABULARY)?;
    let seed = Tensor::scalar(T::one());
    Ok(Box::new(move || {
        owned.zero_grad()?;
        let loss = model.loss(&tokens, &targets)?;
        // Nothing reverses this graph again, so what it holds serves the update.
        loss.backward_with_seed(&seed.view(), GraphRetention::Release)?;
        if updates {
            optimiser.step(&owned, &owned.gradients(), LEARNING_RATE)?;
        }
        Ok(loss.value().item()?.to_f64())
    }))
}

/// The parameters of a model with their first values: as a whole and by name.
pub(super) fn parameters_of<T: Element>(
    config: &ModelConfig,
) -> Result<(ParameterSet<T>, Parameters<TensorValue<T>>), DemoError> {
    let mut owned = ParameterSet::new();
    let mut named = Vec::new();
    // Every matrix has a stream of its own.
    let mut seed = 100;
    for spec in config.parameters() {
        let shape = spec.shape.as_slice();
        let value = match spec.initial {
            Initial::Zeros => Tensor::zeros(shape)?,
            Initial::Ones => Tensor::ones(shape)?,
            Initial::Normal { .. } => {
                seed += 1;
                uniform(seed - 1, shape, 0.05)?
            }
        };
        let parameter: TensorValue<T> = owned.create(spec.name.as_str(), value)?;
        named.push((spec.name, parameter));
    }
    Ok((owned, named.into_iter().collect()))
}
