//! A node of the graph: the history that reverses a value, and of a parameter the value itself.
//!
//! Every other value lives as long as a handle shows it or a reverse map has saved it; what stands between them
//! in a graph is let go of at once, and its memory serves what is computed next.
//!
//! Invariant: creation numbers grow from parent to child.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::history::{HistoryRef, NoRecord, Record};
use super::shard::{Histories, Reading, Shard};
use super::slot::{Gradient, Slot, Value};
use crate::operation::Operation;
use crate::tensor::{Element, Shape, Tensor};

/// A parameter's replaceable tensors.
#[derive(Debug)]
pub(crate) struct Parameter<T: Element> {
    pub(crate) value: Slot<Value<T>>,
    pub(crate) gradient: Slot<Gradient<T>>,
}

/// What a node holds.
#[derive(Debug)]
pub(crate) enum Content<T: Element> {
    /// Of a value that never changes, the shape: the value is its handles'.
    Shape(Shape),
    /// The value as well, for a report of values that have no handle any more.
    Kept(Box<Tensor<T>>),
    /// A value and a gradient that change.
    Parameter(Arc<Parameter<T>>),
}

/// A node as the graph holds it.
pub(crate) type NodeRef<T> = Arc<Node<T>>;

pub(crate) struct Node<T: Element, R: ?Sized + Record<T> = dyn Record<T>> {
    pub(crate) number: u64,
    pub(crate) operation: Operation,
    /// Where the history of the node is read and dropped.
    pub(super) shard: &'static Shard,
    /// Which output of the operation the node is.
    pub(super) output_index: usize,
    pub(crate) tracked: bool,
    released: AtomicBool,
    pub(crate) content: Content<T>,
    pub(super) record: R,
}

impl<T: Element> Node<T> {
    /// A new node without a history: a leaf, or a result that is not tracked.
    pub(super) fn bare(operation: Operation, tracked: bool, content: Content<T>) -> NodeRef<T> {
        Self::create((operation, 0), tracked, content, Shard::current(), NoRecord)
    }

    /// A new node of this thread's shard, numbered after every node that existed before the call.
    #[inline]
    pub(super) fn create<R: Record<T> + 'static>(
        (operation, output_index): (Operation, usize),
        tracked: bool,
        content: Content<T>,
        shard: &'static Shard,
        record: R,
    ) -> NodeRef<T> {
        static NEXT_NUMBER: AtomicU64 = AtomicU64::new(0);
        Arc::new(Node {
            number: NEXT_NUMBER.fetch_add(1, Ordering::Relaxed),
            operation,
            shard,
            output_index,
            tracked,
            released: AtomicBool::new(false),
            content,
            record,
        })
    }

    pub(crate) fn parameter(&self) -> Option<&Parameter<T>> {
        match &self.content {
            Content::Shape(_) | Content::Kept(_) => None,
            Content::Parameter(parameter) => Some(parameter),
        }
    }

    /// The value's shape, looked at without copying it.
    #[inline]
    pub(crate) fn with_shape<R>(&self, look: impl FnOnce(&Shape) -> R) -> R {
        match &self.content {
            Content::Shape(shape) => look(shape),
            Content::Kept(tensor) => look(tensor.extents()),
            Content::Parameter(parameter) => look(parameter.value.lock().tensor.extents()),
        }
    }

    pub(crate) fn shape(&self) -> Vec<usize> {
        self.with_shape(|shape| shape.to_vec())
    }

    /// The value, where the node itself has it.
    #[cfg(feature = "report")]
    pub(crate) fn own_value(&self) -> Option<Tensor<T>> {
        match &self.content {
            Content::Shape(_) => None,
            Content::Kept(tensor) => Some(Tensor::clone(tensor)),
            Content::Parameter(parameter) => Some(parameter.value.snapshot()),
        }
    }

    /// Looks at the history; none where there is none or it is released.
    pub(crate) fn look<R>(&self, look: impl FnOnce(HistoryRef<'_, T>) -> R) -> Option<R> {
        match Histories::of(self.shard).read(self) {
            Reading::History(history) => Some(look(history)),
            Reading::Nothing | Reading::Elsewhere(_) => None,
        }
    }

    /// Marks the node as released: nobody reads its history from here on, whenever it is dropped.
    pub(super) fn mark_released(&self) {
        self.released.store(true, Ordering::Release);
    }

    pub(crate) fn revision(&self) -> u64 {
        self.parameter()
            .map_or(0, |parameter| parameter.value.lock().revision)
    }
}

impl<T: Element> fmt::Debug for Node<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Node")
            .field("shape", &self.shape())
            .field("operation", &self.operation)
            .field("tracked", &self.tracked)
            .field("released", &self.is_released())
            .finish()
    }
}

impl<T: Element, R: ?Sized + Record<T>> Node<T, R> {
    pub(crate) fn is_released(&self) -> bool {
        self.released.load(Ordering::Acquire)
    }

    pub(crate) fn is_parameter(&self) -> bool {
        matches!(self.content, Content::Parameter(_))
    }
}
