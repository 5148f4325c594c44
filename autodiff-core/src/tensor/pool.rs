//! Recycled buffers: what one activation gives back, the next one of its size takes.
//!
//! Fresh pages from the system cost more than many kernels that fill them; a buffer that was written
//! a moment ago is mapped and often still in cache, so the last one in is the first one out.
//!
//! Long vectors are loaded fastest where they lie within one cache line, so elements begin at a line.
//!
//! Invariant: a buffer is in the pool or in a tensor, never in both.
//! Invariant: the pool holds at most [`LIMIT_BYTES`].

use std::any::Any;
use std::mem::{size_of, take};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::dual::Dual;
use crate::error::TensorError;

/// What the pool holds at most; what comes back beyond it goes to the system.
const LIMIT_BYTES: usize = 256 << 20;

/// Smaller buffers are left to the allocator, whose own caches serve them faster than a lock.
const LEAST_BYTES: usize = 4 << 10;

/// Size classes divide every power of two into this many steps, so at most 1/8 of a buffer is slack.
const STEPS: usize = 8;

/// A cache line, and the widest vector.
const LINE_BYTES: usize = 64;

static HELD_BYTES: AtomicUsize = AtomicUsize::new(0);

static F32: Mutex<Pool<f32>> = Mutex::new(Pool::new());
static F64: Mutex<Pool<f64>> = Mutex::new(Pool::new());
static DUAL: Mutex<Pool<Dual<f64>>> = Mutex::new(Pool::new());
static USIZE: Mutex<Pool<usize>> = Mutex::new(Pool::new());
static BOOL: Mutex<Pool<bool>> = Mutex::new(Pool::new());

/// Free buffers by size class, each class last in, first out.
struct Pool<T> {
    classes: Vec<Vec<Vec<T>>>,
}

impl<T> Pool<T> {
    const fn new() -> Self {
        Self {
            classes: Vec::new(),
        }
    }

    fn pop(&mut self, class: usize) -> Option<Vec<T>> {
        self.classes.get_mut(class)?.pop()
    }

    fn push(&mut self, class: usize, buffer: Vec<T>) {
        if self.classes.len() <= class {
            self.classes.resize_with(class + 1, Vec::new);
        }
        if let Some(free) = self.classes.get_mut(class) {
            free.push(buffer);
        }
    }

    fn bytes(&self) -> usize {
        self.classes
            .iter()
            .flatten()
            .map(|buffer| buffer.capacity() * size_of::<T>())
            .sum()
    }
}

/// The pool of one element type, if that type has one.
fn pool_of<T: 'static>() -> Option<MutexGuard<'static, Pool<T>>> {
    let pools: [&'static dyn Any; 5] = [&F32, &F64, &DUAL, &USIZE, &BOOL];
    let pool = pools
        .into_iter()
        .find_map(<dyn Any>::downcast_ref::<Mutex<Pool<T>>>)?;
    // A panic elsewhere cannot leave a half-moved buffer here, so a poisoned pool is still whole.
    Some(pool.lock().unwrap_or_else(PoisonError::into_inner))
}

/// The smallest class whose buffers hold `len` elements, and the capacity of its buffers.
fn class_to_hold(len: usize) -> (usize, usize) {
    let class = class_within(len);
    let capacity = class_capacity(class);
    if capacity >= len {
        (class, capacity)
    } else {
        (class + 1, class_capacity(class + 1))
    }
}

/// The largest class whose buffers need no more than `capacity` elements.
fn class_within(capacity: usize) -> usize {
    let octave = capacity.max(STEPS).ilog2() - STEPS.ilog2();
    (octave as usize) * STEPS + ((capacity.max(STEPS) >> octave) - STEPS)
}

fn class_capacity(class: usize) -> usize {
    (STEPS + class % STEPS)
        .checked_shl((class / STEPS) as u32)
        .unwrap_or(usize::MAX)
}

/// A buffer, and where `len` elements begin in it, whose contents are unspecified: `fill` where it is fresh,
/// left-overs of an earlier tensor where it is recycled. The caller overwrites all of them.
///
/// For as many elements as some tensor has already; where even those find no room, the program ends.
pub(super) fn buffer<T: Copy + 'static>(len: usize, fill: T) -> (Vec<T>, usize) {
    try_buffer(len, fill).unwrap_or_else(|_| (vec![fill; len], 0))
}

