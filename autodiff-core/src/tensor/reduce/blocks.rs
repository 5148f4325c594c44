//! Sums of one block of a reduction: along contiguous runs, or across rows.
//!
//! Invariant: long sums are blocked (pairwise along a run, fan-in 16 across rows).

use std::ops::Range;

use crate::tensor::element::Element;
use crate::tensor::parallel::for_rows;
use crate::tensor::sum::Pairwise;

/// Elements that a fused producer writes at a time; they stay in the first-level cache until summed.
const CHUNK: usize = 1024;

/// Rows (or partial sums) that are added one after another before they count as one partial sum.
const FAN_IN: usize = 16;

/// Runs shorter than this are not worth a call.
const SHORT: usize = 8;

/// Below this width a row is too short for vector loops, and several rows are added as one.
const NARROW: usize = 32;

/// Where the logical elements of a sum come from.
pub(super) trait Source<T>: Sync {
    /// Room for one chunk, where chunks are computed.
    fn scratch(&self, len: usize) -> Vec<T>;
    /// The elements of a range of the flat logical index, at most [`CHUNK`].
    fn chunk<'s>(&'s self, range: Range<usize>, scratch: &'s mut [T]) -> &'s [T];
}

/// Elements that are already stored.
pub(super) struct InPlace<'a, T>(pub(super) &'a [T]);

impl<T: Sync> Source<T> for InPlace<'_, T> {
    fn scratch(&self, _: usize) -> Vec<T> {
        Vec::new()
    }
    fn chunk<'s>(&'s self, range: Range<usize>, _: &'s mut [T]) -> &'s [T] {
        &self.0[range]
    }
}

/// One element over and over.
struct Repeated<T>(T);

impl<T: Element> Source<T> for Repeated<T> {
    fn scratch(&self, len: usize) -> Vec<T> {
        vec![self.0; len.min(CHUNK)]
    }
    fn chunk<'s>(&'s self, range: Range<usize>, scratch: &'s mut [T]) -> &'s [T] {
        &scratch[..range.len()]
    }
}

/// Elements that are computed chunk by chunk.
pub(super) struct Produced<F>(pub(super) F);

impl<T: Element, F: Fn(Range<usize>, &mut [T]) + Sync> Source<T> for Produced<F> {
    fn scratch(&self, len: usize) -> Vec<T> {
        vec![T::zero(); len.min(CHUNK)]
    }
    fn chunk<'s>(&'s self, range: Range<usize>, scratch: &'s mut [T]) -> &'s [T] {
        let out = &mut scratch[..range.len()];
        (self.0)(range, out);
        out
    }
}

/// The sum of `reduced` times the same, as it is formed where each sum has `inner` neighbours of its kind.
pub(super) fn one_of_equal_sums<T: Element>(value: T, reduced: usize, inner: usize) -> T {
    // A row is never summed otherwise than one that is just wide enough for vector loops.
    let mut sums = [T::zero(); NARROW];
    let width = inner.min(NARROW);
    match width {
        1 => sum_runs(&Repeated(value), reduced, &mut sums[..1]),
        _ => sum_rows(&Repeated(value), 0, reduced, &mut sums[..width]),
    }
    sums[0]
}

/// `out[i]` is the sum of the `i`-th run of `width` elements.
pub(super) fn sum_runs<T: Element>(source: &impl Source<T>, width: usize, out: &mut [T]) {
    if width > CHUNK {
        // Chunks are summed on their own, then in order: threads may share one long run.
        let chunks = width.div_ceil(CHUNK);
        let mut partial = vec![T::zero(); out.len() * chunks];
        for_rows(
            &mut partial,
            1,
            CHUNK,
            #[inline(always)]
            |first, partial| {
                let mut scratch = source.scratch(CHUNK);
                for (index, place) in (first..).zip(partial) {
                    let (row, chunk) = (index / chunks, index % chunks);
                    let start = row * width + chunk * CHUNK;
                    let end = (start + CHUNK).min((row + 1) * width);
                    *place = T::sum_slice(source.chunk(start..end, &mut scratch));
                }
            },
        );
        for (place, partial) in out.iter_mut().zip(partial.chunks_exact(chunks)) {
            let mut sum = Pairwise::new();
            for &partial in partial {
                sum.push(partial);
            }
            *place = sum.total();
        }
        return;
    }
    let rows = CHUNK / width;
    for_rows(
        out,
        rows,
        width,
        #[inline(always)]
        |first, out| {
            let mut scratch = source.scratch(out.len() * width);
            for (block, out) in out.chunks_mut(rows).enumerate() {
                let start = (first + block) * rows * width;
                let values = source.chunk(start..start + out.len() * width, &mut scratch);
                for (place, run) in out.iter_mut().zip(values.chunks_exact(width)) {
                    *place = if width < SHORT {
                        run.iter().fold(T::zero(), |sum, &x| sum + x)
                    } else {
                        T::sum_slice(run)
                    };
                }
            }
        },
    );
}

