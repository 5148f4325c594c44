//! Softmax and its logarithm along one axis, with and without excluded entries.

use autodiff_core::prelude::*;
use autodiff_core::tensor::Stored;

use super::rows::{
    exp_from_peak, peak, rows, rows_mut, scale, subtract_weighted_mean, sum_without,
};

/// Softmax along `axis`: `y = exp(x) / Σ exp(x)`, computed as `exp(x - max x)` over its sum.
///
/// # Shapes
/// `x: S -> y: S`
/// # Errors
/// `AxisOutOfRange`.
/// # VJP
/// `x̄ = y (ȳ - Σ ȳ y)`, summed along `axis`. Source: quotient rule.
#[vjp_rule]
#[gradcheck(x: [m, n], axis = 0 | 1)]
#[gradcheck(x: [m, n, k], axis = 0 | 1 | 2)]
#[gradcheck(x: [m, 3] in -20.0..20.0, axis = 1)]
#[gradcheck(x: [2, 150], axis = 1)]
pub fn softmax<T: Element>(x: &Tensor<T>, axis: usize) -> Result<Tensor<T>> {
    /// the probabilities times how far upstream lies above its mean under them
    #[vjp(x)]
    fn x_vjp(upstream: &Tensor<T>, output: &Tensor<T>, axis: usize) -> Result<Tensor<T>> {
        softmax_contribution(upstream, output, axis)
    }
    by_rows(
        x,
        axis,
        #[inline(always)]
        |row, out| {
            let rest = exp_from_peak(row, peak(row), out);
            scale(out, (T::one() + rest).recip());
        },
    )
}

/// Logarithm of the softmax along `axis`: `y = x - ln Σ exp(x)`, finite for every finite difference.
///
/// # Shapes
/// `x: S -> y: S`
/// # Errors
/// `AxisOutOfRange`.
/// # VJP
/// `x̄ = ȳ - exp(y) Σ ȳ`, summed along `axis`. Source: chain rule.
#[vjp_rule]
#[gradcheck(x: [m, n], axis = 0 | 1)]
#[gradcheck(x: [m, n, k], axis = 0 | 1 | 2)]
#[gradcheck(x: [m, 3] in -20.0..20.0, axis = 1)]
pub fn log_softmax<T: Element>(x: &Tensor<T>, axis: usize) -> Result<Tensor<T>> {
    /// upstream minus the probabilities times its sum
    #[vjp(x)]
    fn x_vjp(upstream: &Tensor<T>, output: &Tensor<T>, axis: usize) -> Result<Tensor<T>> {
        log_softmax_contribution(upstream, output, axis)
    }
    by_rows(
        x,
        axis,
        #[inline(always)]
        |row, out| {
            let peak = peak(row);
            let total = exp_from_peak(row, peak, out).ln_1p();
            let shift = row.get(peak).copied().unwrap_or_default();
            // Distances from the peak may be much smaller than the peak.
            for (place, &x) in out.iter_mut().zip(row) {
                *place = (x - shift) - total;
            }
        },
    )
}

/// Softmax along `axis` over the entries that `mask` does not exclude; `true` excludes, as in
/// `masked_fill`.
///
/// At an excluded entry: 0, and no gradient flows there.
/// At a row without any other entry: 0 everywhere.
///
/// # Shapes
/// `x: S, mask: M -> y: S`, where `M` broadcasts to `S`.
/// # Errors
/// `AxisOutOfRange`; `IncompatibleBroadcast` or `BroadcastTargetMismatch` of the mask.
/// # VJP
/// `x̄ = y (ȳ - Σ ȳ y)`, summed along `axis`; 0 where excluded, since `y` is. Source: quotient rule.
#[vjp_rule]
#[gradcheck(x: [m, n], mask: [m, n], axis = 0 | 1)]
#[gradcheck(x: [m, n, k], mask: [n, 1], axis = 0 | 1 | 2)]
pub fn masked_softmax<T: Element>(
    x: &Tensor<T>,
    #[constant] mask: &Tensor<bool>,
    axis: usize,
) -> Result<Tensor<T>> {
    /// the probabilities times how far upstream lies above its mean under them
    #[vjp(x)]
    fn x_vjp(upstream: &Tensor<T>, output: &Tensor<T>, axis: usize) -> Result<Tensor<T>> {
        softmax_contribution(upstream, output, axis)
    }
    let excluded = Projection::broadcast(mask.shape(), x.shape())?.expand(mask)?;
    zip_rows(
        x,
        &excluded,
        axis,
        #[inline(always)]
        |row, excluded, scratch, out| {
            let Some(rest) = exp_of_kept(row, excluded, scratch, out) else {
                return out.fill(T::zero());
            };
            scale(out, (T::one() + rest).recip());
        },
    )
}

