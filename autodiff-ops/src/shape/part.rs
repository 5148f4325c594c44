//! Parts of a tensor.

use autodiff_core::prelude::*;

/// Every `steps[i]`-th index of `starts[i]..ends[i]` along each axis `i`.
///
/// # Shapes
/// `x: S -> y: [ceil((ends[i] - starts[i]) / steps[i]), ..]`
/// # Errors
/// `AxisCount` unless there is one entry an axis; `RangeOutOfBounds` where a range is reversed, leaves its
/// axis, or has step 0.
/// # VJP
/// `x̄` is `ȳ` at the places it was read from, 0 elsewhere. Source: linearity.
#[vjp_rule]
#[gradcheck(x: [m], starts = &[0], ends = &[m], steps = &[1] | &[2] | &[3])]
#[gradcheck(x: [m, n + 1], starts = &[0, 1] | &[m.min(1), 0], ends = &[m, n + 1], steps = &[1, 2] | &[2, 1])]
#[gradcheck(x: [m, n, k], starts = &[0, 0, 0], ends = &[m, 1, k] | &[1, n, k], steps = &[1, 1, 1])]
#[gradcheck(x: [m, n], starts = &[0, 0], ends = &[m, 0], steps = &[1, 1])]
#[gradcheck(x: [], starts = &[], ends = &[], steps = &[])]
pub fn slice<T: Element>(
    x: &Tensor<T>,
    starts: &[usize],
    ends: &[usize],
    steps: &[usize],
) -> Result<Tensor<T>> {
    /// upstream at the places it was read from, 0 elsewhere
    #[vjp(x)]
    fn x_vjp(
        upstream: &Tensor<T>,
        input_shape: &[usize],
        starts: &[usize],
        ends: &[usize],
        steps: &[usize],
    ) -> Result<Tensor<T>> {
        upstream.embedded(input_shape, starts, ends, steps)
    }
    let input_shape = x.shape().to_vec();
    x.sliced(starts, ends, steps)
}

/// Consecutive parts of `axis` with the extents `sizes`; together they are the whole axis.
///
/// # Shapes
/// `x: S -> y[i]: S` with `sizes[i]` at `axis`
/// # Errors
/// `AxisOutOfRange`; `PartExtents` unless the sizes add up to the extent of the axis.
/// # VJP
/// Each part gives `x̄` its `ȳ` at the part's place, 0 elsewhere. Source: linearity.
#[vjp_rule]
#[gradcheck(x: [m + n, k], sizes = &[m, n] | &[m, 0, n], axis = 0)]
#[gradcheck(x: [k, m + n + 1], sizes = &[m, 1, n], axis = 1)]
#[gradcheck(x: [m], sizes = &[m], axis = 0)]
pub fn split<T: Element>(x: &Tensor<T>, sizes: &[usize], axis: usize) -> Result<Vec<Tensor<T>>> {
    /// upstream at the part's place, 0 elsewhere
    #[vjp(x)]
    fn x_vjp(
        upstream: &Tensor<T>,
        output_index: usize,
        input_shape: &[usize],
        sizes: &[usize],
        axis: usize,
    ) -> Result<Tensor<T>> {
        let mut starts = vec![0; input_shape.len()];
        let mut ends = input_shape.to_vec();
        starts[axis] = sizes.iter().take(output_index).sum();
        ends[axis] = starts[axis] + upstream.shape()[axis];
        upstream.embedded(input_shape, &starts, &ends, &vec![1; input_shape.len()])
    }
    let input_shape = x.shape().to_vec();
    x.parts(sizes, axis)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::counted;

    #[test]
    fn a_slice_takes_every_step_from_its_start_on() {
        let x = counted(&[3, 5], 0.0);
        let y = slice(&x, &[1, 0], &[3, 5], &[1, 2]).unwrap();
        // Rows 1 and 2, columns 0, 2 and 4.
        assert_eq!(
            y,
            Tensor::from_vec([2, 3], vec![5.0, 7.0, 9.0, 10.0, 12.0, 14.0]).unwrap()
        );
    }

    #[test]
    fn places_that_a_slice_skips_receive_zero() {
        let x = TensorValue::parameter(counted(&[5], 0.0)).unwrap();
        let y = x.slice(&[1], &[5], &[3]).unwrap();
        let seed = Tensor::from_vec([2], vec![7.0, 8.0]).unwrap();
        y.backward_with_seed(&seed.view(), GraphRetention::Release)
            .unwrap();
        assert_eq!(
            x.gradient_snapshot().unwrap().as_slice(),
            [0.0, 7.0, 0.0, 0.0, 8.0]
        );
    }

    #[test]
    fn a_range_outside_its_axis_is_refused_with_the_axis() {
        let x = counted(&[2, 3], 0.0);
        let text = |starts: &[usize], ends: &[usize], steps: &[usize]| {
            slice(&x, starts, ends, steps).unwrap_err().to_string()
        };
        assert_eq!(
            text(&[0, 1], &[2, 4], &[1, 1]),
            "slice: expected a range within 0..3 and a step of at least 1 on axis 1, got 1..4 by 1"
        );
        assert_eq!(
            text(&[0, 2], &[2, 1], &[1, 1]),
            "slice: expected a range within 0..3 and a step of at least 1 on axis 1, got 2..1 by 1"
        );
        assert_eq!(
            text(&[0, 0], &[2, 3], &[0, 1]),
            "slice: expected a range within 0..2 and a step of at least 1 on axis 0, got 0..2 by 0"
        );
        assert_eq!(
            text(&[0], &[2], &[1]),
            "slice: expected one entry for each of 2 axes, got 1"
        );
    }

    #[test]
    fn the_parts_are_consecutive() {
        let parts = split(&counted(&[2, 3], 0.0), &[1, 2], 1).unwrap();
        assert_eq!(parts[0].as_slice(), [0.0, 3.0]);
        assert_eq!(parts[1].as_slice(), [1.0, 2.0, 4.0, 5.0]);
    }

    #[test]
    fn parts_that_are_not_used_receive_zero() {
        let x = TensorValue::parameter(counted(&[2, 3], 0.0)).unwrap();
        let parts = x.split(&[1, 2], 1).unwrap();
        let seed = Tensor::from_vec([2, 1], vec![7.0, 8.0]).unwrap();
        parts[0]
            .backward_with_seed(&seed.view(), GraphRetention::Release)
            .unwrap();
        assert_eq!(
            x.gradient_snapshot().unwrap().as_slice(),
            [7.0, 0.0, 0.0, 8.0, 0.0, 0.0]
        );
    }

    #[test]
    fn sizes_that_do_not_add_up_are_refused() {
        assert_eq!(
            split(&counted(&[2, 3], 0.0), &[1, 1], 1)
                .unwrap_err()
                .to_string(),
            "split: expected parts that add up to 3 on axis 1, got 2"
        );
        assert_eq!(
            split(&counted(&[3], 0.0), &[3], 1).unwrap_err().to_string(),
            "split: expected an axis below rank 1, got 1"
        );
    }
}
