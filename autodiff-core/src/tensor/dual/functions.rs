//! The element functions of a dual number, each with its derivative by the chain rule.

use std::cmp::Ordering;

use super::Dual;
use crate::tensor::element::{Element, ElementKind, sealed::Sealed};
use crate::tensor::{functions, math};

impl Dual {
    /// The chain rule, with a zero tangent left at zero.
    #[inline]
    fn chain(self, value: f64, derivative: impl FnOnce() -> f64) -> Self {
        let tangent = if self.tangent == 0.0 {
            0.0
        } else {
            self.tangent * derivative()
        };
        Self { value, tangent }
    }
}

impl Sealed for Dual {}

impl Element for Dual {
    const NAME: &'static str = "dual";
    const KIND: ElementKind = ElementKind::Dual;

    #[inline]
    fn from_f64(value: f64) -> Self {
        Self::constant(value)
    }
    #[inline]
    fn to_f64(self) -> f64 {
        self.value
    }
    #[inline]
    fn is_finite(self) -> bool {
        self.value.is_finite() && self.tangent.is_finite()
    }
    #[inline]
    fn is_zero(self) -> bool {
        self.value == 0.0 && self.tangent == 0.0
    }
    fn offending_part(self) -> f64 {
        if self.value.is_finite() && !self.tangent.is_finite() {
            self.tangent
        } else {
            self.value
        }
    }
    fn offending_parts(left: Self, right: Self) -> [f64; 2] {
        let sum = left + right;
        match sum.value.is_finite() && !sum.tangent.is_finite() {
            true => [left.tangent, right.tangent],
            false => [left.value, right.value],
        }
    }
    #[inline]
    fn bit_eq(self, other: Self) -> bool {
        self.value.to_bits() == other.value.to_bits()
            && self.tangent.to_bits() == other.tangent.to_bits()
    }
    fn exp(self) -> Self {
        let value = functions::exp_f64(self.value);
        self.chain(value, || value)
    }
    fn exp_m1(self) -> Self {
        self.chain(self.value.exp_m1(), || functions::exp_f64(self.value))
    }
    fn ln(self) -> Self {
        self.chain(functions::ln_f64(self.value), || 1.0 / self.value)
    }
    fn ln_1p(self) -> Self {
        self.chain(self.value.ln_1p(), || 1.0 / (1.0 + self.value))
    }
    fn sqrt(self) -> Self {
        let value = self.value.sqrt();
        self.chain(value, || 0.5 / value)
    }
    fn sin(self) -> Self {
        self.chain(self.value.sin(), || self.value.cos())
    }
    fn cos(self) -> Self {
        self.chain(self.value.cos(), || -self.value.sin())
    }
    fn tanh(self) -> Self {
        // sech² instead of 1 - tanh²: no cancellation where tanh has saturated.
        self.chain(functions::tanh_f64(self.value), || {
            self.value.cosh().recip().powi(2)
        })
    }
    fn erf(self) -> Self {
        self.chain(math::erf_f64(self.value), || {
            math::erf_derivative(self.value)
        })
    }
    fn erfc(self) -> Self {
        self.chain(math::erfc_f64(self.value), || {
            -math::erf_derivative(self.value)
        })
    }
    fn abs(self) -> Self {
        let sign = if self.value == 0.0 {
            0.0
        } else {
            self.value.signum()
        };
        self.chain(self.value.abs(), || sign)
    }
    fn recip(self) -> Self {
        let value = self.value.recip();
        self.chain(value, || -value * value)
    }
    fn powi(self, exponent: i32) -> Self {
        let slope = || power_slope(self.value, f64::from(exponent));
        self.chain(self.value.powi(exponent), slope)
    }
    fn powf(self, exponent: f64) -> Self {
        self.chain(self.value.powf(exponent), || {
            power_slope(self.value, exponent)
        })
    }
    fn pow(self, exponent: Self) -> Self {
        let value = self.value.powf(exponent.value);
        let by_base = self
            .chain(value, || power_slope(self.value, exponent.value))
            .tangent;
        // x^y ln x tends to 0 with x for every y > 0.
        let by_exponent = exponent
            .chain(value, || {
                if value == 0.0 {
                    0.0
                } else {
                    value * self.value.ln()
                }
            })
            .tangent;
        Self {
            value,
            tangent: by_base + by_exponent,
        }
    }
    fn max(self, other: Self) -> Self {
        match self.partial_cmp(&other) {
            Some(Ordering::Equal) => self.chain_tie(other),
            Some(Ordering::Greater) => self,
            Some(Ordering::Less) => other,
            None => self.nan_of(other),
        }
    }
    fn min(self, other: Self) -> Self {
        match self.partial_cmp(&other) {
            Some(Ordering::Equal) => self.chain_tie(other),
            Some(Ordering::Less) => self,
            Some(Ordering::Greater) => other,
            None => self.nan_of(other),
        }
    }
}

/// `d/dx x^p = p x^(p-1)`, and 0 for `p = 0` even where `x^(p-1)` is infinite.
fn power_slope(x: f64, exponent: f64) -> f64 {
    if exponent == 0.0 {
        0.0
    } else {
        exponent * x.powf(exponent - 1.0)
    }
}

impl Dual {
    /// Equal values share their tangents evenly.
    fn chain_tie(self, other: Self) -> Self {
        Self {
            value: self.value,
            tangent: 0.5 * self.tangent + 0.5 * other.tangent,
        }
    }

    fn nan_of(self, other: Self) -> Self {
        if self.value.is_nan() { self } else { other }
    }
}
