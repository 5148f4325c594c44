//! How far a tensor is from the reference.

use autodiff_ops::prelude::*;

use super::Fault;

/// The largest scaled difference of a comparison.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Worst {
    /// `|a - b| / max(1, max |b|)`.
    pub error: f64,
    /// Of which tensor: the output or a gradient.
    pub what: String,
    /// At which flat index.
    pub index: usize,
}

/// Compares a tensor with the reference.
///
/// Differences are scaled by the largest reference value of the whole tensor, and by no less than 1:
/// where terms cancel, a small value is only as exact as the large ones it came from.
///
/// # Errors
/// [`Fault::Shape`], [`Fault::Value`].
pub fn worst<T: Element>(
    what: &str,
    actual: &Tensor<T>,
    shape: &[usize],
    expected: &[f64],
    tolerance: f64,
) -> Result<Worst, Fault> {
    if actual.shape() != shape || actual.len() != expected.len() {
        return Err(Fault::Shape {
            what: what.to_owned(),
            expected: shape.to_vec(),
            actual: actual.shape().to_vec(),
        });
    }
    let scale = expected
        .iter()
        .fold(1.0_f64, |scale, value| scale.max(value.abs()));
    let mut worst = Worst {
        what: what.to_owned(),
        ..Worst::default()
    };
    for (index, (&actual, &expected)) in actual.as_slice().iter().zip(expected).enumerate() {
        let actual = actual.to_f64();
        let error = (actual - expected).abs() / scale;
        if error.is_nan() || error > tolerance {
            return Err(Fault::Value {
                what: what.to_owned(),
                index,
                expected,
                actual,
                error,
                tolerance,
            });
        }
        if error > worst.error {
            worst.error = error;
            worst.index = index;
        }
    }
    Ok(worst)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compared(actual: f64, expected: f64) -> Result<Worst, Fault> {
        worst("output", &Tensor::scalar(actual), &[], &[expected], 1e-12)
    }

    #[test]
    fn a_nan_is_within_no_tolerance() {
        assert!(matches!(compared(f64::NAN, 0.0), Err(Fault::Value { .. })));
    }

    #[test]
    fn a_difference_is_scaled_by_the_reference_but_not_by_less_than_one() {
        // 1e-9 of 1e4 is 1e-13 of it.
        assert!(compared(1e4 + 1e-9, 1e4).is_ok());
        assert!(compared(1e-9, 0.0).is_err());
    }
}
