//! One layer of a decoder: its inputs by name, and what the tape keeps of it.

use autodiff_ops::prelude::*;

use super::{ModelValue, Parameters};
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

/// The parameters of one layer, in the order of their names.
pub(super) struct LayerParameters<'a, V> {
    names: &'static [&'static str],
    values: &'a [V],
}

impl<V> LayerParameters<'_, V> {
    /// The parameter of this name, such as `attn.c_attn.weight`.
    pub(super) fn named(&self, name: &str) -> Result<&V> {
        let place = self.names.iter().position(|own| *own == name);
        place
            .and_then(|place| self.values.get(place))
            .ok_or_else(|| {
                let name = name.to_owned();
                OpError::new(MissingInput { name }).into()
            })
    }
}

/// Runs a layer on `x` and on the parameters whose path is `prefix` and one of `names`.
pub(super) fn run<V: ModelValue>(
    layers: Layers,
    parameters: &Parameters<V>,
    prefix: &str,
    names: &'static [&'static str],
    x: V,
    layer: impl Fn(&V, &LayerParameters<'_, V>) -> Result<V> + Send + Sync + 'static,
) -> Result<V, DemoError> {
    let mut inputs = vec![x];
    for name in names {
        inputs.push(parameters.named(&format!("{prefix}.{name}"))?.clone());
    }
    let run = move |inputs: &[V]| match inputs {
        [x, values @ ..] => layer(x, &LayerParameters { names, values }),
        [] => Err(OpError::new(MissingInput { name: "x".into() }).into()),
    };
    Ok(match layers {
        Layers::Kept => run(&inputs)?,
        Layers::Recomputed => recompute(run, &inputs)?,
    })
}
