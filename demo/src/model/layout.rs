//! The parameters of a family: one table says their names, shapes and beginnings, and in which order they come.

use super::parameters::{Initial, ParameterSpec};
use super::{Family, ModelConfig};

/// Which parameters a model of a family has.
pub(super) struct Layout {
    /// Those before the layers.
    pub(super) before: &'static [Entry],
    /// What the path of a layer begins with.
    pub(super) prefix: &'static str,
    /// Those of every layer, as they come after `prefix` and the layer's number.
    pub(super) layer: &'static [Entry],
    /// Those after the layers.
    pub(super) after: &'static [Entry],
}

/// A parameter: its name, its extents and how it begins.
pub(super) type Entry = (&'static str, &'static [Extent], Begin);

/// An extent that a configuration decides.
#[derive(Clone, Copy, Debug)]
pub(super) enum Extent {
    Vocabulary,
    Block,
    Width,
    /// Queries, keys and values side by side.
    ThreeWidths,
    Hidden,
}

/// How a parameter begins.
#[derive(Clone, Copy, Debug)]
pub(super) enum Begin {
    Zeros,
    Ones,
    Usual,
    /// As what a layer adds to the residual stream.
    Residual,
}

impl Layout {
    pub(super) fn of(family: Family) -> &'static Self {
        match family {
            Family::Gpt => &super::gpt::LAYOUT,
            Family::Llama => &super::llama::LAYOUT,
        }
    }

    /// The path of a parameter of a layer.
    pub(super) fn path(&self, layer: usize, name: &str) -> String {
        format!("{}.{layer}.{name}", self.prefix)
    }

    /// Every parameter of a configuration, in order.
    pub(super) fn specs(&self, config: &ModelConfig) -> Vec<ParameterSpec> {
        let spec = |name: String, &(_, extents, begin): &Entry| ParameterSpec {
            name,
            shape: extents.iter().map(|extent| extent.of(config)).collect(),
            initial: begin.of(config),
        };
        let outside = |entry: &Entry| spec(entry.0.to_owned(), entry);
        let layers = (0..config.layers).flat_map(|layer| {
            let within = move |entry: &Entry| spec(self.path(layer, entry.0), entry);
            self.layer.iter().map(within)
        });
        let before = self.before.iter().map(outside);
        let after = self.after.iter().map(outside);
        before.chain(layers).chain(after).collect()
    }
}

impl Extent {
    fn of(self, config: &ModelConfig) -> usize {
        match self {
            Self::Vocabulary => config.vocabulary,
            Self::Block => config.block,
            Self::Width => config.width,
            Self::ThreeWidths => 3 * config.width,
            Self::Hidden => config.hidden,
        }
    }
}

impl Begin {
    fn of(self, config: &ModelConfig) -> Initial {
        match self {
            Self::Zeros => Initial::Zeros,
            Self::Ones => Initial::Ones,
            Self::Usual => Initial::USUAL,
            // Each layer adds to the residual stream twice; so scaled, the sum of all keeps its variance.
            Self::Residual => Initial::Normal {
                deviation: Initial::DEVIATION / (2.0 * config.layers as f64).sqrt(),
            },
        }
    }
}
