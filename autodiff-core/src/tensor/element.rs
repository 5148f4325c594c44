//! What arithmetic an operation may use on the elements of a differentiable tensor.
//!
//! Invariant: comparisons look at the value only, so that every element type takes the same branch.

use std::fmt::{Debug, Display};
use std::iter::Sum;
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

use super::kernel::{self, Matrix, MatrixMut};
use super::storage::Stored;
use super::sum::{self, Group};

/// Keeps the set of element types closed: rules are registered for exactly these.
pub(crate) mod sealed {
    pub trait Sealed {}
}

/// Which element type a generic function runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ElementKind {
    /// `f32`.
    F32,
    /// `f64`.
    F64,
    /// `Dual<f64>`.
    Dual,
}

/// A differentiable element: `f32`, `f64` or `Dual<f64>`.
pub trait Element:
    sealed::Sealed
    + Stored
    + Default
    + PartialEq
    + PartialOrd
    + Debug
    + Display
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
    + DivAssign
    + Sum
{
    /// The name of the type: `f32`, `f64` or `dual`.
    const NAME: &'static str;
    /// The type as a value.
    const KIND: ElementKind;

    /// The nearest element; a constant, so its tangent is zero.
    fn from_f64(value: f64) -> Self;
    /// The value part.
    fn to_f64(self) -> f64;
    /// Zero.
    fn zero() -> Self {
        Self::default()
    }
    /// One.
    fn one() -> Self {
        Self::from_f64(1.0)
    }
    /// Whether every part is finite.
    fn is_finite(self) -> bool;
    /// Whether every part is zero.
    fn is_zero(self) -> bool;
    /// The first part that is not finite, or the value.
    fn offending_part(self) -> f64 {
        self.to_f64()
    }
    /// The same part of two terms: the first part whose sum is not finite, or the value.
    fn offending_parts(left: Self, right: Self) -> [f64; 2] {
        [left.to_f64(), right.to_f64()]
    }
    /// Whether all bits of all parts agree.
    fn bit_eq(self, other: Self) -> bool;

    /// `e^x`.
    fn exp(self) -> Self;
    /// `e^x - 1`, accurate near zero.
    fn exp_m1(self) -> Self;
    /// Natural logarithm.
    fn ln(self) -> Self;
    /// `ln(1 + x)`, accurate near zero.
    fn ln_1p(self) -> Self;
    /// Square root. A tangent at 0 becomes infinite; a zero tangent stays zero.
    fn sqrt(self) -> Self;
    /// Sine.
    fn sin(self) -> Self;
    /// Cosine.
    fn cos(self) -> Self;
    /// Hyperbolic tangent.
    fn tanh(self) -> Self;
    /// Error function.
    fn erf(self) -> Self;
    /// `1 - erf x`, accurate where `erf x` is close to 1.
    fn erfc(self) -> Self;
    /// Absolute value. At 0 the derivative is 0.
    fn abs(self) -> Self;
    /// `1 / x`.
    fn recip(self) -> Self {
        Self::one() / self
    }
    /// `x^n`.
    fn powi(self, exponent: i32) -> Self;
    /// `x^p` for a constant exponent. Exact at 0 for `p` = 0, 1, 2, ..
    fn powf(self, exponent: f64) -> Self;
    /// `x^y`. At `x = 0` with `y > 0` the derivative by `y` is 0.
    fn pow(self, exponent: Self) -> Self;
    /// The larger one; a NaN wins. Equal values share their tangents evenly.
    fn max(self, other: Self) -> Self;
    /// The smaller one; a NaN wins. Equal values share their tangents evenly.
    fn min(self, other: Self) -> Self;

    /// `e^x` of every element; both slices have the same length.
    fn exp_slice(input: &[Self], output: &mut [Self]) {
        each(input, output, Self::exp);
    }
    /// Natural logarithm of every element; both slices have the same length.
    fn ln_slice(input: &[Self], output: &mut [Self]) {
        each(input, output, Self::ln);
    }
    /// Hyperbolic tangent of every element; both slices have the same length.
    fn tanh_slice(input: &[Self], output: &mut [Self]) {
        each(input, output, Self::tanh);
    }
    /// Whether every part of every element is finite.
    fn all_finite(values: &[Self]) -> bool {
        sum::all_finite(values)
    }
    /// The sum, in an order that depends on the length only, with pairwise error growth.
    fn sum_slice(values: &[Self]) -> Self {
        sum::pairwise(values)
    }
    /// The sum of the products of both slices, in an order that depends on the length only; both slices
    /// have the same length.
    fn dot_slice(left: &[Self], right: &[Self]) -> Self {
        sum::dot(left, right)
    }
    /// The sum of whole groups of elements.
    #[doc(hidden)]
    #[inline(always)]
    fn sum_groups(groups: &[Group<Self>]) -> Self {
        sum::sum_of_groups(groups)
    }
    /// The sum of the products of two runs of whole groups.
    #[doc(hidden)]
    #[inline(always)]
    fn dot_groups(left: &[Group<Self>], right: &[Group<Self>]) -> Self {
        sum::dot_of_groups(left, right)
    }
    /// `output = left right`, or `output += left right`; the extents have been checked.
    #[doc(hidden)]
    fn gemm(
        output: &mut MatrixMut<'_, Self>,
        left: &Matrix<'_, Self>,
        right: &Matrix<'_, Self>,
        accumulate: bool,
    ) {
        kernel::multiply_portably(output, left, right, accumulate);
    }
}

#[inline(always)]
pub(super) fn each<T: Copy>(input: &[T], output: &mut [T], f: impl Fn(T) -> T) {
    debug_assert_eq!(input.len(), output.len());
    for (place, &x) in output.iter_mut().zip(input) {
        *place = f(x);
    }
}
