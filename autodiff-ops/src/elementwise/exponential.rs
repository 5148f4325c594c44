//! Exponentials, logarithms and trigonometric functions.

use autodiff_core::prelude::*;

/// The exponential of every element: `y = e^x`.
///
/// # Shapes
/// `x: S -> y: S`
/// # Errors
/// On the tape, `NonFiniteForward` where `e^x` overflows.
/// # VJP
/// `x̄ = ȳ y`. Source: definition.
#[vjp_rule]
#[gradcheck(x: [..])]
pub fn exp<T: Element>(x: &Tensor<T>) -> Result<Tensor<T>> {
    /// upstream times the output
    #[vjp(x)]
    fn x_vjp(upstream: Tensor<T>, output: &Tensor<T>) -> Result<Tensor<T>> {
        upstream.zip_inplace(output, |u, y| u * y)
    }
    Ok(x.map_slice(T::exp_slice))
}

/// Natural logarithm of every element: `y = ln x`.
///
/// # Shapes
/// `x: S -> y: S`
/// # Errors
/// On the tape, `NonFiniteForward` where `x <= 0`.
/// # VJP
/// `x̄ = ȳ / x`. Source: definition.
#[vjp_rule]
#[gradcheck(x: [..] in 0.2..4.0)]
pub fn log<T: Element>(x: &Tensor<T>) -> Result<Tensor<T>> {
    /// upstream over the input
    #[vjp(x)]
    fn x_vjp(upstream: Tensor<T>, x: &Tensor<T>) -> Result<Tensor<T>> {
        upstream.zip_inplace(x, |u, x| u / x)
    }
    Ok(x.map_slice(T::ln_slice))
}

/// The sine of every element: `y = sin x`.
///
/// # Shapes
/// `x: S -> y: S`
/// # VJP
/// `x̄ = ȳ cos x`. Source: definition.
#[vjp_rule]
#[gradcheck(x: [..] in -4.0..4.0)]
pub fn sin<T: Element>(x: &Tensor<T>) -> Result<Tensor<T>> {
    /// upstream times the cosine of the input
    #[vjp(x)]
    fn x_vjp(upstream: Tensor<T>, x: &Tensor<T>) -> Result<Tensor<T>> {
        upstream.zip_inplace(x, |u, x| u * x.cos())
    }
    Ok(x.map(T::sin))
}

/// The cosine of every element: `y = cos x`.
///
/// # Shapes
/// `x: S -> y: S`
/// # VJP
/// `x̄ = -ȳ sin x`. Source: definition.
#[vjp_rule]
#[gradcheck(x: [..] in -4.0..4.0)]
pub fn cos<T: Element>(x: &Tensor<T>) -> Result<Tensor<T>> {
    /// minus upstream times the sine of the input
    #[vjp(x)]
    fn x_vjp(upstream: Tensor<T>, x: &Tensor<T>) -> Result<Tensor<T>> {
        upstream.zip_inplace(x, |u, x| -(u * x.sin()))
    }
    Ok(x.map(T::cos))
}

/// The hyperbolic tangent of every element: `y = tanh x`.
///
/// # Shapes
/// `x: S -> y: S`
/// # VJP
/// `x̄ = ȳ (1 - y²)`. Source: definition.
#[vjp_rule]
#[gradcheck(x: [..] in -3.0..3.0)]
pub fn tanh<T: Element>(x: &Tensor<T>) -> Result<Tensor<T>> {
    /// upstream times one minus the squared output
    #[vjp(x)]
    fn x_vjp(upstream: Tensor<T>, output: &Tensor<T>) -> Result<Tensor<T>> {
        // As a product, the difference to 1 does not cancel.
        upstream.zip_inplace(output, |u, y| u * ((T::one() - y) * (T::one() + y)))
    }
    Ok(x.map_slice(T::tanh_slice))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::at;

    #[test]
    fn an_exponential_that_overflows_is_refused_and_one_that_vanishes_is_zero() {
        // e^709.78 is the largest that f64 holds.
        let error = at(&[709.0, 710.0], |x| x.exp()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "exp produced non-finite value inf at flat index 1"
        );
        assert_eq!(at(&[-746.0], |x| x.exp()).unwrap(), (vec![0.0], vec![0.0]));
    }

    #[test]
    fn a_logarithm_of_nothing_positive_is_refused() {
        for (x, value) in [(0.0, "-inf"), (-1.0, "NaN")] {
            let error = at(&[1.0, 2.0, x], |x| x.log()).unwrap_err();
            assert_eq!(
                error.to_string(),
                format!("log produced non-finite value {value} at flat index 2")
            );
        }
    }

    #[test]
    fn a_saturated_tangent_has_gradient_zero() {
        let (y, gradient) = at(&[1000.0, -1000.0, 0.0], |x| x.tanh()).unwrap();
        assert_eq!(y, [1.0, -1.0, 0.0]);
        assert_eq!(gradient, [0.0, 0.0, 1.0]);
    }

    #[test]
    fn the_slope_of_the_sine_is_the_cosine_and_of_that_minus_the_sine() {
        let x = [0.3, -2.0];
        assert_eq!(at(&x, |x| x.sin()).unwrap().1, x.map(f64::cos));
        assert_eq!(at(&x, |x| x.cos()).unwrap().1, x.map(|x| -x.sin()));
    }
}
