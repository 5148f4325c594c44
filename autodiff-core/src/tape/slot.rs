//! A tensor that can be replaced while others may be reading it: a parameter's value or gradient.
//!
//! Invariant: readers are counted up only under the lock, so a writer that holds the lock and counts
//! none has no reader until it lets go.

use std::fmt;
use std::ops::Deref;
use std::sync::PoisonError;
use std::sync::atomic::Ordering;
#[cfg(not(autodiff_loom))]
use std::sync::{Arc, Mutex, MutexGuard, atomic::AtomicUsize};

// What a model checker can drive through every interleaving.
#[cfg(autodiff_loom)]
use loom::sync::{Arc, Mutex, MutexGuard, atomic::AtomicUsize};

use crate::tensor::{Element, Shape, Tensor};

/// What a slot holds, as a tensor.
pub(crate) trait Holds<T: Copy> {
    fn tensor(&mut self) -> Tensor<T>;
}

/// A parameter's value and how often it was replaced.
#[derive(Debug)]
pub(crate) struct Value<T> {
    pub(crate) tensor: Tensor<T>,
    pub(crate) revision: u64,
}

impl<T: Copy> Holds<T> for Value<T> {
    fn tensor(&mut self) -> Tensor<T> {
        self.tensor.clone()
    }
}

/// A parameter's gradient. Zeros are written only where somebody reads them: most often the next thing
/// that happens to them is that a pass puts its adjoint in their place.
#[derive(Debug)]
pub(crate) enum Gradient<T> {
    Zero(Shape),
    Sum(Tensor<T>),
}

impl<T: Element> Holds<T> for Gradient<T> {
    fn tensor(&mut self) -> Tensor<T> {
        match self {
            Self::Sum(tensor) => tensor.clone(),
            Self::Zero(shape) => {
                let zeros = Tensor::zeros_of(shape);
                *self = Self::Sum(zeros.clone());
                zeros
            }
        }
    }
}

#[derive(Debug)]
pub(crate) struct Slot<C> {
    readers: Arc<AtomicUsize>,
    held: Mutex<C>,
}

impl<C> Slot<C> {
    pub(crate) fn new(held: C) -> Self {
        Self {
            readers: Arc::new(AtomicUsize::new(0)),
            held: Mutex::new(held),
        }
    }

    /// Locks the slot. No user code runs while it is locked, so a poisoned lock has a whole state.
    pub(crate) fn lock(&self) -> MutexGuard<'_, C> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a guard is alive; lasting only while the caller holds the lock.
    pub(crate) fn has_readers(&self) -> bool {
        self.readers.load(Ordering::Acquire) > 0
    }

    pub(crate) fn read<T: Copy>(&self) -> TensorGuard<T>
    where
        C: Holds<T>,
    {
        let mut held = self.lock();
        let tensor = held.tensor();
        self.readers.fetch_add(1, Ordering::Relaxed);
        TensorGuard {
            tensor,
            readers: Some(Arc::clone(&self.readers)),
        }
    }

    pub(crate) fn snapshot<T: Copy>(&self) -> Tensor<T>
    where
        C: Holds<T>,
    {
        self.lock().tensor()
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

#[cfg(autodiff_loom)]
#[cfg(test)]
mod model;
