//! Scaled dot-product attention.

use autodiff_core::prelude::*;

use autodiff_core::tensor::{Matrix, MatrixMut};

use super::heads::{BLOCK, Heads};

pub use super::heads::AttentionError;

/// Probabilities of at most this many bytes are kept for the reverse map; more are computed again.
///
/// Reading a kept one costs less than computing it again, so the limit is about memory alone.
const KEPT_BYTES: usize = 16 << 20;

/// Scaled dot-product attention: `y = softmax(scale q kᵀ) v`, head by head; where `causal`, position `i`
/// sees the keys `0..=i` only.
///
/// The probabilities are computed for a block of positions at a time. The reverse map reads them again
/// where they are few, and computes them again, by the same arithmetic, where they are many.
///
/// # Shapes
/// `q: [.., T, D], k: [.., S, D], v: [.., S, E] -> y: [.., T, E]`, with `S = T` where `causal`.
/// # Errors
/// [`AttentionError`]: shapes that do not fit, and positions without any key.
/// # VJP
/// With `p = softmax(scale q kᵀ)`, `p̄ = ȳ vᵀ` and `s̄ = scale p (p̄ - Σ p̄ p)`, summed over the keys:
/// `q̄ = s̄ k`, `k̄ = s̄ᵀ q`, `v̄ = pᵀ ȳ`. Source: chain rule.
#[vjp_rule]
#[gradcheck(q: [b, h, t, d], k: [b, h, t, d], v: [b, h, t, d], scale = 0.5, causal = true | false)]
#[gradcheck(q: [h, t, d], k: [h, s + 1, d], v: [h, s + 1, e], scale = 1.0 | -0.5, causal = false)]
#[gradcheck(q: [t, d], k: [t, d], v: [t, e], scale = 0.7, causal = true)]
pub fn attention<T: Element>(
    q: &Tensor<T>,
    k: &Tensor<T>,
    v: &Tensor<T>,
    scale: f64,
    causal: bool,
) -> Result<Tensor<T>> {
    /// upstream through the mixture to the values, and through scores and softmax to queries and keys
    #[vjp(q, k, v)]
    fn q_k_v_vjp(
        upstream: &Tensor<T>,
        wanted: [bool; 3],
        q: &Tensor<T>,
        k: &Tensor<T>,
        v: &Tensor<T>,
        probabilities: Option<&Tensor<T>>,
        scale: f64,
        causal: bool,
    ) -> Result<[Option<Tensor<T>>; 3]> {
        let heads = Heads::new(q, k, v, scale, causal)?;
        reverse(&heads, upstream, wanted, probabilities)
    }
    let heads = Heads::new(q, k, v, scale, causal)?;
    let is_kept = heads
        .score_count()
        .is_some_and(|count| count <= KEPT_BYTES / size_of::<T>());
    let (output, probabilities) = forward(&heads, is_kept)?;
    Ok(output)
}

/// The mixtures, and the probabilities if they are kept.
fn forward<T: Element>(
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
    let mut block = Tensor::unwritten([if is_kept { 0 } else { BLOCK }, heads.keys])?;
    let mut scratch = vec![T::zero(); heads.keys];
    let out = output.as_mut_slice();
    for (head, rows) in heads.blocks() {
        let probabilities = match &mut kept {
            Some(kept) => &mut kept.as_mut_slice()[heads.scores_at(head, &rows)],
            None => &mut block.as_mut_slice()[..rows.len() * heads.keys],
        };
        heads.probabilities(head, &rows, probabilities, &mut scratch)?;
        let seen = heads.seen(rows.end);
        let mixed = Matrix::new(probabilities, [rows.len(), seen], [heads.keys, 1])?;
        let out = &mut out[heads.outputs_at(head, &rows)];
        MatrixMut::row_major(out, [rows.len(), heads.width])?
            .set_product(&mixed, &heads.values(head, seen)?)?;
    }
    Ok((output, kept))
}

/// The wanted contributions to queries, keys and values.
fn reverse<T: Element>(
    heads: &Heads<'_, T>,
    upstream: &Tensor<T>,
    [q_wanted, k_wanted, v_wanted]: [bool; 3],
    kept: Option<&Tensor<T>>,
) -> Result<[Option<Tensor<T>>; 3]> {
    let zeros = |wanted: bool, shape: &[usize]| wanted.then(|| Tensor::zeros(shape)).transpose();
    let mut q_bar = zeros(q_wanted, heads.q.shape())?;
    let mut k_bar = zeros(k_wanted, heads.k.shape())?;
    let mut v_bar = zeros(v_wanted, heads.v.shape())?;
    if upstream.is_empty() {
        return Ok([q_bar, k_bar, v_bar]);
    }
    let mut block = Tensor::unwritten([if kept.is_some() { 0 } else { BLOCK }, heads.keys])?;
    let mut scores_bar = Tensor::unwritten([BLOCK, heads.keys])?;
    let scores_bar = scores_bar.as_mut_slice();
    let mut scratch = vec![T::zero(); heads.keys];
    for (head, rows) in heads.blocks() {
        let probabilities = match kept {
            Some(kept) => &kept.as_slice()[heads.scores_at(head, &rows)],
            None => {
                let block = &mut block.as_mut_slice()[..rows.len() * heads.keys];
                heads.probabilities(head, &rows, block, &mut scratch)?;
                block
            }
        };
        let seen = heads.seen(rows.end);
        let extents = [rows.len(), seen];
        let mixed = Matrix::new(probabilities, extents, [heads.keys, 1])?;
        let upstream = &upstream.as_slice()[heads.outputs_at(head, &rows)];
        let upstream = Matrix::new(upstream, [rows.len(), heads.width], [heads.width, 1])?;
        if let Some(v_bar) = &mut v_bar {
            heads
                .values_mut(head, seen, v_bar)?
                .add_product(&mixed.transposed(), &upstream)?;
        }
        if !q_wanted && !k_wanted {
            continue;
        }
        let values = heads.values(head, seen)?.transposed();
        MatrixMut::new(scores_bar, extents, [heads.keys, 1])?.set_product(&upstream, &values)?;
        heads.through_softmax(&rows, probabilities, scores_bar);
        let scores_bar = Matrix::new(scores_bar, extents, [heads.keys, 1])?;
        if let Some(q_bar) = &mut q_bar {
            heads
                .queries_mut(head, &rows, q_bar)?
                .set_product(&scores_bar, &heads.keys(head, seen)?)?;
        }
        if let Some(k_bar) = &mut k_bar {
            let queries = heads.queries(head, &rows)?;
            heads
                .keys_mut(head, seen, k_bar)?
                .add_product(&scores_bar.transposed(), &queries)?;
        }
    }
    Ok([q_bar, k_bar, v_bar])
}

#[cfg(test)]
mod tests;
