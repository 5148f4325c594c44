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
