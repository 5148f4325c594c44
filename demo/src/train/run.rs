//! A run from its beginning, or from its checkpoint, to its end or to an interruption.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use autodiff_ops::prelude::*;

use super::checkpoint::{self, Action, Record, replace};
use super::data::Batch;
use super::metrics::{self, Metrics, Row};
use super::options::TrainOptions;
use super::precision::Precision;
use super::progress::Progress;
use super::report;
use super::settings::{Dtype, SettingsError};
use super::start::{Start, fingerprint};
use super::step::{Clip, Trainer, Update};
use crate::DemoError;
use crate::model::{Model, Step};
use crate::output::Output;
use crate::random::RandomStream;
use crate::sample::{Sampling, continuation};

/// Trains until the last step or until `interrupted` is set; then the step is finished and saved.
///
/// # Errors
/// [`DemoError`]: bad input before anything is written; a checkpoint, once written, stays whole.
pub fn run(
    out: &mut impl Write,
    options: &TrainOptions,
    interrupted: &AtomicBool,
) -> Result<(), DemoError> {
    for (setting, count) in [
        ("save-every", options.save_every),
        ("threads", usize::from(options.threads)),
    ] {
        if count == 0 {
            return Err(SettingsError::Zero { setting }.into());
        }
    }
    let start = match (&options.out, options.resume) {
        (Some(folder), true) => Start::resumed(folder, options)?,
        (folder, _) => Start::new(folder.as_deref(), options)?,
    };
    match start.settings.dtype {
        Dtype::F32 => train::<f32>(out, start, options, interrupted),
        Dtype::F64 => train::<f64>(out, start, options, interrupted),
    }
}

fn train<T: Precision>(
    out: &mut impl Write,
    start: Start,
    options: &TrainOptions,
    interrupted: &AtomicBool,
) -> Result<(), DemoError> {
    start.model.check_step(&Step {
        batch: start.settings.batch,
        element_bytes: size_of::<T>(),
        layers: options.layers_kept(),
    })?;
    let (trainer, batches) = start.begin::<T>()?;
    let mut run = Run {
        schedule: start.schedule()?,
        start,
        trainer: trainer.layers(options.layers_kept()),
        batches,
    };
    let threads = Threads::new(usize::from(options.threads))?;
    let folder = options.out.as_deref();
    let mut metrics = match folder {
        Some(folder) => {
            fs::create_dir_all(folder)
                .map_err(checkpoint::io_error(Action::CreateFolder, folder))?;
            for name in [checkpoint::FILE_NAME, metrics::FILE_NAME, report::FILE_NAME] {
                Output::reserve_within(folder, name)?;
            }
            if run.start.stored.is_none() {
                // First of all, so that there is something to resume from the beginning on.
                run.save(folder)?;
            }
            let metrics = Metrics::open(folder, run.trainer.steps())?;
            Some((folder, metrics))
        }
        None => None,
    };
    // After everything that can be refused.
    run.introduce(out)?;
    let steps = run.start.settings.steps;
    let mut progress = Progress::new(run.trainer.steps(), steps);
    let mut saved = run.trainer.steps();
    while run.trainer.steps() < steps {
        let row = threads.run(|| run.step())?;
        let stop = interrupted.load(Ordering::Relaxed) || options.stop_at == Some(row.step);
        progress.show(out, &row)?;
        if let Some((folder, metrics)) = &mut metrics {
            metrics.append(&row)?;
            if stop || row.step == steps || row.step.is_multiple_of(options.save_every) {
                // A checkpoint must not be there without the rows before it.
                metrics.flush()?;
                run.save(folder)?;
                saved = row.step;
                run.report(folder, metrics.rows())?;
            }
        }
        if stop {
            break;
        }
    }
    progress.finish();
    run.conclude(out, folder, saved)
}

/// A run that goes on.
struct Run<T: Precision> {
    start: Start,
    trainer: Trainer<T>,
    batches: RandomStream,
    schedule: WarmupCosine,
}

/// What a sample continues where the text has these characters.
const PROMPT: &str = "The ";

/// What keeps the clipped norm below the limit in spite of rounding, as in PyTorch.
const CLIP_EPS: f64 = 1e-6;

impl<T: Precision> Run<T> {
    fn step(&mut self) -> Result<Row, DemoError> {
        let started = Instant::now();
        let settings = &self.start.settings;
        let update = Update {
            learning_rate: self.schedule.rate(self.trainer.steps()),
            clip: Some(Clip {
                max_norm: settings.clip,
                eps: CLIP_EPS,
            }),
        };
        let batch = self.start.batch(&mut self.batches)?;
        let report = self.trainer.step(&batch, update)?;
        let tokens_per_second = batch.tokens.len() as f64 / started.elapsed().as_secs_f64();
        let step = self.trainer.steps();
        let validates = step == settings.steps || step.is_multiple_of(settings.validate_every);
        Ok(Row {
            step,
            loss: report.loss,
            validation_loss: match validates {
                true => Some(self.validation_loss()?),
                false => None,
            },
            learning_rate: update.learning_rate,
            gradient_norm: report.gradient_norm,
            tokens_per_second,
        })
    }

