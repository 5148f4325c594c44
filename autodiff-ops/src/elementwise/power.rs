//! Powers and roots.
//!
//! Where a derivative is infinite or undefined, an upstream of zero contributes zero (what does not
//! arrive cannot be scaled), and any other upstream is the tape's `NonFiniteVjp`.

use autodiff_core::prelude::*;

/// `upstream · slope`, and zero for a zero upstream whatever the slope.
fn scaled<T: Element>(upstream: T, slope: T) -> T {
    if upstream.is_zero() {
        T::zero()
    } else {
        upstream * slope
    }
}

/// The square of every element: `y = x²`.
///
/// # Shapes
/// `x: S -> y: S`
/// # Errors
/// On the tape, `NonFiniteForward` where `x²` overflows.
/// # VJP
/// `x̄ = 2 ȳ x`. Source: product rule.
#[vjp_rule]
#[gradcheck(x: [..])]
pub fn square<T: Element>(x: &Tensor<T>) -> Result<Tensor<T>> {
    /// twice upstream times the input
    #[vjp(x)]
    fn x_vjp(upstream: Tensor<T>, x: &Tensor<T>) -> Result<Tensor<T>> {
        let two = T::from_f64(2.0);
        upstream.zip_inplace(x, |u, x| u * x * two)
    }
    Ok(x.map(|x| x * x))
}

/// The square root of every element: `y = √x`.
///
/// At `x = 0` the derivative is infinite: `NonFiniteVjp`, unless the upstream is 0 there.
///
/// # Shapes
/// `x: S -> y: S`
/// # Errors
/// On the tape, `NonFiniteForward` where `x < 0`.
/// # VJP
/// `x̄ = ȳ / (2 y)`. Source: chain rule, from `y² = x`.
#[vjp_rule]
#[gradcheck(x: [..] in 0.2..4.0)]
pub fn sqrt<T: Element>(x: &Tensor<T>) -> Result<Tensor<T>> {
    /// upstream over twice the root
    #[vjp(x)]
    fn x_vjp(upstream: Tensor<T>, output: &Tensor<T>) -> Result<Tensor<T>> {
        let half = T::from_f64(0.5);
        upstream.zip_inplace(output, |u, y| scaled(u, half / y))
    }
    Ok(x.map(T::sqrt))
}

/// The reciprocal square root of every element: `y = 1 / √x`.
///
/// # Shapes
/// `x: S -> y: S`
/// # Errors
/// On the tape, `NonFiniteForward` where `x <= 0`.
/// # VJP
/// `x̄ = -ȳ y³ / 2`. Source: chain rule, from `y² = 1 / x`.
#[vjp_rule]
#[gradcheck(x: [..] in 0.3..4.0)]
pub fn rsqrt<T: Element>(x: &Tensor<T>) -> Result<Tensor<T>> {
    /// minus half of upstream times the cubed output
    #[vjp(x)]
    fn x_vjp(upstream: Tensor<T>, output: &Tensor<T>) -> Result<Tensor<T>> {
        // Not `u (y y y)`: the cube overflows long before the product.
        let half = T::from_f64(-0.5);
        upstream.zip_inplace(output, |u, y| half * u * y * y * y)
    }
    Ok(x.map(|x| x.sqrt().recip()))
}

/// `d/dx x^p = p x^(p - 1)`, and 0 for `p = 0` even where `x^(p - 1)` is infinite.
fn slope<T: Element>(x: T, exponent: f64) -> T {
    if exponent == 0.0 {
        T::zero()
    } else {
        T::from_f64(exponent) * x.powf(exponent - 1.0)
    }
}

