//! Owned tensors, borrowed strided views, and the traversals that broadcasting and reduction share.

mod base;
mod dual;
mod element;
mod expand;
mod fill;
mod finite;
mod float;
mod functions;
mod kernel;
mod lanes;
mod loops;
mod map;
mod materialize;
mod math;
mod offsets;
mod parallel;
mod pool;
mod product;
mod projection;
mod rearrange;
mod reduce;
mod restride;
mod shape;
mod storage;
mod sum;
mod vectors;
mod view;
mod zip;

#[cfg(test)]
mod testing;

pub use base::Tensor;
pub use dual::Dual;
pub use element::{Element, ElementKind};
pub use kernel::{Matrix, MatrixMut};
pub use offsets::ProjectedOffsets;
pub use parallel::{
    Parts, Rows, Threads, for_each_part, for_ranges, for_rows, thread_count, try_for_each_part,
    with_threads,
};
pub use pool::release_buffers;
pub use projection::Projection;
pub use shape::{Shape, check_axis, check_distinct};
pub use storage::Stored;
pub use vectors::vectorized;
pub use view::TensorView;
pub use zip::broadcast_shapes;
