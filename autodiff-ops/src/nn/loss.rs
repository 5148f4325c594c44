//! Mean token loss.

use autodiff_core::prelude::*;

use autodiff_core::tensor::for_each_part;

use super::rows::{
    each_row, exp_from, exp_from_peak, peak, rows_and_width, rows_mut, scale, sum_without,
};

/// Why a loss was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CrossEntropyError {
    /// Targets have the shape of the logits without the last axis.
    #[error(
        "expected targets of the shape of logits {logits:?} without its last axis, got {targets:?}"
    )]
    TargetShape {
        /// The shape of the logits.
        logits: Vec<usize>,
        /// The shape of the targets.
        targets: Vec<usize>,
    },
    /// A target that is no class.
    #[error("expected a class below {classes} at target {position}, got {class}")]
    ClassOutOfRange {
        /// The flat index of the target.
        position: usize,
        /// The target.
        class: usize,
        /// The number of classes.
        classes: usize,
    },
    /// The mean over no target is undefined.
    #[error("expected at least one target that counts, got {targets}, all of them ignored")]
    NothingCounts {
        /// The number of targets.
        targets: usize,
    },
}

/// Mean negative log-probability of the target classes: `y = (1/n) Σ (ln Σ exp(logits) - logits[target])`
/// over the `n` targets that are not `ignore_index`.
///
/// Stable for logits of any finite size: what is summed is `exp(logits - max logits)`.
///
/// # Shapes
/// `logits: [.., C], targets: [..] -> y: []`
/// # Errors
/// [`CrossEntropyError`] where the shapes differ, where a target that counts is no class, and where no
/// target counts.
/// # VJP
/// `logits̄ = ȳ (softmax(logits) - onehot(target)) / n`, and 0 for ignored targets. Source: chain rule.
#[vjp_rule]
#[gradcheck(logits: [b + 2, c + 2], targets: [b + 2] in 0..c + 2, ignore_index = None | Some(0))]
#[gradcheck(logits: [2, t + 1, c + 2] in -20.0..20.0, targets: [2, t + 1] in 0..c + 2, ignore_index = None | Some(1))]
#[gradcheck(logits: [c + 1], targets: [] in 0..c + 1, ignore_index = None)]
#[gradcheck(logits: [2, 150], targets: [2] in 0..150, ignore_index = None)]
pub fn cross_entropy<T: Element>(
    logits: &Tensor<T>,
    #[constant] targets: &Tensor<usize>,
    ignore_index: Option<usize>,
) -> Result<Tensor<T>> {
    /// upstream over the count, times the probabilities less one at the target
    #[vjp(logits)]
    fn logits_vjp(
        upstream: &Tensor<T>,
        logits: &Tensor<T>,
        targets: &Tensor<usize>,
        ignore_index: Option<usize>,
        peaks: &Tensor<T>,
        totals: &Tensor<T>,
        count: usize,
    ) -> Result<Tensor<T>> {
        let share = upstream.item()? / T::from_f64(count as f64);
        let classes = logits.shape().last().copied().unwrap_or_default();
        let shape = logits.shape();
        let (logits, targets) = (logits.as_slice(), targets.as_slice());
        let (peaks, totals) = (peaks.as_slice(), totals.as_slice());
        Tensor::by_rows(
            shape,
            classes,
            2,
            (),
            #[inline(always)]
            |range, out, ()| {
                for (index, out) in range.zip(rows_mut(out, classes)) {
                    let target = targets[index];
                    if Some(target) == ignore_index {
                        out.fill(T::zero());
                        continue;
                    }
                    let row = &logits[index * classes..][..classes];
                    exp_from(row, peaks[index], out);
                    // One less the probability of the target is the sum of the others, which loses no digits.
                    let others = sum_without(target, out);
                    if let Some(place) = out.get_mut(target) {
                        *place = -others;
                    }
                    scale(out, share / totals[index]);
                }
                Ok::<(), OpError>(())
            },
        )
    }
    let classes = check(logits.shape(), targets, ignore_index)?;
    let mut totals = Tensor::ones(targets.shape())?;
    let mut peaks = Tensor::zeros(targets.shape())?;
    let mut losses = Tensor::zeros(targets.shape())?;
    let places = (
        each_row(&mut totals),
        each_row(&mut peaks),
        each_row(&mut losses),
    );
    let (values, classed) = (logits.as_slice(), targets.as_slice());
    for_each_part(
        places,
        classed.len(),
        classes,
        #[inline(always)]
        |range, (totals, peaks, losses)| {
            let mut exponentials = vec![T::zero(); classes];
            let places = totals
                .values
                .iter_mut()
                .zip(peaks.values)
                .zip(losses.values);
            for (index, ((total, shift), loss)) in range.zip(places) {
                let target = classed[index];
                if Some(target) == ignore_index {
                    continue;
                }
                let row = &values[index * classes..][..classes];
                let peak = peak(row);
                let rest = exp_from_peak(row, peak, &mut exponentials);
                (*total, *shift) = (T::one() + rest, row[peak]);
                *loss = rest.ln_1p() - (row[target] - row[peak]);
            }
        },
    );
    let count = match ignore_index {
        None => targets.len(),
        Some(ignored) => classed.iter().filter(|&&target| target != ignored).count(),
    };
    Ok(Tensor::scalar(
        T::sum_slice(losses.as_slice()) / T::from_f64(count as f64),
    ))
}

/// The number of classes, once shapes and targets are found right.
fn check(
    logits: &[usize],
    targets: &Tensor<usize>,
    ignore_index: Option<usize>,
) -> Result<usize, OpError> {
    let classes = match rows_and_width(logits) {
        Some((rows, classes)) if rows == targets.shape() => classes,
        _ => {
            return Err(OpError::new(CrossEntropyError::TargetShape {
                logits: logits.to_vec(),
                targets: targets.shape().to_vec(),
            }));
        }
    };
    let counted = |target: usize| Some(target) != ignore_index;
    let mut counts = false;
    for (position, &class) in targets.as_slice().iter().enumerate() {
        if !counted(class) {
            continue;
        }
        if class >= classes {
            return Err(OpError::new(CrossEntropyError::ClassOutOfRange {
                position,
                class,
                classes,
            }));
        }
        counts = true;
    }
    if !counts {
        return Err(OpError::new(CrossEntropyError::NothingCounts {
            targets: targets.len(),
        }));
    }
    Ok(classes)
}

#[cfg(test)]
mod tests;
