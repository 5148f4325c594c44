//! The operations, one annotated function each, by family.
//!
//! Every operation works on plain tensors and on the tape under one name, as a function and as a method:
//!
//! ```
//! use autodiff_ops::prelude::*;
//!
//! # fn main() -> Result<()> {
//! let x = TensorValue::parameter(Tensor::from_vec([2, 2], vec![1.0, 2.0, 3.0, 4.0])?)?;
//! let loss = x.mul(&x)?.sum_axis(0, false)?.mean_axis(0, false)?;
//! loss.backward()?;
//! assert_eq!(x.gradient_snapshot(), Some(Tensor::from_vec([2, 2], vec![1.0, 2.0, 3.0, 4.0])?));
//! # Ok(())
//! # }
//! ```

pub mod block;
pub mod elementwise;
pub mod index;
pub mod linalg;
pub mod nn;
pub mod optim;
pub mod reduce;
pub mod shape;

#[cfg(test)]
mod testing;

/// The core's prelude and every operation.
pub mod prelude {
    pub use crate::block::*;
    pub use crate::elementwise::*;
    pub use crate::index::*;
    pub use crate::linalg::*;
    pub use crate::nn::*;
    pub use crate::optim::*;
    pub use crate::reduce::*;
    pub use crate::shape::*;
    pub use autodiff_core::prelude::*;
}

/// The examples of the project's README, compiled and run with the tests.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
pub struct Readme;
