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
mod mode;
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
mod threads;
mod vectors;
mod view;
mod zip;

#[cfg(test)]
mod testing;

pub use base::Tensor;
pub use dual::Dual;
pub use element::{Element, ElementKind};
pub use kernel::{Matrix, MatrixMut};
pub(crate) use mode::{Mode, mode, with_mode};
pub use offsets::ProjectedOffsets;
pub use parallel::{Parts, Rows, for_each_part, for_ranges, for_rows, try_for_each_part};
pub use pool::release_buffers;
pub use projection::Projection;
pub use shape::{Shape, check_axis, check_distinct};
pub use storage::Stored;
pub(crate) use threads::alone;
pub use threads::{Threads, thread_count, with_threads};
pub use vectors::vectorized;
pub use view::TensorView;
pub use zip::broadcast_shapes;
