//! Arithmetic of two tensors with trailing-axis broadcasting.

use autodiff_core::prelude::*;

/// Elementwise sum with trailing-axis broadcasting: `y = lhs + rhs`.
///
/// # Shapes
/// `lhs: A, rhs: B -> y: broadcast(A, B)`
/// # Errors
/// `IncompatibleBroadcast` where two aligned extents differ and neither is 1.
/// # VJP
/// `l̄ = ȳ`, `r̄ = ȳ`, each summed over the axes along which the operand was repeated. Source: linearity.
#[vjp_rule]
#[gradcheck(lhs: [..], rhs: [..])]
#[gradcheck(lhs: [m, 1], rhs: [n])]
#[gradcheck(lhs: [], rhs: [m, n])]
pub fn add<T: Element>(lhs: &Tensor<T>, rhs: &Tensor<T>) -> Result<Tensor<T>> {
    /// upstream, summed back to the operand's shape
    #[vjp(lhs)]
    fn lhs_vjp(upstream: &Tensor<T>, lhs_fit: &Projection) -> Result<Tensor<T>> {
        lhs_fit.reduce(upstream)
    }
    /// upstream, summed back to the operand's shape
    #[vjp(rhs)]
    fn rhs_vjp(upstream: &Tensor<T>, rhs_fit: &Projection) -> Result<Tensor<T>> {
        rhs_fit.reduce(upstream)
    }
    let (total, lhs_fit, rhs_fit) = lhs.zip_broadcast(rhs, |l, r| l + r)?;
    Ok(total)
}

/// Elementwise product with trailing-axis broadcasting: `y = lhs · rhs`.
///
/// # Shapes
/// `lhs: A, rhs: B -> y: broadcast(A, B)`
/// # Errors
/// `IncompatibleBroadcast` where two aligned extents differ and neither is 1.
/// # VJP
/// `l̄ = ȳ · rhs`, `r̄ = ȳ · lhs`, each summed over the axes along which the operand was repeated.
/// Source: product rule.
#[vjp_rule(name = "multiply")]
#[gradcheck(lhs: [..], rhs: [..])]
#[gradcheck(lhs: [m, 1], rhs: [n])]
#[gradcheck(lhs: [], rhs: [m, n])]
pub fn mul<T: Element>(lhs: &Tensor<T>, rhs: &Tensor<T>) -> Result<Tensor<T>> {
    /// upstream times the other operand, summed back to the operand's shape
    #[vjp(lhs)]
    fn lhs_vjp(upstream: &Tensor<T>, rhs: &Tensor<T>, lhs_fit: &Projection) -> Result<Tensor<T>> {
        lhs_fit.reduce_zip(upstream, rhs, |u, r| u * r)
    }
    /// upstream times the other operand, summed back to the operand's shape
    #[vjp(rhs)]
    fn rhs_vjp(upstream: &Tensor<T>, lhs: &Tensor<T>, rhs_fit: &Projection) -> Result<Tensor<T>> {
        rhs_fit.reduce_zip(upstream, lhs, |u, l| u * l)
    }
    let (product, lhs_fit, rhs_fit) = lhs.zip_broadcast(rhs, |l, r| l * r)?;
    Ok(product)
}