/// Every element raised to one exponent: `y = x^exponent`.
///
/// At `x = 0` the derivative is exact where it is finite: 0 for exponents 0 and above 1, and 1 for
/// exponent 1. For exponents between 0 and 1 it is infinite: `NonFiniteVjp`, unless the upstream is 0.
///
/// # Shapes
/// `x: S -> y: S`
/// # Errors
/// On the tape, `NonFiniteForward` where `x = 0` and the exponent is negative, and where `x < 0` and the
/// exponent is not an integer.
/// # VJP
/// `x̄ = ȳ · exponent · x^(exponent - 1)`. Source: definition.
#[vjp_rule]
#[gradcheck(x: [..] in 0.3..3.0, exponent = 2.5 | -1.5 | 0.5 | 0.0 | 1.0)]
#[gradcheck(x: [..] in -3.0..-0.4 | 0.4..3.0, exponent = 2.0 | 3.0 | -1.0 | -2.0)]
pub fn powf<T: Element>(x: &Tensor<T>, exponent: f64) -> Result<Tensor<T>> {
    /// upstream times the exponent times the input to one power less
    #[vjp(x)]
    fn x_vjp(upstream: Tensor<T>, x: &Tensor<T>, exponent: f64) -> Result<Tensor<T>> {
        upstream.zip_inplace(x, |u, x| scaled(u, slope(x, exponent)))
    }
    Ok(x.map(|x| x.powf(exponent)))
}

/// Elementwise power with trailing-axis broadcasting: `y = base^exponent`.
///
/// At `base = 0` with a positive exponent, the derivative by the exponent is 0, and the one by the base
/// is as for a constant exponent. With exponent 0 the derivative by the exponent is infinite, and for
/// `base < 0` it does not exist: `NonFiniteVjp` where the exponent is tracked, unless the upstream is 0.
///
/// # Shapes
/// `base: A, exponent: B -> y: broadcast(A, B)`
/// # Errors
/// `IncompatibleBroadcast` where two aligned extents differ and neither is 1. On the tape,
/// `NonFiniteForward` where `base = 0` and the exponent is negative, and where `base < 0` and the exponent
/// is not an integer.
/// # VJP
/// The base gets `ȳ · exponent · base^(exponent - 1)` and the exponent `ȳ y ln base`, each summed over
/// the axes along which the operand was repeated. Source: chain rule, from `y = e^(exponent · ln base)`.
#[vjp_rule]
#[gradcheck(base: [..] in 0.3..3.0, exponent: [..])]
#[gradcheck(base: [m, 1] in 0.3..3.0, exponent: [n])]
#[gradcheck(base: [m, n] in 0.3..3.0, exponent: [])]
pub fn pow<T: Element>(base: &Tensor<T>, exponent: &Tensor<T>) -> Result<Tensor<T>> {
    /// upstream times the exponent times the base to one power less, summed back to the operand's shape
    #[vjp(base)]
    fn base_vjp(
        upstream: &Tensor<T>,
        base: &Tensor<T>,
        exponent: &Tensor<T>,
        base_fit: &Projection,
    ) -> Result<Tensor<T>> {
        let (slopes, ..) = upstream.zip3_broadcast(base, exponent, |u, b, e| {
            if e.is_zero() {
                return T::zero();
            }
            scaled(u, e * b.pow(e - T::one()))
        })?;
        base_fit.reduce(&slopes)
    }
    /// upstream times the output times the logarithm of the base, summed back to the operand's shape
    #[vjp(exponent)]
    fn exponent_vjp(
        upstream: &Tensor<T>,
        base: &Tensor<T>,
        exponent: &Tensor<T>,
        output: &Tensor<T>,
        exponent_fit: &Projection,
    ) -> Result<Tensor<T>> {
        let (weighted, _, _) = upstream.zip_broadcast(output, |u, y| scaled(u, y))?;
        let (slopes, ..) = weighted.zip3_broadcast(base, exponent, |w, b, e| {
            // b^e ln b tends to 0 with b for every e > 0; a base that moves also needs its slope to, so e > 1.
            let vanishes = e > T::one() || (b.is_zero() && e > T::zero());
            if b == T::zero() && vanishes {
                T::zero()
            } else {
                scaled(w, b.ln())
            }
        })?;
        exponent_fit.reduce(&slopes)
    }
    let (power, base_fit, exponent_fit) = base.zip_broadcast(exponent, |b, e| b.pow(e))?;
    Ok(power)
}
