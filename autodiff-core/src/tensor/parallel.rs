//! Loops over several threads, for callers inside [`Threads::run`](super::Threads::run); elsewhere one thread
//! does everything.
//!
//! Invariant: where the parts of a loop begin changes no element. A result that is a sum of parts has
//! parts of a fixed size, added in a fixed order, so the number of threads never shows in the bits.
//! Invariant: a thread that waits for a part may run what another caller brings to the pool; so it waits in
//! the mode that every thread begins with, and its parts take the mode of their own caller along.

use std::convert::Infallible;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::mode::{Mode, in_mode, mode};
use super::threads::thread_count;
use super::vectors::vectorized;

/// Elements that are worth a thread's attention: below this many, handing them over costs more than it
/// saves (a hand-over takes some microseconds, in which one thread writes about this many).
pub(super) const GRAIN: usize = 16 << 10;

/// Parts for every thread, so that one which is delayed leaves its rest to the others.
const PARTS_PER_THREAD: usize = 2;

/// How many of `count` steps, each over `width` elements, make a part.
fn part_of(count: usize, width: usize) -> usize {
    let threads = thread_count();
    let least = GRAIN.div_ceil(width.max(1));
    if threads == 1 || count < 2 * least {
        return count;
    }
    count.div_ceil(threads * PARTS_PER_THREAD).max(least)
}

/// What can be divided by rows, so that each thread writes a part of its own.
pub trait Parts: Send + Sized {
    /// The first `rows` rows, and the rest.
    fn divide(self, rows: usize) -> (Self, Self);
}

/// Rows of `width` elements to write.
#[derive(Debug)]
pub struct Rows<'a, T> {
    /// The elements of all rows.
    pub values: &'a mut [T],
    /// The elements of one row.
    pub width: usize,
}

impl<T: Send> Parts for Rows<'_, T> {
    fn divide(self, rows: usize) -> (Self, Self) {
        let Self { values, width } = self;
        let end = rows.saturating_mul(width).min(values.len());
        let (low, high) = values.split_at_mut(end);
        (
            Self { values: low, width },
            Self {
                values: high,
                width,
            },
        )
    }
}

impl Parts for () {
    fn divide(self, _: usize) -> (Self, Self) {
        ((), ())
    }
}

impl<P: Parts> Parts for Option<P> {
    fn divide(self, rows: usize) -> (Self, Self) {
        match self.map(|parts| parts.divide(rows)) {
            Some((low, high)) => (Some(low), Some(high)),
            None => (None, None),
        }
    }
}

impl<P: Parts, Q: Parts> Parts for (P, Q) {
    fn divide(self, rows: usize) -> (Self, Self) {
        let (first, second) = (self.0.divide(rows), self.1.divide(rows));
        ((first.0, second.0), (first.1, second.1))
    }
}

impl<P: Parts, Q: Parts, R: Parts> Parts for (P, Q, R) {
    fn divide(self, rows: usize) -> (Self, Self) {
        let (first, second, third) = (
            self.0.divide(rows),
            self.1.divide(rows),
            self.2.divide(rows),
        );
        ((first.0, second.0, third.0), (first.1, second.1, third.1))
    }
}

/// `f(rows, parts)` of ranges that together are `0..count`, each with its part of `parts`; a row stands for
/// about `cost` elements that are read or written.
///
/// # Errors
/// Of the ranges that failed, the first one's.
pub fn try_for_each_part<P: Parts, E: Send>(
    parts: P,
    count: usize,
    cost: usize,
    f: impl Fn(Range<usize>, P) -> Result<(), E> + Sync,
) -> Result<(), E> {
    divide(parts, count, part_of(count, cost), &f)
}

/// [`try_for_each_part`] with `step` rows at a time.
pub(super) fn try_in_steps<P: Parts, E: Send>(
    parts: P,
    count: usize,
    step: usize,
    f: impl Fn(Range<usize>, P) -> Result<(), E> + Sync,
) -> Result<(), E> {
    divide(parts, count, step, &f)
}

fn divide<P: Parts, E: Send>(
    parts: P,
    count: usize,
    step: usize,
    f: &(impl Fn(Range<usize>, P) -> Result<(), E> + Sync),
) -> Result<(), E> {
    let steps = count.div_ceil(step.max(1));
    if steps < 2 {
        return one_part(0..count, parts, f);
    }
    let pieces = pieces(parts, count, step);
    let first_failure = FirstOf::new();
    spread(steps, &|index| {
        let piece = pieces.get(index).and_then(|piece| lock(piece).take());
        if let Some((rows, piece)) = piece
            && let Err(error) = one_part(rows, piece, f)
        {
            first_failure.offer(index, error);
        }
    });
    first_failure.into_inner().map_or(Ok(()), Err)
}