/// Logarithm of the softmax along `axis` over the entries that `mask` does not exclude; `true` excludes,
/// as in `masked_fill`.
///
/// At an excluded entry: 0 in place of minus infinity, and no gradient flows there.
///
/// # Shapes
/// `x: S, mask: M -> y: S`, where `M` broadcasts to `S`.
/// # Errors
/// `AxisOutOfRange`; `IncompatibleBroadcast` or `BroadcastTargetMismatch` of the mask.
/// # VJP
/// `x̄ = ȳ - exp(y) Σ ȳ` over the entries that are not excluded, 0 elsewhere. Source: chain rule.
#[vjp_rule]
#[gradcheck(x: [m, n], mask: [m, n], axis = 0 | 1)]
#[gradcheck(x: [m, n, k], mask: [n, 1], axis = 0 | 1 | 2)]
pub fn masked_log_softmax<T: Element>(
    x: &Tensor<T>,
    #[constant] mask: &Tensor<bool>,
    axis: usize,
) -> Result<Tensor<T>> {
    /// upstream minus the probabilities times its sum, over the entries that are not excluded
    #[vjp(x)]
    fn x_vjp(
        upstream: &Tensor<T>,
        output: &Tensor<T>,
        excluded: &Tensor<bool>,
        axis: usize,
    ) -> Result<Tensor<T>> {
        let kept =
            upstream.zip_map(excluded, |u, excluded| if excluded { T::zero() } else { u })?;
        let spread = log_softmax_contribution(&kept, output, axis)?;
        spread.zip_inplace(excluded, |c, excluded| if excluded { T::zero() } else { c })
    }
    let excluded = Projection::broadcast(mask.shape(), x.shape())?.expand(mask)?;
    zip_rows(
        x,
        &excluded,
        axis,
        #[inline(always)]
        |row, excluded, scratch, out| {
            let Some(rest) = exp_of_kept(row, excluded, scratch, out) else {
                return out.fill(T::zero());
            };
            let total = rest.ln_1p();
            for ((place, &x), &excluded) in out.iter_mut().zip(scratch.iter()).zip(excluded) {
                *place = if excluded { T::zero() } else { x - total };
            }
        },
    )
}

/// `y (ȳ - Σ ȳ y)` along an axis.
fn softmax_contribution<T: Element>(
    upstream: &Tensor<T>,
    output: &Tensor<T>,
    axis: usize,
) -> Result<Tensor<T>> {
    zip_rows(
        upstream,
        output,
        axis,
        #[inline(always)]
        |upstream, output, _, out| {
            out.copy_from_slice(upstream);
            subtract_weighted_mean(out, output);
            for (place, &y) in out.iter_mut().zip(output) {
                *place *= y;
            }
        },
    )
}