/// `out` is the sum of `rows` rows as wide as itself, the first of which begins at `base`.
pub(super) fn sum_rows<T: Element>(
    source: &impl Source<T>,
    base: usize,
    rows: usize,
    out: &mut [T],
) {
    let width = out.len();
    let group = NARROW.div_ceil(width);
    if group > 1 && rows >= 2 * group {
        let mut wide = vec![T::zero(); group * width];
        sum_rows(source, base, rows / group, &mut wide);
        let rest = rows % group;
        let mut scratch = source.scratch(rest * width);
        let tail = base + (rows - rest) * width;
        add_rows(&wide, out, true);
        add_rows(
            source.chunk(tail..tail + rest * width, &mut scratch),
            out,
            false,
        );
        return;
    }
    // Columns are summed on their own, so it shows nowhere which of them a thread takes; at least a
    // cache line each.
    let lines = 64 / size_of::<T>();
    for_rows(
        out,
        lines.max(1),
        rows,
        #[inline(always)]
        |line, out| {
            for (column, out) in out.chunks_mut(CHUNK).enumerate() {
                let first = base + line * lines.max(1) + column * CHUNK;
                // A whole row fits: several neighbours can be fetched at once.
                let fetched = if width <= CHUNK && out.len() == width {
                    (CHUNK / width).min(FAN_IN)
                } else {
                    1
                };
                let len = out.len();
                let mut cascade = Cascade::new(len, rows);
                let mut scratch = source.scratch(fetched * len);
                for row in (0..rows).step_by(fetched) {
                    let start = first + row * width;
                    let count = fetched.min(rows - row);
                    for row in source
                        .chunk(start..start + count * len, &mut scratch)
                        .chunks_exact(len)
                    {
                        cascade.push(row);
                    }
                }
                cascade.finish(out);
            }
        },
    );
}

/// Adds rows as wide as `out` to it, one after another; the first one replaces it where `replace` is set.
fn add_rows<T: Element>(values: &[T], out: &mut [T], replace: bool) {
    for (index, row) in values.chunks_exact(out.len()).enumerate() {
        if replace && index == 0 {
            out.copy_from_slice(row);
        } else {
            add_row(out, row);
        }
    }
}

#[inline(always)]
fn add_row<T: Element>(sum: &mut [T], row: &[T]) {
    for (sum, &x) in sum.iter_mut().zip(row) {
        *sum += x;
    }
}

/// Row sums by levels: [`FAN_IN`] rows make a partial sum, as many partial sums one of the next level.
struct Cascade<T> {
    levels: Vec<(usize, Vec<T>)>,
}

impl<T: Element> Cascade<T> {
    fn new(width: usize, rows: usize) -> Self {
        let mut depth = 1;
        let mut held = FAN_IN;
        while held < rows {
            held = held.saturating_mul(FAN_IN);
            depth += 1;
        }
        Self {
            levels: vec![(0, vec![T::zero(); width]); depth],
        }
    }

    #[inline(always)]
    fn push(&mut self, row: &[T]) {
        let Some((lowest, higher)) = self.levels.split_first_mut() else {
            return;
        };
        add_to_level(lowest, row);
        let mut full = lowest;
        for next in higher {
            if full.0 < FAN_IN {
                return;
            }
            add_to_level(next, &full.1);
            full.0 = 0;
            full = next;
        }
    }

    fn finish(self, out: &mut [T]) {
        let mut held = self.levels.into_iter().filter(|(count, _)| *count > 0);
        match held.next() {
            Some((_, lowest)) => out.copy_from_slice(&lowest),
            None => out.fill(T::zero()),
        }
        for (_, level) in held {
            add_row(out, &level);
        }
    }
}

#[inline(always)]
fn add_to_level<T: Element>((count, sum): &mut (usize, Vec<T>), row: &[T]) {
    match *count {
        0 => sum.copy_from_slice(row),
        _ => add_row(sum, row),
    }
    *count += 1;
}
