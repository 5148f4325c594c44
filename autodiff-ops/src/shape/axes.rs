//! Axes that appear, disappear or run together while every element stays where it is.

use autodiff_core::prelude::*;

/// Why axes could not be dropped or run together.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AxesError {
    /// Only an axis of extent 1 can be dropped.
    #[error("expected extent 1 on axis {axis}, got {extent}")]
    NotUnit {
        /// The axis.
        axis: usize,
        /// Its extent.
        extent: usize,
    },
    /// A range of axes ends before it starts.
    #[error("expected the last axis at or after axis {start}, got {end}")]
    ReversedRange {
        /// The first axis.
        start: usize,
        /// The last axis.
        end: usize,
    },
}

/// Without the axes `axes`, each of extent 1; `axes: []` drops none.
///
/// # Shapes
/// `x: S -> y: S` without `axes`
/// # Errors
/// `AxesError::NotUnit` where an extent is not 1; `AxisOutOfRange`, `DuplicateAxis`.
/// # VJP
/// `x̄ = ȳ` under the shape of `x`. Source: linearity.
#[vjp_rule]
#[gradcheck(x: [1, m, 1], axes = &[0] | &[2] | &[2, 0] | &[])]
#[gradcheck(x: [1], axes = &[0])]
pub fn squeeze<T: Element>(x: &Tensor<T>, axes: &[usize]) -> Result<Tensor<T>> {
    /// upstream under the input's shape
    #[vjp(x)]
    fn x_vjp(upstream: &Tensor<T>, input_shape: &[usize], _axes: &[usize]) -> Result<Tensor<T>> {
        upstream.with_shape(input_shape)
    }
    let input_shape = x.shape().to_vec();
    check_distinct(axes, x.rank())?;
    for &axis in axes {
        let extent = input_shape[axis];
        if extent != 1 {
            return Err(OpError::new(AxesError::NotUnit { axis, extent }).into());
        }
    }
    let kept = (0..x.rank()).filter(|axis| !axes.contains(axis));
    x.with_shape(kept.map(|axis| input_shape[axis]).collect::<Shape>())
}

/// A new axis of extent 1 that becomes axis `axis` of `y`.
///
/// # Shapes
/// `x: S -> y: S` with 1 inserted at `axis`
/// # Errors
/// `AxisOutOfRange` past the end of `S`.
/// # VJP
/// `x̄ = ȳ` under the shape of `x`. Source: linearity.
#[vjp_rule]
#[gradcheck(x: [m, n], axis = 0 | 1 | 2)]
#[gradcheck(x: [], axis = 0)]
pub fn unsqueeze<T: Element>(x: &Tensor<T>, axis: usize) -> Result<Tensor<T>> {
    /// upstream under the input's shape
    #[vjp(x)]
    fn x_vjp(upstream: &Tensor<T>, input_shape: &[usize], _axis: usize) -> Result<Tensor<T>> {
        upstream.with_shape(input_shape)
    }
    check_axis(axis, x.rank() + 1)?;
    let input_shape = x.shape().to_vec();
    let mut shape = input_shape.clone();
    shape.insert(axis, 1);
    x.with_shape(shape)
}

/// The axes `start` to `end`, both included, as one axis; a scalar becomes `[1]`.
///
/// # Shapes
/// `x: [A.., start, .., end, B..] -> y: [A.., product, B..]`
/// # Errors
/// `AxisOutOfRange`; `AxesError::ReversedRange` where `end < start`; `ShapeOverflow` where the joined extents of a
/// shape without elements have a product that cannot be counted.
/// # VJP
/// `x̄ = ȳ` under the shape of `x`. Source: linearity.
#[vjp_rule]
#[gradcheck(x: [m, n, k], start = 0 | 1, end = 1 | 2)]
#[gradcheck(x: [m], start = 0, end = 0)]
#[gradcheck(x: [], start = 0, end = 0)]
pub fn flatten<T: Element>(x: &Tensor<T>, start: usize, end: usize) -> Result<Tensor<T>> {
    /// upstream under the input's shape
    #[vjp(x)]
    fn x_vjp(
        upstream: &Tensor<T>,
        input_shape: &[usize],
        _start: usize,
        _end: usize,
    ) -> Result<Tensor<T>> {
        upstream.with_shape(input_shape)
    }
    let input_shape = x.shape().to_vec();
    // A scalar has the one axis that it would have if it were written as [1].
    let rank = x.rank().max(1);
    check_axis(start, rank)?;
    check_axis(end, rank)?;
    if end < start {
        return Err(OpError::new(AxesError::ReversedRange { start, end }).into());
    }
    let (before, rest) = input_shape.split_at(start);
    let (joined, after) = rest.split_at((end + 1 - start).min(rest.len()));
    let extent = Shape::from(joined).element_count()?;
    x.with_shape([before, &[extent], after].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn zeros(shape: &[usize]) -> Tensor {
        Tensor::zeros(shape).unwrap()
    }

    #[test]
    fn only_unit_axes_are_dropped() {
        let x = zeros(&[1, 3, 1]);
        assert_eq!(squeeze(&x, &[0, 2]).unwrap().shape(), [3]);
        assert_eq!(squeeze(&x, &[]).unwrap().shape(), [1, 3, 1]);
        assert_eq!(
            squeeze(&x, &[0, 1]).unwrap_err().to_string(),
            "squeeze: expected extent 1 on axis 1, got 3"
        );
        assert_eq!(
            squeeze(&x, &[0, 0]).unwrap_err().to_string(),
            "squeeze: expected distinct axes, got 0 twice"
        );
        assert_eq!(
            squeeze(&x, &[3]).unwrap_err().to_string(),
            "squeeze: expected an axis below rank 3, got 3"
        );
    }

    #[test]
    fn a_new_axis_may_stand_last() {
        assert_eq!(unsqueeze(&zeros(&[2, 3]), 2).unwrap().shape(), [2, 3, 1]);
        assert_eq!(unsqueeze(&zeros(&[]), 0).unwrap().shape(), [1]);
        assert_eq!(
            unsqueeze(&zeros(&[2]), 2).unwrap_err().to_string(),
            "unsqueeze: expected an axis below rank 2, got 2"
        );
    }

    #[test]
    fn both_ends_of_a_flattened_range_are_part_of_it() {
        let x = zeros(&[2, 3, 4, 5]);
        assert_eq!(flatten(&x, 1, 2).unwrap().shape(), [2, 12, 5]);
        assert_eq!(flatten(&x, 0, 3).unwrap().shape(), [120]);
        assert_eq!(flatten(&x, 3, 3).unwrap().shape(), [2, 3, 4, 5]);
        assert_eq!(flatten(&zeros(&[]), 0, 0).unwrap().shape(), [1]);
        assert_eq!(
            flatten(&x, 2, 1).unwrap_err().to_string(),
            "flatten: expected the last axis at or after axis 2, got 1"
        );
        assert_eq!(
            flatten(&x, 0, 4).unwrap_err().to_string(),
            "flatten: expected an axis below rank 4, got 4"
        );
    }

    #[test]
    fn an_empty_axis_flattens_to_an_empty_axis() {
        assert_eq!(flatten(&zeros(&[2, 0, 3]), 0, 1).unwrap().shape(), [0, 3]);
        let x = zeros(&[0, 1 << 62, 4]);
        assert_eq!(flatten(&x, 0, 1).unwrap().shape(), [0, 4]);
        assert_eq!(
            flatten(&x, 1, 2).unwrap_err().to_string(),
            "flatten: shape [4611686018427387904, 4] has more elements than can be counted"
        );
    }
}
