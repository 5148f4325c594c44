//! Derivatives of whole functions, without stored gradients.
//!
//! Reverse mode takes any closure; forward mode and second order take a [`Function`], since they run
//! it on dual numbers. Invariant: no stored gradient is read or written.

mod forward;
mod recompute;
mod reverse;

pub use forward::{hessian, hvp, jacobian, jvp};
pub use recompute::{BlockError, record_block, reverse_block};
pub use reverse::{value_and_gradients, vjp};

use crate::error::Result;
use crate::tape::TensorValue;
use crate::tensor::Element;

/// A function of tensors that runs on every element type.
///
/// Constants inside it are lifted with [`Tensor::cast`](crate::Tensor::cast).
pub trait Function {
    /// The function's value; inputs come in the order of the caller's.
    ///
    /// # Errors
    /// Whatever its operations refuse.
    fn call<T: Element>(&self, inputs: &[TensorValue<T>]) -> Result<TensorValue<T>>;
}

/// Inputs and directions that do not fit each other.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DirectionError {
    /// There must be one direction for each input.
    #[error("expected a direction for each of {expected} inputs, got {actual}")]
    Count {
        /// The number of inputs.
        expected: usize,
        /// The number of directions.
        actual: usize,
    },
    /// A direction has exactly its input's shape.
    #[error("direction {input}: expected shape {expected:?}, got {actual:?}")]
    Shape {
        /// Which input.
        input: usize,
        /// Its shape.
        expected: Vec<usize>,
        /// The direction's shape.
        actual: Vec<usize>,
    },
}
