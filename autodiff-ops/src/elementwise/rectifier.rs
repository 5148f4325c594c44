//! Piecewise linear functions of one tensor.

use autodiff_core::prelude::*;

/// The absolute value of every element: `y = |x|`.
///
/// At `x = 0`: derivative 0.
///
/// # Shapes
/// `x: S -> y: S`
/// # VJP
/// `x̄ = ȳ sign x`. Source: definition.
#[vjp_rule]
#[gradcheck(x: [..] in -2.0..-0.1 | 0.1..2.0)]
pub fn abs<T: Element>(x: &Tensor<T>) -> Result<Tensor<T>> {
    /// upstream with the input's sign
    #[vjp(x)]
    fn x_vjp(upstream: Tensor<T>, x: &Tensor<T>) -> Result<Tensor<T>> {
        upstream.zip_inplace(x, |u, x| {
            if x > T::zero() {
                u
            } else if x < T::zero() {
                -u
            } else {
                T::zero()
            }
        })
    }
    Ok(x.map(T::abs))
}

/// The positive part of every element: `y = max(x, 0)`.
///
/// At `x = 0`: derivative 0.
///
/// # Shapes
/// `x: S -> y: S`
/// # VJP
/// `x̄ = ȳ` where `x > 0`, else 0. Source: definition.
#[vjp_rule]
#[gradcheck(x: [..] in -2.0..-0.1 | 0.1..2.0)]
pub fn relu<T: Element>(x: &Tensor<T>) -> Result<Tensor<T>> {
    /// upstream where the output is positive
    #[vjp(x)]
    fn x_vjp(upstream: Tensor<T>, output: &Tensor<T>) -> Result<Tensor<T>> {
        // The output is positive exactly where the input is, and the next operation often saves it too.
        upstream.zip_inplace(output, |u, y| if y > T::zero() { u } else { T::zero() })
    }
    // A NaN stays one.
    Ok(x.map(|x| if x <= T::zero() { T::zero() } else { x }))
}

/// The input where positive, and a multiple of it elsewhere: `y = x` if `x > 0`, else `slope · x`.
///
/// At `x = 0`: derivative `slope`.
///
/// # Shapes
/// `x: S -> y: S`
/// # VJP
/// `x̄ = ȳ` where `x > 0`, else `slope · ȳ`. Source: definition.
#[vjp_rule]
#[gradcheck(x: [..] in -2.0..-0.1 | 0.1..2.0, slope = 0.1 | 0.0 | -0.5)]
pub fn leaky_relu<T: Element>(x: &Tensor<T>, slope: f64) -> Result<Tensor<T>> {
    /// upstream where the input is positive, else upstream times the slope
    #[vjp(x)]
    fn x_vjp(upstream: Tensor<T>, x: &Tensor<T>, slope: f64) -> Result<Tensor<T>> {
        let slope = T::from_f64(slope);
        upstream.zip_inplace(x, |u, x| if x > T::zero() { u } else { u * slope })
    }
    let factor = T::from_f64(slope);
    Ok(x.map(|x| if x > T::zero() { x } else { x * factor }))
}

/// Why bounds were refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ClampError {
    /// A bound is not a number.
    #[error("{bound} bound, expected a number, got NaN")]
    NotANumber {
        /// `lower` or `upper`.
        bound: &'static str,
    },
}

/// Every element brought within bounds: `y = min(max(x, lower), upper)`.
///
/// At a bound: the gradient passes. Where `lower > upper`, every element becomes `upper`, and no gradient
/// passes.
///
/// # Shapes
/// `x: S -> y: S`
/// # Errors
/// [`ClampError::NotANumber`].
/// # VJP
/// `x̄ = ȳ` where `lower <= x <= upper`, else 0. Source: definition.
#[vjp_rule]
#[gradcheck(x: [..] in -2.0..-1.1 | -0.9..0.4 | 0.6..2.0, lower = Some(-1.0) | None, upper = Some(0.5) | None)]
pub fn clamp<T: Element>(
    x: &Tensor<T>,
    lower: Option<f64>,
    upper: Option<f64>,
) -> Result<Tensor<T>> {
    /// upstream where the input lies within the bounds
    #[vjp(x)]
    fn x_vjp(
        upstream: Tensor<T>,
        x: &Tensor<T>,
        lower: Option<f64>,
        upper: Option<f64>,
    ) -> Result<Tensor<T>> {
        let [least, most] = bounds(lower, upper);
        upstream.zip_inplace(x, |u, x| {
            if least <= x && x <= most {
                u
            } else {
                T::zero()
            }
        })
    }
    for (bound, value) in [("lower", lower), ("upper", upper)] {
        if value.is_some_and(f64::is_nan) {
            return Err(OpError::new(ClampError::NotANumber { bound }).into());
        }
    }
    let [least, most] = bounds(lower, upper);
    Ok(x.map(|x| {
        let x = if x < least { least } else { x };
        if x > most { most } else { x }
    }))
}

