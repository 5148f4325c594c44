//! Scaled dot-product attention.

use autodiff_core::prelude::*;

use super::heads::Heads;
use super::mixture::{Contributions, forward, reverse};
use super::rows::whole_rows;

pub use super::heads::AttentionError;

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
        let heads = Heads::apart([q, k, v], scale, causal)?;
        contributions([q, k, v], &heads, upstream, wanted, probabilities)
    }
    let heads = Heads::apart([q, k, v], scale, causal)?;
    let (output, probabilities) = forward(&heads, heads.are_few())?;
    Ok(output)
}

/// The wanted contributions to queries, keys and values.
fn contributions<T: Element>(
    operands: [&Tensor<T>; 3],
    heads: &Heads<'_, T>,
    upstream: &Tensor<T>,
    wanted: [bool; 3],
    probabilities: Option<&Tensor<T>>,
) -> Result<[Option<Tensor<T>>; 3]> {
    let room = |is_wanted: bool, x: &Tensor<T>| match (is_wanted, upstream.is_empty()) {
        (false, _) => Ok(None),
        // Without an upstream nothing is written.
        (true, true) => Tensor::zeros(x.shape()).map(Some),
        (true, false) => Tensor::unwritten(x.shape()).map(Some),
    };
    let [q, k, v] = operands;
    let [q_wanted, k_wanted, v_wanted] = wanted;
    let mut contributions = [room(q_wanted, q)?, room(k_wanted, k)?, room(v_wanted, v)?];
    if upstream.is_empty() {
        return Ok(contributions);
    }
    let [q, k, v] = contributions.each_mut().map(Option::as_mut);
    let group = |operand| heads.layout(operand).group();
    let places = [
        q.map(|q| whole_rows(q, group(0))),
        k.map(|k| whole_rows(k, group(1))),
        v.map(|v| whole_rows(v, group(2))),
    ];
    reverse(heads, upstream, Contributions::Apart(places), probabilities)?;
    Ok(contributions)
}

/// [`attention()`] of queries, keys and values that lie side by side in one tensor, as one product gives them:
/// head `h` of `heads` has the columns `h D .. (h + 1) D` of each third of a row, and of the output.
///
/// # Shapes
/// `qkv: [.., T, 3 heads D] -> y: [.., T, heads D]`
/// # Errors
/// [`AttentionError`]: rows that do not divide into three times `heads` parts.
/// # VJP
/// That of [`attention()`], head by head, with the three contributions side by side. Source: chain rule.
#[vjp_rule]
#[gradcheck(qkv: [b, t, 6], heads = 1 | 2, scale = 0.5, causal = true | false)]
#[gradcheck(qkv: [t, 3 * d], heads = 1, scale = 0.7, causal = true | false)]
pub fn self_attention<T: Element>(
    qkv: &Tensor<T>,
    heads: usize,
    scale: f64,
    causal: bool,
) -> Result<Tensor<T>> {
    /// upstream through the mixture to the values, and through scores and softmax to queries and keys
    #[vjp(qkv)]
    fn qkv_vjp(
        upstream: &Tensor<T>,
        qkv: &Tensor<T>,
        probabilities: Option<&Tensor<T>>,
        heads: usize,
        scale: f64,
        causal: bool,
    ) -> Result<Tensor<T>> {
        let mut contribution = Tensor::unwritten(qkv.shape())?;
        if contribution.is_empty() {
            return Ok(contribution);
        }
        let heads = Heads::packed(qkv, heads, scale, causal)?;
        let width = heads.layout(0).group();
        let places = Contributions::Packed(whole_rows(&mut contribution, width));
        reverse(&heads, upstream, places, probabilities)?;
        Ok(contribution)
    }
    let by_head = Heads::packed(qkv, heads, scale, causal)?;
    let (output, probabilities) = forward(&by_head, by_head.are_few())?;
    Ok(output)
}

#[cfg(test)]
mod tests;
