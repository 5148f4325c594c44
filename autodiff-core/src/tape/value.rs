//! The handle to a node of the graph.

use std::fmt;
use std::sync::Arc;

use super::node::{Content, Node, NodeRef, Parameter};
use super::slot::{Gradient, Slot, TensorGuard, Value};
use crate::error::{Result, TensorAutodiffError};
use crate::operation::Operation;
use crate::tensor::{Element, Tensor};

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
pub struct TensorValue<T: Element = f64> {
    pub(crate) node: NodeRef<T>,
    pub(super) held: Held<T>,
}

/// Where the value is.
#[derive(Clone)]
pub(super) enum Held<T: Element> {
    /// Here, since it never changes.
    Fixed(Tensor<T>),
    /// With the parameter, where it may be replaced.
    Current(Arc<Parameter<T>>),
}

impl<T: Element> Clone for TensorValue<T> {
    fn clone(&self) -> Self {
        Self {
            node: Arc::clone(&self.node),
            held: self.held.clone(),
        }
    }
}

impl<T: Element> TensorValue<T> {
    /// A leaf that stores a gradient, zero at first.
    ///
    /// # Errors
    /// [`TensorAutodiffError::NonFiniteLeaf`] at the first non-finite value in row-major order.
    pub fn parameter(value: Tensor<T>) -> Result<Self> {
        check_leaf(Operation::PARAMETER, &value)?;
        let parameter = Arc::new(Parameter {
            gradient: Slot::new(Gradient::Zero(value.extents().clone())),
            value: Slot::new(Value {
                tensor: value,
                revision: 0,
            }),
        });
        let content = Content::Parameter(Arc::clone(&parameter));
        Ok(Self {
            node: Node::bare(Operation::PARAMETER, true, content),
            held: Held::Current(parameter),
        })
    }

    /// A leaf that is never differentiated.
    ///
    /// # Errors
    /// [`TensorAutodiffError::NonFiniteLeaf`] at the first non-finite value in row-major order.
    pub fn constant(value: Tensor<T>) -> Result<Self> {
        check_leaf(Operation::CONSTANT, &value)?;
        Ok(Self::untracked(Operation::CONSTANT, value))
    }

    /// A value without a history.
    pub(super) fn untracked(operation: Operation, value: Tensor<T>) -> Self {
        let content = Content::Shape(value.extents().clone());
        Self {
            node: Node::bare(operation, false, content),
            held: Held::Fixed(value),
        }
    }

    /// A new untracked leaf with the present value.
    #[must_use]
    pub fn detach(&self) -> Self {
        Self::untracked(Operation::DETACHED, self.value_snapshot())
    }

    /// Read access to the value. While the guard of a parameter lives, updates are refused.
    pub fn value(&self) -> TensorGuard<T> {
        match &self.held {
            Held::Fixed(tensor) => TensorGuard::of_fixed(tensor.clone()),
            Held::Current(parameter) => parameter.value.read(),
        }
    }

    /// The present value, on its own.
    pub fn value_snapshot(&self) -> Tensor<T> {
        match &self.held {
            Held::Fixed(tensor) => tensor.clone(),
            Held::Current(parameter) => parameter.value.snapshot(),
        }
    }

    /// Read access to a parameter's gradient; `None` for every other node. While the guard lives,
    /// passes over the parameter and [`zero_grad`](Self::zero_grad) are refused.
    pub fn gradient(&self) -> Option<TensorGuard<T>> {
        self.as_parameter()
            .map(|parameter| parameter.gradient.read())
    }

    /// A parameter's present gradient, on its own; `None` for every other node.
    pub fn gradient_snapshot(&self) -> Option<Tensor<T>> {
        self.as_parameter()
            .map(|parameter| parameter.gradient.snapshot())
    }

    pub(super) fn as_parameter(&self) -> Option<&Parameter<T>> {
        match &self.held {
            Held::Fixed(_) => None,
            Held::Current(parameter) => Some(parameter),
        }
    }

    /// The value's shape.
    pub fn shape(&self) -> Vec<usize> {
        self.node.shape()
    }

    /// What made the node.
    pub fn operation(&self) -> Operation {
        self.node.operation
    }

    /// Whether a parameter contributes to the value through recorded operations.
    pub fn tracks_gradient(&self) -> bool {
        self.node.tracked
    }

    /// Whether this is a leaf that stores a gradient.
    pub fn is_parameter(&self) -> bool {
        self.node.is_parameter()
    }

    /// Whether a pass has released the node's edges and saved context.
    pub fn is_released(&self) -> bool {
        self.node.is_released()
    }

    /// Whether two handles are of one node.
    pub fn is_same_node(&self, other: &Self) -> bool {
        self.is_of(&other.node)
    }

    /// Whether this is a handle of a node of the graph.
    pub(crate) fn is_of(&self, node: &NodeRef<T>) -> bool {
        Arc::ptr_eq(&self.node, node)
    }

    /// How often the value was replaced. Counted by the tape, and no part of a saved model.
    pub fn revision(&self) -> u64 {
        self.node.revision()
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
