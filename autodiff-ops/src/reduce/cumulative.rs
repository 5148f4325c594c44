//! Running sums.

use autodiff_core::prelude::*;

/// The running sum along an axis: `yᵢ = x₀ + .. + xᵢ`.
///
/// # Shapes
/// `x: S -> y: S`
/// # Errors
/// `AxisOutOfRange`.
/// # VJP
/// `x̄ᵢ = ȳᵢ + .. + ȳₙ`, the running sum from the end. Source: linearity.
#[vjp_rule]
#[gradcheck(x: [m, n, k], axis = 0 | 1 | 2)]
#[gradcheck(x: [n], axis = 0)]
pub fn cumsum<T: Element>(x: &Tensor<T>, axis: usize) -> Result<Tensor<T>> {
    /// the running sum of upstream from the end
    #[vjp(x)]
    fn x_vjp(upstream: &Tensor<T>, axis: usize) -> Result<Tensor<T>> {
        along(upstream, axis, add_later)
    }
    along(x, axis, add_earlier)
}

/// `f(planes, width)` on a copy of every run of rows of that width that lie along the axis.
fn along<T: Element>(
    x: &Tensor<T>,
    axis: usize,
    f: impl Fn(&mut [T], usize) + Sync,
) -> Result<Tensor<T>> {
    // Only for its check of the axis.
    Projection::reduction(x.shape(), &[axis], true)?;
    let width = x.strides()[axis];
    x.map_rows(x.shape()[axis] * width, |rows, sums| {
        sums.copy_from_slice(rows);
        f(sums, width);
    })
}

/// Adds to every row the one before it, the first ones first.
fn add_earlier<T: Element>(sums: &mut [T], width: usize) {
    for start in (width..sums.len()).step_by(width) {
        let (earlier, later) = sums.split_at_mut(start);
        add(&mut later[..width], &earlier[start - width..]);
    }
}

/// Adds to every row the one after it, the last ones first.
fn add_later<T: Element>(sums: &mut [T], width: usize) {
    for start in (width..sums.len()).step_by(width).rev() {
        let (earlier, later) = sums.split_at_mut(start);
        add(&mut earlier[start - width..], &later[..width]);
    }
}

fn add<T: Element>(sums: &mut [T], row: &[T]) {
    for (sum, &x) in sums.iter_mut().zip(row) {
        *sum += x;
    }
}
