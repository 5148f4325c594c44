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
    Ok(plan.reduce(x)?.map(|total| total / count))
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
