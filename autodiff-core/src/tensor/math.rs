//! Scalar special functions that the standard library lacks.
//!
//! `erf` is the one of FreeBSD's msun (rational approximations on five intervals, error below 1 ulp),
//! as the `libm` crate carries it with its coefficients and their derivation.

use std::f64::consts::PI;

/// The error function `2/sqrt(pi) ∫₀ˣ exp(-t²) dt`.
pub(super) fn erf_f64(x: f64) -> f64 {
    libm::erf(x)
}

/// The error function in single precision.
pub(super) fn erf_f32(x: f32) -> f32 {
    libm::erff(x)
}

/// `1 - erf x`, without the cancellation for large `x`.
pub(super) fn erfc_f64(x: f64) -> f64 {
    libm::erfc(x)
}

/// `1 - erf x` in single precision.
pub(super) fn erfc_f32(x: f32) -> f32 {
    libm::erfcf(x)
}

/// The derivative of the error function, `2/sqrt(pi) exp(-x²)`.
pub(super) fn erf_derivative(x: f64) -> f64 {
    2.0 / PI.sqrt() * (-x * x).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn erf_agrees_with_its_maclaurin_series_to_two_ulp() {
        for step in -40..=40 {
            let x = f64::from(step) / 40.0;
            // erf x = 2/sqrt(pi) Σ (-1)^n x^(2n+1) / (n! (2n+1)); terms fall below 1e-17 by n = 20 for |x| <= 1.
            let mut power = x;
            let mut series = x;
            for n in 1..25 {
                let n = f64::from(n);
                power *= -x * x / n;
                series += power / (2.0 * n + 1.0);
            }
            let expected = 2.0 / PI.sqrt() * series;
            // The series itself rounds a few times.
            assert!(
                (erf_f64(x) - expected).abs() <= 4.0 * f64::EPSILON * expected.abs(),
                "x = {x}"
            );
            assert!(
                (f64::from(erf_f32(x as f32)) - expected).abs()
                    <= 2.0 * f64::from(f32::EPSILON) * expected.abs()
            );
        }
    }

    #[test]
    fn the_complement_keeps_the_digits_that_one_minus_erf_loses() {
        for step in 1..=25 {
            let x = f64::from(step);
            // Bounds of Mills' ratio: 2/(x + sqrt(x² + 2)) < sqrt(pi) e^(x²) erfc x < 2/(x + sqrt(x² + 4/pi)).
            let scaled = PI.sqrt() * (x * x).exp() * erfc_f64(x);
            assert!(2.0 / (x + (x * x + 2.0).sqrt()) < scaled, "x = {x}");
            assert!(scaled < 2.0 / (x + (x * x + 4.0 / PI).sqrt()), "x = {x}");
        }
        assert_eq!(erfc_f64(-30.0), 2.0);
        assert_eq!(erfc_f32(-30.0), 2.0);
    }

    #[test]
    fn erf_is_odd_and_ends_at_one() {
        assert_eq!(erf_f64(-0.7), -erf_f64(0.7));
        assert_eq!(erf_f64(6.0), 1.0);
        assert_eq!(erf_f64(f64::NEG_INFINITY), -1.0);
        assert!(erf_f64(f64::NAN).is_nan());
        assert!(erf_f64(-0.0).is_sign_negative());
    }
}
