//! How much memory a step of training needs, so that one that finds too little is refused and not ended.

use std::fs;

use super::layer::Layers;
use super::{ConfigError, Family, ModelConfig};

/// What the memory of a step follows from, beside the model.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// Pieces of text.
    pub batch: usize,
    /// What an element of a tensor takes.
    pub element_bytes: usize,
    /// What the tape keeps of the layers.
    pub layers: Layers,
}

impl Step {
    /// The step over `batch` pieces that needs least.
    pub(super) fn least(batch: usize) -> Self {
        Self {
            batch,
            element_bytes: size_of::<f32>(),
            layers: Layers::Recomputed,
        }
    }
}

/// The most memory that is ever asked for. Above it an allocation would end the program, not fail.
pub(super) const LARGEST_GIBIBYTES: u64 = 32;

/// What a layer of any width takes at least: nine parameters or more with their names, gradients and
/// moments, and some twenty nodes of a pass, at about 1 KiB each.
const LAYER_BYTES: u128 = 32 << 10;

impl ModelConfig {
    /// Checks that this machine could hold such a step.
    ///
    /// # Errors
    /// [`ConfigError::TooLarge`].
    pub fn check_step(&self, step: &Step) -> Result<(), ConfigError> {
        let own = machine_gibibytes().unwrap_or(LARGEST_GIBIBYTES);
        self.check_memory(step, own.min(LARGEST_GIBIBYTES))
    }

    pub(super) fn check_memory(&self, step: &Step, limit: u64) -> Result<(), ConfigError> {
        let gibibytes = self.least_bytes(step).div_ceil(1 << 30);
        let gibibytes = u64::try_from(gibibytes).unwrap_or(u64::MAX);
        match gibibytes > limit {
            true => Err(ConfigError::TooLarge { gibibytes, limit }),
            false => Ok(()),
        }
    }

    /// A lower bound: values, gradients and two moments of the parameters, and what is there at once when the
    /// reverse pass begins, which is the value of every node and the adjoint of the largest.
    #[must_use]
    pub fn least_bytes(&self, step: &Step) -> u128 {
        let [layers, width, hidden, vocabulary, rows, element] = [
            self.layers,
            self.width,
            self.hidden,
            self.vocabulary,
            step.batch.saturating_mul(self.block),
            step.element_bytes,
        ]
        .map(|size| u128::try_from(size).unwrap_or(u128::MAX));
        let times = u128::saturating_mul;
        let sum = |terms: &[u128]| terms.iter().copied().fold(0, u128::saturating_add);

        let [matrices, of_layer] = match self.family {
            // Seven results as wide as the stream and one three times as wide; the feed-forward layer, its
            // activation, and the slopes of that.
            Family::Gpt => [
                times(width, sum(&[times(2, hidden), times(4, width)])),
                sum(&[times(10, width), times(3, hidden)]),
            ],
            // Queries, keys and values once more by head, and queries and keys once more turned; the gate, its
            // activation, what it lets through, and the product.
            Family::Llama => [
                times(width, sum(&[times(3, hidden), times(4, width)])),
                sum(&[times(16, width), times(4, hidden)]),
            ],
        };
        let parameters = sum(&[times(layers, matrices), times(vocabulary, width)]);
        let of_layers = match step.layers {
            Layers::Kept => times(layers, of_layer),
            Layers::Recomputed => sum(&[times(layers, width), of_layer]),
        };
        // Before the layers the embedding, after them the norm and the scores with their adjoint.
        let row = sum(&[of_layers, times(2, width), times(2, vocabulary)]);
        let elements = sum(&[times(4, parameters), times(rows, row)]);
        sum(&[times(elements, element), times(layers, LAYER_BYTES)])
    }
}

/// The memory of this machine with what it can swap out; `None` where it does not tell.
fn machine_gibibytes() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let kibibytes = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name))?;
        line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()
    };
    let total = kibibytes("MemTotal:")?.saturating_add(kibibytes("SwapTotal:")?);
    Some((total >> 20).max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model() -> ModelConfig {
        ModelConfig {
            vocabulary: 65,
            ..ModelConfig::usual(Family::Gpt, [2, 2, 32, 32])
        }
    }

    #[test]
    fn a_step_that_fits_is_accepted_and_one_that_is_larger_than_the_limit_refused() {
        let step = |batch| Step {
            batch,
            element_bytes: 4,
            layers: Layers::Kept,
        };
        let one = model().least_bytes(&step(1));
        let piece = model().least_bytes(&step(2)) - one;
        let fitting = usize::try_from(((8 << 30) - (one - piece)) / piece).unwrap();
        assert_eq!(model().check_memory(&step(fitting), 8), Ok(()));
        assert_eq!(
            model().check_memory(&step(fitting + 1), 8),
            Err(ConfigError::TooLarge {
                gibibytes: 9,
                limit: 8
            })
        );
        let most = usize::MAX;
        assert!(model().check_step(&step(most)).is_err());
    }

    #[test]
    fn recomputed_layers_need_less_and_wider_elements_more() {
        let of = |element_bytes, layers| {
            model().least_bytes(&Step {
                batch: 1000,
                element_bytes,
                layers,
            })
        };
        assert!(of(4, Layers::Recomputed) < of(4, Layers::Kept));
        assert!(of(4, Layers::Kept) < of(8, Layers::Kept));
    }
}
