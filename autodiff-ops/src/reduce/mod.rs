//! Operations that combine the elements along axes.

mod sum;

pub use sum::*;
