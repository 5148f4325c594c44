//! Sums and means.

use autodiff_core::prelude::*;

/// The sum along one axis; 0 along an axis of extent 0.
///
/// # Shapes
/// `x: S -> y: S` without `axis`, or with extent 1 there if `keep_dim`.
/// # Errors
/// `AxisOutOfRange`.
/// # VJP
/// `x̄` is `ȳ` repeated along `axis`. Source: linearity.
#[vjp_rule(name = "sum")]
#[gradcheck(x: [m, n], axis = 0 | 1, keep_dim = true | false)]
#[gradcheck(x: [m, n, k], axis = 1, keep_dim = true | false)]
pub fn sum_axis<T: Element>(x: &Tensor<T>, axis: usize, keep_dim: bool) -> Result<Tensor<T>> {
    /// upstream repeated along the reduced axis
    #[vjp(x)]
    fn x_vjp(
        upstream: &Tensor<T>,
        plan: &Projection,
        _axis: usize,
        _keep_dim: bool,
    ) -> Result<Tensor<T>> {
        plan.expand(upstream)
    }
    let plan = Projection::reduction(x.shape(), &[axis], keep_dim)?;
    plan.reduce(x)
}

/// The mean along one axis: `y = (Σ x) / n` with the extent `n` of the axis.
///
/// # Shapes
/// `x: S -> y: S` without `axis`, or with extent 1 there if `keep_dim`.
/// # Errors
/// `AxisOutOfRange`; `EmptyReduction` along an axis of extent 0.
/// # VJP
/// `x̄` is `ȳ / n` repeated along `axis`. Source: linearity.
#[vjp_rule(name = "mean")]
#[gradcheck(x: [m, n], axis = 0 | 1, keep_dim = true | false)]
#[gradcheck(x: [m, n, k], axis = 1, keep_dim = true | false)]
pub fn mean_axis<T: Element>(x: &Tensor<T>, axis: usize, keep_dim: bool) -> Result<Tensor<T>> {
    /// upstream over the divisor, repeated along the reduced axis
    #[vjp(x)]
    fn x_vjp(
        upstream: &Tensor<T>,
        plan: &Projection,
        divisor: usize,
        _axis: usize,
        _keep_dim: bool,
    ) -> Result<Tensor<T>> {
        let count = T::from_f64(divisor as f64);
        plan.expand(&upstream.map(|u| u / count))
    }
    let plan = Projection::reduction(x.shape(), &[axis], keep_dim)?;
    let divisor = plan.divisor()?;
    let count = T::from_f64(divisor as f64);
    Ok(plan.reduce(x)?.map_inplace(|total| total / count))
}

/// The sum over axes; 0 over axes without elements, and `x` itself over no axis.
///
/// # Shapes
/// `x: S -> y: S` without `axes`, or with extent 1 there if `keep_dim`.
/// # Errors
/// `AxisOutOfRange`, `DuplicateAxis`.
/// # VJP
/// `x̄` is `ȳ` repeated along `axes`. Source: linearity.
#[vjp_rule]
#[gradcheck(x: [m, n], axes = &[0, 1] | &[1] | &[], keep_dim = true | false)]
#[gradcheck(x: [m, n, k], axes = &[2, 0] | &[0, 1] | &[1, 2] | &[1], keep_dim = true | false)]
#[gradcheck(x: [], axes = &[], keep_dim = true | false)]
pub fn sum<T: Element>(x: &Tensor<T>, axes: &[usize], keep_dim: bool) -> Result<Tensor<T>> {
    /// upstream repeated along the reduced axes
    #[vjp(x)]
    fn x_vjp(
        upstream: &Tensor<T>,
        plan: &Projection,
        _axes: &[usize],
        _keep_dim: bool,
    ) -> Result<Tensor<T>> {
        plan.expand(upstream)
    }
    let plan = Projection::reduction(x.shape(), axes, keep_dim)?;
    plan.reduce(x)
}

