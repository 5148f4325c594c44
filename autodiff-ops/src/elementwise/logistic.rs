//! The logistic function and the activations that gate by it.

use autodiff_core::prelude::*;

use super::decay::{decay, logistic, logistic_slope};

/// The logistic function of every element: `y = σ(x) = 1 / (1 + e^-x)`.
///
/// # Shapes
/// `x: S -> y: S`
/// # VJP
/// `x̄ = ȳ y (1 - y)`. Source: quotient rule.
#[vjp_rule]
#[gradcheck(x: [..] in -4.0..4.0)]
pub fn sigmoid<T: Element>(x: &Tensor<T>) -> Result<Tensor<T>> {
    /// upstream times the output times its complement
    #[vjp(x)]
    fn x_vjp(upstream: Tensor<T>, output: &Tensor<T>) -> Result<Tensor<T>> {
        upstream.zip_inplace(output, |u, y| u * (y * (T::one() - y)))
    }
    Ok(x.map(|x| logistic(x, decay(x))))
}

/// The sigmoid-weighted input: `y = x σ(x)`.
///
/// At `x = 0`: exactly 0, with derivative 1/2.
///
/// # Shapes
/// `x: S -> y: S`
/// # VJP
/// `x̄ = ȳ (σ(x) + x σ(x) σ(-x))`. Source: product rule.
#[vjp_rule]
#[gradcheck(x: [..] in -4.0..4.0)]
pub fn silu<T: Element>(x: &Tensor<T>) -> Result<Tensor<T>> {
    /// upstream times the gate and the input times the gate's slope
    #[vjp(x)]
    fn x_vjp(upstream: Tensor<T>, x: &Tensor<T>) -> Result<Tensor<T>> {
        upstream.zip_inplace(x, |u, x| {
            let decay = decay(x);
            u * (logistic(x, decay) + x * logistic_slope(decay))
        })
    }
    Ok(x.map(|x| x * logistic(x, decay(x))))
}

/// The smooth ramp: `y = ln(1 + e^x)`.
///
/// # Shapes
/// `x: S -> y: S`
/// # VJP
/// `x̄ = ȳ σ(x)`. Source: chain rule.
#[vjp_rule]
#[gradcheck(x: [..] in -4.0..4.0)]
pub fn softplus<T: Element>(x: &Tensor<T>) -> Result<Tensor<T>> {
    /// upstream times the logistic function of the input
    #[vjp(x)]
    fn x_vjp(upstream: Tensor<T>, x: &Tensor<T>) -> Result<Tensor<T>> {
        upstream.zip_inplace(x, |u, x| u * logistic(x, decay(x)))
    }
    // ln(1 + e^x) = x + ln(1 + e^-x).
    Ok(x.map(|x| {
        let rest = decay(x).ln_1p();
        if x > T::zero() { x + rest } else { rest }
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::at;

    #[test]
    fn nothing_overflows_at_a_thousand() {
        let x = [-1000.0, 1000.0];
        assert_eq!(
            at(&x, |x| x.sigmoid()).unwrap(),
            (vec![0.0, 1.0], vec![0.0, 0.0])
        );
        assert_eq!(
            at(&x, |x| x.silu()).unwrap(),
            (vec![0.0, 1000.0], vec![0.0, 1.0])
        );
        assert_eq!(
            at(&x, |x| x.softplus()).unwrap(),
            (vec![0.0, 1000.0], vec![0.0, 1.0])
        );
    }

    #[test]
    fn nothing_is_lost_in_the_left_tail() {
        // σ(x) and ln(1 + e^x) are e^x there, and the derivative of x σ(x) is (1 + x) e^x.
        let tail = (-700.0_f64).exp();
        assert_eq!(
            at(&[-700.0], |x| x.sigmoid()).unwrap(),
            (vec![tail], vec![tail])
        );
        assert_eq!(
            at(&[-700.0], |x| x.softplus()).unwrap(),
            (vec![tail], vec![tail])
        );
        let (y, slope) = at(&[-700.0], |x| x.silu()).unwrap();
        assert_eq!(y, [-700.0 * tail]);
        assert!((slope[0] / (-699.0 * tail) - 1.0).abs() < 4.0 * f64::EPSILON);
    }

    #[test]
    fn all_three_are_exact_at_zero() {
        assert_eq!(
            at(&[0.0], |x| x.sigmoid()).unwrap(),
            (vec![0.5], vec![0.25])
        );
        assert_eq!(at(&[0.0], |x| x.silu()).unwrap(), (vec![0.0], vec![0.5]));
        let ln_2 = std::f64::consts::LN_2;
        assert_eq!(
            at(&[0.0], |x| x.softplus()).unwrap(),
            (vec![ln_2], vec![0.5])
        );
    }

    #[test]
    fn dual_numbers_agree_with_the_rules_at_zero() {
        let x = Tensor::scalar(Dual::new(0.0, 1.0));
        let tangent = |y: Result<Tensor<Dual>>| y.unwrap().as_slice()[0].tangent;
        assert_eq!(tangent(sigmoid(&x)), 0.25);
        assert_eq!(tangent(silu(&x)), 0.5);
        assert_eq!(tangent(softplus(&x)), 0.5);
    }
}
