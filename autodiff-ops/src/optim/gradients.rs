//! The gradients of all parameters at one moment, and their common norm.

use autodiff_core::prelude::*;

use super::error::{OptimError, Quantity};
use super::parameters::ParameterSet;

/// Elements whose squares are added before they count as one.
const BLOCK: usize = 1024;

/// Gradients by parameter, times a common factor.
///
/// The factor is applied where a step reads the gradients, so that clipping costs no pass over them.
#[derive(Clone, Debug)]
pub struct Gradients<T: Element = f64> {
    entries: Vec<(String, Tensor<T>)>,
    factor: f64,
}

impl<T: Element> Gradients<T> {
    pub(super) fn of(parameters: &ParameterSet<T>) -> Self {
        let entries = parameters.iter().filter_map(|(name, parameter)| {
            let gradient = parameter.gradient_snapshot()?;
            Some((name.to_owned(), gradient))
        });
        Self {
            entries: entries.collect(),
            factor: 1.0,
        }
    }

    /// Gradients given by hand, in the order of the parameters.
    #[must_use]
    pub fn from_entries(entries: impl IntoIterator<Item = (String, Tensor<T>)>) -> Self {
        Self {
            entries: entries.into_iter().collect(),
            factor: 1.0,
        }
    }

    /// Names and gradients in order, without the factor.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Tensor<T>)> {
        self.entries
            .iter()
            .map(|(name, gradient)| (name.as_str(), gradient))
    }

    /// What a step multiplies every gradient by: 1, or less once clipped.
    #[must_use]
    pub fn factor(&self) -> f64 {
        self.factor
    }

    /// The root of the sum of the squares of all elements, without the factor; of dual numbers, of their
    /// values.
    ///
    /// # Errors
    /// `NonFinite` at the first gradient that is not; `NonFiniteNorm` where only the squares overflow.
    pub fn global_norm(&self) -> Result<f64, OptimError> {
        // In double precision, where the square of no `f32` overflows.
        let mut sum = 0.0;
        for (_, gradient) in &self.entries {
            sum += sum_of_squares(gradient.as_slice());
        }
        let norm = f64::sqrt(sum);
        if norm.is_finite() {
            return Ok(norm);
        }
        for (name, gradient) in &self.entries {
            OptimError::check_finite(name, Quantity::Gradient, gradient)?;
        }
        Err(OptimError::NonFiniteNorm { norm })
    }

    /// The same gradients with a norm of at most about `max_norm`: times
    /// `min(1, max_norm / (norm + eps))`. Others use an `eps` of 1e-6; 0 clips exactly.
    ///
    /// # Errors
    /// As for [`global_norm`](Self::global_norm); `Option` where `max_norm` or `eps` is negative or not
    /// finite.
    pub fn clipped(mut self, max_norm: f64, eps: f64) -> Result<Self, OptimError> {
        OptimError::check_rate("max_norm", max_norm)?;
        OptimError::check_rate("eps", eps)?;
        let norm = self.global_norm()? + eps;
        // A norm of 0 needs no clipping, and 0 / 0 gives none.
        self.factor = if norm > max_norm {
            max_norm / norm
        } else {
            1.0
        };
        Ok(self)
    }
}

fn sum_of_squares<T: Element>(values: &[T]) -> f64 {
    values
        .chunks(BLOCK)
        .map(|block| {
            let mut lanes = [0.0; 8];
            let (groups, rest) = block.as_chunks::<8>();
            for group in groups {
                for (lane, x) in lanes.iter_mut().zip(group) {
                    *lane += x.to_f64() * x.to_f64();
                }
            }
            let rest: f64 = rest.iter().map(|x| x.to_f64() * x.to_f64()).sum();
            lanes.iter().sum::<f64>() + rest
        })
        .sum()
}

#[cfg(test)]
mod tests;
