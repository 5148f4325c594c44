//! Comparing what a rule gives with what it should give.

use super::element::Checked;
use super::finding::{Cause, Check, Finding, Found};
use super::numeric::part_of_tolerance;
use super::point::{PerUse, Point};
use crate::error::TensorAutodiffError;
use crate::tensor::Tensor;

/// Where a comparison stands, for the finding if it fails.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    pub(super) check: Check,
    pub(super) element: &'static str,
    /// The operand's name; empty for an output's value.
    pub(super) operand: Option<&'a str>,
    pub(super) output: usize,
}

impl<'a> Place<'a> {
    pub(super) fn new<T: Checked>(check: Check, output: usize) -> Self {
        Self {
            check,
            element: T::NAME,
            operand: None,
            output,
        }
    }

    pub(super) fn of_operand(self, operand: &'a str) -> Self {
        Self {
            operand: Some(operand),
            ..self
        }
    }

    /// The finding that something here failed.
    pub(super) fn found(self, cause: Cause) -> Found {
        Box::new(Finding {
            check: self.check,
            element: self.element,
            operand: self.operand.map(str::to_owned),
            output: self.output,
            index: None,
            output_index: None,
            cause,
        })
    }

    fn found_at(self, index: usize, cause: Cause) -> Found {
        let mut found = self.found(cause);
        found.index = Some(index);
        found
    }

    /// The finding that something here returned an error.
    pub(super) fn refused(self, error: TensorAutodiffError) -> Found {
        self.found(Cause::Refused { error })
    }

    /// The largest error as a part of its tolerance, or the first that exceeds it.
    pub(super) fn close(
        self,
        analytic: &[f64],
        numeric: &[f64],
        tolerance: f64,
    ) -> Result<f64, Found> {
        self.same_length(analytic.len(), numeric.len())?;
        let mut worst = 0.0_f64;
        for (index, (&analytic, &numeric)) in analytic.iter().zip(numeric).enumerate() {
            let difference = (analytic - numeric).abs();
            // Written so that a NaN on either side fails.
            if difference <= tolerance {
                worst = worst.max(part_of_tolerance(difference, tolerance));
                continue;
            }
            return Err(self.found_at(
                index,
                Cause::Differs {
                    analytic,
                    numeric,
                    tolerance,
                },
            ));
        }
        Ok(worst)
    }

    /// Succeeds where two tensors have one shape and the same bits.
    pub(super) fn same_bits<T: Checked>(
        self,
        analytic: &Tensor<T>,
        numeric: &Tensor<T>,
    ) -> Result<(), Found> {
        if analytic.shape() != numeric.shape() {
            return Err(self.found(Cause::Structure {
                expected: format!("shape {:?}", numeric.shape()),
                actual: format!("shape {:?}", analytic.shape()),
            }));
        }
        let pairs = analytic.as_slice().iter().zip(numeric.as_slice());
        match pairs.enumerate().find(|(_, (a, b))| !a.bit_eq(**b)) {
            None => Ok(()),
            Some((index, (analytic, numeric))) => {
                // Of dual numbers that differ in the tangent only, the tangents are reported.
                let part = |x: &T| match analytic.to_f64().to_bits() == numeric.to_f64().to_bits() {
                    true => x.tangent(),
                    false => x.to_f64(),
                };
                Err(self.found_at(
                    index,
                    Cause::Differs {
                        analytic: part(analytic),
                        numeric: part(numeric),
                        tolerance: 0.0,
                    },
                ))
            }
        }
    }

    fn same_length(self, actual: usize, expected: usize) -> Result<(), Found> {
        if actual == expected {
            return Ok(());
        }
        Err(self.found(Cause::Structure {
            expected: format!("{expected} entries"),
            actual: format!("{actual} entries"),
        }))
    }
}

/// Succeeds where the contributions that both have are the same bits.
pub(super) fn same_contributions<T: Checked>(
    place: Place<'_>,
    point: &Point<'_, T>,
    analytic: &PerUse<T>,
    numeric: &PerUse<T>,
) -> Result<(), Found> {
    for (operand, pair) in analytic.iter().zip(numeric).enumerate() {
        if let (Some(analytic), Some(numeric)) = pair {
            place
                .of_operand(&point.sample.name(operand))
                .same_bits(analytic, numeric)?;
        }
    }
    Ok(())
}

/// The value parts.
pub(super) fn values<T: Checked>(tensor: &Tensor<T>) -> Vec<f64> {
    tensor.as_slice().iter().map(|x| x.to_f64()).collect()
}

/// The tangents.
pub(super) fn tangents<T: Checked>(tensor: &Tensor<T>) -> Vec<f64> {
    tensor.as_slice().iter().map(|x| x.tangent()).collect()
}
