//! The same elements under another shape or another order of axes.

use autodiff_core::prelude::*;

/// The same elements in row-major order under another shape.
///
/// # Shapes
/// `x: S -> y: shape`, with as many elements.
/// # Errors
/// `ElementCount` where the counts differ.
/// # VJP
/// `x̄ = ȳ` under the shape of `x`. Source: linearity.
#[vjp_rule]
#[gradcheck(x: [m, n], shape = &[n, m] | &[m * n] | &[1, m, n])]
pub fn reshape<T: Element>(x: &Tensor<T>, shape: &[usize]) -> Result<Tensor<T>> {
    /// upstream under the input's shape
    #[vjp(x)]
    fn x_vjp(upstream: &Tensor<T>, input_shape: &[usize], _shape: &[usize]) -> Result<Tensor<T>> {
        upstream.with_shape(input_shape)
    }
    let input_shape = x.shape().to_vec();
    x.with_shape(shape)
}

/// The axes `a` and `b` exchanged.
///
/// # Shapes
/// `x: S -> y: S` with the extents at `a` and `b` exchanged.
/// # Errors
/// `AxisOutOfRange`.
/// # VJP
/// `x̄` is `ȳ` with the same two axes exchanged. Source: linearity.
#[vjp_rule]
#[gradcheck(x: [m, n], a = 0 | 1, b = 0 | 1)]
#[gradcheck(x: [m, n, k], a = 0 | 1 | 2, b = 2 | 0)]
pub fn transpose<T: Element>(x: &Tensor<T>, a: usize, b: usize) -> Result<Tensor<T>> {
    /// upstream with the same two axes exchanged
    #[vjp(x)]
    fn x_vjp(
        upstream: &Tensor<T>,
        a: usize,
        b: usize,
        _input_shape: &[usize],
        _output_shape: &[usize],
    ) -> Result<Tensor<T>> {
        upstream.swap_axes(a, b)
    }
    let swapped = x.swap_axes(a, b)?;
    let input_shape = x.shape().to_vec();
    let output_shape = swapped.shape().to_vec();
    Ok(swapped)
}