/// `ȳ - exp(y) Σ ȳ` along an axis.
fn log_softmax_contribution<T: Element>(
    upstream: &Tensor<T>,
    output: &Tensor<T>,
    axis: usize,
) -> Result<Tensor<T>> {
    zip_rows(
        upstream,
        output,
        axis,
        #[inline(always)]
        |upstream, output, probabilities, out| {
            T::exp_slice(output, probabilities);
            let total = T::sum_slice(upstream);
            for ((place, &u), &p) in out.iter_mut().zip(upstream).zip(probabilities.iter()) {
                *place = u - p * total;
            }
        },
    )
}

/// `out = exp(row - peak)` with 0 at excluded entries, the peak being the largest other entry; the sum of it
/// without the peak, or `None` where every entry is excluded.
fn exp_of_kept<T: Element>(
    row: &[T],
    excluded: &[bool],
    scratch: &mut [T],
    out: &mut [T],
) -> Option<T> {
    let mut kept = row
        .iter()
        .zip(excluded)
        .enumerate()
        .filter(|(_, (_, excluded))| !**excluded);
    let (mut peak, (&(mut shift), _)) = kept.next()?;
    for (position, (&x, _)) in kept {
        if x > shift {
            (peak, shift) = (position, x);
        }
    }
    for ((place, &x), &excluded) in scratch.iter_mut().zip(row).zip(excluded) {
        *place = if excluded { T::zero() } else { x - shift };
    }
    T::exp_slice(scratch, out);
    for (place, &excluded) in out.iter_mut().zip(excluded) {
        if excluded {
            *place = T::zero();
        }
    }
    Some(sum_without(peak, out))
}

/// `f(row, out)` of every row along an axis.
fn by_rows<T: Element>(
    x: &Tensor<T>,
    axis: usize,
    f: impl Fn(&[T], &mut [T]) + Sync,
) -> Result<Tensor<T>> {
    on_last_axis(axis, x.shape(), &mut |last, width| {
        let x = x.swap_axes(axis, last)?;
        Tensor::by_rows(
            x.shape(),
            width,
            2,
            (),
            #[inline(always)]
            |range, out, ()| {
                let rows = rows(&x.as_slice()[range.start * width..], width);
                for (row, out) in rows.zip(rows_mut(out, width)) {
                    f(row, out);
                }
                Ok::<(), OpError>(())
            },
        )
    })
}

/// `f(left, right, scratch, out)` of every pair of rows along an axis; both tensors have one shape.
fn zip_rows<T: Element, S: Stored>(
    left: &Tensor<T>,
    right: &Tensor<S>,
    axis: usize,
    f: impl Fn(&[T], &[S], &mut [T], &mut [T]) + Sync,
) -> Result<Tensor<T>> {
    on_last_axis(axis, left.shape(), &mut |last, width| {
        let (left, right) = (left.swap_axes(axis, last)?, right.swap_axes(axis, last)?);
        Tensor::by_rows(
            left.shape(),
            width,
            2,
            (),
            #[inline(always)]
            |range, out, ()| {
                let mut scratch = scratch_row(&left, width);
                let start = range.start * width;
                let right = rows(&right.as_slice()[start..], width);
                let pairs = rows(&left.as_slice()[start..], width).zip(right);
                for ((left, right), out) in pairs.zip(rows_mut(out, width)) {
                    f(left, right, &mut scratch, out);
                }
                Ok::<(), OpError>(())
            },
        )
    })
}

/// Room for one row of a tensor: none where it has no row, whose width then is no measure of memory.
fn scratch_row<T: Element>(x: &Tensor<T>, width: usize) -> Vec<T> {
    vec![T::zero(); if x.is_empty() { 0 } else { width }]
}

/// Runs `f(last axis, width)`, which works on the last axis, and puts the axis of its result back.
fn on_last_axis<T: Element>(
    axis: usize,
    shape: &[usize],
    f: &mut dyn FnMut(usize, usize) -> Result<Tensor<T>>,
) -> Result<Tensor<T>> {
    let rank = shape.len();
    check_axis(axis, rank)?;
    f(rank - 1, shape[axis])?.swap_axes(axis, rank - 1)
}

#[cfg(test)]
mod tests;
