//! How far apart two correct programs may be.

use crate::train::Dtype;

/// The bounds of one element type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Tolerance {
    /// Of values and gradients of one pass, and of the losses of a run.
    pub(super) numbers: f64,
    /// Of parameters and moments after steps: AdamW divides by the root of the second moment, which
    /// turns rounding in a gradient near zero into a part of a step.
    pub(super) parameters: f64,
}

impl Tolerance {
    pub(super) fn of(dtype: Dtype) -> Self {
        match dtype {
            Dtype::F64 => Self {
                numbers: 1e-12,
                parameters: 1e-9,
            },
            Dtype::F32 => Self {
                numbers: 1e-4,
                parameters: 1e-4,
            },
        }
    }
}

/// Both sides of the adjoint identity are exact but for rounding.
pub(super) const ADJOINT: f64 = 1e-12;

/// A thousand times the error of the differences themselves; a wrong rule is off by far more.
pub(super) const DIFFERENCES: f64 = 1e-8;
