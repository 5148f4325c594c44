//! Random omission of elements, the randomness being given or a function of a seed.

use autodiff_core::prelude::*;

/// Why a dropout was refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum DropoutError {
    /// What is kept is divided by `1 - p`.
    #[error("expected a probability of at least 0 and below 1, got {p}")]
    Probability {
        /// The probability.
        p: f64,
    },
}

/// The elements where `keep` holds over `1 - p`, and 0 elsewhere: `y = x · keep / (1 - p)`.
///
/// At an element that is not kept: 0, whatever it holds.
///
/// # Shapes
/// `x: S, keep: K -> y: S`, where `K` broadcasts to `S`.
/// # Errors
/// [`DropoutError`] where `p` is not in `0..1`; `IncompatibleBroadcast` or `BroadcastTargetMismatch` of
/// `keep`.
/// # VJP
/// `x̄ = ȳ · keep / (1 - p)`. Source: linearity.
#[vjp_rule]
#[gradcheck(x: [m, n], keep: [m, n], p = 0.0 | 0.25 | 0.5)]
#[gradcheck(x: [k, m, n], keep: [m, 1], p = 0.5)]
pub fn dropout<T: Element>(
    x: &Tensor<T>,
    #[constant] keep: &Tensor<bool>,
    p: f64,
) -> Result<Tensor<T>> {
    /// upstream over one minus p where kept, else zero
    #[vjp(x)]
    fn x_vjp(upstream: &Tensor<T>, keep: &Tensor<bool>, p: f64) -> Result<Tensor<T>> {
        keep_some(upstream, keep, p)
    }
    keep_some(x, keep, p)
}

/// Dropout whose mask is [`dropout_mask`] of the seed: one seed omits the same elements again.
///
/// # Shapes
/// `x: S -> y: S`
/// # Errors
/// [`DropoutError`] where `p` is not in `0..1`.
/// # VJP
/// `x̄ = ȳ · keep / (1 - p)`, with the mask drawn again from the seed. Source: linearity.
#[vjp_rule]
#[gradcheck(x: [..], p = 0.0 | 0.25 | 0.5, seed = 0 | 7)]
pub fn dropout_seeded<T: Element>(x: &Tensor<T>, p: f64, seed: usize) -> Result<Tensor<T>> {
    /// upstream over one minus p where kept, else zero
    #[vjp(x)]
    fn x_vjp(upstream: &Tensor<T>, p: f64, seed: usize) -> Result<Tensor<T>> {
        keep_drawn(upstream, p, seed)
    }
    keep_drawn(x, p, seed)
}

/// A mask whose elements hold with probability `1 - p`, independently, as a function of seed and place.
///
/// # Errors
/// [`DropoutError`] where `p` is not in `0..1`; `ShapeOverflow`.
pub fn dropout_mask(shape: impl Into<Shape>, p: f64, seed: usize) -> Result<Tensor<bool>> {
    inverse_share(p)?;
    let seed = mixed(seed as u64);
    Tensor::from_fn(shape, |place| is_kept(seed, place, p))
}

fn keep_some<T: Element>(x: &Tensor<T>, keep: &Tensor<bool>, p: f64) -> Result<Tensor<T>> {
    let factor = T::from_f64(inverse_share(p)?);
    Projection::broadcast(keep.shape(), x.shape())?
        .expand_zip(x, keep, |x, keep| if keep { x * factor } else { T::zero() })
}

fn keep_drawn<T: Element>(x: &Tensor<T>, p: f64, seed: usize) -> Result<Tensor<T>> {
    let factor = T::from_f64(inverse_share(p)?);
    let seed = mixed(seed as u64);
    let mut output = x.clone();
    for (place, x) in output.as_mut_slice().iter_mut().enumerate() {
        *x = if is_kept(seed, place, p) {
            *x * factor
        } else {
            T::zero()
        };
    }
    Ok(output)
}

fn inverse_share(p: f64) -> Result<f64, OpError> {
    if (0.0..1.0).contains(&p) {
        Ok(1.0 / (1.0 - p))
    } else {
        Err(OpError::new(DropoutError::Probability { p }))
    }
}

/// Whether a uniform number in `0..1`, of 53 random bits, is at least `p`.
fn is_kept(seed: u64, place: usize, p: f64) -> bool {
    let bits = mixed(seed.wrapping_add((place as u64).wrapping_mul(GOLDEN)));
    (bits >> 11) as f64 / (1_u64 << 53) as f64 >= p
}

/// The odd integer nearest to 2^64 over the golden ratio: the step of SplitMix64.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// The output function of SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number
/// generators", 2014), with the constants of its variant 13 by Stafford.
fn mixed(seed: u64) -> u64 {
    let z = seed.wrapping_add(GOLDEN);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests;
