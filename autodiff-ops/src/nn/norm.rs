//! Normalisation of rows along the last axis.

use autodiff_core::prelude::*;

use super::normalized::{Normalized, about_mean, about_zero, check_operand, through_row};
use super::rows::{rows, rows_mut, scale};

pub use super::normalized::NormError;

/// Layer normalisation with factor and offset: `y = (x - mean x) / sqrt(variance x + eps) · weight + bias`
/// along the last axis, with the variance that divides by the extent.
///
/// # Shapes
/// `x: [.., C], weight: [C], bias: [C] -> y: [.., C]`
/// # Errors
/// [`NormError`]: a missing or empty last axis, a wrong shape, and a row whose `variance + eps` is 0 or
/// infinite.
/// # VJP
/// With `n = (x - mean x) r`, `r = 1 / sqrt(variance x + eps)` and `g = ȳ · weight`:
/// `x̄ = r (g - mean g - n mean(g n))`, `weight̄ = Σ ȳ n`, `bias̄ = Σ ȳ` over the rows.
/// Source: chain rule.
#[vjp_rule]
#[gradcheck(x: [m, n + 2], weight: [n + 2], bias: [n + 2], eps = 0.5 | 0.1)]
#[gradcheck(x: [k, m, 4], weight: [4], bias: [4], eps = 0.1)]
#[gradcheck(x: [n + 3], weight: [n + 3], bias: [n + 3], eps = 0.1)]
#[gradcheck(x: [m, 1], weight: [1], bias: [1], eps = 0.1)]
#[gradcheck(x: [2, 150], weight: [150], bias: [150], eps = 0.1)]
pub fn layer_norm<T: Element>(
    x: &Tensor<T>,
    weight: &Tensor<T>,
    bias: &Tensor<T>,
    eps: f64,
) -> Result<Tensor<T>> {
    /// upstream through the normalised rows; its sums over the rows, alone and times the normalised rows
    #[vjp(x, weight, bias)]
    fn x_weight_bias_vjp(
        upstream: &Tensor<T>,
        wanted: [bool; 3],
        x: &Tensor<T>,
        weight: &Tensor<T>,
        means_above_first: &Tensor<T>,
        inverse_deviations: &Tensor<T>,
        _eps: f64,
    ) -> Result<[Option<Tensor<T>>; 3]> {
        let rows = Normalized {
            x,
            means_above_first: Some(means_above_first),
            inverse_deviations,
        };
        rows.reverse(upstream, weight, wanted)
    }
    check_operand("weight", weight, x)?;
    check_operand("bias", bias, x)?;
    let [output, means_above_first, inverse_deviations] = about_mean(
        x,
        eps,
        #[inline(always)]
        |r, row| {
            for ((place, &w), &b) in row.iter_mut().zip(weight.as_slice()).zip(bias.as_slice()) {
                *place = *place * r * w + b;
            }
        },
    )?;
    Ok(output)
}

/// Layer normalisation without factor and offset: `y = (x - mean x) / sqrt(variance x + eps)` along the
/// last axis, with the variance that divides by the extent.
///
/// # Shapes
/// `x: [.., C] -> y: [.., C]`
/// # Errors
/// [`NormError`]: a missing or empty last axis, and a row whose `variance + eps` is 0 or infinite.
/// # VJP
/// With `r = 1 / sqrt(variance x + eps)`: `x̄ = r (ȳ - mean ȳ - y mean(ȳ y))`. Source: chain rule.
#[vjp_rule]
#[gradcheck(x: [m, n + 2], eps = 0.5 | 0.1)]
#[gradcheck(x: [k, m, 4], eps = 0.1)]
#[gradcheck(x: [m, 1], eps = 0.1)]
pub fn layer_norm_plain<T: Element>(x: &Tensor<T>, eps: f64) -> Result<Tensor<T>> {
    /// upstream through the normalised rows
    #[vjp(x)]
    fn x_vjp(
        upstream: &Tensor<T>,
        output: &Tensor<T>,
        inverse_deviations: &Tensor<T>,
        _eps: f64,
    ) -> Result<Tensor<T>> {
        let width = output.shape().last().copied().unwrap_or_default();
        Tensor::by_rows(
            output.shape(),
            width,
            2,
            (),
            #[inline(always)]
            |range, out, ()| {
                let start = range.start * width;
                let inverse_deviations = &inverse_deviations.as_slice()[range];
                let pairs = rows(&upstream.as_slice()[start..], width)
                    .zip(rows(&output.as_slice()[start..], width))
                    .zip(inverse_deviations);
                for (((upstream, normalized), &r), out) in pairs.zip(rows_mut(out, width)) {
                    through_row(upstream, normalized, r, true, out);
                }
                Ok::<(), OpError>(())
            },
        )
    }
    let [output, _, inverse_deviations] = about_mean(
        x,
        eps,
        #[inline(always)]
        |r, row| scale(row, r),
    )?;
    Ok(output)
}

/// Root-mean-square normalisation: `y = x / sqrt(mean x² + eps) · weight` along the last axis.
///
/// # Shapes
/// `x: [.., C], weight: [C] -> y: [.., C]`
/// # Errors
/// [`NormError`]: a missing or empty last axis, a wrong shape, and a row whose `mean x² + eps` is 0 or
/// infinite.
/// # VJP
/// With `n = x r`, `r = 1 / sqrt(mean x² + eps)` and `g = ȳ · weight`: `x̄ = r (g - n mean(g n))`,
/// `weight̄ = Σ ȳ n` over the rows. Source: chain rule.
#[vjp_rule]
#[gradcheck(x: [m, n + 1], weight: [n + 1], eps = 0.5 | 0.1)]
#[gradcheck(x: [k, m, 4], weight: [4], eps = 0.1)]
#[gradcheck(x: [n + 1], weight: [n + 1], eps = 0.1)]
pub fn rms_norm<T: Element>(x: &Tensor<T>, weight: &Tensor<T>, eps: f64) -> Result<Tensor<T>> {
    /// upstream through the normalised rows; its sum over the rows times the normalised rows
    #[vjp(x, weight)]
    fn x_weight_vjp(
        upstream: &Tensor<T>,
        wanted: [bool; 2],
        x: &Tensor<T>,
        weight: &Tensor<T>,
        inverse_roots: &Tensor<T>,
        _eps: f64,
    ) -> Result<[Option<Tensor<T>>; 2]> {
        let rows = Normalized {
            x,
            means_above_first: None,
            inverse_deviations: inverse_roots,
        };
        let [x_wanted, weight_wanted] = wanted;
        let [of_x, of_weight, _] =
            rows.reverse(upstream, weight, [x_wanted, weight_wanted, false])?;
        Ok([of_x, of_weight])
    }
    check_operand("weight", weight, x)?;
    let [output, inverse_roots] = about_zero(x, weight, eps)?;
    Ok(output)
}

#[cfg(test)]
mod tests;
