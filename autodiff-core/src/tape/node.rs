//! A node of the graph: its value, and the edges and saved context that reverse it.
//!
//! Invariant: edges point to nodes with smaller creation numbers. Invariant: a released node keeps its
//! value and has no edges.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock, TryLockError};

use smallvec::SmallVec;

use super::slot::Slot;
use super::value::TensorValue;
use crate::operation::Operation;
use crate::rule::SavedContext;
use crate::tensor::{Element, Tensor};

/// One operand use of an operation.
#[derive(Debug)]
pub(crate) struct Edge<T: Element> {
    pub(crate) parent: TensorValue<T>,
    /// The parent's revision when its value was used.
    pub(crate) revision: u64,
    /// Which reverse map gives the contribution.
    pub(crate) vjp: usize,
    /// The operand's place among those of its reverse map.
    pub(crate) slot: usize,
    /// The entry of a variadic operand.
    pub(crate) index: usize,
}

pub(crate) type Edges<T> = SmallVec<[Edge<T>; 2]>;

/// What an operation's node remembers until it is released.
#[derive(Debug)]
pub(crate) struct History<T: Element, S> {
    pub(crate) edges: Edges<T>,
    pub(crate) saved: S,
    pub(crate) output_index: usize,
}

/// The borrowed form of a history, whatever type its saved context has.
pub(crate) struct HistoryRef<'a, T: Element> {
    pub(crate) edges: &'a [Edge<T>],
    pub(crate) saved: &'a dyn SavedContext<T>,
    pub(crate) output_index: usize,
}

/// The last field of a node: the part whose type depends on the operation, in the same allocation.
pub(crate) trait Record<T: Element>: Send + Sync {
    fn is_released(&self) -> bool;

    /// Shows the history to `visit`; false, without a visit, where there is none.
    fn read(&self, visit: &mut dyn FnMut(HistoryRef<'_, T>)) -> bool;

    /// Drops edges and saved context, for good.
    fn release(&self);

    /// Takes the parents out of a node that is about to be dropped.
    fn take_edges(&mut self) -> Edges<T>;
}

/// The record of a leaf, or of a result that is not tracked.
pub(crate) struct NoRecord;

impl<T: Element> Record<T> for NoRecord {
    fn is_released(&self) -> bool {
        false
    }

    fn read(&self, _: &mut dyn FnMut(HistoryRef<'_, T>)) -> bool {
        false
    }

    fn release(&self) {}

    fn take_edges(&mut self) -> Edges<T> {
        Edges::new()
    }
}

/// The record of a tracked result.
///
/// Passes hold the lock shared while a rule runs. A release never waits for it: it marks the record,
/// and whoever is last to read drops the history. So a rule may itself run passes without a deadlock.
pub(crate) struct Recorded<T: Element, S> {
    released: AtomicBool,
    history: RwLock<Option<History<T, S>>>,
}

impl<T: Element, S> Recorded<T, S> {
    pub(crate) fn new(history: History<T, S>) -> Self {
        Self {
            released: AtomicBool::new(false),
            history: RwLock::new(Some(history)),
        }
    }

    fn try_drop_history(&self) {
        let taken = match self.history.try_write() {
            Ok(mut history) => history.take(),
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner().take(),
            Err(TryLockError::WouldBlock) => None,
        };
        // Dropped here, after the lock: a saved value may have a destructor of the user's.
        drop(taken);
    }
}

impl<T: Element, S: SavedContext<T>> Record<T> for Recorded<T, S> {
    fn is_released(&self) -> bool {
        self.released.load(Ordering::Acquire)
    }

    fn read(&self, visit: &mut dyn FnMut(HistoryRef<'_, T>)) -> bool {
        let found = {
            let history = self.history.read().unwrap_or_else(PoisonError::into_inner);
            match &*history {
                Some(history) if !self.is_released() => {
                    visit(HistoryRef {
                        edges: &history.edges,
                        saved: &history.saved,
                        output_index: history.output_index,
                    });
                    true
                }
                _ => false,
            }
        };
        if self.is_released() {
            self.try_drop_history();
        }
        found
    }

    fn release(&self) {
        self.released.store(true, Ordering::Release);
        self.try_drop_history();
    }

    fn take_edges(&mut self) -> Edges<T> {
        let history = self
            .history
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner);
        history
            .as_mut()
            .map(|history| std::mem::take(&mut history.edges))
            .unwrap_or_default()
    }
}

/// A parameter's replaceable tensors.
#[derive(Debug)]
pub(crate) struct Parameter<T: Element> {
    pub(crate) value: Slot<T>,
    pub(crate) gradient: Slot<T>,
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
    pub(crate) tracked: bool,
    pub(crate) content: Content<T>,
    pub(crate) record: R,
}

impl<T: Element> Node<T> {
    /// A new node, numbered after every node that existed before the call.
    pub(crate) fn create<R: Record<T> + 'static>(
        operation: Operation,
        tracked: bool,
        content: Content<T>,
        record: R,
    ) -> TensorValue<T> {
        static NEXT_NUMBER: AtomicU64 = AtomicU64::new(0);
        TensorValue(Arc::new(Node {
            number: NEXT_NUMBER.fetch_add(1, Ordering::Relaxed),
            operation,
            tracked,
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

    pub(crate) fn revision(&self) -> u64 {
        self.parameter()
            .map_or(0, |parameter| parameter.value.lock().revision)
    }
}
