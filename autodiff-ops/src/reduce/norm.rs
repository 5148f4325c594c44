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
