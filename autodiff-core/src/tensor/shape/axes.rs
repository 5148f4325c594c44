//! Whether axes are axes of a shape.

use crate::error::TensorError;

/// Checks that `axis` exists in a shape of `rank` axes.
///
/// # Errors
/// `AxisOutOfRange`.
pub fn check_axis(axis: usize, rank: usize) -> Result<(), TensorError> {
    if axis < rank {
        Ok(())
    } else {
        Err(TensorError::AxisOutOfRange { axis, rank })
    }
}

/// Checks that `axes` names every one of `rank` axes exactly once.
pub(crate) fn check_permutation(axes: &[usize], rank: usize) -> Result<(), TensorError> {
    if axes.len() != rank {
        return Err(TensorError::AxisCount {
            expected: rank,
            actual: axes.len(),
        });
    }
    check_distinct(axes, rank)
}

/// Checks that `axes` are axes of a shape of `rank` axes, none of them twice.
///
/// # Errors
/// `AxisOutOfRange`, `DuplicateAxis`.
pub fn check_distinct(axes: &[usize], rank: usize) -> Result<(), TensorError> {
    for (position, &axis) in axes.iter().enumerate() {
        check_axis(axis, rank)?;
        if axes.iter().take(position).any(|&earlier| earlier == axis) {
            return Err(TensorError::DuplicateAxis { axis });
        }
    }
    Ok(())
}
