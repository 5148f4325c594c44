//! What the command line says about a run, and the run that follows from it.

use std::path::PathBuf;

use clap::Args;

use super::checkpoint::Record;
use super::settings::{Dtype, Settings};
use crate::DemoError;
use crate::corpus::Corpus;
use crate::model::{Family, Layers, ModelConfig};

/// How to train. What is left out has the value of the recorded run, or the usual one.
#[derive(Args, Clone, Debug, Default)]
pub struct TrainOptions {
    /// Text to learn from, in UTF-8; the project's own documentation if left out
    #[arg(long, value_name = "FILE")]
    pub corpus: Option<PathBuf>,
    /// Folder for the checkpoint and metrics.csv; nothing is written if left out
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Continue the run in --out, bit for bit as if it had never stopped
    #[arg(long, requires = "out")]
    pub resume: bool,
    /// Family of the model [default: gpt]
    #[arg(long, value_enum)]
    pub arch: Option<Family>,
    /// Number of layers [default: 4; 2 without --corpus]
    #[arg(long, value_name = "N")]
    pub layers: Option<usize>,
    /// Number of attention heads [default: 4; 2 without --corpus]
    #[arg(long, value_name = "N")]
    pub heads: Option<usize>,
    /// Width of the residual stream [default: 128; 32 without --corpus]
    #[arg(long, value_name = "N")]
    pub width: Option<usize>,
    /// Length of the context, in characters [default: 64; 32 without --corpus]
    #[arg(long, value_name = "N")]
    pub block: Option<usize>,
    /// Pieces of text a step [default: 12]
    #[arg(long, value_name = "N")]
    pub batch: Option<usize>,
    /// Number of steps [default: 2000; 600 without --corpus]
    #[arg(long, value_name = "N")]
    pub steps: Option<usize>,
    /// Learning rate after the warm-up [default: 1e-3; 5e-3 without --corpus]
    #[arg(long, value_name = "RATE")]
    pub lr: Option<f64>,
    /// Learning rate at the end, reached by a cosine [default: a tenth of --lr]
    #[arg(long, value_name = "RATE")]
    pub min_lr: Option<f64>,
    /// Steps over which the learning rate rises [default: 100, or a tenth of the steps if that is less]
    #[arg(long, value_name = "N")]
    pub warmup: Option<usize>,
    /// Memory of the first moment of AdamW [default: 0.9]
    #[arg(long, value_name = "X")]
    pub beta1: Option<f64>,
    /// Memory of the second moment of AdamW [default: 0.99]
    #[arg(long, value_name = "X")]
    pub beta2: Option<f64>,
    /// Weight decay of matrices and embeddings [default: 0.1]
    #[arg(long, value_name = "X")]
    pub decay: Option<f64>,
    /// Largest norm of all gradients together [default: 1]
    #[arg(long, value_name = "NORM")]
    pub clip: Option<f64>,
    /// Type to compute in [default: f32]
    #[arg(long, value_enum)]
    pub dtype: Option<Dtype>,
    /// Decides the first parameters and the order of the text [default: 1]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Steps between validations [default: 250]
    #[arg(long, value_name = "N")]
    pub validate_every: Option<usize>,
    /// Steps between checkpoints
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub save_every: usize,
    /// Threads to compute with; the numbers do not depend on it
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub threads: u16,
    /// Keep only the inputs of every layer and run it again in the reverse pass: less memory for more
    /// time; the numbers do not depend on it
    #[arg(long)]
    pub recompute: bool,
    /// Stop and save at this step, as Ctrl-C does
    #[arg(long, value_name = "STEP", hide = true)]
    pub stop_at: Option<usize>,
}

impl TrainOptions {
    /// The model and the settings of a new run on `corpus` with this many different characters.
    ///
    /// # Errors
    /// [`DemoError::Config`] or [`DemoError::Settings`] where they are impossible.
    pub fn new_run(
        &self,
        corpus: &Corpus,
        vocabulary: usize,
    ) -> Result<(ModelConfig, Settings), DemoError> {
        // Without a corpus the run is a demonstration, over within seconds.
        let ([layers, heads, width, block, steps], learning_rate) = match corpus.path {
            Some(_) => ([4, 4, 128, 64, 2000], 1e-3),
            None => ([2, 2, 32, 32, 600], 5e-3),
        };
        let sizes = [
            self.layers.unwrap_or(layers),
            self.heads.unwrap_or(heads),
            self.width.unwrap_or(width),
            self.block.unwrap_or(block),
        ];
        let model = ModelConfig {
            vocabulary,
            ..ModelConfig::usual(self.arch.unwrap_or(Family::Gpt), sizes)
        };
        let steps = self.steps.unwrap_or(steps);
        let learning_rate = self.lr.unwrap_or(learning_rate);
        let settings = Settings {
            dtype: self.dtype.unwrap_or(Dtype::F32),
            seed: self.seed.unwrap_or(1),
            steps,
            batch: self.batch.unwrap_or(12),
            learning_rate,
            least_learning_rate: self.min_lr.unwrap_or(learning_rate / 10.0),
            warmup: self.warmup.unwrap_or(100.min(steps / 10)),
            beta1: self.beta1.unwrap_or(0.9),
            beta2: self.beta2.unwrap_or(0.99),
            eps: 1e-8,
            decay: self.decay.unwrap_or(0.1),
            clip: self.clip.unwrap_or(1.0),
            validate_every: self.validate_every.unwrap_or(250),
        };
        settings.check()?;
        model.check(settings.batch)?;
        Ok((model, settings))
    }

    /// What the tape keeps of the layers.
    #[must_use]
    pub fn layers_kept(&self) -> Layers {
        if self.recompute {
            Layers::Recomputed
        } else {
            Layers::Kept
        }
    }

    /// Refuses options that the recorded run was not started with.
    ///
    /// # Errors
    /// [`DemoError::Conflict`] for the first one.
    pub fn check_against(&self, record: &Record) -> Result<(), DemoError> {
        let (model, run) = (&record.model, &record.settings);
        conflict("arch", self.arch, model.family)?;
        conflict("layers", self.layers, model.layers)?;
        conflict("heads", self.heads, model.heads)?;
        conflict("width", self.width, model.width)?;
        conflict("block", self.block, model.block)?;
        conflict("batch", self.batch, run.batch)?;
        conflict("steps", self.steps, run.steps)?;
        conflict("lr", self.lr, run.learning_rate)?;
        conflict("min-lr", self.min_lr, run.least_learning_rate)?;
        conflict("warmup", self.warmup, run.warmup)?;
        conflict("beta1", self.beta1, run.beta1)?;
        conflict("beta2", self.beta2, run.beta2)?;
        conflict("decay", self.decay, run.decay)?;
        conflict("clip", self.clip, run.clip)?;
        conflict("dtype", self.dtype, run.dtype)?;
        conflict("seed", self.seed, run.seed)?;
        conflict("validate-every", self.validate_every, run.validate_every)
    }
}

fn conflict<X: PartialEq + std::fmt::Display>(
    option: &'static str,
    given: Option<X>,
    recorded: X,
) -> Result<(), DemoError> {
    match given {
        Some(given) if given != recorded => Err(DemoError::Conflict {
            option,
            given: given.to_string(),
            recorded: recorded.to_string(),
        }),
        _ => Ok(()),
    }
}
