//! Family and sizes of a model, and the parameters that follow from them.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::layout::Layout;
use super::memory::{LARGEST_GIBIBYTES, Step};
use super::parameters::ParameterSpec;

/// How a model's layers are built.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Family {
    /// Learned positions, layer norm, GELU, biases, a head of its own
    Gpt,
    /// Rotary positions, RMS norm, gated SiLU, no biases, a head tied to the embedding
    Llama,
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Gpt => "gpt",
            Self::Llama => "llama",
        })
    }
}

/// Everything that decides a model's shapes and its arithmetic.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelConfig {
    /// How the layers are built.
    pub family: Family,
    /// Number of different tokens.
    pub vocabulary: usize,
    /// Number of layers.
    pub layers: usize,
    /// Number of attention heads.
    pub heads: usize,
    /// Width of the residual stream.
    pub width: usize,
    /// Width of the feed-forward layer.
    pub hidden: usize,
    /// The longest context.
    pub block: usize,
    /// What the norms add to the variance or mean square.
    pub norm_eps: f64,
    /// The base of the rotary frequencies; without effect on [`Family::Gpt`].
    pub rope_theta: f64,
}

/// Sizes that no model can have.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ConfigError {
    /// A size is zero.
    #[error("{size} must be at least 1")]
    Zero {
        /// Which size.
        size: &'static str,
    },
    /// The heads do not share the width evenly.
    #[error("width {width} cannot be shared by {heads} heads, expected a multiple")]
    Heads {
        /// The width.
        width: usize,
        /// The number of heads.
        heads: usize,
    },
    /// Rotary positions turn pairs of columns.
    #[error(
        "a head of width {head_width} has no pairs of columns to rotate, expected an even width"
    )]
    OddHead {
        /// The width of a head.
        head_width: usize,
    },
    /// A number is not positive and finite.
    #[error("{number} must be positive and finite, got {value}")]
    NotPositive {
        /// Which number.
        number: &'static str,
        /// What it was.
        value: f64,
    },
    /// The machine could not hold it.
    #[error("these sizes need at least {gibibytes} GiB of memory, expected at most {limit}")]
    TooLarge {
        /// What parameters, optimiser state and activations need.
        gibibytes: u64,
        /// The most that is attempted.
        limit: u64,
    },
}

impl ModelConfig {
    /// The configuration with the family's usual feed-forward width and constants.
    #[must_use]
    pub fn usual(family: Family, [layers, heads, width, block]: [usize; 4]) -> Self {
        let hidden = match family {
            Family::Gpt => width.saturating_mul(4),
            // Three matrices instead of two: 8/3 as wide, rounded up to whole vectors of 8.
            Family::Llama => width
                .saturating_mul(8)
                .div_ceil(3)
                .div_ceil(8)
                .saturating_mul(8),
        };
        Self {
            family,
            vocabulary: 0,
            layers,
            heads,
            width,
            hidden,
            block,
            norm_eps: 1e-5,
            rope_theta: 10_000.0,
        }
    }

    /// The width of one head.
    #[must_use]
    pub fn head_width(&self) -> usize {
        self.width.checked_div(self.heads).unwrap_or_default()
    }

    /// Checks the sizes against each other and, for batches of `batch`, against the memory of any machine.
    ///
    /// # Errors
    /// The first rule that they break.
    pub fn check(&self, batch: usize) -> Result<(), ConfigError> {
        for (size, value) in [
            ("the vocabulary", self.vocabulary),
            ("the number of layers", self.layers),
            ("the number of heads", self.heads),
            ("the width", self.width),
            ("the feed-forward width", self.hidden),
            ("the block", self.block),
            ("the batch", batch),
        ] {
            if value == 0 {
                return Err(ConfigError::Zero { size });
            }
        }
        for (number, value) in [("norm_eps", self.norm_eps), ("rope_theta", self.rope_theta)] {
            if !(value.is_finite() && value > 0.0) {
                return Err(ConfigError::NotPositive { number, value });
            }
        }
        let [width, heads, head_width] = [self.width, self.heads, self.head_width()];
        if !width.is_multiple_of(heads) {
            return Err(ConfigError::Heads { width, heads });
        }
        if self.family == Family::Llama && !head_width.is_multiple_of(2) {
            return Err(ConfigError::OddHead { head_width });
        }
        self.check_memory(&Step::least(batch), LARGEST_GIBIBYTES)
    }

    /// Every parameter: name, shape and how it begins.
    #[must_use]
    pub fn parameters(&self) -> Vec<ParameterSpec> {
        Layout::of(self.family).specs(self)
    }
}
