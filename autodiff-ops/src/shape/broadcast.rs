//! Repetition along axes.

use autodiff_core::prelude::*;

/// Repetition along missing axes and along axes of extent 1, aligned at the last axis.
///
/// # Shapes
/// `x: S -> y: shape`
/// # Errors
/// `IncompatibleBroadcast` where an aligned extent is neither 1 nor the requested one,
/// `BroadcastTargetMismatch` where `shape` itself would have to be repeated.
/// # VJP
/// `x̄` is `ȳ` summed over the axes along which `x` was repeated. Source: linearity.
#[vjp_rule(name = "broadcast")]
#[gradcheck(x: [n], shape = &[m, n] | &[n] | &[k, m, n])]
#[gradcheck(x: [m, 1], shape = &[m, n] | &[k, m, n])]
#[gradcheck(x: [], shape = &[m, n])]
pub fn broadcast_to<T: Element>(x: &Tensor<T>, shape: &[usize]) -> Result<Tensor<T>> {
    /// upstream summed over the repeated axes
    #[vjp(x)]
    fn x_vjp(upstream: &Tensor<T>, fit: &Projection) -> Result<Tensor<T>> {
        fit.reduce(upstream)
    }
    let fit = Projection::broadcast(x.shape(), shape)?;
    fit.expand(x)
}
