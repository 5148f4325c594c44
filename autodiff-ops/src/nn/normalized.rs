//! Rows along the last axis over their root mean square, about their mean or about zero, and back.

use autodiff_core::prelude::*;

use super::rows::{RowSum, rows, rows_and_width, rows_mut, scale};

/// Why a normalisation was refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum NormError {
    /// There is no last axis, or it has no element, and so no mean.
    #[error("expected a last axis of extent 1 or more, got shape {shape:?}")]
    NothingToNormalize {
        /// The shape.
        shape: Vec<usize>,
    },
    /// A factor or an offset has one entry for each place of a row.
    #[error("{operand}: expected shape [{width}], got {actual:?}")]
    OperandShape {
        /// The operand.
        operand: &'static str,
        /// The extent of the last axis.
        width: usize,
        /// The operand's shape.
        actual: Vec<usize>,
    },
    /// A row is divided by a number that is neither 0 nor infinite.
    #[error("row {row}: expected a finite mean square plus eps above 0, got {spread}")]
    Spread {
        /// The row.
        row: usize,
        /// The mean square (about the mean, for a layer norm) plus eps.
        spread: f64,
    },
}

/// The extent of the last axis, at least 1.
fn width_of<T: Element>(x: &Tensor<T>) -> Result<usize, OpError> {
    match rows_and_width(x.shape()) {
        Some((_, width @ 1..)) => Ok(width),
        _ => Err(OpError::new(NormError::NothingToNormalize {
            shape: x.shape().to_vec(),
        })),
    }
}

pub(super) fn check_operand<T: Element>(
    operand: &'static str,
    values: &Tensor<T>,
    x: &Tensor<T>,
) -> Result<(), OpError> {
    let width = width_of(x)?;
    if *values.shape() == [width] {
        return Ok(());
    }
    Err(OpError::new(NormError::OperandShape {
        operand,
        width,
        actual: values.shape().to_vec(),
    }))
}

/// Every row less its mean over its deviation, finished by `finish`; with the means, counted from the first
/// element of their row, and the inverse deviations.
pub(super) fn about_mean<T: Element>(
    x: &Tensor<T>,
    eps: f64,
    finish: impl Fn(&mut [T]),
) -> Result<[Tensor<T>; 3]> {
    let width = width_of(x)?;
    let count = T::from_f64(width as f64);
    let mut output = Tensor::unwritten(x.shape())?;
    let mut means_above_first = Tensor::zeros(&x.shape()[..x.rank() - 1])?;
    let mut inverse_deviations = Tensor::ones(means_above_first.shape())?;
    let places = rows_mut(output.as_mut_slice(), width)
        .zip(means_above_first.as_mut_slice())
        .zip(inverse_deviations.as_mut_slice());
    for (index, (row, ((out, mean), inverse_deviation))) in
        rows(x.as_slice(), width).zip(places).enumerate()
    {
        // Counted from an element of the row, so that a large offset costs no digits.
        less_first(row, T::zero(), out);
        *mean = T::sum_slice(out) / count;
        for place in out.iter_mut() {
            *place -= *mean;
        }
        let r = inverse_root_of_mean_square(out, eps, index)?;
        *inverse_deviation = r;
        scale(out, r);
        finish(out);
    }
    Ok([output, means_above_first, inverse_deviations])
}

/// Every row over its root mean square and times `weight`; with the inverse roots.
pub(super) fn about_zero<T: Element>(
    x: &Tensor<T>,
    weight: &Tensor<T>,
    eps: f64,
) -> Result<[Tensor<T>; 2]> {
    let width = width_of(x)?;
    let mut output = Tensor::unwritten(x.shape())?;
    let mut inverse_roots = Tensor::ones(&x.shape()[..x.rank() - 1])?;
    let places = rows_mut(output.as_mut_slice(), width).zip(inverse_roots.as_mut_slice());
    for (index, (row, (out, inverse_root))) in rows(x.as_slice(), width).zip(places).enumerate() {
        let r = inverse_root_of_mean_square(row, eps, index)?;
        *inverse_root = r;
        for ((place, &x), &w) in out.iter_mut().zip(row).zip(weight.as_slice()) {
            *place = x * r * w;
        }
    }
    Ok([output, inverse_roots])
}

