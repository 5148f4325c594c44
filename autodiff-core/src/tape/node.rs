//! A node of the graph: its value, and the history that reverses it.
//!
//! Invariant: creation numbers grow from parent to child. Invariant: a released node keeps its value.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::history::{HistoryRef, NoRecord, Record};
use super::shard::{Histories, Reading, Shard};
use super::slot::{Gradient, Slot, Value};
use super::value::TensorValue;
use crate::operation::Operation;
use crate::tensor::{Element, Tensor};

/// A parameter's replaceable tensors.
#[derive(Debug)]
pub(crate) struct Parameter<T: Element> {
    pub(crate) value: Slot<Value<T>>,
    pub(crate) gradient: Slot<Gradient<T>>,
}

/// What a node holds.
#[derive(Debug)]
pub(crate) enum Content<T: Element> {
    /// A value that never changes.
    Fixed(Tensor<T>),
    /// A value and a gradient that do.
    Parameter(Box<Parameter<T>>),
}

pub(crate) struct Node<T: Element, R: ?Sized + Record<T> = dyn Record<T>> {
    pub(crate) number: u64,
    pub(crate) operation: Operation,
    /// Where the history of the node is read and dropped.
    pub(super) shard: &'static Shard,
    pub(crate) tracked: bool,
    released: AtomicBool,
    pub(crate) content: Content<T>,
    pub(super) record: R,
}

impl<T: Element> Node<T> {
    /// A new node without a history: a leaf, or a result that is not tracked.
    pub(super) fn bare(operation: Operation, tracked: bool, content: Content<T>) -> TensorValue<T> {
        Self::create(operation, tracked, content, Shard::current(), NoRecord)
    }

    /// A new node of this thread's shard, numbered after every node that existed before the call.
    #[inline]
    pub(super) fn create<R: Record<T> + 'static>(
        operation: Operation,
        tracked: bool,
        content: Content<T>,
        shard: &'static Shard,
        record: R,
    ) -> TensorValue<T> {
        static NEXT_NUMBER: AtomicU64 = AtomicU64::new(0);
        TensorValue(Arc::new(Node {
            number: NEXT_NUMBER.fetch_add(1, Ordering::Relaxed),
            operation,
            shard,
            tracked,
            released: AtomicBool::new(false),
            content,
            record,
        }))
    }

    pub(crate) fn parameter(&self) -> Option<&Parameter<T>> {
        match &self.content {
            Content::Fixed(_) => None,
            Content::Parameter(parameter) => Some(parameter),
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

impl<T: Element, R: ?Sized + Record<T>> Node<T, R> {
    pub(crate) fn is_released(&self) -> bool {
        self.released.load(Ordering::Acquire)
    }

    pub(crate) fn is_parameter(&self) -> bool {
        matches!(self.content, Content::Parameter(_))
    }
}