/// The bounds as elements; a missing one is infinite.
fn bounds<T: Element>(lower: Option<f64>, upper: Option<f64>) -> [T; 2] {
    [
        T::from_f64(lower.unwrap_or(f64::NEG_INFINITY)),
        T::from_f64(upper.unwrap_or(f64::INFINITY)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::at;

    #[test]
    fn conventions_at_zero() {
        let x = [0.0, -0.0, 2.0, -2.0];
        assert_eq!(at(&x, |x| x.abs()).unwrap().1, [0.0, 0.0, 1.0, -1.0]);
        assert_eq!(at(&x, |x| x.relu()).unwrap().1, [0.0, 0.0, 1.0, 0.0]);
        assert_eq!(
            at(&x, |x| x.leaky_relu(0.1)).unwrap().1,
            [0.1, 0.1, 1.0, 0.1]
        );
    }

    #[test]
    fn a_bound_passes_the_gradient_and_what_lies_beyond_does_not() {
        let x = [-1.0, 1.0, 0.0, -2.0, 2.0];
        let (y, gradient) = at(&x, |x| x.clamp(Some(-1.0), Some(1.0))).unwrap();
        assert_eq!(y, [-1.0, 1.0, 0.0, -1.0, 1.0]);
        assert_eq!(gradient, [1.0, 1.0, 1.0, 0.0, 0.0]);
        let (y, gradient) = at(&x, |x| x.clamp(Some(0.0), None)).unwrap();
        assert_eq!(y, [0.0, 1.0, 0.0, 0.0, 2.0]);
        assert_eq!(gradient, [0.0, 1.0, 1.0, 0.0, 1.0]);
    }

    #[test]
    fn crossed_bounds_give_the_upper_one_and_no_gradient() {
        let (y, gradient) = at(&[0.0, 1.5, 5.0], |x| x.clamp(Some(2.0), Some(1.0))).unwrap();
        assert_eq!((y, gradient), (vec![1.0; 3], vec![0.0; 3]));
    }

    #[test]
    fn a_bound_is_a_number() {
        let error = at(&[0.0], |x| x.clamp(None, Some(f64::NAN))).unwrap_err();
        assert_eq!(
            error.to_string(),
            "clamp: upper bound, expected a number, got NaN"
        );
    }

    #[test]
    fn dual_numbers_keep_the_conventions() {
        let tangent = |y: Result<Tensor<Dual>>| y.unwrap().as_slice()[0].tangent;
        let moving = |value| Tensor::scalar(Dual::new(value, 1.0));
        assert_eq!(tangent(relu(&moving(0.0))), 0.0);
        assert_eq!(tangent(leaky_relu(&moving(0.0), 0.1)), 0.1);
        let bounded = |value| tangent(clamp(&moving(value), Some(-1.0), Some(1.0)));
        assert_eq!([-1.0, 1.0, -2.0, 2.0].map(bounded), [1.0, 1.0, 0.0, 0.0]);
    }

    #[test]
    fn a_nan_of_a_plain_tensor_stays_one() {
        let nan = Tensor::scalar(f64::NAN);
        for y in [
            relu(&nan),
            leaky_relu(&nan, 0.1),
            clamp(&nan, Some(0.0), Some(1.0)),
        ] {
            assert!(y.unwrap().as_slice()[0].is_nan());
        }
    }
}
