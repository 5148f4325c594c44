//! Shapes and strides of a view's parts and reshapes.

use super::shape::{Extents, Shape};
use crate::error::{Result, TensorError};

/// The shape that a slice has.
pub(super) fn sliced_shape(
    shape: &[usize],
    starts: &[usize],
    ends: &[usize],
    steps: &[usize],
) -> Result<Shape> {
    for entries in [starts, ends, steps] {
        if entries.len() != shape.len() {
            return Err(TensorError::AxisCount {
                expected: shape.len(),
                actual: entries.len(),
            }
            .into());
        }
    }
    let ranges = starts.iter().zip(ends).zip(steps).zip(shape).enumerate();
    let extents = ranges.map(|(axis, (((&start, &end), &step), &extent))| {
        if start > end || end > extent || step == 0 {
            return Err(TensorError::RangeOutOfBounds {
                axis,
                start,
                end,
                step,
                extent,
            });
        }
        Ok((end - start).div_ceil(step))
    });
    Ok(extents.collect::<Result<Shape, _>>()?)
}

/// Strides of another shape over the same elements: each group of axes of equal product must be evenly
/// spaced on the old side.
pub(super) fn restride(old: &[usize], old_strides: &[usize], new: &[usize]) -> Option<Extents> {
    let kept = || {
        old.iter()
            .zip(old_strides)
            .filter(|(extent, _)| **extent != 1)
    };
    let mut strides = Extents::from_elem(0, new.len());
    let mut axes = kept().peekable();
    let mut place = 0;
    while place < new.len() {
        if new[place] == 1 {
            place += 1;
            continue;
        }
        let (&extent, &stride) = axes.next()?;
        let (mut old_product, mut innermost) = (extent, stride);
        let first = place;
        let mut new_product = new[place];
        place += 1;
        while old_product != new_product {
            if new_product < old_product {
                new_product *= new.get(place)?;
                place += 1;
            } else {
                let (&extent, &stride) = axes.next()?;
                if innermost != stride * extent {
                    return None;
                }
                old_product *= extent;
                innermost = stride;
            }
        }
        let mut stride = innermost;
        for axis in (first..place).rev() {
            strides[axis] = stride;
            stride *= new[axis];
        }
    }
    axes.next().is_none().then_some(strides)
}
