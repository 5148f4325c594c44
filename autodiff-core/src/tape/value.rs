//! The handle to a node of the graph.

use std::fmt;
use std::sync::Arc;

use super::node::{Content, Node, Parameter};
use super::slot::{Gradient, Slot, TensorGuard, Value};
use crate::error::{Result, TensorAutodiffError};
use crate::operation::Operation;
use crate::tensor::{Element, Shape, Tensor};

/// A tensor on the tape: a cheap handle to a node that knows how it was made.
///
/// Handles are `Send + Sync`; a clone is the same node.
///
/// ```
/// use autodiff_core::prelude::*;
///
/// # fn main() -> Result<()> {
/// let x = TensorValue::parameter(Tensor::from_vec([2], vec![1.0, 2.0])?)?;
/// let seed = Tensor::from_vec([2], vec![3.0, 6.0])?;
/// x.backward_with_seed(&seed.view(), GraphRetention::Retain)?;
/// assert_eq!(x.gradient_snapshot(), Some(seed));
/// # Ok(())
/// # }
/// ```
pub struct TensorValue<T: Element = f64>(pub(crate) Arc<Node<T>>);

impl<T: Element> Clone for TensorValue<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T: Element> TensorValue<T> {
    /// A leaf that stores a gradient, zero at first.
    ///
    /// # Errors
    /// [`TensorAutodiffError::NonFiniteLeaf`] at the first non-finite value in row-major order.
    pub fn parameter(value: Tensor<T>) -> Result<Self> {
        check_leaf(Operation::PARAMETER, &value)?;
        let content = Content::Parameter(Box::new(Parameter {
            gradient: Slot::new(Gradient::Zero(value.extents().clone())),
            value: Slot::new(Value {
                tensor: value,
                revision: 0,
            }),
        }));
        Ok(Node::bare(Operation::PARAMETER, true, content))
    }

    /// A leaf that is never differentiated.
    ///
    /// # Errors
    /// [`TensorAutodiffError::NonFiniteLeaf`] at the first non-finite value in row-major order.
    pub fn constant(value: Tensor<T>) -> Result<Self> {
        check_leaf(Operation::CONSTANT, &value)?;
        Ok(Node::bare(
            Operation::CONSTANT,
            false,
            Content::Fixed(value),
        ))
    }

    /// A new untracked leaf with the present value.
    #[must_use]
    pub fn detach(&self) -> Self {
        let content = Content::Fixed(self.value_snapshot());
        Node::bare(Operation::DETACHED, false, content)
    }

    /// Read access to the value. While the guard of a parameter lives, updates are refused.
    pub fn value(&self) -> TensorGuard<T> {
        match &self.0.content {
            Content::Fixed(tensor) => TensorGuard::of_fixed(tensor.clone()),
            Content::Parameter(parameter) => parameter.value.read(),
        }
    }

    /// The present value, on its own.
    pub fn value_snapshot(&self) -> Tensor<T> {
        match &self.0.content {
            Content::Fixed(tensor) => tensor.clone(),
            Content::Parameter(parameter) => parameter.value.snapshot(),
        }
    }

    /// Read access to a parameter's gradient; `None` for every other node. While the guard lives,
    /// passes over the parameter and [`zero_grad`](Self::zero_grad) are refused.
    pub fn gradient(&self) -> Option<TensorGuard<T>> {
        self.0
            .parameter()
            .map(|parameter| parameter.gradient.read())
    }

    /// A parameter's present gradient, on its own; `None` for every other node.
    pub fn gradient_snapshot(&self) -> Option<Tensor<T>> {
        self.0
            .parameter()
            .map(|parameter| parameter.gradient.snapshot())
    }

    /// The value's shape.
    pub fn shape(&self) -> Vec<usize> {
        self.with_shape(|shape| shape.to_vec())
    }

    /// The value's shape, looked at without copying it.
    pub(crate) fn with_shape<R>(&self, look: impl FnOnce(&Shape) -> R) -> R {
        match &self.0.content {
            Content::Fixed(tensor) => look(tensor.extents()),
            Content::Parameter(parameter) => look(parameter.value.lock().tensor.extents()),
        }
    }

    /// What made the node.
    pub fn operation(&self) -> Operation {
        self.0.operation
    }

    /// Whether a parameter contributes to the value through recorded operations.
    pub fn tracks_gradient(&self) -> bool {
        self.0.tracked
    }

    /// Whether this is a leaf that stores a gradient.
    pub fn is_parameter(&self) -> bool {
        self.0.is_parameter()
    }

    /// Whether a pass has released the node's edges and saved context.
    pub fn is_released(&self) -> bool {
        self.0.is_released()
    }

    /// Whether two handles are of one node.
    pub fn is_same_node(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// How often the value was replaced. Counted by the tape, and no part of a saved model.
    pub fn revision(&self) -> u64 {
        self.0.revision()
    }
}

pub(crate) fn check_leaf<T: Element>(operation: Operation, value: &Tensor<T>) -> Result<()> {
    match value.first_non_finite() {
        None => Ok(()),
        Some((index, value)) => Err(TensorAutodiffError::NonFiniteLeaf {
            operation,
            index,
            value,
        }),
    }
}

impl<T: Element> fmt::Debug for TensorValue<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TensorValue")
            .field("shape", &self.shape())
            .field("operation", &self.operation())
            .field("tracked", &self.tracks_gradient())
            .field("gradient", &self.gradient_snapshot())
            .field("released", &self.is_released())
            .finish()
    }
}
