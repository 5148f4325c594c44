//! What is recorded of a tensor: all of it, or of a large one its statistics and first elements.

use std::any::Any;

use serde::{Deserialize, Serialize};

use super::number::Number;
use crate::tensor::{Dual, Element, Tensor};

/// How much of a tensor is recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// Tensors of at most so many elements are recorded whole.
    pub whole: usize,
    /// So many first elements are recorded of a larger one.
    pub first: usize,
}

impl Default for Limits {
    /// A matrix of 8 by 8 is about the most that is read number by number; of more than that, a first
    /// row of 8 shows what kind of numbers they are.
    fn default() -> Self {
        Self {
            whole: 64,
            first: 8,
        }
    }
}

impl Limits {
    /// How many of `count` elements are recorded.
    pub(super) fn kept(self, count: usize) -> usize {
        if count <= self.whole {
            count
        } else {
            self.first.min(count)
        }
    }
}

/// A tensor as it was.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TensorRecord {
    /// Its shape.
    pub shape: Vec<usize>,
    /// What its elements have in common; `None` where there are none.
    pub statistics: Option<Statistics>,
    /// All elements, or the first ones of a tensor that is summarised.
    pub values: Vec<Number>,
    /// The tangents of these elements, of dual numbers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tangents: Option<Vec<Number>>,
}

/// What the elements of a tensor have in common, computed in `f64` over all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Statistics {
    /// The least element.
    pub min: Number,
    /// The greatest element.
    pub max: Number,
    /// The mean.
    pub mean: Number,
    /// The square root of the sum of squares.
    pub norm: Number,
    /// The element of the largest absolute value.
    pub largest: Number,
    /// Where it first stands, as a flat index.
    pub largest_index: usize,
}

impl TensorRecord {
    /// Records a tensor.
    pub fn new<T: Element>(tensor: &Tensor<T>, limits: Limits) -> Self {
        let values = tensor.as_slice();
        let kept = limits.kept(values.len());
        Self {
            shape: tensor.shape().to_vec(),
            statistics: Statistics::of(values.iter().map(|value| value.to_f64())),
            values: values
                .iter()
                .take(kept)
                .map(|value| Number(value.to_f64()))
                .collect(),
            tangents: (tensor as &dyn Any)
                .downcast_ref::<Tensor<Dual<f64>>>()
                .map(|tensor| {
                    let tangents = tensor.as_slice().iter().take(kept);
                    tangents.map(|element| Number(element.tangent)).collect()
                }),
        }
    }

    /// Records a list of numbers.
    pub(super) fn of_list(values: &[f64], limits: Limits) -> Self {
        Self {
            shape: vec![values.len()],
            statistics: Statistics::of(values.iter().copied()),
            values: values
                .iter()
                .take(limits.kept(values.len()))
                .copied()
                .map(Number)
                .collect(),
            tangents: None,
        }
    }

    /// How many elements the tensor has; `None` where they cannot be counted.
    pub fn count(&self) -> Option<usize> {
        count(&self.shape)
    }

    /// Whether all elements are recorded.
    pub fn is_whole(&self) -> bool {
        self.count() == Some(self.values.len())
    }
}

/// How many elements a shape has; `None` where they cannot be counted.
pub(super) fn count(shape: &[usize]) -> Option<usize> {
    if shape.contains(&0) {
        return Some(0);
    }
    shape
        .iter()
        .try_fold(1_usize, |count, extent| count.checked_mul(*extent))
}

impl Statistics {
    fn of(values: impl Iterator<Item = f64> + Clone) -> Option<Self> {
        let first = values.clone().next()?;
        let (mut min, mut max, mut largest, mut largest_index) = (first, first, first, 0);
        let (mut sum, mut count) = (0.0, 0.0);
        for (index, value) in values.clone().enumerate() {
            min = min.min(value);
            max = max.max(value);
            // The first NaN stays: nothing compares greater than it.
            let is_first_nan = value.is_nan() && !largest.is_nan();
            if value.abs() > largest.abs() || is_first_nan {
                (largest, largest_index) = (value, index);
            }
            sum += value;
            count += 1.0;
        }
        // A sum may overflow where the mean does not.
        let mean = match sum / count {
            mean if mean.is_finite() => mean,
            _ => values.clone().map(|value| value / count).sum(),
        };
        let scale = largest.abs();
        let norm = if scale == 0.0 || !scale.is_finite() {
            scale
        } else {
            // Squares of the largest numbers overflow; those of quotients do not.
            scale
                * values
                    .map(|value| (value / scale) * (value / scale))
                    .sum::<f64>()
                    .sqrt()
        };
        Some(Self {
            min: Number(min),
            max: Number(max),
            mean: Number(mean),
            norm: Number(norm),
            largest: Number(largest),
            largest_index,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn statistics(values: &[f64]) -> Option<[f64; 5]> {
        let found = Statistics::of(values.iter().copied())?;
        Some([found.min, found.max, found.mean, found.norm, found.largest].map(|number| number.0))
    }

    #[test]
    fn statistics_are_those_of_all_elements() {
        assert_eq!(statistics(&[3.0, -4.0]), Some([-4.0, 3.0, -0.5, 5.0, -4.0]));
        assert_eq!(statistics(&[0.0]), Some([0.0; 5]));
        assert_eq!(statistics(&[]), None);
    }

    #[test]
    fn mean_and_norm_of_the_largest_numbers_do_not_overflow() {
        // Exact: four quarters of a power of two.
        let half = 2.0_f64.powi(1023);
        assert_eq!(statistics(&[half; 4]).map(|found| found[2]), Some(half));
        let unit = 2.0_f64.powi(700);
        assert_eq!(
            statistics(&[3.0 * unit, 4.0 * unit]).map(|found| found[3]),
            Some(5.0 * unit)
        );
    }

    #[test]
    fn the_largest_of_elements_with_a_nan_is_the_first_nan() {
        let found = Statistics::of([1.0, f64::NAN, f64::INFINITY, f64::NAN].into_iter());
        assert_eq!(found.map(|found| found.largest_index), Some(1));
    }

    #[test]
    fn a_tensor_above_the_limit_keeps_its_first_elements_only() -> crate::error::Result<()> {
        let limits = Limits { whole: 6, first: 2 };
        let six = TensorRecord::new(&Tensor::<f64>::ones([2, 3])?, limits);
        assert!(six.is_whole());
        let seven = TensorRecord::new(&Tensor::<f64>::ones([7])?, limits);
        assert_eq!((seven.values.len(), seven.is_whole()), (2, false));
        Ok(())
    }

    #[test]
    fn dual_numbers_keep_their_tangents() {
        let record = TensorRecord::new(&Tensor::scalar(Dual::new(2.0, -3.0)), Limits::default());
        assert_eq!(record.values, [Number(2.0)]);
        assert_eq!(record.tangents, Some(vec![Number(-3.0)]));
    }
}
