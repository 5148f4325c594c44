//! Operations that work element by element.

mod arithmetic;

pub use arithmetic::*;
