//! From the logical to the addressed side of a projection: sums and folds, by contiguous runs.
//!
//! Invariant: the order of additions depends on shapes only, so two runs agree bit for bit.

mod blocks;

use std::ops::Range;

use self::blocks::{InPlace, Produced, Source, one_of_equal_sums, sum_rows, sum_runs};
use super::base::Tensor;
use super::element::Element;
use super::loops::Loops;
use super::projection::Projection;
use super::storage::Stored;
use super::sum::combine;
use super::zip::{pair_loops, zip_range};
use crate::error::Result;

impl Projection {
    /// Sums the logical elements that share an address. The identity shares the elements.
    ///
    /// # Errors
    /// `ShapeMismatch` where the tensor does not have the logical shape.
    pub fn reduce<T: Element>(&self, logical: &Tensor<T>) -> Result<Tensor<T>> {
        self.check_logical(logical.extents())?;
        if self.is_identity() {
            return Ok(logical.clone());
        }
        if logical.len() == self.addressed().element_count()? && self.reduced_count() == 1 {
            return logical.with_shape(self.addressed());
        }
        match logical.storage.repeated() {
            Some(&value) => self.reduce_repeated(value),
            None => self.reduce_source(&InPlace(logical.as_slice())),
        }
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
        self.check_logical(logical.extents())?;
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
        self.check_logical(logical.extents())?;
        if self.is_identity() && logical.shape() == other.shape() {
            return logical.zip_same(other, f);
        }
        Self::broadcast(other.shape(), logical.shape())?;
        let loops = pair_loops(logical.shape(), logical, other);
        let (x, y) = (logical.as_slice(), other.as_slice());
        self.reduce_source(&Produced(|range: Range<usize>, out: &mut [V]| {
            zip_range(out, range, &loops, x, y, &f);
        }))
    }

    /// Sums `f(logical, addressed)` over the logical elements that share an address, with the addressed
    /// element they share, without storing `f`.
    ///
    /// # Errors
    /// `ShapeMismatch` where a tensor does not have the shape of its side.
    pub fn reduce_against<T: Stored, U: Stored, V: Element>(
        &self,
        logical: &Tensor<T>,
        addressed: &Tensor<U>,
        f: impl Fn(T, U) -> V + Sync,
    ) -> Result<Tensor<V>> {
        self.reduce_zip(logical, &self.aligned(addressed)?, f)
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
        self.check_logical(logical.extents())?;
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
        let Some(mut blocks) = self.blocks() else {
            return Tensor::zeros(self.addressed());
        };
        let mut partial = sum_innermost(source, &mut blocks)?;
        while blocks.iter().any(|&(_, reduced)| reduced) {
            partial = sum_innermost(&InPlace(partial.as_slice()), &mut blocks)?;
        }
        partial.with_shape(self.addressed())
    }

    /// The same of one number over and over, which all sums have in common: one of them is formed, in the order
    /// in which each would be.
    fn reduce_repeated<T: Element>(&self, value: T) -> Result<Tensor<T>> {
        let Some(mut blocks) = self.blocks() else {
            return Tensor::zeros(self.addressed());
        };
        let mut sum = value;
        while let Some(place) = blocks.iter().rposition(|&(_, reduced)| reduced) {
            let inner = product(&blocks[place + 1..]);
            sum = one_of_equal_sums(sum, blocks.remove(place).0, inner);
        }
        let sums = Tensor::full(self.addressed(), sum)?;
        sums.storage.know_repeated();
        Ok(sums)
    }

    /// Extents of the loops, and whether they are reduced; `None` where there is no element.
    fn blocks(&self) -> Option<Vec<(usize, bool)>> {
        let loops = Loops::new(self.logical(), [&self.effective_strides()]);
        let blocks = loops.axes().map(|axis| (axis.extent, axis.strides[0] == 0));
        (loops.len() > 0).then(|| blocks.collect())
    }
}

fn product(blocks: &[(usize, bool)]) -> usize {
    blocks.iter().map(|block| block.0).product()
}

/// Sums over the innermost reduced block and takes it out of the list.
fn sum_innermost<T: Element>(
    source: &impl Source<T>,
    blocks: &mut Vec<(usize, bool)>,
) -> Result<Tensor<T>> {
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

#[cfg(test)]
mod tests;