/// The mean over axes: `y = (Σ x) / n` over `n` elements; `x` itself over no axis.
///
/// # Shapes
/// `x: S -> y: S` without `axes`, or with extent 1 there if `keep_dim`.
/// # Errors
/// `AxisOutOfRange`, `DuplicateAxis`; `EmptyReduction` over axes without elements.
/// # VJP
/// `x̄` is `ȳ / n` repeated along `axes`. Source: linearity.
#[vjp_rule]
#[gradcheck(x: [m, n], axes = &[0, 1] | &[1] | &[], keep_dim = true | false)]
#[gradcheck(x: [m, n, k], axes = &[2, 0] | &[0, 1] | &[1, 2] | &[1], keep_dim = true | false)]
#[gradcheck(x: [], axes = &[], keep_dim = true | false)]
pub fn mean<T: Element>(x: &Tensor<T>, axes: &[usize], keep_dim: bool) -> Result<Tensor<T>> {
    /// upstream over the divisor, repeated along the reduced axes
    #[vjp(x)]
    fn x_vjp(
        upstream: &Tensor<T>,
        plan: &Projection,
        divisor: usize,
        _axes: &[usize],
        _keep_dim: bool,
    ) -> Result<Tensor<T>> {
        let count = T::from_f64(divisor as f64);
        plan.expand(&upstream.map(|u| u / count))
    }
    let plan = Projection::reduction(x.shape(), axes, keep_dim)?;
    let divisor = plan.divisor()?;
    let count = T::from_f64(divisor as f64);
    Ok(plan.reduce(x)?.map_inplace(|total| total / count))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{at, pulled, vector};

    #[test]
    fn sums_and_means_over_any_axes_are_those_axis_by_axis() {
        let x = Tensor::from_fn([2, 3, 4], |i| i as f64).unwrap();
        for keep_dim in [false, true] {
            let by_axis = |f: fn(&Tensor, usize, bool) -> Result<Tensor>| {
                f(&f(&x, 2, keep_dim).unwrap(), 0, keep_dim)
            };
            assert_eq!(sum(&x, &[2, 0], keep_dim), by_axis(sum_axis));
            assert_eq!(mean(&x, &[0, 2], keep_dim), by_axis(mean_axis));
        }
    }

    #[test]
    fn no_axis_reduces_nothing() {
        for f in [sum, mean] as [fn(&Tensor, &[usize], bool) -> Result<Tensor>; 2] {
            let x = Tensor::from_fn([2, 2], |i| i as f64).unwrap();
            assert_eq!(f(&x, &[], true).unwrap(), x);
            assert_eq!(
                f(&Tensor::scalar(3.0), &[], false).unwrap(),
                Tensor::scalar(3.0)
            );
        }
    }

    #[test]
    fn a_sum_of_nothing_is_zero_and_a_mean_of_nothing_is_refused() {
        let x = Tensor::<f64>::zeros([2, 0]).unwrap();
        let (y, [gradient]) = pulled([&x], &vector(&[1.0, 1.0]), |[x]| x.sum(&[1], false)).unwrap();
        assert_eq!((y, gradient.shape()), (vector(&[0.0, 0.0]), &[2, 0][..]));
        assert_eq!(
            mean(&x, &[1], false).unwrap_err().to_string(),
            "mean: expected elements to combine along axes [1], got none in shape [2, 0]"
        );
    }

    #[test]
    fn a_mean_sends_an_equal_part_to_every_element() {
        let (y, gradient) = at(&[1.0, 2.0, 6.0, 7.0], |x| x.mean(&[0], false)).unwrap();
        assert_eq!((y, gradient), (vec![16.0 / 4.0], vec![1.0 / 4.0; 4]));
    }

    #[test]
    fn axes_are_checked() {
        let x = vector(&[1.0]);
        let text = |axes: &[usize]| sum(&x, axes, false).unwrap_err().to_string();
        assert_eq!(text(&[1]), "sum: expected an axis below rank 1, got 1");
        assert_eq!(text(&[0, 0]), "sum: expected distinct axes, got 0 twice");
    }
}
