//! The heads of an attention: where the rows of each lie, and the probabilities of a block of positions.
//!
//! Invariant: no probability of a key that a position does not see is read or left other than 0.

use std::ops::Range;

use autodiff_core::prelude::*;
use autodiff_core::tensor::{Matrix, MatrixMut};

use super::rows::{largest, scale, subtract_weighted_mean};

/// Positions whose probabilities are computed together: enough rows for an efficient product, few enough
/// to skip most of the keys that causal positions do not see.
pub(super) const BLOCK: usize = 32;

/// Why an attention was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AttentionError {
    /// Queries, keys and values that do not fit.
    #[error(
        "expected queries [.., T, D], keys [.., S, D] and values [.., S, E] with the same leading axes, \
         got {queries:?}, {keys:?} and {values:?}"
    )]
    Shapes {
        /// The shape of the queries.
        queries: Vec<usize>,
        /// The shape of the keys.
        keys: Vec<usize>,
        /// The shape of the values.
        values: Vec<usize>,
    },
    /// Positions count queries and keys alike.
    #[error("expected as many keys as queries in causal attention, got {keys} and {queries}")]
    CausalExtents {
        /// The number of queries.
        queries: usize,
        /// The number of keys.
        keys: usize,
    },
    /// A mixture of no value is undefined.
    #[error("expected at least one key for {queries} queries, got none")]
    NoKeys {
        /// The number of queries.
        queries: usize,
    },
}

/// Queries, keys and values by head.
pub(super) struct Heads<'a, T: Copy> {
    pub(super) q: &'a Tensor<T>,
    pub(super) k: &'a Tensor<T>,
    pub(super) v: &'a Tensor<T>,
    /// Rows of `q`, of each head.
    pub(super) positions: usize,
    /// Rows of `k` and `v`, of each head.
    pub(super) keys: usize,
    /// Width of `q` and `k`.
    depth: usize,
    /// Width of `v`.
    pub(super) width: usize,
    count: usize,
    block: usize,
    scale: T,
    causal: bool,
}

impl<'a, T: Element> Heads<'a, T> {
    pub(super) fn new(
        q: &'a Tensor<T>,
        k: &'a Tensor<T>,
        v: &'a Tensor<T>,
        scale: f64,
        causal: bool,
    ) -> Result<Self, OpError> {
        let shapes = (q.shape(), k.shape(), v.shape());
        let (
            [lead @ .., positions, depth],
            [k_lead @ .., keys, k_depth],
            [v_lead @ .., v_keys, width],
        ) = shapes
        else {
            return Err(mismatch(q, k, v));
        };
        if lead != k_lead || lead != v_lead || depth != k_depth || keys != v_keys {
            return Err(mismatch(q, k, v));
        }
        let (positions, keys) = (*positions, *keys);
        if causal && positions != keys {
            return Err(OpError::new(AttentionError::CausalExtents {
                queries: positions,
                keys,
            }));
        }
        if positions > 0 && keys == 0 {
            return Err(OpError::new(AttentionError::NoKeys { queries: positions }));
        }
        // Within a block, probability 0 meets the values of later positions: harmless while they are finite.
        let block = if causal && !T::all_finite(v.as_slice()) {
            1
        } else {
            BLOCK
        };
        Ok(Self {
            q,
            k,
            v,
            positions,
            keys,
            depth: *depth,
            width: *width,
            // It saturates only where there is no output element.
            count: lead
                .iter()
                .fold(1_usize, |count, &extent| count.saturating_mul(extent)),
            block,
            scale: T::from_f64(scale),
            causal,
        })
    }

    /// The shape of the mixtures.
    pub(super) fn output_shape(&self) -> Vec<usize> {
        self.with_last(self.width)
    }

    /// The shape of the probabilities.
    pub(super) fn score_shape(&self) -> Vec<usize> {
        self.with_last(self.keys)
    }

    fn with_last(&self, extent: usize) -> Vec<usize> {
        let mut shape = self.q.shape().to_vec();
        if let Some(last) = shape.last_mut() {
            *last = extent;
        }
        shape
    }

    /// The number of probabilities, if it can be counted.
    pub(super) fn score_count(&self) -> Option<usize> {
        self.count
            .checked_mul(self.positions)?
            .checked_mul(self.keys)
    }

    /// Every head's blocks of positions.
    pub(super) fn blocks(&self) -> impl Iterator<Item = (usize, Range<usize>)> + use<T> {
        let (positions, block) = (self.positions, self.block);
        (0..self.count).flat_map(move |head| {
            (0..positions)
                .step_by(block)
                .map(move |first| (head, first..positions.min(first + block)))
        })
    }

    /// How many keys the positions before `end` see.
    pub(super) fn seen(&self, end: usize) -> usize {
        if self.causal { end } else { self.keys }
    }

    /// Where the probabilities of a block lie.
    pub(super) fn scores_at(&self, head: usize, rows: &Range<usize>) -> Range<usize> {
        self.at(head, rows, self.keys)
    }

