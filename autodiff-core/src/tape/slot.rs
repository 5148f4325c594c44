//! A tensor that can be replaced while others may be reading it: a parameter's value or gradient.
//!
//! Invariant: readers are counted up only under the lock, so a writer that holds the lock and counts
//! none has no reader until it lets go.

use std::fmt;
use std::ops::Deref;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::tensor::Tensor;

/// The tensor of a slot and how often it was replaced.
#[derive(Debug)]
pub(crate) struct Held<T: Copy> {
    pub(crate) tensor: Tensor<T>,
    pub(crate) revision: u64,
}

#[derive(Debug)]
pub(crate) struct Slot<T: Copy> {
    readers: Arc<AtomicUsize>,
    held: Mutex<Held<T>>,
}

impl<T: Copy> Slot<T> {
    pub(crate) fn new(tensor: Tensor<T>) -> Self {
        Self {
            readers: Arc::default(),
            held: Mutex::new(Held {
                tensor,
                revision: 0,
            }),
        }
    }

    /// Locks the slot. No user code runs while it is locked, so a poisoned lock has a whole state.
    pub(crate) fn lock(&self) -> MutexGuard<'_, Held<T>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a guard is alive; lasting only while the caller holds the lock.
    pub(crate) fn has_readers(&self) -> bool {
        self.readers.load(Ordering::Acquire) > 0
    }

    pub(crate) fn read(&self) -> TensorGuard<T> {
        let held = self.lock();
        self.readers.fetch_add(1, Ordering::Relaxed);
        TensorGuard {
            tensor: held.tensor.clone(),
            readers: Some(Arc::clone(&self.readers)),
        }
    }

    pub(crate) fn snapshot(&self) -> Tensor<T> {
        self.lock().tensor.clone()
    }
}

/// Read access to a node's value or to a parameter's gradient.
///
/// While a guard on a parameter lives, writes to what it reads fail with a typed error; a snapshot, by
/// contrast, is a value of its own.
pub struct TensorGuard<T: Copy = f64> {
    tensor: Tensor<T>,
    readers: Option<Arc<AtomicUsize>>,
}

impl<T: Copy> TensorGuard<T> {
    /// A guard on a value that nobody can replace.
    pub(crate) fn of_fixed(tensor: Tensor<T>) -> Self {
        Self {
            tensor,
            readers: None,
        }
    }
}

impl<T: Copy> Deref for TensorGuard<T> {
    type Target = Tensor<T>;

    fn deref(&self) -> &Tensor<T> {
        &self.tensor
    }
}

impl<T: Copy + fmt::Debug> fmt::Debug for TensorGuard<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.tensor, f)
    }
}

impl<T: Copy> Drop for TensorGuard<T> {
    fn drop(&mut self) {
        if let Some(readers) = &self.readers {
            readers.fetch_sub(1, Ordering::Release);
        }
    }
}