/// The same, for a number of elements that a caller asks for.
pub(super) fn try_buffer<T: Copy + 'static>(
    len: usize,
    fill: T,
) -> Result<(Vec<T>, usize), TensorError> {
    if len.saturating_mul(size_of::<T>()) < LEAST_BYTES {
        return Ok((vec![fill; len], 0));
    }
    let slack = line_of::<T>();
    let (class, capacity) = class_to_hold(len);
    let recycled = pool_of::<T>().and_then(|mut pool| pool.pop(class));
    let mut buffer = match recycled {
        Some(buffer) => {
            HELD_BYTES.fetch_sub(buffer.capacity() * size_of::<T>(), Ordering::Relaxed);
            buffer
        }
        None => reserved(capacity.saturating_add(slack)).map_err(|_| out_of_memory::<T>(len))?,
    };
    // Elements of which none can begin at a line begin where the buffer does.
    let start = match buffer.as_ptr().align_offset(LINE_BYTES) {
        start if start <= slack => start,
        _ => 0,
    };
    buffer.resize(start + len, fill);
    Ok((buffer, start))
}

/// How many elements a line holds: so much more room than elements has a buffer, since it may begin anywhere.
fn line_of<T>() -> usize {
    LINE_BYTES / size_of::<T>().max(1)
}

/// Whether elements lie where a buffer of the pool would have them.
pub(super) fn is_placed<T>(values: &[T]) -> bool {
    size_of_val(values) < LEAST_BYTES || values.as_ptr().align_offset(LINE_BYTES) == 0
}

/// An empty buffer with room for `len` elements.
fn reserved<T>(len: usize) -> Result<Vec<T>, TensorError> {
    let mut buffer = Vec::new();
    match buffer.try_reserve_exact(len) {
        Ok(()) => Ok(buffer),
        Err(_) => Err(out_of_memory::<T>(len)),
    }
}

fn out_of_memory<T>(elements: usize) -> TensorError {
    TensorError::OutOfMemory {
        elements,
        bytes: elements.saturating_mul(size_of::<T>()),
    }
}

/// Takes a buffer back, or frees it where it is small or the pool is full.
pub(super) fn recycle<T: 'static>(buffer: Vec<T>) {
    let bytes = buffer.capacity() * size_of::<T>();
    if bytes < LEAST_BYTES {
        return;
    }
    let held = HELD_BYTES.fetch_add(bytes, Ordering::Relaxed);
    if held + bytes <= LIMIT_BYTES
        && let Some(mut pool) = pool_of::<T>()
    {
        let room = buffer.capacity().saturating_sub(line_of::<T>());
        pool.push(class_within(room), buffer);
        return;
    }
    HELD_BYTES.fetch_sub(bytes, Ordering::Relaxed);
}

/// Returns every recycled buffer to the system; the result is the number of bytes.
pub fn release_buffers() -> usize {
    drain::<f32>() + drain::<f64>() + drain::<Dual<f64>>() + drain::<usize>() + drain::<bool>()
}

fn drain<T: 'static>() -> usize {
    let Some(mut pool) = pool_of::<T>() else {
        return 0;
    };
    let bytes = pool.bytes();
    let classes = take(&mut pool.classes);
    drop(pool);
    HELD_BYTES.fetch_sub(bytes, Ordering::Relaxed);
    drop(classes);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_holds_what_it_is_chosen_for_with_at_most_an_eighth_of_slack() {
        for len in (64..5000).chain([1 << 20, (1 << 20) + 1, 999_999_999]) {
            let (class, capacity) = class_to_hold(len);
            assert!(
                capacity >= len && capacity - len <= len / 8,
                "{len} -> {capacity}"
            );
            assert_eq!(class_within(capacity), class);
            assert!(class_capacity(class_within(len)) <= len);
        }
    }

    // One test, since releasing would race with another one that recycles.
    #[test]
    fn a_recycled_buffer_is_the_next_one_of_its_size_until_it_is_released() {
        // An odd size that no other test uses.
        let (first, start) = buffer(77_777, 1_usize);
        let address = first.as_ptr();
        assert_eq!(first[start..].as_ptr() as usize % LINE_BYTES, 0);
        assert_eq!(first.len() - start, 77_777);
        recycle(first);
        let (second, _) = buffer(77_776, 2_usize);
        assert_eq!(second.as_ptr(), address);
        recycle(second);
        assert!(release_buffers() >= 77_777 * size_of::<usize>());
    }
}
