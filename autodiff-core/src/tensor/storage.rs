//! Where elements live: inline up to four, else in a shared buffer that is copied on write.
//!
//! Invariant: at most [`INLINE`] elements are inline, so that a scalar costs no allocation.
//! Invariant: a buffer is written only while one tensor holds it.
//! Invariant: a buffer known to be finite is; so values that pass from node to node are tested once.
//! Invariant: a buffer known to be one number repeated is; so the adjoint of a sum is not read to be summed.

use std::mem::take;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::pool;
use crate::error::TensorError;

/// How many elements need no allocation.
pub(super) const INLINE: usize = 4;

/// What a tensor can hold: plain data that may be copied and cross threads.
pub trait Stored: Copy + Send + Sync + 'static {}
impl<T: Copy + Send + Sync + 'static> Stored for T {}

/// The elements of one tensor.
#[derive(Clone)]
pub(super) enum Storage<T> {
    Empty,
    Inline(Few<T>),
    Shared(Arc<Buffer<T>>),
}

/// A few elements in place. Of places past the length nothing is known.
///
/// The elements come first, and the length is a word that [`Storage`] tells its variants apart by: what is
/// written in pieces and moved as a block soon after waits for the pieces.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct Few<T> {
    places: [T; INLINE],
    len: FewLen,
}

#[derive(Clone, Copy)]
#[repr(usize)]
enum FewLen {
    One = 1,
    Two,
    Three,
    Four,
}

impl<T> Few<T> {
    fn as_slice(&self) -> &[T] {
        self.places.get(..self.len as usize).unwrap_or(&self.places)
    }

    fn as_mut_slice(&mut self) -> &mut [T] {
        self.places.get_mut(..self.len as usize).unwrap_or_default()
    }
}

/// Elements on the heap, recycled when the last tensor lets go.
pub(super) struct Buffer<T> {
    values: Vec<T>,
    /// Where the elements begin, which are all from there on.
    start: usize,
    recycle: fn(Vec<T>),
    /// Whether all elements are known to be finite; writing forgets it.
    finite: AtomicBool,
    /// Whether all elements are known to be the same; writing forgets it.
    repeated: AtomicBool,
}

impl<T> Buffer<T> {
    fn elements(&self) -> &[T] {
        self.values.get(self.start..).unwrap_or_default()
    }
}

impl<T> Drop for Buffer<T> {
    fn drop(&mut self) {
        (self.recycle)(take(&mut self.values));
    }
}

impl<T> Storage<T> {
    pub(super) fn as_slice(&self) -> &[T] {
        match self {
            Self::Empty => &[],
            Self::Inline(few) => few.as_slice(),
            Self::Shared(buffer) => buffer.elements(),
        }
    }

    /// The places of inline elements.
    #[inline]
    pub(super) fn inline_places(&self) -> Option<&[T; INLINE]> {
        match self {
            Self::Inline(few) => Some(&few.places),
            Self::Empty | Self::Shared(_) => None,
        }
    }

    /// Whether all elements have been found finite since they were written.
    pub(super) fn is_known_finite(&self) -> bool {
        match self {
            Self::Empty => true,
            Self::Inline(_) => false,
            Self::Shared(buffer) => buffer.finite.load(Ordering::Relaxed),
        }
    }

    /// Notes that all elements are finite.
    pub(super) fn know_finite(&self) {
        // Relaxed: the flag says something about elements that whoever reads it can read already.
        if let Self::Shared(buffer) = self {
            buffer.finite.store(true, Ordering::Relaxed);
        }
    }

    /// Notes that all elements are the same.
    pub(super) fn know_repeated(&self) {
        if let Self::Shared(buffer) = self {
            buffer.repeated.store(true, Ordering::Relaxed);
        }
    }

    /// The element that all of them are known to be.
    pub(super) fn repeated(&self) -> Option<&T> {
        match self {
            Self::Shared(buffer) if buffer.repeated.load(Ordering::Relaxed) => {
                buffer.elements().first()
            }
            _ => None,
        }
    }

    /// Whether nobody else holds these elements.
    pub(super) fn is_unique(&self) -> bool {
        match self {
            Self::Empty | Self::Inline(_) => true,
            Self::Shared(buffer) => Arc::strong_count(buffer) == 1,
        }
    }

    pub(super) fn is_same_buffer(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Shared(buffer), Self::Shared(other)) => Arc::ptr_eq(buffer, other),
            _ => false,
        }
    }
}

