//! The gradient of a whole model, checked in three independent ways.
//!
//! The reverse pass is compared with the reference numbers of a fixture, with the forward pass on dual
//! numbers, and with central differences of the plain forward pass.

mod adjoint;
mod compared;
mod differences;
mod fixture;
mod numbers;
mod replay;
mod tolerance;

use std::io::Write;
use std::path::PathBuf;

use autodiff_ops::prelude::*;
use clap::Args;

pub use fixture::{Fixture, FixtureError};
pub use numbers::{Check, difference, worst_of};

use self::compared::{Compared, refused};
use self::tolerance::{ADJOINT, DIFFERENCES};
use crate::DemoError;
use crate::model::{Family, Model, ModelConfig, Parameters};
use crate::random::{Purpose, RandomStream};
use crate::table::Table;
use crate::train::data::Batch;
use crate::train::{Dtype, initial_parameters};

/// What to verify.
#[derive(Args, Clone, Debug)]
pub struct VerifyOptions {
    /// Reference numbers to compare with; a small model of each family if left out
    #[arg(long, value_name = "JSON")]
    pub fixture: Option<PathBuf>,
    /// Type to run the fixture in; dual numbers and differences need f64
    #[arg(long, value_enum, default_value_t = Dtype::F64)]
    pub dtype: Dtype,
    /// Decides directions and coordinates, and the small models
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
}

/// Verifies, and writes a table by parameter and a line for every other comparison.
///
/// # Errors
/// [`DemoError::Verification`] where anything disagrees; [`DemoError::Fixture`].
pub fn run(out: &mut impl Write, options: &VerifyOptions) -> Result<(), DemoError> {
    let mut random = RandomStream::new(options.seed, Purpose::Verification);
    let mut outcome = Outcome::default();
    match &options.fixture {
        Some(path) => {
            let fixture = Fixture::read(path)?;
            let compared = Compared::of(&fixture, options.dtype, &mut random);
            let compared = compared.map_err(|error| refused(path, error))?;
            writeln!(out, "{} in {}", path.display(), options.dtype)?;
            compared.print(out, &fixture.parameters, &mut outcome)?;
        }
        None => {
            for family in [Family::Gpt, Family::Llama] {
                let (model, batch) = small_model(family, options.seed, &mut random)?;
                writeln!(out, "a small {family} model, seed {}", options.seed)?;
                let ways = Ways::of(&model, &batch, &mut random)?;
                outcome.table(out, &model.parameters, None, Some(&ways))?;
                outcome.checks(out, &ways.checks)?;
            }
        }
    }
    let (failed, total) = (outcome.failed, outcome.total);
    if failed > 0 {
        // What failed is to be read there, whatever becomes of a failing program's output.
        out.flush()?;
        return Err(DemoError::Verification { failed, total });
    }
    writeln!(out, "all {total} comparisons hold")?;
    Ok(())
}

/// The ways that need no reference numbers, by parameter, and what they say of the whole.
struct Ways {
    adjoint: Vec<f64>,
    differences: Vec<f64>,
    checks: Vec<Check>,
}

impl Ways {
    fn of(
        model: &Model<Tensor>,
        batch: &Batch,
        random: &mut RandomStream,
    ) -> Result<Self, DemoError> {
        let reverse = Reverse::of(model, batch)?;
        let plain = model.logits(&batch.tokens)?;
        let differs = f64::from(u8::from(!plain.bit_eq(&reverse.logits)));
        Ok(Self {
            adjoint: adjoint::of_loss(model, batch, &reverse.gradients, random)?,
            differences: differences::of_loss(model, batch, &reverse.gradients, random)?,
            checks: vec![
                Check {
                    what: "adjoint identity of the logits".to_owned(),
                    error: adjoint::of_logits(model, batch, random)?,
                    bound: ADJOINT,
                },
                Check {
                    what: "logits off the tape, bits that differ".to_owned(),
                    error: differs,
                    bound: 0.0,
                },
            ],
        })
    }
}

/// What a pass over the tape gives.
struct Reverse<T> {
    logits: Tensor<T>,
    loss: T,
    gradients: Parameters<Tensor<T>>,
}

