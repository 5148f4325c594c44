//! One layer of a decoder: its inputs by name, and what the tape keeps of it.

use autodiff_ops::prelude::*;

use super::layout::{Entry, Layout};
use super::{ModelConfig, ModelValue, Parameters};
use crate::DemoError;

/// What the tape keeps of the layers until the reverse pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Layers {
    /// All that the operations of every layer save.
    #[default]
    Kept,
    /// The inputs of every layer; the reverse pass runs each layer again.
    Recomputed,
}

/// A layer was run on other inputs than its own.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("layer: input {name:?} is missing")]
struct MissingInput {
    name: String,
}

/// The parameters of one layer, in the order of the family's table.
pub(super) struct LayerParameters<'a, V> {
    entries: &'static [Entry],
    values: &'a [V],
}

impl<V> LayerParameters<'_, V> {
    /// The parameter of this name, such as `attn.c_attn.weight`.
    pub(super) fn named(&self, name: &str) -> Result<&V> {
        let place = self.entries.iter().position(|own| own.0 == name);
        place
            .and_then(|place| self.values.get(place))
            .ok_or_else(|| {
                let name = name.to_owned();
                OpError::new(MissingInput { name }).into()
            })
    }
}

/// Runs every layer of a model on what the one before it gives, the first one on `x`.
pub(super) fn run_all<V: ModelValue>(
    config: &ModelConfig,
    parameters: &Parameters<V>,
    x: V,
    layers: Layers,
    layer: impl Fn(&V, &LayerParameters<'_, V>) -> Result<V> + Clone + Send + Sync + 'static,
) -> Result<V, DemoError> {
    (0..config.layers).try_fold(x, |x, number| {
        run(config, parameters, number, x, layers, layer.clone())
    })
}

/// Runs layer `number` of a model on `x` and on its own parameters.
pub(super) fn run<V: ModelValue>(
    config: &ModelConfig,
    parameters: &Parameters<V>,
    number: usize,
    x: V,
    layers: Layers,
    layer: impl Fn(&V, &LayerParameters<'_, V>) -> Result<V> + Send + Sync + 'static,
) -> Result<V, DemoError> {
    let layout = Layout::of(config.family);
    let entries = layout.layer;
    let mut inputs = vec![x];
    for (name, ..) in entries {
        inputs.push(parameters.named(&layout.path(number, name))?.clone());
    }
    let run = move |inputs: &[V]| match inputs {
        [x, values @ ..] => layer(x, &LayerParameters { entries, values }),
        [] => Err(OpError::new(MissingInput { name: "x".into() }).into()),
    };
    Ok(match layers {
        Layers::Kept => run(&inputs)?,
        Layers::Recomputed => recompute(run, &inputs)?,
    })
}
