//! Why an index was refused.

use autodiff_core::prelude::*;

/// An index tensor that does not fit what it points into.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IndexError {
    /// An index past the end of its axis.
    #[error(
        "expected an index below {extent} on axis {axis}, got {index} at flat position {position}"
    )]
    OutOfRange {
        /// Where the index stands in the index tensor, in row-major order.
        position: usize,
        /// The index.
        index: usize,
        /// The axis that it points into.
        axis: usize,
        /// The extent of that axis.
        extent: usize,
    },
    /// An index tensor whose extents beside the axis do not lie within those of the input.
    #[error("expected an index of rank {} within {input:?} beside axis {axis}, got shape {index:?}", input.len())]
    Shape {
        /// The shape of the input.
        input: Vec<usize>,
        /// The shape of the index tensor.
        index: Vec<usize>,
        /// The axis that is indexed.
        axis: usize,
    },
}

/// Checks that every index lies within an axis of the given extent.
pub(super) fn check_range(index: &Tensor<usize>, axis: usize, extent: usize) -> Result<()> {
    let mut indices = index.as_slice().iter().copied().enumerate();
    match indices.find(|&(_, index)| index >= extent) {
        None => Ok(()),
        Some((position, index)) => Err(OpError::new(IndexError::OutOfRange {
            position,
            index,
            axis,
            extent,
        })
        .into()),
    }
}
