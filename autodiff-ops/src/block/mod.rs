//! Operations made of a block of other operations.

mod recompute;
mod record;

pub use recompute::{Recompute, recompute};
