//! The mixtures of an attention and the way back, head by head: shared by its forms.

use std::ops::Range;

use autodiff_core::prelude::*;
use autodiff_core::tensor::{Matrix, MatrixMut, Parts, Rows, try_for_each_part};

use super::heads::{BLOCK, Heads};
use super::rows::whole_rows;

/// The mixtures, and the probabilities if they are kept.
pub(super) fn forward<T: Element>(
    heads: &Heads<'_, T>,
    is_kept: bool,
) -> Result<(Tensor<T>, Option<Tensor<T>>)> {
    let mut output = Tensor::unwritten(heads.output_shape())?;
    if output.is_empty() {
        // The extents of operands without elements may be far too large to go through, or to hold a row.
        return Ok((output, None));
    }
    let mut kept = match is_kept {
        true => Some(Tensor::unwritten(heads.score_shape())?),
        false => None,
    };
    let parts = (
        whole_rows(&mut output, heads.output.group()),
        kept.as_mut()
            .map(|kept| whole_rows(kept, heads.group_scores())),
    );
    try_for_each_part(
        parts,
        heads.groups,
        cost(heads),
        #[inline(always)]
        |groups, (out, mut kept)| {
            let mut block = room_for_a_block(heads, kept.is_none());
            let base = groups.start;
            for (group, head) in each_head(heads, groups) {
                for rows in heads.blocks() {
                    let probabilities = match &mut kept {
                        Some(kept) => &mut kept.values[heads.scores_at([base, group, head], &rows)],
                        None => &mut block[..rows.len() * heads.keys],
                    };
                    heads.probabilities([group, head], &rows, probabilities)?;
                    let seen = heads.seen(rows.end);
                    let mixed = Matrix::new(probabilities, [rows.len(), seen], [heads.keys, 1])?;
                    heads
                        .output
                        .rows_mut(out.values, [base, group, head], &rows)?
                        .set_product(&mixed, &heads.operand(2, [group, head], &(0..seen))?)?;
                }
            }
            Ok::<(), TensorAutodiffError>(())
        },
    )?;
    Ok((output, kept))
}

/// Where the contributions to queries, keys and values go.
pub(super) enum Contributions<'a, T> {
    /// Into tensors of their own, those that are wanted.
    Apart([Option<Rows<'a, T>>; 3]),
    /// Side by side.
    Packed(Rows<'a, T>),
}

impl<T> Contributions<'_, T> {
    fn of(&mut self, operand: usize) -> Option<&mut [T]> {
        match self {
            Self::Apart(parts) => parts[operand].as_mut().map(|part| &mut *part.values),
            Self::Packed(rows) => Some(rows.values),
        }
    }
}

impl<T: Send> Parts for Contributions<'_, T> {
    fn divide(self, rows: usize) -> (Self, Self) {
        match self {
            Self::Apart([q, k, v]) => {
                let (q, k, v) = (q.divide(rows), k.divide(rows), v.divide(rows));
                (Self::Apart([q.0, k.0, v.0]), Self::Apart([q.1, k.1, v.1]))
            }
            Self::Packed(all) => {
                let (low, high) = all.divide(rows);
                (Self::Packed(low), Self::Packed(high))
            }
        }
    }
}

/// Writes all of the contributions; there is at least one key.
pub(super) fn reverse<T: Element>(
    heads: &Heads<'_, T>,
    upstream: &Tensor<T>,
    contributions: Contributions<'_, T>,
    kept: Option<&Tensor<T>>,
) -> Result<()> {
    let upstream = upstream.as_slice();
    try_for_each_part(
        contributions,
        heads.groups,
        2 * cost(heads),
        #[inline(always)]
        |groups, mut parts| {
            let mut block = room_for_a_block(heads, kept.is_none());
            let mut score_adjoints = room_for_a_block(heads, true);
            let base = groups.start;
            for (group, head) in each_head(heads, groups) {
                // The last block of positions sees all keys that any does: it writes, the others add.
                let mut is_first = true;
                for rows in heads.blocks() {
                    let probabilities = match kept {
                        Some(kept) => &kept.as_slice()[heads.scores_at([0, group, head], &rows)],
                        None => {
                            let block = &mut block[..rows.len() * heads.keys];
                            heads.probabilities([group, head], &rows, block)?;
                            block
                        }
                    };
                    let seen = heads.seen(rows.end);
                    let (own, all) = ([group, head], 0..seen);
                    let place = [base, group, head];
                    let extents = [rows.len(), seen];
                    let mixed = Matrix::new(probabilities, extents, [heads.keys, 1])?;
                    let upstream = heads.output.rows(upstream, own, &rows)?;
                    if let Some(v_contribution) = parts.of(2) {
                        let mut v_contribution =
                            heads.layout(2).rows_mut(v_contribution, place, &all)?;
                        v_contribution.put_product(&mixed.transposed(), &upstream, !is_first)?;
                    }
                    let values = heads.operand(2, own, &all)?.transposed();
                    let adjoints = &mut score_adjoints[..rows.len() * heads.keys];
                    MatrixMut::new(adjoints, extents, [heads.keys, 1])?
                        .set_product(&upstream, &values)?;
                    heads.through_softmax(&rows, probabilities, adjoints);
                    let adjoints = Matrix::new(adjoints, extents, [heads.keys, 1])?;
                    if let Some(q_contribution) = parts.of(0) {
                        heads
                            .layout(0)
                            .rows_mut(q_contribution, place, &rows)?
                            .set_product(&adjoints, &heads.operand(1, own, &all)?)?;
                    }
                    if let Some(k_contribution) = parts.of(1) {
                        let mut k_contribution =
                            heads.layout(1).rows_mut(k_contribution, place, &all)?;
                        let queries = heads.operand(0, own, &rows)?;
                        k_contribution.put_product(&adjoints.transposed(), &queries, !is_first)?;
                    }
                    is_first = false;
                }
            }
            Ok(())
        },
    )
}

/// The heads of some groups.
fn each_head<T: Element>(
    heads: &Heads<'_, T>,
    groups: Range<usize>,
) -> impl Iterator<Item = (usize, usize)> + use<T> {
    let per_group = heads.per_group;
    groups.flat_map(move |group| (0..per_group).map(move |head| (group, head)))
}

/// About how many elements a group's work is worth: products go faster than functions.
fn cost<T: Element>(heads: &Heads<'_, T>) -> usize {
    heads.group_scores().saturating_mul(4)
}

fn room_for_a_block<T: Element>(heads: &Heads<'_, T>, is_needed: bool) -> Vec<T> {
    let rows = if is_needed {
        BLOCK.min(heads.positions)
    } else {
        0
    };
    vec![T::zero(); rows * heads.keys]
}
