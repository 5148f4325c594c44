//! The element types of the machine: `f32` and `f64`.

use super::element::{Element, ElementKind, each, sealed::Sealed};
use super::functions;
use super::kernel::{self, Matrix, MatrixMut};
use super::lanes;
use super::math;
use super::sum::Group;
use super::vectors::vectorized;

/// So many elements that it pays to choose a width of vectors.
const FEW: usize = 16;

macro_rules! float_element {
    (
        $float:ident, $bits:ident, $kind:ident,
        $exp:path, $tanh:path, $ln:path, $erf:path, $erfc:path, $gemm:path,
        $sum_groups:path, $dot_groups:path
    ) => {
        impl Sealed for $float {}

        impl Element for $float {
            const NAME: &'static str = stringify!($float);
            const KIND: ElementKind = ElementKind::$kind;

            #[inline]
            fn from_f64(value: f64) -> Self {
                value as Self
            }
            #[inline]
            fn to_f64(self) -> f64 {
                f64::from(self)
            }
            #[inline]
            fn is_finite(self) -> bool {
                self.is_finite()
            }
            #[inline]
            fn is_zero(self) -> bool {
                self == 0.0
            }
            #[inline]
            fn bit_eq(self, other: Self) -> bool {
                self.to_bits() == other.to_bits()
            }
            #[inline(always)]
            fn exp(self) -> Self {
                $exp(self)
            }
            #[inline]
            fn exp_m1(self) -> Self {
                self.exp_m1()
            }
            #[inline(always)]
            fn ln(self) -> Self {
                $ln(self)
            }
            #[inline]
            fn ln_1p(self) -> Self {
                self.ln_1p()
            }
            #[inline]
            fn sqrt(self) -> Self {
                self.sqrt()
            }
            #[inline]
            fn sin(self) -> Self {
                self.sin()
            }
            #[inline]
            fn cos(self) -> Self {
                self.cos()
            }
            #[inline(always)]
            fn tanh(self) -> Self {
                $tanh(self)
            }
            #[inline]
            fn erf(self) -> Self {
                $erf(self)
            }
            #[inline]
            fn erfc(self) -> Self {
                $erfc(self)
            }
            #[inline]
            fn abs(self) -> Self {
                self.abs()
            }
            #[inline]
            fn recip(self) -> Self {
                self.recip()
            }
            #[inline]
            fn powi(self, exponent: i32) -> Self {
                self.powi(exponent)
            }
            #[inline]
            fn powf(self, exponent: f64) -> Self {
                self.powf(exponent as Self)
            }
            #[inline]
            fn pow(self, exponent: Self) -> Self {
                self.powf(exponent)
            }
            #[inline]
            fn max(self, other: Self) -> Self {
                if self >= other || self.is_nan() {
                    self
                } else {
                    other
                }
            }
            #[inline]
            fn min(self, other: Self) -> Self {
                if self <= other || self.is_nan() {
                    self
                } else {
                    other
                }
            }
            fn exp_slice(input: &[Self], output: &mut [Self]) {
                vectorized(
                    #[inline(always)]
                    || each(input, output, $exp),
                );
            }
            fn ln_slice(input: &[Self], output: &mut [Self]) {
                vectorized(
                    #[inline(always)]
                    || each(input, output, $ln),
                );
            }
            fn tanh_slice(input: &[Self], output: &mut [Self]) {
                vectorized(
                    #[inline(always)]
                    || each(input, output, $tanh),
                );
            }
            #[inline]
            fn sum_groups(groups: &[Group<Self>]) -> Self {
                $sum_groups(groups)
            }
            #[inline]
            fn dot_groups(left: &[Group<Self>], right: &[Group<Self>]) -> Self {
                $dot_groups(left, right)
            }
            #[inline(always)]
            fn all_finite(values: &[Self]) -> bool {
                // An exponent of all ones, and only that, carries into the sign bit when one is added.
                const EXPONENT: $bits = $float::INFINITY.to_bits();
                const ONE: $bits = 1 << ($float::MANTISSA_DIGITS - 1);
                let gather = || {
                    values.iter().fold(0, |carries: $bits, x| {
                        carries | ((x.to_bits() & EXPONENT) + ONE)
                    })
                };
                // A few elements are sooner tested than a width is chosen.
                let carries = if values.len() <= FEW {
                    gather()
                } else {
                    vectorized(gather)
                };
                carries >> ($bits::BITS - 1) == 0
            }
            fn gemm(
                output: &mut MatrixMut<'_, Self>,
                left: &Matrix<'_, Self>,
                right: &Matrix<'_, Self>,
                accumulate: bool,
            ) {
                $gemm(output, left, right, accumulate);
            }
        }
    };
}

float_element!(
    f32,
    u32,
    F32,
    functions::exp_f32,
    functions::tanh_f32,
    functions::ln_f32,
    math::erf_f32,
    math::erfc_f32,
    kernel::multiply_f32,
    lanes::sum_of_f32,
    lanes::dot_of_f32
);
float_element!(
    f64,
    u64,
    F64,
    functions::exp_f64,
    functions::tanh_f64,
    functions::ln_f64,
    math::erf_f64,
    math::erfc_f64,
    kernel::multiply_f64,
    lanes::sum_of_f64,
    lanes::dot_of_f64
);
