//! The heads of an attention: where the rows of each lie, and the probabilities of a block of positions.
//!
//! Invariant: no probability of a key that a position does not see is read or left other than 0.

use std::ops::Range;

use autodiff_core::prelude::*;
use autodiff_core::tensor::{Matrix, MatrixMut};

use super::layout::Layout;
use super::rows::{largest, scale, subtract_weighted_mean};

/// Positions whose probabilities are computed together: enough rows for an efficient product, few enough
/// to skip most of the keys that causal positions do not see.
pub(super) const BLOCK: usize = 32;

/// Probabilities of at most this many bytes are kept for the reverse map; more are computed again.
///
/// Reading a kept one costs less than computing it again, so the limit is about memory alone.
const KEPT_BYTES: usize = 16 << 20;

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
    /// Queries, keys and values side by side, in rows that the heads do not share evenly.
    #[error("expected shape [.., T, 3 H D] for {heads} heads, got {actual:?}")]
    Packed {
        /// The number of heads.
        heads: usize,
        /// The shape.
        actual: Vec<usize>,
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
    operands: [(&'a [T], Layout); 3],
    /// Where the mixtures lie.
    pub(super) output: Layout,
    output_shape: Vec<usize>,
    /// Rows of the queries, of each head.
    pub(super) positions: usize,
    /// Rows of keys and values, of each head.
    pub(super) keys: usize,
    /// How many groups of heads there are.
    pub(super) groups: usize,
    /// How many heads a group has.
    pub(super) per_group: usize,
    block: usize,
    scale: T,
    causal: bool,
}

impl<'a, T: Element> Heads<'a, T> {
    /// Heads that are matrices of their own.
    pub(super) fn apart(
        [q, k, v]: [&'a Tensor<T>; 3],
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
        Ok(Self {
            operands: [
                (q.as_slice(), Layout::apart(positions, *depth)),
                (k.as_slice(), Layout::apart(keys, *depth)),
                (v.as_slice(), Layout::apart(keys, *width)),
            ],
            output: Layout::apart(positions, *width),
            output_shape: [lead, &[positions, *width]].concat(),
            positions,
            keys,
            groups: count(lead),
            per_group: 1,
            block: block(causal, v),
            scale: T::from_f64(scale),
            causal,
        })
    }

    /// `heads` heads whose queries, keys and values lie side by side in the rows of one tensor.
    pub(super) fn packed(
        qkv: &'a Tensor<T>,
        heads: usize,
        scale: f64,
        causal: bool,
    ) -> Result<Self, OpError> {
        let refused = || {
            OpError::new(AttentionError::Packed {
                heads,
                actual: qkv.shape().to_vec(),
            })
        };
        let [lead @ .., positions, row] = qkv.shape() else {
            return Err(refused());
        };
        let (positions, row) = (*positions, *row);
        if heads == 0 || !row.is_multiple_of(3) || !(row / 3).is_multiple_of(heads) {
            return Err(refused());
        }
        let third = row / 3;
        let width = third / heads;
        let values = qkv.as_slice();
        let operand = |place: usize| (values, Layout::shared(positions, row, place * third, width));
        Ok(Self {
            operands: [operand(0), operand(1), operand(2)],
            output: Layout::shared(positions, third, 0, width),
            output_shape: [lead, &[positions, third]].concat(),
            positions,
            keys: positions,
            groups: count(lead),
            per_group: heads,
            block: block(causal, qkv),
            scale: T::from_f64(scale),
            causal,
        })
    }

    /// The shape of the mixtures.
    pub(super) fn output_shape(&self) -> &[usize] {
        &self.output_shape
    }

    /// The shape of the probabilities.
    pub(super) fn score_shape(&self) -> [usize; 4] {
        [self.groups, self.per_group, self.positions, self.keys]
    }

    /// Whether the probabilities are so few that they are kept.
    pub(super) fn are_few(&self) -> bool {
        let extents = self.score_shape();
        let mut extents = extents.iter();
        let count = extents.try_fold(1_usize, |product, &extent| product.checked_mul(extent));
        count.is_some_and(|count| count <= KEPT_BYTES / size_of::<T>())
    }

    /// The probabilities of one group.
    pub(super) fn group_scores(&self) -> usize {
        self.score_shape()[1..].iter().product()
    }

    /// Where the operand lies: 0 for queries, 1 for keys, 2 for values.
    pub(super) fn layout(&self, operand: usize) -> Layout {
        self.operands[operand].1
    }

    /// Some rows of an operand.
    pub(super) fn operand(
        &self,
        operand: usize,
        head: [usize; 2],
        rows: &Range<usize>,
    ) -> Result<Matrix<'a, T>> {
        let (values, layout) = self.operands[operand];
        layout.rows(values, head, rows)
    }

    /// The blocks of positions, the last one first: it sees the most keys.
    pub(super) fn blocks(&self) -> impl Iterator<Item = Range<usize>> + use<T> {
        let (positions, block) = (self.positions, self.block);
        (0..positions.div_ceil(block))
            .rev()
            .map(move |index| index * block..positions.min((index + 1) * block))
    }

    /// How many keys the positions before `end` see.
    pub(super) fn seen(&self, end: usize) -> usize {
        if self.causal { end } else { self.keys }
    }

    /// Where the probabilities of a block lie among those of several groups, the first being `base`.
    pub(super) fn scores_at(
        &self,
        [base, group, head]: [usize; 3],
        rows: &Range<usize>,
    ) -> Range<usize> {
        let first = ((group - base) * self.per_group + head) * self.positions;
        (first + rows.start) * self.keys..(first + rows.end) * self.keys
    }

    /// Writes the probabilities of a block, a row of all keys for each position.
    #[inline(always)]
    pub(super) fn probabilities(
        &self,
        head: [usize; 2],
        rows: &Range<usize>,
        out: &mut [T],
    ) -> Result<()> {
        let seen = self.seen(rows.end);
        let keys = self.operand(1, head, &(0..seen))?.transposed();
        MatrixMut::new(out, [rows.len(), seen], [self.keys, 1])?
            .set_product(&self.operand(0, head, rows)?, &keys)?;
        for (position, scores) in rows.clone().zip(out.chunks_exact_mut(self.keys)) {
            let (own, unseen) = scores.split_at_mut(self.seen(position + 1));
            scale(own, self.scale);
            let shift = largest(own);
            for place in own.iter_mut() {
                *place = (*place - shift).exp();
            }
            let total = T::sum_slice(own);
            scale(own, total.recip());
            unseen.fill(T::zero());
        }
        Ok(())
    }

    /// From the adjoints of probabilities to those of `q kᵀ`, in place.
    #[inline(always)]
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

/// The number of elements of leading axes; it saturates only where there is no output element.
fn count(lead: &[usize]) -> usize {
    lead.iter()
        .fold(1_usize, |count, &extent| count.saturating_mul(extent))
}

/// Within a block, probability 0 meets the values of later positions: harmless while they are finite.
fn block<T: Element>(causal: bool, values: &Tensor<T>) -> usize {
    if causal && values.first_non_finite().is_some() {
        1
    } else {
        BLOCK
    }
}

fn mismatch<T: Element>(q: &Tensor<T>, k: &Tensor<T>, v: &Tensor<T>) -> OpError {
    OpError::new(AttentionError::Shapes {
        queries: q.shape().to_vec(),
        keys: k.shape().to_vec(),
        values: v.shape().to_vec(),
    })
}
