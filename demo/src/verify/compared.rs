//! A fixture's numbers beside those of the tape and of the optimiser.

use std::io::Write;
use std::path::Path;

use autodiff_ops::prelude::*;

use super::tolerance::Tolerance;
use super::{Check, Fixture, FixtureError, Outcome, Reverse, Ways, difference, replay};
use crate::DemoError;
use crate::model::{Model, Parameters};
use crate::random::RandomStream;
use crate::train::Dtype;

/// What a fixture's numbers make the tape or the optimiser refuse is a fault of the fixture.
pub(super) fn refused(path: &Path, error: DemoError) -> DemoError {
    match error {
        DemoError::Autodiff(_) | DemoError::Tensor(_) | DemoError::Optim(_) => {
            let (path, source) = (path.to_owned(), Box::new(error));
            FixtureError::Refused { path, source }.into()
        }
        other => other,
    }
}

/// A pass and the runs of the optimiser beside a fixture.
pub(super) struct Compared {
    /// By parameter.
    errors: Vec<f64>,
    bound: f64,
    ways: Option<Ways>,
    checks: Vec<Check>,
}

impl Compared {
    /// In `dtype`; dual numbers and differences need `f64`.
    pub(super) fn of(
        fixture: &Fixture,
        dtype: Dtype,
        random: &mut RandomStream,
    ) -> Result<Self, DemoError> {
        match dtype {
            Dtype::F32 => Self::within::<f32>(fixture, dtype, None),
            Dtype::F64 => {
                let model = Model {
                    config: fixture.config.clone(),
                    parameters: fixture.parameters.clone(),
                };
                let ways = Ways::of(&model, &fixture.batch, random)?;
                Self::within::<f64>(fixture, dtype, Some(ways))
            }
        }
    }

    fn within<T: Element>(
        fixture: &Fixture,
        dtype: Dtype,
        ways: Option<Ways>,
    ) -> Result<Self, DemoError> {
        let tolerance = Tolerance::of(dtype);
        let bound = tolerance.numbers;
        let parameters = fixture
            .parameters
            .try_map(|value| Ok::<_, DemoError>(value.cast::<T>()))?;
        let model = Model {
            config: fixture.config.clone(),
            parameters,
        };
        let reverse = Reverse::of(&model, &fixture.batch)?;
        let gradients = reverse.gradients.values().iter();
        let errors = gradients.zip(fixture.gradients.values());
        let errors = errors
            .map(|(gradient, expected)| difference(gradient.as_slice(), expected.as_slice()))
            .collect();

        let check = |what: &str, error| Check {
            what: what.to_owned(),
            error,
            bound,
        };
        let logits = difference(reverse.logits.as_slice(), fixture.logits.as_slice());
        let mut checks = vec![
            check("logits", logits),
            check("loss", difference(&[reverse.loss], &[fixture.loss])),
        ];
        if let Some(expected) = fixture.gradient_norm {
            let error = difference(&[reverse.gradient_norm()], &[expected]);
            checks.push(check("gradient norm", error));
        }
        checks.extend(ways.iter().flat_map(|ways| ways.checks.iter().cloned()));
        if let Some(optimiser) = &fixture.optimiser {
            for numbers in &fixture.runs {
                checks.extend(replay::run::<T>(fixture, optimiser, numbers, &tolerance)?);
            }
        }
        Ok(Self {
            errors,
            bound,
            ways,
            checks,
        })
    }

    /// Writes a table by parameter and the other comparisons.
    pub(super) fn print(
        &self,
        out: &mut impl Write,
        parameters: &Parameters<Tensor>,
        outcome: &mut Outcome,
    ) -> Result<(), DemoError> {
        let against = (self.errors.as_slice(), self.bound);
        outcome.table(out, parameters, Some(against), self.ways.as_ref())?;
        outcome.checks(out, &self.checks)
    }
}