impl<T: Element> Reverse<T> {
    fn of(model: &Model<Tensor<T>>, batch: &Batch) -> Result<Self, DemoError> {
        let taped = model.taped()?;
        let logits = taped.logits(&batch.tokens)?;
        let loss = logits.cross_entropy(&batch.targets, None)?;
        loss.backward()?;
        let gradients = taped.parameters.try_map(|value| {
            value
                .gradient_snapshot()
                .ok_or_else(|| TensorAutodiffError::NotAParameter {
                    operation: value.operation(),
                })
        })?;
        Ok(Self {
            logits: logits.value_snapshot(),
            loss: loss.value().item()?,
            gradients,
        })
    }

    /// Of all gradients together.
    fn gradient_norm(&self) -> f64 {
        let gradients = self.gradients.values().iter();
        let squares = gradients.flat_map(|gradient| gradient.as_slice().iter().map(|x| x.to_f64()));
        let squares: Vec<f64> = squares.map(|x| x * x).collect();
        f64::sum_slice(&squares).sqrt()
    }
}

/// A model with every parameter away from the points where its gradient would be zero or symmetric.
fn small_model(
    family: Family,
    seed: u64,
    random: &mut RandomStream,
) -> Result<(Model<Tensor>, Batch), DemoError> {
    const VOCABULARY: usize = 11;
    // Large enough that attention and gates are far from linear.
    const SPREAD: f64 = 0.3;
    let config = ModelConfig {
        vocabulary: VOCABULARY,
        ..ModelConfig::usual(family, [2, 2, 8, 6])
    };
    let parameters = initial_parameters::<f64>(&config, seed)?;
    let parameters = parameters.try_map(|value| {
        let noise = Tensor::from_fn(value.shape(), |_| SPREAD * random.normal())?;
        value.zip_map(&noise, |x, noise| x + noise)
    })?;
    let text: Vec<usize> = (0..64).map(|_| random.below(VOCABULARY)).collect();
    let batch = Batch::draw(&text, [2, config.block], random)?;
    Ok((Model { config, parameters }, batch))
}

/// How many comparisons there were, and how many failed.
#[derive(Clone, Copy, Debug, Default)]
struct Outcome {
    total: usize,
    failed: usize,
}

impl Outcome {
    fn count(&mut self, holds: bool) -> &'static str {
        self.total += 1;
        self.failed += usize::from(!holds);
        if holds { "ok" } else { "FAILED" }
    }

    fn table(
        &mut self,
        out: &mut impl Write,
        parameters: &Parameters<Tensor>,
        fixture: Option<(&[f64], f64)>,
        ways: Option<&Ways>,
    ) -> Result<(), DemoError> {
        let bound = |name: &str, bound: f64| format!("{name} <= {bound:e}");
        let mut columns: Vec<(String, &[f64], f64)> = Vec::new();
        if let Some((errors, limit)) = fixture {
            columns.push((bound("fixture", limit), errors, limit));
        }
        if let Some(ways) = ways {
            columns.push((bound("adjoint", ADJOINT), &ways.adjoint, ADJOINT));
            columns.push((
                bound("differences", DIFFERENCES),
                &ways.differences,
                DIFFERENCES,
            ));
        }
        let mut header = vec!["parameter".to_owned(), "shape".to_owned()];
        header.extend(columns.iter().map(|(title, ..)| title.clone()));
        header.push("verdict".to_owned());
        let mut table = Table::of_columns(header);
        for (place, (name, value)) in parameters.iter().enumerate() {
            let mut cells = vec![name.to_owned(), format!("{:?}", value.shape())];
            let mut holds = true;
            for (_, errors, limit) in &columns {
                let error = errors.get(place).copied().unwrap_or(f64::INFINITY);
                holds &= error <= *limit;
                cells.push(format!("{error:.1e}"));
            }
            cells.push(self.count(holds).to_owned());
            table.push(cells);
        }
        writeln!(out)?;
        table.print(out)?;
        writeln!(out)?;
        Ok(())
    }

    fn checks(&mut self, out: &mut impl Write, checks: &[Check]) -> Result<(), DemoError> {
        let mut table = Table::new(["comparison", "error", "bound", "verdict"]);
        for check in checks {
            table.row([
                check.what.clone(),
                format!("{:.1e}", check.error),
                format!("{:e}", check.bound),
                self.count(check.holds()).to_owned(),
            ]);
        }
        table.print(out)?;
        writeln!(out)?;
        Ok(())
    }
}
