//! Operations that read at given indices.

mod elements;
mod error;
mod select;

pub use elements::*;
pub use error::IndexError;
pub use select::*;
