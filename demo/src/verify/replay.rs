//! The optimiser runs of a fixture, taken again.

use autodiff_ops::prelude::*;

use super::fixture::{Fixture, Optimiser, RunNumbers, Summary};
use super::numbers::{Check, difference, worst_of};
use super::tolerance::Tolerance;
use crate::DemoError;
use crate::model::{Family, Parameters};
use crate::train::{Clip, StepReport, Trainer, Update};

/// Replays one run and compares losses, norms, clipping, parameters and moments.
pub(super) fn run<T: Element>(
    fixture: &Fixture,
    optimiser: &Optimiser,
    (title, prefix, numbers): &(&str, &str, RunNumbers),
    tolerance: &Tolerance,
) -> Result<Vec<Check>, DemoError> {
    let options = AdamWOptions {
        beta1: optimiser.beta1,
        beta2: optimiser.beta2,
        eps: optimiser.eps,
    };
    let decay = |name: &str, _: &[usize]| match fixture.decays.get(name) {
        Some(true) => optimiser.weight_decay,
        _ => 0.0,
    };
    let first = fixture
        .parameters
        .try_map(|value| Ok::<_, DemoError>(value.cast::<T>()))?;
    let config = fixture.config.clone();
    let mut trainer = Trainer::new(config, &first, options, decay)?;
    let update = Update {
        learning_rate: optimiser.lr,
        clip: numbers.max_norm.map(|max_norm| Clip {
            max_norm,
            eps: numbers.clip_eps.unwrap_or_default(),
        }),
    };
    let last = numbers.losses.len().saturating_sub(1);
    let check = |what: &str, error, bound| Check {
        what: format!("{title}: {what}"),
        error,
        bound,
    };
    let (mut reports, mut checks) = (Vec::new(), Vec::new());
    for step in 1..=last {
        reports.push(trainer.step(&fixture.batch, update)?);
        if let Some(error) = parameter_error(fixture, numbers, prefix, step, &trainer) {
            let what = format!("parameters after step {step}");
            checks.push(check(&what, error, tolerance.parameters));
        }
        for (moment, values) in [
            ("adam_m", trainer.state().first_moments),
            ("adam_v", trainer.state().second_moments),
        ] {
            let prefix = format!("{prefix}{moment}.step{step}.");
            if let Some(error) = tensor_error(fixture, &prefix, &values) {
                let what = format!("{moment} after step {step}");
                checks.push(check(&what, error, tolerance.parameters));
            }
        }
    }
    let after_the_last = trainer.measure(&fixture.batch, update)?;
    reports.push(after_the_last);
    let column = |of: fn(&StepReport) -> f64| reports.iter().map(of).collect::<Vec<f64>>();
    let losses = difference(&column(|report| report.loss), &numbers.losses);
    checks.insert(
        0,
        check(
            &format!("losses of {last} steps"),
            losses,
            tolerance.numbers,
        ),
    );
    if !numbers.grad_norms.is_empty() {
        let error = difference(&column(|report| report.gradient_norm), &numbers.grad_norms);
        checks.push(check("gradient norms", error, tolerance.numbers));
    }
    if let Some(expected) = &numbers.coefs {
        let mut coefficients = column(|report| report.clip_coefficient);
        coefficients.truncate(last);
        let error = difference(&coefficients, expected);
        checks.push(check("clip coefficients", error, tolerance.numbers));
    }
    Ok(checks)
}

/// Against whole tensors where the fixture has them, otherwise against its summaries.
fn parameter_error<T: Element>(
    fixture: &Fixture,
    numbers: &RunNumbers,
    prefix: &str,
    step: usize,
    trainer: &Trainer<T>,
) -> Option<f64> {
    let parameters = trainer.model.parameters.snapshot();
    let whole = tensor_error(fixture, &format!("{prefix}step{step}."), &parameters);
    let summaries = numbers.snapshots.get(&step).map(|summaries| {
        let of_summary = |summary| summary_error(fixture, summary, &parameters);
        summaries.iter().map(of_summary).fold(0.0, worst_of)
    });
    match (whole, summaries) {
        (Some(whole), Some(summaries)) => Some(worst_of(whole, summaries)),
        (whole, summaries) => whole.or(summaries),
    }
}

fn tensor_error<T: Element>(
    fixture: &Fixture,
    prefix: &str,
    values: &Parameters<Tensor<T>>,
) -> Option<f64> {
    let is_there = fixture.tensors.keys().any(|name| name.starts_with(prefix));
    is_there.then(|| {
        let error_of = |(name, value): (&str, &Tensor<T>)| {
            let expected = fixture.tensors.get(&format!("{prefix}{name}"));
            expected.map_or(f64::INFINITY, |expected| {
                compared(fixture, name, value.as_slice(), expected)
            })
        };
        values.iter().map(error_of).fold(0.0, worst_of)
    })
}

fn summary_error<T: Element>(
    fixture: &Fixture,
    summary: &Summary,
    parameters: &Parameters<Tensor<T>>,
) -> f64 {
    let Ok(value) = parameters.named(&summary.name) else {
        return f64::INFINITY;
    };
    if !ignored(fixture, &summary.name, T::NAME).is_empty() {
        return 0.0;
    }
    let values: Vec<f64> = value.as_slice().iter().map(|x| x.to_f64()).collect();
    let squares: Vec<f64> = values.iter().map(|x| x * x).collect();
    let ends = [values.first(), values.last()].map(|end| end.copied().unwrap_or(f64::NAN));
    // A sum may be off by the error of every term.
    let terms = values.len().max(1) as f64;
    let sums = [f64::sum_slice(&values), f64::sum_slice(&squares)].map(|sum| sum / terms);
    worst_of(
        difference(&ends, &[summary.first, summary.last]),
        difference(&sums, &[summary.sum / terms, summary.sum_sq / terms]),
    )
}

fn compared<T: Element>(fixture: &Fixture, name: &str, actual: &[T], expected: &[f64]) -> f64 {
    let ignored = ignored(fixture, name, T::NAME);
    let (mut actual, mut expected) = (actual.to_vec(), expected.to_vec());
    for index in ignored {
        if let (Some(actual), Some(expected)) = (actual.get_mut(index), expected.get_mut(index)) {
            (*actual, *expected) = (T::zero(), 0.0);
        }
    }
    difference(&actual, &expected)
}

/// The places of a parameter that `f32` cannot follow: the keys' biases shift every score of a query
/// alike, so their gradient is rounding alone, and AdamW turns rounding into steps of full length.
fn ignored(fixture: &Fixture, name: &str, element: &str) -> std::ops::Range<usize> {
    let is_noise = fixture.config.family == Family::Gpt
        && element == f32::NAME
        && name.ends_with("attn.c_attn.bias");
    match is_noise {
        true => fixture.config.width..2 * fixture.config.width,
        false => 0..0,
    }
}
