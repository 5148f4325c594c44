//! A run from its beginning, or from its checkpoint, to its end or to an interruption.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use autodiff_ops::prelude::*;

use super::checkpoint::{self, CheckpointError, Record, Stored};
use super::data::Batch;
use super::metrics::{Metrics, Row};
use super::options::TrainOptions;
use super::precision::Precision;
use super::progress::Progress;
use super::settings::{Dtype, Settings};
use super::step::{Clip, Trainer, Update};
use crate::DemoError;
use crate::corpus::{Corpus, Split};
use crate::model::{Model, ModelConfig, ParameterSpec, Parameters};
use crate::random::{Purpose, RandomStream};
use crate::sample::{Sampling, continuation};
use crate::tokenizer::Tokenizer;

/// Trains until the last step or until `interrupted` is set; then the step is finished and saved.
///
/// # Errors
/// [`DemoError`]: bad input before anything is written; a checkpoint, once written, stays whole.
pub fn run(
    out: &mut impl Write,
    options: &TrainOptions,
    interrupted: &AtomicBool,
) -> Result<(), DemoError> {
    if options.save_every == 0 {
        return Err(super::SettingsError::Zero {
            setting: "save-every",
        }
        .into());
    }
    let start = match (&options.out, options.resume) {
        (Some(folder), true) => Start::resumed(folder, options)?,
        (folder, _) => Start::new(folder.as_deref(), options)?,
    };
    match start.settings().dtype {
        Dtype::F32 => start.train::<f32>(out, options, interrupted),
        Dtype::F64 => start.train::<f64>(out, options, interrupted),
    }
}

/// A run about to begin or to continue: everything has been checked, nothing written.
struct Start {
    model: ModelConfig,
    settings: Settings,
    tokenizer: Tokenizer,
    corpus: Corpus,
    split: Split,
    stored: Option<Stored>,
}

impl Start {
    fn new(folder: Option<&Path>, options: &TrainOptions) -> Result<Self, DemoError> {
        if let Some(folder) = folder
            && folder.join(checkpoint::FILE_NAME).exists()
        {
            return Err(CheckpointError::Exists {
                folder: folder.to_owned(),
            }
            .into());
        }
        let corpus = match &options.corpus {
            Some(path) => Corpus::read(path)?,
            None => Corpus::carried(),
        };
        let tokenizer = Tokenizer::of(&corpus.text);
        let (model, settings) = options.new_run(&corpus, tokenizer.vocabulary().len())?;
        Ok(Self {
            split: corpus.split(&tokenizer, model.block)?,
            model,
            settings,
            tokenizer,
            corpus,
            stored: None,
        })
    }

    fn resumed(folder: &Path, options: &TrainOptions) -> Result<Self, DemoError> {
        let stored = Stored::read(folder)?;
        let record = &stored.record;
        options.check_against(record)?;
        let corpus = match options.corpus.as_ref().or(record.corpus.as_ref()) {
            Some(path) => Corpus::read(path)?,
            None => Corpus::carried(),
        };
        if fingerprint(&corpus) != record.fingerprint {
            return Err(DemoError::OtherCorpus);
        }
        let tokenizer = Tokenizer::from_vocabulary(record.vocabulary.chars());
        Ok(Self {
            split: corpus.split(&tokenizer, record.model.block)?,
            model: record.model.clone(),
            settings: record.settings.clone(),
            tokenizer,
            corpus,
            stored: Some(stored),
        })
    }

    fn settings(&self) -> &Settings {
        &self.settings
    }

