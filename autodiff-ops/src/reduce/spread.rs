//! The spread around the mean.

use autodiff_core::prelude::*;

/// The biased variance over axes: `y = Σ (x - m)² / n` with the mean `m` of the `n` elements; 0 over no
/// axis.
///
/// # Shapes
/// `x: S -> y: S` without `axes`, or with extent 1 there if `keep_dim`.
/// # Errors
/// `AxisOutOfRange`, `DuplicateAxis`; `EmptyReduction` over axes without elements.
/// # VJP
/// `x̄ = 2 ȳ (x - m) / n`, `ȳ` and `m` repeated along `axes`. Source: chain rule; the mean's own share is
/// `Σ (x - m) = 0`.
#[vjp_rule]
#[gradcheck(x: [m, n], axes = &[0, 1] | &[0] | &[1], keep_dim = true | false)]
#[gradcheck(x: [m, n, k], axes = &[2, 0] | &[0, 1] | &[1, 2] | &[1], keep_dim = true | false)]
pub fn variance<T: Element>(x: &Tensor<T>, axes: &[usize], keep_dim: bool) -> Result<Tensor<T>> {
    /// upstream times twice the distance from the mean over the divisor
    #[vjp(x)]
    fn x_vjp(
        upstream: &Tensor<T>,
        x: &Tensor<T>,
        mean: &Tensor<T>,
        plan: &Projection,
        divisor: usize,
        _axes: &[usize],
        _keep_dim: bool,
    ) -> Result<Tensor<T>> {
        let factor = T::from_f64(2.0 / divisor as f64);
        let weights = upstream.map(|u| u * factor);
        plan.expand_zip2(x, mean, &weights, |x, m, w| w * (x - m))
    }
    let plan = Projection::reduction(x.shape(), axes, keep_dim)?;
    let divisor = plan.divisor()?;
    let count = T::from_f64(divisor as f64);
    let mean = plan.reduce(x)?.map_inplace(|total| total / count);
    let squares = plan.reduce_against(x, &mean, |x, m| (x - m) * (x - m))?;
    Ok(squares.map_inplace(|total| total / count))
}
