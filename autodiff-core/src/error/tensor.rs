//! Errors of tensors, views, projections and strided traversals.

use thiserror::Error;

/// Why a tensor, a broadcast or a reduction was refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TensorError {
    /// A shape and its data disagree.
    #[error("shape {shape:?} holds {expected} elements, got {actual}")]
    ElementCount {
        /// The shape asked for.
        shape: Vec<usize>,
        /// The elements that the shape holds.
        expected: usize,
        /// The elements given.
        actual: usize,
    },
    /// The element count of a shape does not fit into `usize`.
    #[error("shape {shape:?} has more elements than can be counted")]
    ShapeOverflow {
        /// The shape.
        shape: Vec<usize>,
    },
    /// The system has no room for so many elements.
    #[error("expected memory for {elements} elements ({bytes} bytes), got none")]
    OutOfMemory {
        /// The elements asked for.
        elements: usize,
        /// The bytes that they need.
        bytes: usize,
    },
    /// Two shapes had to be equal.
    #[error("expected two tensors of one shape, got {left:?} and {right:?}")]
    ShapeMismatch {
        /// The shape on the left.
        left: Vec<usize>,
        /// The shape on the right.
        right: Vec<usize>,
    },
    /// Two shapes do not broadcast: some trailing axis differs and neither extent is 1.
    #[error("shapes {left:?} and {right:?} do not broadcast")]
    IncompatibleBroadcast {
        /// The shape on the left.
        left: Vec<usize>,
        /// The shape on the right.
        right: Vec<usize>,
    },
    /// An axis that the shape does not have.
    #[error("expected an axis below rank {rank}, got {axis}")]
    AxisOutOfRange {
        /// The axis.
        axis: usize,
        /// The rank.
        rank: usize,
    },
    /// An axis was named twice.
    #[error("expected distinct axes, got {axis} twice")]
    DuplicateAxis {
        /// The axis.
        axis: usize,
    },
    /// One entry an axis was expected.
    #[error("expected one entry for each of {expected} axes, got {actual}")]
    AxisCount {
        /// The rank.
        expected: usize,
        /// The entries given.
        actual: usize,
    },
    /// An index past the end of its axis.
    #[error("expected an index below {extent} on axis {axis}, got {index}")]
    IndexOutOfRange {
        /// The axis.
        axis: usize,
        /// The index.
        index: usize,
        /// The extent of the axis.
        extent: usize,
    },
    /// A range that does not lie within its axis, or a step of zero.
    #[error(
        "expected a range within 0..{extent} and a step of at least 1 on axis {axis}, got {start}..{end} by {step}"
    )]
    RangeOutOfBounds {
        /// The axis.
        axis: usize,
        /// The first index.
        start: usize,
        /// One past the last index.
        end: usize,
        /// The step.
        step: usize,
        /// The extent of the axis.
        extent: usize,
    },
    /// One element was asked of a tensor that does not hold exactly one.
    #[error("expected a tensor of one element, got shape {shape:?}")]
    NotOneElement {
        /// The shape.
        shape: Vec<usize>,
    },
    /// Threads that cannot be had.
    #[error("cannot start {count} threads: {reason}")]
    Threads {
        /// How many.
        count: usize,
        /// What the system says.
        reason: String,
    },
    /// A mean or an extreme of no elements has no value.
    #[error("expected elements to combine along axes {axes:?}, got none in shape {shape:?}")]
    EmptyReduction {
        /// The shape to reduce.
        shape: Vec<usize>,
        /// The axes to reduce.
        axes: Vec<usize>,
    },
    /// Nothing was given to join.
    #[error("expected at least one tensor to join, got none")]
    NothingToJoin,
    /// A tensor to join differs from the first one elsewhere than on the axis of the join.
    #[error(
        "cannot join part {part} along axis {axis}: expected {expected:?} on the other axes, got {actual:?}"
    )]
    PartShape {
        /// Which tensor, counted from 0.
        part: usize,
        /// The axis of the join.
        axis: usize,
        /// The shape of the first tensor.
        expected: Vec<usize>,
        /// The shape of this one.
        actual: Vec<usize>,
    },
    /// Rows of the width do not fill the tensor.
    #[error("expected a width whose rows fill a tensor of shape {shape:?}, got {width}")]
    RowWidth {
        /// The shape of the tensor.
        shape: Vec<usize>,
        /// The width.
        width: usize,
    },
    /// Extents of the parts do not add up to the extent of the axis.
    #[error("expected parts that add up to {expected} on axis {axis}, got {actual}")]
    PartExtents {
        /// The axis.
        axis: usize,
        /// The extent of the axis.
        expected: usize,
        /// The sum of the parts.
        actual: usize,
    },
    /// Matrices whose extents do not fit a product.
    #[error(
        "expected extents [m, k], [k, n] and [m, n] of a matrix product, got {left:?}, {right:?} and {output:?}"
    )]
    MatrixExtents {
        /// The left factor.
        left: [usize; 2],
        /// The right factor.
        right: [usize; 2],
        /// The output.
        output: [usize; 2],
    },
}

/// Why a view or a strided traversal was refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ViewError {
    /// A reshape that changes the number of elements.
    #[error("expected a shape of {expected} elements like {from:?}, got {requested:?}")]
    ReshapeCount {
        /// The shape of the view.
        from: Vec<usize>,
        /// The shape asked for.
        requested: Vec<usize>,
        /// The elements of the view.
        expected: usize,
    },
    /// A reshape that no choice of strides expresses; materialise the view first.
    #[error(
        "a view of shape {from:?} and strides {strides:?} has no strides for shape {requested:?}; materialize it first"
    )]
    ReshapeStrides {
        /// The shape of the view.
        from: Vec<usize>,
        /// The strides of the view.
        strides: Vec<usize>,
        /// The shape asked for.
        requested: Vec<usize>,
    },
    /// Shape and strides of a traversal have different ranks.
    #[error("expected one stride for each of {rank} axes, got {strides}")]
    TraversalRank {
        /// The rank of the traversal.
        rank: usize,
        /// The number of strides.
        strides: usize,
    },
    /// The traversal does not visit the stated number of elements.
    #[error("a traversal of shape {shape:?} visits {expected} elements, got {actual}")]
    TraversalCount {
        /// The shape of the traversal.
        shape: Vec<usize>,
        /// The elements that the shape visits.
        expected: usize,
        /// The number stated.
        actual: usize,
    },
    /// The element count or the largest offset of a traversal does not fit into `usize`.
    #[error(
        "a traversal of shape {shape:?} with strides {strides:?} has offsets that cannot be counted"
    )]
    TraversalOverflow {
        /// The shape of the traversal.
        shape: Vec<usize>,
        /// The strides of the traversal.
        strides: Vec<usize>,
    },
    /// The traversal would leave the storage.
    #[error("a traversal reaches offset {largest}, expected an offset below {len}")]
    TraversalReach {
        /// The largest reachable offset.
        largest: usize,
        /// The length of the storage.
        len: usize,
    },
    /// A matrix that is written to must not address a place twice.
    #[error(
        "expected strides that address every entry of a {rows} by {columns} matrix once, got {row_stride} and {column_stride}"
    )]
    OverlappingEntries {
        /// The rows.
        rows: usize,
        /// The columns.
        columns: usize,
        /// The stride between rows.
        row_stride: usize,
        /// The stride between columns.
        column_stride: usize,
    },
}
