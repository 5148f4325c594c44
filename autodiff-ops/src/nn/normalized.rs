//! Rows along the last axis over their root mean square, about their mean or about zero, and back.

use autodiff_core::prelude::*;

use autodiff_core::tensor::for_each_part;

use super::rows::{each_row, rows_and_width, rows_mut, whole_rows};

/// Rows that are added one after another: the error of a sum over rows then grows with their number divided
/// by this.
const BLOCK: usize = 64;

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

/// Every row less its mean, finished by `finish` with its inverse deviation; with the means, counted from the first
/// element of their row, and the inverse deviations.
pub(super) fn about_mean<T: Element>(
    x: &Tensor<T>,
    eps: f64,
    finish: impl Fn(T, &mut [T]) + Sync,
) -> Result<[Tensor<T>; 3]> {
    let width = width_of(x)?;
    let count = T::from_f64(width as f64);
    let mut means_above_first = Tensor::zeros(&x.shape()[..x.rank() - 1])?;
    let mut inverse_deviations = Tensor::ones(means_above_first.shape())?;
    let beside = (
        each_row(&mut means_above_first),
        each_row(&mut inverse_deviations),
    );
    let values = x.as_slice();
    let output = Tensor::by_rows(
        x.shape(),
        width,
        2,
        beside,
        #[inline(always)]
        |range, out, (means, inverse_deviations)| {
            let places = rows_mut(out, width)
                .zip(means.values)
                .zip(inverse_deviations.values);
            for (index, ((out, mean), inverse_deviation)) in range.zip(places) {
                // Counted from an element of the row, so that a large offset costs no digits.
                less_first(&values[index * width..][..width], out);
                *mean = T::sum_slice(out) / count;
                for place in out.iter_mut() {
                    *place -= *mean;
                }
                let r = inverse_root_of_mean_square(out, eps, index)?;
                *inverse_deviation = r;
                finish(r, out);
            }
            Ok::<(), OpError>(())
        },
    )?;
    Ok([output, means_above_first, inverse_deviations])
}

/// Every row over its root mean square and times `weight`; with the inverse roots.
pub(super) fn about_zero<T: Element>(
    x: &Tensor<T>,
    weight: &Tensor<T>,
    eps: f64,
) -> Result<[Tensor<T>; 2]> {
    let width = width_of(x)?;
    let mut inverse_roots = Tensor::ones(&x.shape()[..x.rank() - 1])?;
    let (values, weight) = (x.as_slice(), weight.as_slice());
    let output = Tensor::by_rows(
        x.shape(),
        width,
        2,
        each_row(&mut inverse_roots),
        #[inline(always)]
        |range, out, inverse_roots| {
            let places = rows_mut(out, width).zip(inverse_roots.values);
            for (index, (out, inverse_root)) in range.zip(places) {
                let row = &values[index * width..][..width];
                let r = inverse_root_of_mean_square(row, eps, index)?;
                *inverse_root = r;
                for ((place, &x), &w) in out.iter_mut().zip(row).zip(weight) {
                    *place = x * r * w;
                }
            }
            Ok::<(), OpError>(())
        },
    )?;
    Ok([output, inverse_roots])
}

/// `out = row - row[0]`
#[inline(always)]
fn less_first<T: Element>(row: &[T], out: &mut [T]) {
    let first = row.first().copied().unwrap_or_default();
    for (place, &x) in out.iter_mut().zip(row) {
        *place = x - first;
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
        let row_count = self.inverse_deviations.len();
        let mut contribution = Tensor::unwritten(if x_wanted { self.x.shape() } else { &[0] })?;
        // Blocks of rows are summed on their own, then in order: threads may share them.
        let blocks = row_count.div_ceil(BLOCK);
        let partial = |wanted: bool| Tensor::zeros([if wanted { blocks } else { 0 }, width]);
        let (mut weight_sums, mut bias_sums) = (partial(weight_wanted)?, partial(bias_wanted)?);
        let places = (
            x_wanted.then(|| whole_rows(&mut contribution, BLOCK * width)),
            weight_wanted.then(|| whole_rows(&mut weight_sums, width)),
            bias_wanted.then(|| whole_rows(&mut bias_sums, width)),
        );
        let (values, upstream) = (self.x.as_slice(), upstream.as_slice());
        for_each_part(
            places,
            blocks,
            3 * BLOCK * width,
            #[inline(always)]
            |range, places| {
                let mut normalized = vec![T::zero(); width];
                let mut weighted = vec![T::zero(); width];
                let (contribution, mut weight_sums, mut bias_sums) = places;
                let mut contributions = contribution.map(|part| rows_mut(part.values, width));
                let centred = self.means_above_first.is_some();
                let first = range.start * BLOCK;
                for index in first..row_count.min(range.end * BLOCK) {
                    let row = &values[index * width..][..width];
                    let upstream = &upstream[index * width..][..width];
                    let r = self.inverse_deviations.as_slice()[index];
                    self.normalize(row, index, r, &mut normalized);
                    let block = (index - first) / BLOCK * width;
                    if let Some(sums) = &mut weight_sums {
                        let sums = &mut sums.values[block..][..width];
                        for ((sum, &u), &n) in sums.iter_mut().zip(upstream).zip(&normalized) {
                            *sum += u * n;
                        }
                    }
                    if let Some(sums) = &mut bias_sums {
                        for (sum, &u) in sums.values[block..][..width].iter_mut().zip(upstream) {
                            *sum += u;
                        }
                    }
                    if let Some(out) = contributions.as_mut().and_then(Iterator::next) {
                        let weights = weight.as_slice();
                        for ((place, &u), &w) in weighted.iter_mut().zip(upstream).zip(weights) {
                            *place = u * w;
                        }
                        through_row(&weighted, &normalized, r, centred, out);
                    }
                }
            },
        );
        let total = |partial: &Tensor<T>| -> Result<Tensor<T>> {
            Projection::broadcast(&[width], partial.shape())?.reduce(partial)
        };
        Ok([
            x_wanted.then_some(contribution),
            weight_wanted.then(|| total(&weight_sums)).transpose()?,
            bias_wanted.then(|| total(&bias_sums)).transpose()?,
        ])
    }

    /// A row as the forward pass normalised it.
    #[inline(always)]
    fn normalize(&self, row: &[T], index: usize, r: T, out: &mut [T]) {
        let [first, mean] = match self.means_above_first {
            Some(means) => [row[0], means.as_slice()[index]],
            None => [T::zero(); 2],
        };
        for (place, &x) in out.iter_mut().zip(row) {
            *place = (x - first - mean) * r;
        }
    }
}

/// `out = r (g - mean g - n mean(g n))`, without `mean g` where the row was not centred.
#[inline(always)]
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
