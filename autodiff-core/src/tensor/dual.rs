//! Dual numbers `value + tangent ε` with `ε² = 0`: every function carries its exact derivative.
//!
//! Invariant: the value part has the bits that `f64` would have.
//! Invariant: comparisons look at the value only.
//! Invariant: a zero tangent stays zero where the derivative is infinite (`sqrt`, `powf` at 0), since
//! an input that does not move moves nothing.

mod functions;

use std::cmp::Ordering;
use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

/// A value and its derivative along one direction.
#[derive(Clone, Copy, Debug, Default)]
pub struct Dual<R = f64> {
    /// The value.
    pub value: R,
    /// The derivative of the value along the direction of the inputs' tangents.
    pub tangent: R,
}

impl<R> Dual<R> {
    /// A value that moves by `tangent`.
    pub const fn new(value: R, tangent: R) -> Self {
        Self { value, tangent }
    }
}

impl Dual<f64> {
    /// A value that does not move.
    #[must_use]
    pub const fn constant(value: f64) -> Self {
        Self {
            value,
            tangent: 0.0,
        }
    }
}

impl<R: PartialEq> PartialEq for Dual<R> {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl<R: PartialOrd> PartialOrd for Dual<R> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        self.value.partial_cmp(&other.value)
    }
}

impl<R: fmt::Display> fmt::Display for Dual<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} + {} ε", self.value, self.tangent)
    }
}

impl Add for Dual {
    type Output = Self;
    #[inline]
    fn add(self, other: Self) -> Self {
        Self {
            value: self.value + other.value,
            tangent: self.tangent + other.tangent,
        }
    }
}

impl Sub for Dual {
    type Output = Self;
    #[inline]
    fn sub(self, other: Self) -> Self {
        Self {
            value: self.value - other.value,
            tangent: self.tangent - other.tangent,
        }
    }
}

impl Mul for Dual {
    type Output = Self;
    #[inline]
    fn mul(self, other: Self) -> Self {
        let tangent = self.tangent * other.value + self.value * other.tangent;
        Self {
            value: self.value * other.value,
            tangent,
        }
    }
}

impl Div for Dual {
    type Output = Self;
    #[inline]
    fn div(self, other: Self) -> Self {
        let value = self.value / other.value;
        Self {
            value,
            tangent: (self.tangent - value * other.tangent) / other.value,
        }
    }
}

impl Neg for Dual {
    type Output = Self;
    #[inline]
    fn neg(self) -> Self {
        Self {
            value: -self.value,
            tangent: -self.tangent,
        }
    }
}

impl AddAssign for Dual {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl SubAssign for Dual {
    #[inline]
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl MulAssign for Dual {
    #[inline]
    fn mul_assign(&mut self, other: Self) {
        *self = *self * other;
    }
}

impl DivAssign for Dual {
    #[inline]
    fn div_assign(&mut self, other: Self) {
        *self = *self / other;
    }
}

impl Sum for Dual {
    fn sum<I: Iterator<Item = Self>>(terms: I) -> Self {
        // The neutral element of a sum: adding positive zero would change the sign of a negative one.
        terms.fold(Self::constant(-0.0), Add::add)
    }
}

#[cfg(test)]
mod tests;
