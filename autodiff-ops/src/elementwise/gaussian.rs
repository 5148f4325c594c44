//! The input weighted by the probability that a standard normal variable lies below it.

use std::f64::consts::{FRAC_1_SQRT_2, PI};

use autodiff_core::prelude::*;

use super::decay::{decay, logistic, logistic_slope};

/// The cubic coefficient; it is part of the definition of the tanh form.
const CUBIC: f64 = 0.044_715;

/// Beyond this input the gate is 0 or 1 in all element types: its exponent there is
/// `2 sqrt(2/pi) (32 + 0.044715 · 32³) > 2000`, and `e^-746` already rounds to 0 in `f64`.
const SATURATION: f64 = 32.0;

/// The input within the range where the gate still moves, so that its cube never overflows.
fn unsaturated<T: Element>(x: T) -> T {
    let bound = T::from_f64(SATURATION);
    // Comparisons that a NaN fails keep it.
    let x = if x > bound { bound } else { x };
    if x < -bound { -bound } else { x }
}

/// `w` such that `(1 + tanh(w / 2)) / 2 = σ(w)` is the gate.
fn gate_exponent<T: Element>(x: T) -> T {
    let x = unsaturated(x);
    T::from_f64(2.0 * (2.0 / PI).sqrt()) * (x + T::from_f64(CUBIC) * x * x * x)
}

/// The derivative of [`gate_exponent`] where the gate still moves.
fn gate_exponent_slope<T: Element>(x: T) -> T {
    let x = unsaturated(x);
    T::from_f64(2.0 * (2.0 / PI).sqrt()) * (T::one() + T::from_f64(3.0 * CUBIC) * x * x)
}

/// The Gaussian error linear unit in its tanh form: `y = x/2 · (1 + tanh(√(2/π) (x + 0.044715 x³)))`.
///
/// # Shapes
/// `x: S -> y: S`
/// # VJP
/// With `w = 2 √(2/π) (x + 0.044715 x³)`, `y = x σ(w)` and `x̄ = ȳ (σ(w) + x σ(w) σ(-w) dw/dx)`.
/// Source: product rule.
#[vjp_rule]
#[gradcheck(x: [..] in -4.0..4.0)]
pub fn gelu<T: Element>(x: &Tensor<T>) -> Result<Tensor<T>> {
    /// upstream times the gate and the input times the gate's slope
    #[vjp(x)]
    fn x_vjp(upstream: Tensor<T>, slopes: &Tensor<T>) -> Result<Tensor<T>> {
        upstream.zip_inplace(slopes, |u, slope| u * slope)
    }
    // The slope costs little beside the exponential that it shares with the value.
    let (output, slopes) = x.map_pair(
        #[inline(always)]
        |x| {
            let decay = decay(gate_exponent(x));
            // The gate's sign is the input's.
            let gate = logistic(x, decay);
            let slope = gate + x * (logistic_slope(decay) * gate_exponent_slope(x));
            (x * gate, slope)
        },
    )?;
    Ok(output)
}

/// The Gaussian error linear unit: `y = x Φ(x) = x/2 · (1 + erf(x / √2))`.
///
/// # Shapes
/// `x: S -> y: S`
/// # VJP
/// `x̄ = ȳ (Φ(x) + x φ(x))` with the standard normal density `φ`. Source: product rule.
#[vjp_rule]
#[gradcheck(x: [..] in -4.0..4.0)]
pub fn gelu_erf<T: Element>(x: &Tensor<T>) -> Result<Tensor<T>> {
    /// upstream times the normal distribution function and the input times the density
    #[vjp(x)]
    fn x_vjp(upstream: Tensor<T>, x: &Tensor<T>) -> Result<Tensor<T>> {
        let norm = T::from_f64((2.0 * PI).sqrt().recip());
        upstream.zip_inplace(x, |u, x| {
            let scaled = x * T::from_f64(FRAC_1_SQRT_2);
            u * (distribution(x) + x * (decay(scaled * scaled) * norm))
        })
    }
    Ok(x.map(|x| x * distribution(x)))
}

/// `Φ(x)`, by the complementary error function: `1 + erf` would cancel in the left tail.
fn distribution<T: Element>(x: T) -> T {
    T::from_f64(0.5) * (x * T::from_f64(-FRAC_1_SQRT_2)).erfc()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::at;

    #[test]
    fn the_gate_is_the_tanh_form() {
        for step in -40..=40 {
            let x = f64::from(step) / 8.0;
            let inner = (2.0 / PI).sqrt() * (x + 0.044715 * x.powi(3));
            let expected = 0.5 * x * (1.0 + inner.tanh());
            let (y, _) = at(&[x], |x| x.gelu()).unwrap();
            // 1 + tanh cancels in the left tail, up to one place of 1.
            assert!(
                (y[0] - expected).abs() <= 4.0 * f64::EPSILON * x.abs().max(1.0),
                "x = {x}"
            );
        }
    }

    #[test]
    fn both_forms_end_at_zero_and_at_the_input() {
        for x in [40.0, 1e10, 1e120, 1e200, 1e300] {
            assert_eq!(
                at(&[x, -x], |x| x.gelu()).unwrap(),
                (vec![x, 0.0], vec![1.0, 0.0])
            );
            assert_eq!(
                at(&[x, -x], |x| x.gelu_erf()).unwrap(),
                (vec![x, 0.0], vec![1.0, 0.0])
            );
        }
        assert_eq!(at(&[0.0], |x| x.gelu()).unwrap(), (vec![0.0], vec![0.5]));
        assert_eq!(
            at(&[0.0], |x| x.gelu_erf()).unwrap(),
            (vec![0.0], vec![0.5])
        );
    }

    #[test]
    fn large_dual_numbers_stay_finite() {
        for x in [-1e300, -1e3, 1e3, 1e300] {
            let x = Tensor::scalar(Dual::new(x, 1.0));
            assert!(gelu(&x).unwrap().as_slice()[0].is_finite());
            assert!(gelu_erf(&x).unwrap().as_slice()[0].is_finite());
        }
    }

    #[test]
    fn where_the_gate_no_longer_moves_neither_does_the_slope() {
        for x in [1e3, 1e155, 1e300] {
            for form in [TensorValue::gelu, TensorValue::gelu_erf] {
                for (x, slope) in [(x, 1.0), (-x, 0.0)] {
                    let x = TensorValue::parameter(Tensor::scalar(Dual::new(x, 1.0))).unwrap();
                    form(&x).unwrap().backward().unwrap();
                    let found = x.gradient_snapshot().unwrap().item().unwrap();
                    assert_eq!(found, Dual::new(slope, 0.0));
                }
            }
        }
    }

    #[test]
    fn the_left_tail_of_the_exact_form_does_not_cancel() {
        // -10 Φ(-10) as JAX gives it; `1 + erf` would give 0.
        let (y, _) = at(&[-10.0], |x| x.gelu_erf()).unwrap();
        assert!((y[0] / -7.619_853_024_160_472e-23 - 1.0).abs() < 1e-13);
    }
}
