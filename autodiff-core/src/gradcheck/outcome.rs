//! How a function is checked, and what the check comes to.

use std::fmt;

use super::numeric::part_of_tolerance;
use super::options::DEFAULT_SEED;
use crate::error::TensorAutodiffError;
use crate::tensor::Tensor;

/// How [`gradcheck`](super::gradcheck) checks a function.
///
/// ```
/// use autodiff_core::prelude::*;
///
/// let options = GradcheckOptions::default().name("loss").sample([vec![0, 1, 3], vec![2]]);
/// assert_eq!(options.sample, Some(vec![vec![0, 1, 3], vec![2]]));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GradcheckOptions {
    /// What the report calls the function.
    pub name: String,
    /// The seed of the cotangent of an output with more entries than are checked one by one.
    pub seed: u64,
    /// The flat indices to check, for every input; `None` for all of all.
    pub sample: Option<Vec<Vec<usize>>>,
}

impl Default for GradcheckOptions {
    fn default() -> Self {
        Self {
            name: "function".to_owned(),
            seed: DEFAULT_SEED,
            sample: None,
        }
    }
}

impl GradcheckOptions {
    /// With a name for the report.
    #[must_use]
    pub fn name(self, name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            ..self
        }
    }

    /// With another seed.
    #[must_use]
    pub fn seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    /// Only these flat indices, one list per input.
    #[must_use]
    pub fn sample(self, indices: impl IntoIterator<Item = Vec<usize>>) -> Self {
        Self {
            sample: Some(indices.into_iter().collect()),
            ..self
        }
    }

    /// The inputs and flat indices to check.
    pub(super) fn coordinates(
        &self,
        inputs: &[Tensor<f64>],
    ) -> Result<Vec<(usize, usize)>, GradcheckError> {
        let function = || self.name.clone();
        let lens = inputs.iter().map(Tensor::len).enumerate();
        let Some(sample) = &self.sample else {
            return Ok(lens
                .flat_map(|(input, len)| (0..len).map(move |index| (input, index)))
                .collect());
        };
        if sample.len() != inputs.len() {
            return Err(GradcheckError::SampleInputs {
                function: function(),
                expected: inputs.len(),
                actual: sample.len(),
            });
        }
        let mut coordinates = Vec::new();
        for ((input, len), indices) in lens.zip(sample) {
            if let Some(&index) = indices.iter().find(|index| **index >= len) {
                return Err(GradcheckError::SampleIndex {
                    function: function(),
                    input,
                    index,
                    len,
                });
            }
            coordinates.extend(indices.iter().map(|&index| (input, index)));
        }
        Ok(coordinates)
    }
}

/// One derivative that was compared.
#[derive(Clone, Debug, PartialEq)]
pub struct Coordinate {
    /// Which input.
    pub input: usize,
    /// The flat index in it.
    pub index: usize,
    /// The flat index in the output; `None` for the output as a whole, weighted by a random cotangent.
    pub output_index: Option<usize>,
    /// What the tape gives.
    pub analytic: f64,
    /// What central differences give.
    pub numeric: f64,
    /// How far apart they may be.
    pub tolerance: f64,
}

/// A function whose gradient agrees with central differences.
#[derive(Clone, Debug, PartialEq)]
pub struct GradcheckReport {
    /// The name that was given.
    pub function: String,
    /// The seed.
    pub seed: u64,
    /// The shape of the function's output.
    pub output_shape: Vec<usize>,
    /// Every derivative that was compared.
    pub coordinates: Vec<Coordinate>,
    /// The inputs and flat indices where differences cannot be trusted, as at a kink: at most one in
    /// ten.
    pub unreliable: Vec<(usize, usize)>,
}