/// A part until a thread takes it.
type Piece<P> = Mutex<Option<(Range<usize>, P)>>;

/// Steps of `step` rows, each with its part.
fn pieces<P: Parts>(parts: P, count: usize, step: usize) -> Vec<Piece<P>> {
    let (mut pieces, mut rest) = (Vec::new(), parts);
    for start in (0..count).step_by(step) {
        let rows = start..count.min(start + step);
        let (piece, after) = rest.divide(rows.len());
        pieces.push(Mutex::new(Some((rows, piece))));
        rest = after;
    }
    pieces
}

/// The one place where a loop is compiled, however it is divided.
#[inline(never)]
fn one_part<P: Parts, E>(
    rows: Range<usize>,
    parts: P,
    f: &impl Fn(Range<usize>, P) -> Result<(), E>,
) -> Result<(), E> {
    vectorized(
        #[inline(always)]
        || f(rows, parts),
    )
}

/// `f` of `0..count`, on all threads. Behind a reference, so that what splits is compiled once and not for
/// every loop.
fn spread(count: usize, f: &(dyn Fn(usize) + Sync)) {
    fn halve(range: Range<usize>, f: &(dyn Fn(usize) + Sync)) {
        if range.len() < 2 {
            return range.for_each(f);
        }
        let middle = range.start + range.len() / 2;
        rayon::join(
            || halve(range.start..middle, f),
            || halve(middle..range.end, f),
        );
    }
    if thread_count() == 1 {
        return (0..count).for_each(f);
    }
    let own = mode();
    in_mode(Mode::START, || {
        halve(0..count, &|index| in_mode(own, || f(index)))
    });
}

/// What came from the smallest index, whatever the order in which threads came to it.
struct FirstOf<R>(Mutex<Option<(usize, R)>>);

impl<R> FirstOf<R> {
    fn new() -> Self {
        Self(Mutex::new(None))
    }

    fn offer(&self, index: usize, value: R) {
        let mut first = lock(&self.0);
        if first.as_ref().is_none_or(|(earlier, _)| index < *earlier) {
            *first = Some((index, value));
        }
    }

    fn into_inner(self) -> Option<R> {
        let first = self.0.into_inner();
        let first = first.unwrap_or_else(PoisonError::into_inner);
        first.map(|(_, value)| value)
    }
}

/// What is locked is taken or put in one move, so a poisoned lock still has a whole value.
fn lock<V>(mutex: &Mutex<V>) -> MutexGuard<'_, V> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// [`try_for_each_part`] of what cannot fail.
pub fn for_each_part<P: Parts>(
    parts: P,
    count: usize,
    cost: usize,
    f: impl Fn(Range<usize>, P) + Sync,
) {
    let Ok(()) = try_for_each_part(
        parts,
        count,
        cost,
        #[inline(always)]
        |rows, parts| {
            f(rows, parts);
            Ok::<(), Infallible>(())
        },
    );
}

/// `f` of ranges that together are `0..count`, where each step goes over about `cost` elements.
pub fn for_ranges(count: usize, cost: usize, f: impl Fn(Range<usize>) + Sync) {
    for_each_part(
        (),
        count,
        cost,
        #[inline(always)]
        |range, ()| f(range),
    );
}

/// `f(first row, rows)` of parts that together are all of `values`, in rows of `width`; each element stands
/// for about `cost` elements that are read or written.
pub fn for_rows<T: Send>(
    values: &mut [T],
    width: usize,
    cost: usize,
    f: impl Fn(usize, &mut [T]) + Sync,
) {
    let width = width.max(1);
    let count = values.len().div_ceil(width);
    for_each_part(
        Rows { values, width },
        count,
        width.saturating_mul(cost),
        #[inline(always)]
        |rows, part| f(rows.start, part.values),
    );
}

/// `f(start, part)` of parts that together are all of `values`.
pub(super) fn for_parts<T: Send>(values: &mut [T], f: impl Fn(usize, &mut [T]) + Sync) {
    for_rows(values, 1, 1, f);
}

/// The first range of `0..len` by order for which `f` finds something.
pub(super) fn first_found<R: Send>(
    len: usize,
    f: impl Fn(Range<usize>) -> Option<R> + Sync,
) -> Option<R> {
    let search = |range| {
        vectorized(
            #[inline(always)]
            || f(range),
        )
    };
    let step = part_of(len, 1);
    let steps = len.div_ceil(step.max(1));
    if steps < 2 {
        return search(0..len);
    }
    let first = FirstOf::new();
    spread(steps, &|index| {
        let start = index * step;
        if let Some(found) = search(start..len.min(start + step)) {
            first.offer(index, found);
        }
    });
    first.into_inner()
}

#[cfg(test)]
mod tests;
