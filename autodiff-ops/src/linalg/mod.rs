//! Matrix products.

mod affine;
mod error;
mod product;
mod vectors;

pub use affine::*;
pub use error::ProductError;
pub use product::*;
