//! From the logical to the addressed side of a projection: sums and folds, by contiguous runs.
//!
//! Invariant: the order of additions depends on shapes only, so two runs agree bit for bit.
//! Invariant: long sums are blocked (pairwise along a run, fan-in 16 across rows).

use std::ops::Range;

use super::base::Tensor;
use super::element::Element;
use super::loops::Loops;
use super::projection::Projection;
use super::storage::Stored;
use super::sum::{LANES, Pairwise, combine};
use super::zip::{pair_loops, zip_range};
use crate::error::Result;

/// Elements that a fused producer writes at a time; they stay in the first-level cache until summed.
const CHUNK: usize = 1024;

/// Rows (or partial sums) that are added one after another before they count as one partial sum.
const FAN_IN: usize = 16;

/// Below this width a row is too short for vector loops, and several rows are added as one.
const NARROW: usize = 32;

/// Where the logical elements of a sum come from.
trait Source<T> {
    /// Room for one chunk, where chunks are computed.
    fn scratch(&self, len: usize) -> Vec<T>;
    /// The elements of a range of the flat logical index, at most [`CHUNK`].
    fn chunk<'s>(&'s self, range: Range<usize>, scratch: &'s mut [T]) -> &'s [T];
}

/// Elements that are already stored.
struct InPlace<'a, T>(&'a [T]);

impl<T> Source<T> for InPlace<'_, T> {
    fn scratch(&self, _: usize) -> Vec<T> {
        Vec::new()
    }
    fn chunk<'s>(&'s self, range: Range<usize>, _: &'s mut [T]) -> &'s [T] {
        &self.0[range]
    }
}

/// Elements that are computed chunk by chunk.
struct Produced<F>(F);

impl<T: Element, F: Fn(Range<usize>, &mut [T])> Source<T> for Produced<F> {
    fn scratch(&self, len: usize) -> Vec<T> {
        vec![T::zero(); len.min(CHUNK)]
    }
    fn chunk<'s>(&'s self, range: Range<usize>, scratch: &'s mut [T]) -> &'s [T] {
        let out = &mut scratch[..range.len()];
        (self.0)(range, out);
        out
    }
}

impl Projection {
    /// Sums the logical elements that share an address. The identity shares the elements.
    ///
    /// # Errors
    /// `ShapeMismatch` where the tensor does not have the logical shape.
    pub fn reduce<T: Element>(&self, logical: &Tensor<T>) -> Result<Tensor<T>> {
        self.check_logical(logical.shape())?;
        if self.is_identity() {
            return Ok(logical.clone());
        }
        if logical.len() == self.addressed().element_count()? && self.reduced_count() == 1 {
            return logical.with_shape(self.addressed());
        }
        self.reduce_source(&InPlace(logical.as_slice()))
    }

    /// Sums `f` of the logical elements that share an address, without storing `f`.
    ///
    /// # Errors
    /// `ShapeMismatch` where the tensor does not have the logical shape.
    pub fn reduce_map<T: Stored, U: Element>(
        &self,
        logical: &Tensor<T>,
        f: impl Fn(T) -> U + Sync,
    ) -> Result<Tensor<U>> {
        self.check_logical(logical.shape())?;
        let values = logical.as_slice();
        self.reduce_source(&Produced(|range: Range<usize>, out: &mut [U]| {
            super::map::each(out, &values[range], &f);
        }))
    }

    /// Sums `f(logical, other)` over the logical elements that share an address, without storing `f`;
    /// `other` broadcasts to the logical shape.
    ///
    /// # Errors
    /// `ShapeMismatch`, `IncompatibleBroadcast`, `BroadcastTargetMismatch`.
    pub fn reduce_zip<T: Stored, U: Stored, V: Element>(
        &self,
        logical: &Tensor<T>,
        other: &Tensor<U>,
        f: impl Fn(T, U) -> V + Sync,
    ) -> Result<Tensor<V>> {
        self.check_logical(logical.shape())?;
        if self.is_identity() && logical.shape() == other.shape() {
            return Ok(logical.zip_same(other, f));
        }
        Self::broadcast(other.shape(), logical.shape())?;
        let loops = pair_loops(logical.shape(), logical, other);
        let (x, y) = (logical.as_slice(), other.as_slice());
        self.reduce_source(&Produced(|range: Range<usize>, out: &mut [V]| {
            zip_range(out, range, &loops, x, y, &f);
        }))
    }

    /// Folds the logical elements that share an address, in row-major order, beginning with `init`.
    ///
    /// # Errors
    /// `ShapeMismatch` where the tensor does not have the logical shape.
    pub fn fold<T: Stored, A: Stored>(
        &self,
        logical: &Tensor<T>,
        init: A,
        f: impl Fn(A, T) -> A + Sync,
    ) -> Result<Tensor<A>> {
        self.fold_runs(logical, init, &f, |init, run| {
            run.iter().fold(init, |folded, &x| f(folded, x))
        })
    }

