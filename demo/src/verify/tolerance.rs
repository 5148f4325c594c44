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
                // Nine thousand times 2^-53: more roundings than a number of such a model goes through in a row.
                numbers: 1e-12,
                // Ten steps of 1e-3 in which a gradient near zero is off by 2^-53, which eps = 1e-8 makes 1e-8 of a
                // step, come to 1e-10; ten times that.
                parameters: 1e-9,
            },
            Dtype::F32 => Self {
                // Two thousand times 2^-24, which is more roundings in a row as well.
                numbers: 1e-4,
                // A tenth of a step of 1e-3: a gradient near zero that is off by 2^-24 is off by more than eps.
                parameters: 1e-4,
            },
        }
    }
}

/// Both sides of the adjoint identity are exact but for rounding.
pub(super) const ADJOINT: f64 = 1e-12;

/// A thousand times the error of the differences themselves; a wrong rule is off by far more.
pub(super) const DIFFERENCES: f64 = 1e-8;
