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
        output: &Tensor<T>,
        exponent_fit: &Projection,
    ) -> Result<Tensor<T>> {
        // A base of zero with a positive exponent needs no case of its own: the output is zero there, and
        // what is scaled by it stays zero beside the infinite logarithm.
        let (slopes, ..) =
            upstream.zip3_broadcast(output, base, |u, y, b| scaled(scaled(u, y), b.ln()))?;
        exponent_fit.reduce(&slopes)
    }
    let (power, base_fit, exponent_fit) = base.zip_broadcast(exponent, |b, e| b.pow(e))?;
    Ok(power)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{at, pulled, vector};

    #[test]
    fn the_slope_of_a_reciprocal_root_is_minus_half_its_cube() {
        let (y, gradient) = at(&[4.0], |x| x.rsqrt()).unwrap();
        assert_eq!((y, gradient), (vec![0.5], vec![-0.5 * 0.125]));
    }

    #[test]
    fn the_infinite_slope_of_a_root_at_zero_is_refused_where_anything_arrives() {
        let x = vector(&[4.0, 0.0]);
        let error = pulled([&x], &vector(&[1.0, 1.0]), |[x]| x.sqrt()).unwrap_err();
        assert!(
            matches!(error, TensorAutodiffError::NonFiniteVjp { index: 1, .. }),
            "{error:?}"
        );
        let (_, [gradient]) = pulled([&x], &vector(&[1.0, 0.0]), |[x]| x.sqrt()).unwrap();
        assert_eq!(gradient.as_slice(), [0.25, 0.0]);
    }

    #[test]
    fn powers_of_zero_are_exact() {
        for (exponent, y, slope) in [
            (0.0, 1.0, 0.0),
            (1.0, 0.0, 1.0),
            (1.5, 0.0, 0.0),
            (2.0, 0.0, 0.0),
            (3.0, 0.0, 0.0),
        ] {
            let found = at(&[0.0], |x| x.powf(exponent)).unwrap();
            assert_eq!(found, (vec![y], vec![slope]), "exponent {exponent}");
            let exponent = TensorValue::constant(Tensor::scalar(exponent)).unwrap();
            assert_eq!(at(&[0.0], |x| x.pow(&exponent)).unwrap(), found);
        }
        for f in [
            |x: &TensorValue| x.powf(0.5),
            |x: &TensorValue| x.pow(&TensorValue::constant(Tensor::scalar(0.5))?),
        ] {
            let error = at(&[0.0], f).unwrap_err();
            assert!(
                matches!(error, TensorAutodiffError::NonFiniteVjp { index: 0, .. }),
                "{error:?}"
            );
        }
        let error = at(&[0.0], |x| x.powf(-1.0)).unwrap_err();
        assert_eq!(
            error.to_string(),
            "powf produced non-finite value inf at flat index 0"
        );
    }

    #[test]
    fn a_negative_base_has_integer_powers_only() {
        for (exponent, y, slope) in [
            (2.0, 2.25, -3.0),
            (3.0, -3.375, 6.75),
            (0.0, 1.0, 0.0),
            (-1.0, 1.0 / -1.5, -1.0 / 2.25),
        ] {
            let found = at(&[-1.5], |x| x.powf(exponent)).unwrap();
            assert_eq!(found.0, [y]);
            // Powers are correctly rounded to about one place.
            assert!((found.1[0] - slope).abs() <= 2.0 * f64::EPSILON * slope.abs());
        }
        let error = at(&[-1.5], |x| x.powf(0.5)).unwrap_err();
        assert_eq!(
            error.to_string(),
            "powf produced non-finite value NaN at flat index 0"
        );
    }

    #[test]
    fn an_exponent_receives_the_output_times_the_logarithm_of_the_base() {
        let (base, exponent) = (vector(&[0.0, 2.0]), vector(&[1.0, 1.0]));
        let ones = vector(&[1.0, 1.0]);
        let (y, [by_base, by_exponent]) =
            pulled([&base, &exponent], &ones, |[b, e]| b.pow(e)).unwrap();
        assert_eq!(y.as_slice(), [0.0, 2.0]);
        assert_eq!(by_base.as_slice(), [1.0, 1.0]);
        assert_eq!(by_exponent.as_slice(), [0.0, 2.0 * 2.0_f64.ln()]);
    }

    /// What the exponent of a constant base receives from an upstream of 1.
    fn by_exponent<T: Element>(base: T, exponent: f64) -> Result<T> {
        let base = TensorValue::constant(Tensor::scalar(base))?;
        let exponent = TensorValue::parameter(Tensor::scalar(T::from_f64(exponent)))?;
        base.pow(&exponent)?.backward()?;
        exponent
            .gradient()
            .map_or(Ok(T::zero()), |gradient| gradient.item())
    }

    #[test]
    fn the_exponent_of_a_zero_base_receives_the_limit_where_there_is_one() {
        // The limit of b^e ln b.
        for exponent in [0.5, 1.0, 2.0] {
            assert_eq!(by_exponent(0.0, exponent).unwrap(), 0.0);
        }
        let is_refused = |found: Result<()>| match found.unwrap_err() {
            TensorAutodiffError::NonFiniteVjp { operand, index, .. } => (operand, index) == (1, 0),
            _ => false,
        };
        assert!(is_refused(by_exponent(0.0, 0.0).map(drop)));
        // Of a base that moves the slope b^(e - 1) (1 + e ln b) has to have one too.
        let moving = Dual::new(0.0, 1.0);
        assert_eq!(by_exponent(moving, 2.0).unwrap(), Dual::new(0.0, 0.0));
        assert!(is_refused(by_exponent(moving, 1.0).map(drop)));
    }

    #[test]
    fn the_exponent_of_a_negative_base_has_no_derivative() {
        let (base, exponent) = (vector(&[2.0, -1.5]), vector(&[2.0, 2.0]));
        let power =
            |upstream: &[f64]| pulled([&base, &exponent], &vector(upstream), |[b, e]| b.pow(e));
        let error = power(&[1.0, 1.0]).unwrap_err();
        assert!(
            matches!(
                error,
                TensorAutodiffError::NonFiniteVjp {
                    operand: 1,
                    index: 1,
                    ..
                }
            ),
            "{error:?}"
        );
        let (_, [by_base, _]) = power(&[1.0, 0.0]).unwrap();
        assert_eq!(by_base.as_slice(), [4.0, 0.0]);
    }
}