    /// Folds the logical elements that share an address with a function that is associative and
    /// commutative, such as a maximum or a product, in an order that depends on shapes only.
    ///
    /// # Errors
    /// `ShapeMismatch` where the tensor does not have the logical shape.
    pub fn combine<T: Stored>(
        &self,
        logical: &Tensor<T>,
        init: T,
        f: impl Fn(T, T) -> T + Sync,
    ) -> Result<Tensor<T>> {
        self.fold_runs(logical, init, &f, |init, run| combine(run, init, &f))
    }

    fn fold_runs<T: Stored, A: Stored>(
        &self,
        logical: &Tensor<T>,
        init: A,
        fold_one: impl Fn(A, T) -> A,
        fold_run: impl Fn(A, &[T]) -> A,
    ) -> Result<Tensor<A>> {
        self.check_logical(logical.shape())?;
        let loops = Loops::new(self.logical(), [&self.effective_strides()]);
        let values = logical.as_slice();
        Tensor::written(self.addressed().clone(), init, |out| {
            out.fill(init);
            loops.for_each_run(0..loops.len(), |start, len, [offset]| {
                let run = &values[start..start + len];
                match loops.inner_strides() {
                    [0] => out[offset] = fold_run(out[offset], run),
                    [_] => {
                        for (place, &x) in out[offset..offset + len].iter_mut().zip(run) {
                            *place = fold_one(*place, x);
                        }
                    }
                }
            });
        })
    }

    /// Reduced blocks are summed one at a time, the innermost first, so that every pass reads contiguous
    /// runs; all but the first pass read what the one before has shrunk.
    fn reduce_source<T: Element>(&self, source: &impl Source<T>) -> Result<Tensor<T>> {
        let loops = Loops::new(self.logical(), [&self.effective_strides()]);
        if loops.len() == 0 {
            return Tensor::zeros(self.addressed());
        }
        let mut blocks: Vec<_> = loops
            .axes()
            .map(|axis| (axis.extent, axis.strides[0] == 0))
            .collect();
        let mut partial = sum_innermost(source, &mut blocks)?;
        while blocks.iter().any(|&(_, reduced)| reduced) {
            partial = sum_innermost(&InPlace(partial.as_slice()), &mut blocks)?;
        }
        partial.with_shape(self.addressed())
    }
}

/// Sums over the innermost reduced block and takes it out of the list.
fn sum_innermost<T: Element>(
    source: &impl Source<T>,
    blocks: &mut Vec<(usize, bool)>,
) -> Result<Tensor<T>> {
    let product = |blocks: &[(usize, bool)]| blocks.iter().map(|block| block.0).product::<usize>();
    let place = blocks.iter().rposition(|&(_, reduced)| reduced);
    // Without a reduced block every element is a sum of its own.
    let (outer, reduced, inner) = match place {
        Some(place) => (
            product(&blocks[..place]),
            blocks[place].0,
            product(&blocks[place + 1..]),
        ),
        None => (product(blocks), 1, 1),
    };
    if let Some(place) = place {
        blocks.remove(place);
    }
    Tensor::written([outer * inner].into(), T::zero(), |out| match inner {
        1 => sum_runs(source, reduced, out),
        _ => {
            for (index, out) in out.chunks_exact_mut(inner).enumerate() {
                sum_rows(source, index * reduced * inner, reduced, out);
            }
        }
    })
}

/// `out[i]` is the sum of the `i`-th run of `width` elements.
fn sum_runs<T: Element>(source: &impl Source<T>, width: usize, out: &mut [T]) {
    let mut scratch = source.scratch(out.len() * width);
    if width > CHUNK {
        for (row, place) in out.iter_mut().enumerate() {
            let mut sum = Pairwise::new();
            let end = (row + 1) * width;
            for start in (row * width..end).step_by(CHUNK) {
                sum.push(T::sum_slice(
                    source.chunk(start..end.min(start + CHUNK), &mut scratch),
                ));
            }
            *place = sum.total();
        }
        return;
    }
    let rows = CHUNK / width;
    for (block, out) in out.chunks_mut(rows).enumerate() {
        let start = block * rows * width;
        let values = source.chunk(start..start + out.len() * width, &mut scratch);
        for (place, run) in out.iter_mut().zip(values.chunks_exact(width)) {
            // Short runs are not worth a call.
            *place = if width < LANES {
                run.iter().fold(T::zero(), |sum, &x| sum + x)
            } else {
                T::sum_slice(run)
            };
        }
    }
}

/// `out` is the sum of `rows` rows as wide as itself, the first of which begins at `base`.
fn sum_rows<T: Element>(source: &impl Source<T>, base: usize, rows: usize, out: &mut [T]) {
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
    for (column, out) in out.chunks_mut(CHUNK).enumerate() {
        let first = base + column * CHUNK;
        // A whole row fits: several neighbours can be fetched at once.
        let fetched = if width <= CHUNK {
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

fn add_to_level<T: Element>((count, sum): &mut (usize, Vec<T>), row: &[T]) {
    match *count {
        0 => sum.copy_from_slice(row),
        _ => add_row(sum, row),
    }
    *count += 1;
}

#[cfg(test)]
mod tests;
