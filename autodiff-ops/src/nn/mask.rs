//! Scores without those of the future.

use autodiff_core::prelude::*;

use super::rows::rows_mut;

/// A mask was asked of what has no rows and columns.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected rows and columns on the last two axes, got shape {shape:?}")]
pub struct NotScores {
    /// The shape.
    pub shape: Vec<usize>,
}

/// `scores` with `value` wherever the column lies beyond the row: `y[.., i, j] = scores[.., i, j]` for
/// `j <= i`, else `value`.
///
/// # Shapes
/// `scores: [.., R, C] -> y: [.., R, C]`
/// # Errors
/// [`NotScores`] for a rank below 2.
/// # VJP
/// `scores̄ = ȳ` for `j <= i`, else 0. Source: linearity.
#[vjp_rule]
#[gradcheck(scores: [.., m, n], value = -1e9 | 0.0)]
pub fn causal_mask<T: Element>(scores: &Tensor<T>, value: f64) -> Result<Tensor<T>> {
    /// upstream on and below the diagonal, zero above it
    #[vjp(scores)]
    fn scores_vjp(upstream: Tensor<T>, _value: f64) -> Result<Tensor<T>> {
        with_future(upstream, T::zero())
    }
    with_future(scores.clone(), T::from_f64(value))
}

fn with_future<T: Element>(mut scores: Tensor<T>, value: T) -> Result<Tensor<T>> {
    let [.., height, width] = *scores.shape() else {
        let shape = scores.shape().to_vec();
        return Err(OpError::new(NotScores { shape }).into());
    };
    for (row, places) in rows_mut(scores.as_mut_slice(), width).enumerate() {
        if let Some(future) = places.get_mut(row % height + 1..) {
            future.fill(value);
        }
    }
    Ok(scores)
}

#[cfg(test)]
mod tests;