/// `out = row - row[0] - mean`
fn less_first<T: Element>(row: &[T], mean: T, out: &mut [T]) {
    let first = row.first().copied().unwrap_or_default();
    for (place, &x) in out.iter_mut().zip(row) {
        *place = x - first - mean;
    }
}

fn inverse_root_of_mean_square<T: Element>(
    values: &[T],
    eps: f64,
    row: usize,
) -> Result<T, OpError> {
    let count = T::from_f64(values.len() as f64);
    let spread = T::dot_slice(values, values) / count + T::from_f64(eps);
    // A NaN is no refusal: plain tensors may hold one, and the tape reports it.
    match spread.to_f64() {
        value if value <= 0.0 || value == f64::INFINITY => {
            Err(OpError::new(NormError::Spread { row, spread: value }))
        }
        _ => Ok(spread.sqrt().recip()),
    }
}

/// What the reverse maps know of the normalised rows, which they compute again.
pub(super) struct Normalized<'a, T: Copy> {
    pub(super) x: &'a Tensor<T>,
    pub(super) means_above_first: Option<&'a Tensor<T>>,
    pub(super) inverse_deviations: &'a Tensor<T>,
}

impl<T: Element> Normalized<'_, T> {
    /// The wanted ones of: upstream times `weight` through the rows, the sum over the rows of upstream
    /// times the normalised row, and of upstream alone.
    pub(super) fn reverse(
        &self,
        upstream: &Tensor<T>,
        weight: &Tensor<T>,
        [x_wanted, weight_wanted, bias_wanted]: [bool; 3],
    ) -> Result<[Option<Tensor<T>>; 3]> {
        let width = weight.len();
        let mut contribution = Tensor::unwritten(if x_wanted { self.x.shape() } else { &[0] })?;
        let mut weight_sum = RowSum::new(width)?;
        let mut bias_sum = RowSum::new(width)?;
        let (mut normalized, mut weighted) = (vec![T::zero(); width], vec![T::zero(); width]);
        let mut places = rows_mut(contribution.as_mut_slice(), width);
        let pairs = rows(self.x.as_slice(), width).zip(rows(upstream.as_slice(), width));
        for (index, ((row, upstream), &r)) in
            pairs.zip(self.inverse_deviations.as_slice()).enumerate()
        {
            match self
                .means_above_first
                .and_then(|means| means.as_slice().get(index))
            {
                Some(&mean) => less_first(row, mean, &mut normalized),
                None => normalized.copy_from_slice(row),
            }
            scale(&mut normalized, r);
            if weight_wanted {
                weight_sum.add_product(upstream, &normalized);
            }
            if bias_wanted {
                bias_sum.add(upstream);
            }
            if let Some(out) = places.next() {
                for ((place, &u), &w) in weighted.iter_mut().zip(upstream).zip(weight.as_slice()) {
                    *place = u * w;
                }
                through_row(
                    &weighted,
                    &normalized,
                    r,
                    self.means_above_first.is_some(),
                    out,
                );
            }
        }
        Ok([
            x_wanted.then_some(contribution),
            weight_wanted.then(|| weight_sum.total()),
            bias_wanted.then(|| bias_sum.total()),
        ])
    }
}

/// `out = r (g - mean g - n mean(g n))`, without `mean g` where the row was not centred.
pub(super) fn through_row<T: Element>(
    g: &[T],
    normalized: &[T],
    r: T,
    centred: bool,
    out: &mut [T],
) {
    let count = T::from_f64(g.len() as f64);
    let mean = if centred {
        T::sum_slice(g) / count
    } else {
        T::zero()
    };
    let along = T::dot_slice(g, normalized) / count;
    for ((place, &g), &n) in out.iter_mut().zip(g).zip(normalized) {
        *place = r * (g - mean - n * along);
    }
}
