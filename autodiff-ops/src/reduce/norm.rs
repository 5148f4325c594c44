//! Sums that are rescaled, so that nothing overflows on the way.

use autodiff_core::prelude::*;

/// The logarithm of the sum of exponentials over axes: `y = ln Σ e^x`; `x` itself over no axis.
///
/// The largest element is taken out of every sum, so neither large nor very negative elements lose digits.
///
/// # Shapes
/// `x: S -> y: S` without `axes`, or with extent 1 there if `keep_dim`.
/// # Errors
/// `AxisOutOfRange`, `DuplicateAxis`; `EmptyReduction` over axes without elements.
/// # VJP
/// `x̄ = ȳ e^(x - y)`, `ȳ` and `y` repeated along `axes`. Source: chain rule.
#[vjp_rule]
#[gradcheck(x: [m, n], axes = &[0, 1] | &[0] | &[1] | &[], keep_dim = true | false)]
#[gradcheck(x: [m, n, k], axes = &[2, 0] | &[0, 1] | &[1, 2] | &[1], keep_dim = true | false)]
pub fn logsumexp<T: Element>(x: &Tensor<T>, axes: &[usize], keep_dim: bool) -> Result<Tensor<T>> {
    /// upstream times the share of each exponential in its sum
    #[vjp(x)]
    fn x_vjp(
        upstream: Tensor<T>,
        x: &Tensor<T>,
        shift: &Tensor<T>,
        total: &Tensor<T>,
        plan: &Projection,
        _axes: &[usize],
        _keep_dim: bool,
    ) -> Result<Tensor<T>> {
        // Not `e^(x - y)`: the rounding of a large `y` would be that of the result.
        let weights = upstream.zip_inplace(total, |u, total| u / total)?;
        plan.expand_zip2(x, shift, &weights, |x, s, w| w * (x - s).exp())
    }
    let plan = Projection::reduction(x.shape(), axes, keep_dim)?;
    plan.divisor()?;
    let largest = plan.fold(x, f64::NEG_INFINITY, |largest, x| largest.max(x.to_f64()))?;
    // A constant, whose derivative cancels; an infinite one would make `inf - inf` of plain tensors.
    let shift = largest.map(|largest| T::from_f64(if largest.is_finite() { largest } else { 0.0 }));
    let total = plan.reduce_against(x, &shift, |x, s| (x - s).exp())?;
    total.zip_map(&shift, |total, s| s + total.ln())
}

/// The Euclidean norm over axes: `y = √(Σ x²)`; `|x|` over no axis.
///
/// At the zero vector: gradient 0. Squares are taken after scaling by a power of two, so neither large nor
/// tiny elements overflow or vanish.
///
/// # Shapes
/// `x: S -> y: S` without `axes`, or with extent 1 there if `keep_dim`.
/// # Errors
/// `AxisOutOfRange`, `DuplicateAxis`.
/// # VJP
/// `x̄ = ȳ x / y`, `ȳ` and `y` repeated along `axes`. Source: chain rule, from `y² = Σ x²`.
#[vjp_rule]
#[gradcheck(x: [m, n], axes = &[0, 1] | &[0] | &[1], keep_dim = true | false)]
#[gradcheck(x: [m, n, k], axes = &[2, 0] | &[0, 1] | &[1, 2] | &[1], keep_dim = true | false)]
#[gradcheck(x: [m] in -2.0..-0.1 | 0.1..2.0, axes = &[], keep_dim = false)]
pub fn l2_norm<T: Element>(x: &Tensor<T>, axes: &[usize], keep_dim: bool) -> Result<Tensor<T>> {
    /// upstream times the input over the norm
    #[vjp(x)]
    fn x_vjp(
        upstream: &Tensor<T>,
        x: &Tensor<T>,
        output: &Tensor<T>,
        plan: &Projection,
        _axes: &[usize],
        _keep_dim: bool,
    ) -> Result<Tensor<T>> {
        plan.expand_zip2(x, output, upstream, |x, y, u| {
            if y == T::zero() {
                T::zero()
            } else {
                u * (x / y)
            }
        })
    }
    let plan = Projection::reduction(x.shape(), axes, keep_dim)?;
    let largest = plan.fold(x, 0.0_f64, |largest, x| largest.max(x.to_f64().abs()))?;
    let scale = largest.map(|largest| T::from_f64(power_of_two(largest)));
    let total = plan.reduce_against(x, &scale, |x, s| (x / s) * (x / s))?;
    total.zip_map(&scale, |total, s| s * total.sqrt())
}