impl<T: Stored> Storage<T> {
    pub(super) fn from_vec(values: Vec<T>) -> Result<Self, TensorError> {
        match (Self::inline(&values), values.first()) {
            (Some(storage), _) => Ok(storage),
            (None, Some(&first)) if !pool::is_placed(&values) => {
                Self::requested(values.len(), first, |out| {
                    out.copy_from_slice(&values);
                    Ok(())
                })
            }
            (None, _) => Ok(Self::shared((values, 0))),
        }
    }

    fn shared((values, start): (Vec<T>, usize)) -> Self {
        Self::Shared(Arc::new(Buffer {
            values,
            start,
            recycle: pool::recycle::<T>,
            finite: AtomicBool::new(false),
            repeated: AtomicBool::new(false),
        }))
    }

    /// As many elements as fit inline.
    pub(super) fn full_inline(places: [T; INLINE]) -> Self {
        let len = FewLen::Four;
        Self::Inline(Few { places, len })
    }

    fn inline(values: &[T]) -> Option<Self> {
        let Some(&first) = values.first() else {
            return Some(Self::Empty);
        };
        let mut storage = Self::few(values.len(), first)?;
        storage.make_mut().copy_from_slice(values);
        Some(storage)
    }

    /// `len` elements written by `write`, which must overwrite all of them: before, they hold `fill`
    /// or what an earlier tensor left in a recycled buffer.
    pub(super) fn written<E>(
        len: usize,
        fill: T,
        write: impl FnOnce(&mut [T]) -> Result<(), E>,
    ) -> Result<Self, E> {
        let mut storage = Self::blank(len, fill);
        write(storage.make_mut())?;
        Ok(storage)
    }

    /// The same where writing cannot fail.
    pub(super) fn overwritten(len: usize, fill: T, write: impl FnOnce(&mut [T])) -> Self {
        let mut storage = Self::blank(len, fill);
        write(storage.make_mut());
        storage
    }

    /// The same for a number of elements that a caller asks for, which may find no room.
    pub(super) fn requested<E: From<TensorError>>(
        len: usize,
        fill: T,
        write: impl FnOnce(&mut [T]) -> Result<(), E>,
    ) -> Result<Self, E> {
        let mut storage = Self::try_blank(len, fill)?;
        write(storage.make_mut())?;
        Ok(storage)
    }

    pub(super) fn blank(len: usize, fill: T) -> Self {
        Self::few(len, fill).unwrap_or_else(|| Self::shared(pool::buffer(len, fill)))
    }

    pub(super) fn try_blank(len: usize, fill: T) -> Result<Self, TensorError> {
        match Self::few(len, fill) {
            Some(storage) => Ok(storage),
            None => pool::try_buffer(len, fill).map(Self::shared),
        }
    }

    /// At most [`INLINE`] times the same.
    fn few(len: usize, value: T) -> Option<Self> {
        let len = match len {
            0 => return Some(Self::Empty),
            1 => FewLen::One,
            2 => FewLen::Two,
            3 => FewLen::Three,
            INLINE => FewLen::Four,
            _ => return None,
        };
        let places = [value; INLINE];
        Some(Self::Inline(Few { places, len }))
    }

    /// One element.
    pub(super) fn one(value: T) -> Self {
        let places = [value; INLINE];
        let len = FewLen::One;
        Self::Inline(Few { places, len })
    }

    /// The elements for writing; a shared buffer is copied first.
    pub(super) fn make_mut(&mut self) -> &mut [T] {
        if !self.is_unique() {
            *self = Self::copied(self.as_slice());
        }
        match self {
            Self::Empty => &mut [],
            Self::Inline(few) => few.as_mut_slice(),
            Self::Shared(buffer) => match Arc::get_mut(buffer) {
                Some(buffer) => {
                    *buffer.finite.get_mut() = false;
                    *buffer.repeated.get_mut() = false;
                    buffer.values.get_mut(buffer.start..).unwrap_or_default()
                }
                None => &mut [],
            },
        }
    }

    fn copied(values: &[T]) -> Self {
        if let Some(storage) = Self::inline(values) {
            return storage;
        }
        match values.first() {
            None => Self::Empty,
            Some(&first) => {
                let (mut copy, start) = pool::buffer(values.len(), first);
                copy[start..].copy_from_slice(values);
                Self::shared((copy, start))
            }
        }
    }

    pub(super) fn into_vec(self) -> Vec<T> {
        match self {
            Self::Shared(buffer) => match Arc::try_unwrap(buffer) {
                Ok(mut buffer) => {
                    let mut values = take(&mut buffer.values);
                    values.drain(..buffer.start);
                    values
                }
                Err(buffer) => buffer.elements().to_vec(),
            },
            other => other.as_slice().to_vec(),
        }
    }
}