    fn train<T: Precision>(
        self,
        out: &mut impl Write,
        options: &TrainOptions,
        interrupted: &AtomicBool,
    ) -> Result<(), DemoError> {
        let mut run = self.begin::<T>()?;
        run.introduce(out)?;
        let folder = options.out.as_deref();
        let mut metrics = match folder {
            Some(folder) => {
                fs::create_dir_all(folder)
                    .map_err(checkpoint::io_error("create the folder", folder))?;
                let metrics = Metrics::open(folder, run.trainer.steps())?;
                // From here on there is something to resume.
                run.save(folder, &metrics)?;
                Some((folder, metrics))
            }
            None => None,
        };
        let steps = run.start.settings.steps;
        let mut progress = Progress::new(run.trainer.steps(), steps);
        let mut saved = run.trainer.steps();
        while run.trainer.steps() < steps {
            let row = run.step()?;
            let stop = interrupted.load(Ordering::Relaxed) || options.stop_at == Some(row.step);
            progress.show(out, &row)?;
            if let Some((folder, metrics)) = &mut metrics {
                metrics.append(&row)?;
                if stop || row.step == steps || row.step.is_multiple_of(options.save_every) {
                    run.save(folder, metrics)?;
                    saved = row.step;
                }
            }
            if stop {
                break;
            }
        }
        progress.finish();
        run.conclude(out, folder, saved)
    }

    fn begin<T: Precision>(self) -> Result<Run<T>, DemoError> {
        let options = AdamWOptions {
            beta1: self.settings.beta1,
            beta2: self.settings.beta2,
            eps: self.settings.eps,
        };
        let decay = decay_matrices(self.settings.decay);
        let (trainer, batches) = match &self.stored {
            Some(stored) => {
                let record = &stored.record;
                let batches =
                    RandomStream::restored(&record.batches).ok_or(DemoError::RandomState)?;
                let model = self.model.clone();
                (
                    Trainer::restored(model, stored.state::<T>()?, options, decay, record.step)?,
                    batches,
                )
            }
            None => {
                let first = initial_parameters(&self.model, self.settings.seed)?;
                let batches = RandomStream::new(self.settings.seed, Purpose::Batches);
                (
                    Trainer::new(self.model.clone(), &first, options, decay)?,
                    batches,
                )
            }
        };
        let schedule = WarmupCosine::new(
            self.settings.learning_rate,
            self.settings.least_learning_rate,
            self.settings.warmup,
            self.settings.steps,
        )?;
        Ok(Run {
            schedule,
            start: self,
            trainer,
            batches,
        })
    }
}

/// The first parameters of a seed.
pub(crate) fn initial_parameters<T: Element>(
    config: &ModelConfig,
    seed: u64,
) -> Result<Parameters<Tensor<T>>, DemoError> {
    let mut random = RandomStream::new(seed, Purpose::Initialisation);
    let draw = |spec: ParameterSpec| Ok((spec.name.clone(), spec.draw(&mut random)?));
    config.parameters().into_iter().map(draw).collect()
}

fn fingerprint(corpus: &Corpus) -> String {
    format!("{:016x}", corpus.fingerprint())
}

/// A run that goes on.
struct Run<T: Precision> {
    start: Start,
    trainer: Trainer<T>,
    batches: RandomStream,
    schedule: WarmupCosine,
}

/// What keeps the clipped norm below the limit in spite of rounding, as in PyTorch.
const CLIP_EPS: f64 = 1e-6;

impl<T: Precision> Run<T> {
    fn sizes(&self) -> [usize; 2] {
        [self.start.settings.batch, self.start.model.block]
    }

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
        let batch = Batch::draw(&self.start.split.training, self.sizes(), &mut self.batches)?;
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
        for batch in Batch::pass(&self.start.split.validation, self.sizes()) {
            let batch = batch?;
            let predicted = batch.targets.len();
            let loss = model.loss(&batch.tokens, &batch.targets)?;
            total += loss.item()?.to_f64() * predicted as f64;
            count += predicted;
        }
        Ok(total / count as f64)
    }

    fn plain_model(&self) -> Model<Tensor<T>> {
        Model {
            config: self.start.model.clone(),
            parameters: self.trainer.model.parameters.snapshot(),
        }
    }

    fn save(&self, folder: &Path, metrics: &Metrics) -> Result<(), DemoError> {
        metrics.flush()?;
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
                    writeln!(
                        out,
                        "next: demo sample --checkpoint {folder} --prompt \"The \""
                    )?;
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
                    "The ",
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