/// A power of two of the magnitude of a finite positive number, else 1.
fn power_of_two(x: f64) -> f64 {
    if x > 0.0 && x.is_finite() {
        // Just below `f64::MAX` the logarithm rounds up to 1024.
        x.log2().floor().min(1023.0).exp2()
    } else {
        1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{at, vector};

    #[test]
    fn large_and_very_negative_elements_keep_their_digits() {
        let (y, gradient) = at(&[1e5, 1e5], |x| x.logsumexp(&[0], false)).unwrap();
        assert_eq!((y, gradient), (vec![1e5 + 2.0_f64.ln()], vec![0.5, 0.5]));
        let (y, gradient) = at(&[-1e5, -1e5 - 1.0], |x| x.logsumexp(&[0], false)).unwrap();
        let (larger, smaller) = (1.0, (-1.0_f64).exp());
        assert_eq!(y, [-1e5 + (larger + smaller).ln()]);
        // Both sides take an exponential and a quotient of numbers up to 1, whose places are at most 2^-53 apart.
        for (slope, share) in gradient.iter().zip([larger, smaller]) {
            assert!((slope - share / (larger + smaller)).abs() < f64::EPSILON);
        }
    }

    #[test]
    fn the_logarithm_over_no_axis_is_the_input() {
        let x = [0.3, -700.0, 1e5];
        assert_eq!(
            at(&x, |x| x.logsumexp(&[], false)).unwrap(),
            (x.to_vec(), vec![1.0; 3])
        );
    }

    #[test]
    fn infinities_of_a_plain_tensor_do_not_become_nan() {
        let of = |x: &[f64]| logsumexp(&vector(x), &[0], false).unwrap().as_slice()[0];
        assert_eq!(
            of(&[f64::NEG_INFINITY, f64::NEG_INFINITY]),
            f64::NEG_INFINITY
        );
        assert_eq!(of(&[f64::NEG_INFINITY, 2.0]), 2.0);
        assert_eq!(of(&[f64::INFINITY, 0.0]), f64::INFINITY);
        assert!(of(&[f64::NAN, 0.0]).is_nan());
    }

    #[test]
    fn a_logarithm_of_nothing_is_refused() {
        let error = logsumexp(&Tensor::<f64>::zeros([2, 0]).unwrap(), &[1], false).unwrap_err();
        assert_eq!(
            error.to_string(),
            "logsumexp: expected elements to combine along axes [1], got none in shape [2, 0]"
        );
    }

    #[test]
    fn the_norm_of_the_zero_vector_has_gradient_zero() {
        let found = at(&[0.0, -0.0], |x| x.l2_norm(&[0], false)).unwrap();
        assert_eq!(found, (vec![0.0], vec![0.0, 0.0]));
    }

    #[test]
    fn a_norm_neither_vanishes_nor_overflows_with_its_squares() {
        for scale in [1e-320, 1e-200, 1.0, 1e200, 1e307] {
            let (y, gradient) =
                at(&[3.0 * scale, -4.0 * scale], |x| x.l2_norm(&[0], false)).unwrap();
            // Near 1e-320 numbers have three digits left.
            let places = if scale < 1e-300 {
                1e-2
            } else {
                4.0 * f64::EPSILON
            };
            assert!((y[0] / scale - 5.0).abs() <= 5.0 * places, "{y:?}");
            assert!((gradient[0] - 0.6).abs() <= places, "{gradient:?}");
            assert!((gradient[1] + 0.8).abs() <= places, "{gradient:?}");
        }
        assert_eq!(
            at(&[f64::MAX], |x| x.l2_norm(&[0], false)).unwrap().0,
            [f64::MAX]
        );
    }

    #[test]
    fn a_norm_over_no_axis_is_the_absolute_value() {
        let found = at(&[-3.0, 0.5], |x| x.l2_norm(&[], false)).unwrap();
        assert_eq!(found, (vec![3.0, 0.5], vec![-1.0, 1.0]));
    }
}
