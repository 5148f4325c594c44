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

/// The axes in another order: axis `i` of `y` is axis `axes[i]` of `x`.
///
/// # Shapes
/// `x: S -> y: [S[axes[0]], S[axes[1]], ..]`
/// # Errors
/// `AxisCount` unless every axis is named, `AxisOutOfRange`, `DuplicateAxis`.
/// # VJP
/// `x̄` is `ȳ` with its axes put back. Source: linearity.
#[vjp_rule]
#[gradcheck(x: [m, n], axes = &[0, 1] | &[1, 0])]
#[gradcheck(x: [m, n, k], axes = &[1, 2, 0] | &[2, 0, 1] | &[2, 1, 0])]
#[gradcheck(x: [], axes = &[])]
pub fn permute<T: Element>(x: &Tensor<T>, axes: &[usize]) -> Result<Tensor<T>> {
    /// upstream with its axes put back
    #[vjp(x)]
    fn x_vjp(upstream: &Tensor<T>, inverse: &[usize], _axes: &[usize]) -> Result<Tensor<T>> {
        upstream.permuted(inverse)
    }
    let permuted = x.permuted(axes)?;
    let mut inverse = axes.to_vec();
    for (position, &axis) in axes.iter().enumerate() {
        inverse[axis] = position;
    }
    Ok(permuted)
}
