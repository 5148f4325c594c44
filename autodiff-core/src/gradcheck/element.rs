//! The element types as the check sees them: how exact they are, and what they carry.

use crate::tensor::{Dual, Element};

/// An element type that rules are checked on.
pub(super) trait Checked: Element {
    /// The distance from 1 to the next number.
    const EPSILON: f64;

    /// The element with this value and, where the type has one, this tangent.
    fn lift(value: f64, tangent: f64) -> Self;

    /// The tangent; zero for a type without.
    fn tangent(self) -> f64;
}

impl Checked for f32 {
    const EPSILON: f64 = f32::EPSILON as f64;

    fn lift(value: f64, _: f64) -> Self {
        value as Self
    }

    fn tangent(self) -> f64 {
        0.0
    }
}

impl Checked for f64 {
    const EPSILON: f64 = Self::EPSILON;

    fn lift(value: f64, _: f64) -> Self {
        value
    }

    fn tangent(self) -> f64 {
        0.0
    }
}

impl Checked for Dual<f64> {
    const EPSILON: f64 = f64::EPSILON;

    fn lift(value: f64, tangent: f64) -> Self {
        Self { value, tangent }
    }

    fn tangent(self) -> f64 {
        self.tangent
    }
}