    /// The mean over every token of the validation part but the first, off the tape.
    fn validation_loss(&self) -> Result<f64, DemoError> {
        let model = self.plain_model();
        let (mut total, mut count) = (0.0, 0);
        for batch in Batch::pass(&self.start.split.validation, self.start.sizes()) {
            let batch = batch?;
            let predicted = batch.targets.len();
            let loss = model.loss(&batch.tokens, &batch.targets)?;
            total += loss.item()?.to_f64() * predicted as f64;
            count += predicted;
        }
        Ok(total / count as f64)
    }

    fn plain_model(&self) -> Model<Tensor<T>> {
        let model = &self.trainer.model;
        model.with(model.parameters.snapshot())
    }

    fn save(&self, folder: &Path) -> Result<(), DemoError> {
        let corpus = self.start.corpus.path.as_ref();
        let record = Record {
            version: Record::VERSION,
            step: self.trainer.steps(),
            model: self.start.model.clone(),
            settings: self.start.settings.clone(),
            vocabulary: self.start.tokenizer.vocabulary().iter().collect(),
            // Absolute, so that the run can be continued from anywhere.
            corpus: corpus.map(|path| path.canonicalize().unwrap_or_else(|_| path.clone())),
            fingerprint: fingerprint(&self.start.corpus),
            batches: self.batches.state(),
        };
        Ok(checkpoint::save(folder, &record, &self.trainer.state())?)
    }

    /// Writes the page of the run so far.
    fn report(&self, folder: &Path, rows: &[Row]) -> Result<(), DemoError> {
        let (model, settings) = (&self.start.model, &self.start.settings);
        let facts = [
            ("layers", model.layers.to_string()),
            ("heads", model.heads.to_string()),
            ("width", model.width.to_string()),
            ("block", model.block.to_string()),
            ("batch", settings.batch.to_string()),
            ("steps", settings.steps.to_string()),
            ("element type", settings.dtype.to_string()),
            ("seed", settings.seed.to_string()),
        ];
        let title = format!("Training a {} model", model.family);
        let page = report::training_page(&title, &facts, rows)?;
        let (unfinished, name) = (report::UNFINISHED_NAME, report::FILE_NAME);
        Ok(replace(folder, unfinished, name, page.as_bytes())?)
    }

    fn introduce(&self, out: &mut impl Write) -> Result<(), DemoError> {
        let (model, settings) = (&self.start.model, &self.start.settings);
        let parameters: usize = self
            .trainer
            .model
            .parameters
            .values()
            .iter()
            .map(|value| value.value().len())
            .sum();
        let [training, validation] =
            [&self.start.split.training, &self.start.split.validation].map(Vec::len);
        writeln!(
            out,
            "{}: {} layers, {} heads, width {}, block {}, {parameters} parameters in {}",
            model.family, model.layers, model.heads, model.width, model.block, settings.dtype
        )?;
        writeln!(
            out,
            "text: {training} characters to learn from, {validation} to validate with, {} different",
            model.vocabulary
        )?;
        if self.start.stored.is_some() {
            writeln!(out, "continuing after step {}", self.trainer.steps())?;
        }
        Ok(out.flush()?)
    }

    /// What the closing sample continues: `The `, or how a text begins that has other characters.
    fn prompt(&self) -> &str {
        let Start {
            tokenizer, corpus, ..
        } = &self.start;
        if tokenizer.encode(PROMPT).all(|token| token.is_some()) {
            return PROMPT;
        }
        let end = corpus.text.char_indices().nth(PROMPT.len());
        end.map_or(&corpus.text, |(end, _)| &corpus.text[..end])
    }

    fn conclude(
        &self,
        out: &mut impl Write,
        folder: Option<&Path>,
        saved: usize,
    ) -> Result<(), DemoError> {
        let finished = self.trainer.steps() == self.start.settings.steps;
        match folder {
            Some(folder) => {
                let folder = folder.display();
                writeln!(out, "saved after step {saved} in {folder}")?;
                if finished {
                    writeln!(out, "next: demo sample --checkpoint {folder}")?;
                } else {
                    writeln!(out, "next: demo train --resume --out {folder}")?;
                }
            }
            None if finished => {
                let sampling = Sampling {
                    tokens: 200,
                    ..Sampling::default()
                };
                writeln!(out, "\na sample:\n")?;
                continuation(
                    out,
                    &self.plain_model(),
                    &self.start.tokenizer,
                    self.prompt(),
                    &sampling,
                )?;
                writeln!(out, "\n\nnext: demo train --corpus FILE --out DIR")?;
            }
            None => writeln!(
                out,
                "stopped after step {}, nothing saved",
                self.trainer.steps()
            )?,
        }
        Ok(())
    }
}