/// Why a function's gradient is not confirmed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum GradcheckError {
    /// The function, or the reverse pass over it, returned an error.
    #[error("{function}: {error}")]
    Refused {
        /// The name that was given.
        function: String,
        /// The error.
        error: TensorAutodiffError,
    },

    /// The sample has a list for every input.
    #[error(
        "{function}: sample, expected one list of flat indices for each of {expected} inputs, got {actual}"
    )]
    SampleInputs {
        /// The name that was given.
        function: String,
        /// The number of inputs.
        expected: usize,
        /// The number of lists.
        actual: usize,
    },

    /// A sampled index lies in its input.
    #[error("{function}: sample of input {input}, expected flat indices below {len}, got {index}")]
    SampleIndex {
        /// The name that was given.
        function: String,
        /// The input.
        input: usize,
        /// The index.
        index: usize,
        /// The number of entries of the input.
        len: usize,
    },

    /// The output has no element, or no coordinate of an input is to be checked: agreement would say nothing.
    #[error(
        "{function}: nothing to check: {coordinates} coordinates of the inputs, output of shape {output_shape:?}"
    )]
    NothingToCheck {
        /// The name that was given.
        function: String,
        /// How many coordinates of the inputs would be checked.
        coordinates: usize,
        /// The shape of the output.
        output_shape: Vec<usize>,
    },

    /// Two runs on the same inputs gave different values: nothing can be said of the gradient.
    #[error(
        "{function}: not deterministic: two runs on the same inputs gave {first:?} and {second:?} at \
         flat index {index} of the output"
    )]
    Nondeterministic {
        /// The name that was given.
        function: String,
        /// The flat index in the output.
        index: usize,
        /// The value of the first run.
        first: f64,
        /// The value of the second.
        second: f64,
    },

    /// Two runs on the same inputs gave outputs of different shapes.
    #[error(
        "{function}: not deterministic: two runs on the same inputs gave shapes {first:?} and {second:?}"
    )]
    NondeterministicShape {
        /// The name that was given.
        function: String,
        /// The shape of the first run.
        first: Vec<usize>,
        /// The shape of the second.
        second: Vec<usize>,
    },

    /// Two reverse passes over the same inputs gave different gradients.
    #[error(
        "{function}: reverse pass not deterministic: two passes gave {first:?} and {second:?} for \
         input {input} at flat index {index}"
    )]
    NondeterministicGradient {
        /// The name that was given.
        function: String,
        /// The input.
        input: usize,
        /// The flat index in it.
        index: usize,
        /// The gradient of the first pass.
        first: f64,
        /// The gradient of the second.
        second: f64,
    },

    /// A derivative disagrees with central differences.
    #[error("{function}: {coordinate} (seed {seed})")]
    Mismatch {
        /// The name that was given.
        function: String,
        /// Where, and by how much.
        coordinate: Coordinate,
        /// The seed.
        seed: u64,
    },

    /// Central differences cannot be trusted at more than one coordinate in ten.
    #[error(
        "{function}: central differences are not reliable at {unreliable} of {checked} coordinates, \
         first at flat index {index} of input {input}"
    )]
    Unreliable {
        /// The name that was given.
        function: String,
        /// How many.
        unreliable: usize,
        /// Of how many.
        checked: usize,
        /// The input of the first.
        input: usize,
        /// The flat index of the first.
        index: usize,
    },
}

impl fmt::Display for Coordinate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            input,
            index,
            output_index,
            analytic,
            numeric,
            tolerance,
        } = self;
        write!(f, "input {input} at flat index {index}")?;
        if let Some(output_index) = output_index {
            write!(f, ", output at flat index {output_index}")?;
        }
        let difference = (analytic - numeric).abs();
        write!(
            f,
            ": analytic {analytic:?}, numeric {numeric:?}, difference {difference:e}, tolerance {tolerance:e}"
        )
    }
}

impl GradcheckReport {
    /// The coordinate whose error is the largest part of its tolerance.
    pub fn worst(&self) -> Option<&Coordinate> {
        let part = |coordinate: &Coordinate| {
            let difference = (coordinate.analytic - coordinate.numeric).abs();
            part_of_tolerance(difference, coordinate.tolerance)
        };
        self.coordinates
            .iter()
            .max_by(|left, right| part(left).total_cmp(&part(right)))
    }
}

impl fmt::Display for GradcheckReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: {} derivatives agree, {} coordinates unreliable, seed {}",
            self.function,
            self.coordinates.len(),
            self.unreliable.len(),
            self.seed
        )?;
        match self.worst() {
            Some(worst) => write!(f, "\n  worst: {worst}"),
            None => Ok(()),
        }
    }
}
