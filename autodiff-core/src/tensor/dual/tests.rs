//! Derivatives against closed forms, and the conventions at kinks.

use super::*;
use crate::tensor::Element;

/// A named function, its derivative and a range where both are smooth.
type Case = (&'static str, fn(Dual) -> Dual, fn(f64) -> f64, [f64; 2]);

const CASES: [Case; 14] = [
    ("exp", Dual::exp, f64::exp, [-3.0, 3.0]),
    ("exp_m1", Dual::exp_m1, f64::exp, [-3.0, 3.0]),
    ("ln", Dual::ln, f64::recip, [0.1, 4.0]),
    ("ln_1p", Dual::ln_1p, |x| 1.0 / (1.0 + x), [-0.9, 3.0]),
    ("sqrt", Dual::sqrt, |x| 0.5 * x.powf(-0.5), [0.1, 4.0]),
    ("sin", Dual::sin, f64::cos, [-3.0, 3.0]),
    ("cos", Dual::cos, |x| -x.sin(), [-3.0, 3.0]),
    (
        "tanh",
        Dual::tanh,
        |x| 4.0 / (x.exp() + (-x).exp()).powi(2),
        [-20.0, 20.0],
    ),
    (
        "erf",
        Dual::erf,
        |x| 2.0 / std::f64::consts::PI.sqrt() * (-x * x).exp(),
        [-3.0, 3.0],
    ),
    (
        "erfc",
        Dual::erfc,
        |x| -2.0 / std::f64::consts::PI.sqrt() * (-x * x).exp(),
        [-3.0, 3.0],
    ),
    ("abs", Dual::abs, f64::signum, [-3.0, -0.1]),
    ("recip", Dual::recip, |x| -1.0 / (x * x), [0.1, 4.0]),
    ("powi", |x| x.powi(3), |x| 3.0 * x * x, [-3.0, 3.0]),
    ("powf", |x| x.powf(2.5), |x| 2.5 * x.powf(1.5), [0.1, 4.0]),
];

#[test]
fn every_function_carries_its_derivative() {
    for (name, function, derivative, [low, high]) in CASES {
        for step in 0..=100 {
            let x = low + (high - low) * f64::from(step) / 100.0;
            let tangent = function(Dual::new(x, 2.0)).tangent;
            let expected = 2.0 * derivative(x);
            // Both sides are a handful of roundings of well-conditioned expressions.
            let tolerance = 32.0 * f64::EPSILON * expected.abs().max(1e-300);
            assert!(
                (tangent - expected).abs() <= tolerance,
                "{name} at {x}: {tangent} against {expected}"
            );
        }
    }
}

#[test]
fn arithmetic_follows_the_product_and_quotient_rules() {
    let (x, y) = (Dual::new(3.0, 1.0), Dual::new(2.0, 5.0));
    assert!((x * y).bit_eq(Dual::new(6.0, 1.0 * 2.0 + 3.0 * 5.0)));
    assert!((x / y).bit_eq(Dual::new(1.5, (1.0 - 1.5 * 5.0) / 2.0)));
    assert!((x - y).bit_eq(Dual::new(1.0, -4.0)));
    assert!((-x).bit_eq(Dual::new(-3.0, -1.0)));
}

#[test]
fn powers_are_exact_at_zero() {
    let zero = Dual::new(0.0, 3.0);
    assert!(zero.powf(0.0).bit_eq(Dual::new(1.0, 0.0)));
    assert!(zero.powf(1.0).bit_eq(Dual::new(0.0, 3.0)));
    assert!(zero.powf(2.0).bit_eq(Dual::new(0.0, 0.0)));
    assert!(zero.powi(0).bit_eq(Dual::new(1.0, 0.0)));
    assert!(zero.pow(Dual::new(2.0, 1.0)).bit_eq(Dual::new(0.0, 0.0)));
    assert!(zero.pow(Dual::new(1.0, 1.0)).bit_eq(Dual::new(0.0, 3.0)));
}

#[test]
fn the_root_at_zero_has_an_infinite_slope_that_a_zero_tangent_does_not_see() {
    assert_eq!(Dual::new(0.0, 1.0).sqrt().tangent, f64::INFINITY);
    assert!(Dual::new(0.0, 0.0).sqrt().bit_eq(Dual::new(0.0, 0.0)));
}

#[test]
fn a_power_moves_with_its_exponent() {
    let power = Dual::new(2.0, 0.0).pow(Dual::new(3.0, 1.0));
    assert_eq!(power.tangent, 8.0 * 2.0_f64.ln());
}

#[test]
fn the_slope_of_abs_at_zero_is_zero() {
    assert!(Dual::new(-0.0, 7.0).abs().bit_eq(Dual::new(0.0, 0.0)));
}

#[test]
fn ties_share_the_tangent_evenly_and_comparisons_see_the_value_only() {
    let (left, right) = (Dual::new(1.0, 4.0), Dual::new(1.0, 2.0));
    assert_eq!(left, right);
    assert_eq!(left.max(right).tangent, 3.0);
    assert_eq!(left.min(right).tangent, 3.0);
    assert!(left.max(Dual::constant(f64::NAN)).value.is_nan());
}

#[test]
fn a_dual_is_finite_when_both_parts_are() {
    assert!(!Dual::new(1.0, f64::NAN).is_finite());
    assert_eq!(
        Dual::new(1.0, f64::INFINITY).offending_part(),
        f64::INFINITY
    );
}