    /// Where the mixtures of a block lie.
    pub(super) fn outputs_at(&self, head: usize, rows: &Range<usize>) -> Range<usize> {
        self.at(head, rows, self.width)
    }

    fn at(&self, head: usize, rows: &Range<usize>, width: usize) -> Range<usize> {
        let first = head * self.positions;
        (first + rows.start) * width..(first + rows.end) * width
    }

    /// The queries of a block.
    pub(super) fn queries(&self, head: usize, rows: &Range<usize>) -> Result<Matrix<'a, T>> {
        let values = &self.q.as_slice()[self.at(head, rows, self.depth)];
        Matrix::new(values, [rows.len(), self.depth], [self.depth, 1])
    }

    /// The first `seen` keys of a head.
    pub(super) fn keys(&self, head: usize, seen: usize) -> Result<Matrix<'a, T>> {
        let values = &self.k.as_slice()[self.keys_at(head, seen, self.depth)];
        Matrix::new(values, [seen, self.depth], [self.depth, 1])
    }

    /// The first `seen` values of a head.
    pub(super) fn values(&self, head: usize, seen: usize) -> Result<Matrix<'a, T>> {
        let values = &self.v.as_slice()[self.keys_at(head, seen, self.width)];
        Matrix::new(values, [seen, self.width], [self.width, 1])
    }

    /// The place of a block of queries in a tensor of their shape.
    pub(super) fn queries_mut<'b>(
        &self,
        head: usize,
        rows: &Range<usize>,
        like_q: &'b mut Tensor<T>,
    ) -> Result<MatrixMut<'b, T>> {
        let places = &mut like_q.as_mut_slice()[self.at(head, rows, self.depth)];
        MatrixMut::row_major(places, [rows.len(), self.depth])
    }

    /// The place of the first `seen` keys of a head in a tensor of their shape.
    pub(super) fn keys_mut<'b>(
        &self,
        head: usize,
        seen: usize,
        like_k: &'b mut Tensor<T>,
    ) -> Result<MatrixMut<'b, T>> {
        let places = &mut like_k.as_mut_slice()[self.keys_at(head, seen, self.depth)];
        MatrixMut::row_major(places, [seen, self.depth])
    }

    /// The place of the first `seen` values of a head in a tensor of their shape.
    pub(super) fn values_mut<'b>(
        &self,
        head: usize,
        seen: usize,
        like_v: &'b mut Tensor<T>,
    ) -> Result<MatrixMut<'b, T>> {
        let places = &mut like_v.as_mut_slice()[self.keys_at(head, seen, self.width)];
        MatrixMut::row_major(places, [seen, self.width])
    }

    fn keys_at(&self, head: usize, seen: usize, width: usize) -> Range<usize> {
        let first = head * self.keys * width;
        first..first + seen * width
    }

    /// Writes the probabilities of a block, a row of all keys for each position.
    pub(super) fn probabilities(
        &self,
        head: usize,
        rows: &Range<usize>,
        out: &mut [T],
        scratch: &mut [T],
    ) -> Result<()> {
        let seen = self.seen(rows.end);
        let keys = self.keys(head, seen)?.transposed();
        MatrixMut::new(out, [rows.len(), seen], [self.keys, 1])?
            .set_product(&self.queries(head, rows)?, &keys)?;
        for (position, scores) in rows.clone().zip(out.chunks_exact_mut(self.keys)) {
            let (own, unseen) = scores.split_at_mut(self.seen(position + 1));
            let scaled = &mut scratch[..own.len()];
            for (place, &score) in scaled.iter_mut().zip(own.iter()) {
                *place = score * self.scale;
            }
            let shift = largest(scaled);
            for place in scaled.iter_mut() {
                *place -= shift;
            }
            T::exp_slice(scaled, own);
            let total = T::sum_slice(own);
            scale(own, total.recip());
            unseen.fill(T::zero());
        }
        Ok(())
    }

    /// From the adjoints of probabilities to those of `q kᵀ`, in place.
    pub(super) fn through_softmax(
        &self,
        rows: &Range<usize>,
        probabilities: &[T],
        adjoints: &mut [T],
    ) {
        let pairs = probabilities
            .chunks_exact(self.keys)
            .zip(adjoints.chunks_exact_mut(self.keys));
        for (position, (probabilities, adjoints)) in rows.clone().zip(pairs) {
            let own = self.seen(position + 1);
            let (adjoints, unseen) = adjoints.split_at_mut(own);
            let probabilities = &probabilities[..own];
            subtract_weighted_mean(adjoints, probabilities);
            for (place, &p) in adjoints.iter_mut().zip(probabilities) {
                *place *= self.scale * p;
            }
            unseen.fill(T::zero());
        }
    }
}

fn mismatch<T: Element>(q: &Tensor<T>, k: &Tensor<T>, v: &Tensor<T>) -> OpError {
    OpError::new(AttentionError::Shapes {
        queries: q.shape().to_vec(),
        keys: k.shape().to_vec(),
        values: v.shape().to_vec(),
    })
}
