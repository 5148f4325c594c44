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
    check_axis(axis, x.rank())?;
    if x.is_empty() {
        // The other extents of a shape without elements may have a product that cannot be counted.
        return Ok(x.clone());
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{at, pulled};

    #[test]
    fn sums_run_forward_and_gradients_back() {
        let (y, gradient) = at(&[1.0, 10.0, 100.0], |x| x.cumsum(0)).unwrap();
        assert_eq!(y, [1.0, 11.0, 111.0]);
        // The first element is part of all three sums.
        assert_eq!(gradient, [3.0, 2.0, 1.0]);
    }

    #[test]
    fn a_middle_axis_runs_within_its_planes() {
        let x = Tensor::from_fn([2, 2, 2], |i| 10.0_f64.powi(i as i32)).unwrap();
        let upstream = Tensor::from_fn([2, 2, 2], |i| i as f64).unwrap();
        let (y, [gradient]) = pulled([&x], &upstream, |[x]| x.cumsum(1)).unwrap();
        assert_eq!(
            y.as_slice(),
            [1.0, 10.0, 101.0, 1010.0, 1e4, 1e5, 1.01e6, 1.01e7]
        );
        assert_eq!(
            gradient.as_slice(),
            [0.0 + 2.0, 1.0 + 3.0, 2.0, 3.0, 10.0, 12.0, 6.0, 7.0]
        );
    }

    #[test]
    fn nothing_sums_to_nothing() {
        let x = Tensor::<f64>::zeros([2, 0]).unwrap();
        for axis in [0, 1] {
            let (y, [gradient]) = pulled([&x], &x, |[x]| x.cumsum(axis)).unwrap();
            assert_eq!((y.shape(), gradient.shape()), (&[2, 0][..], &[2, 0][..]));
        }
        let huge = Tensor::<f64>::zeros([0, 1 << 62, 4]).unwrap();
        for axis in [0, 1, 2] {
            assert_eq!(cumsum(&huge, axis).unwrap().shape(), huge.shape());
        }
        let error = cumsum(&x, 2).unwrap_err();
        assert_eq!(
            error.to_string(),
            "cumsum: expected an axis below rank 2, got 2"
        );
    }
}
