//! What a run begins with: everything is read and checked here, and nothing written.

use std::path::Path;

use autodiff_ops::prelude::*;

use super::checkpoint::{self, CheckpointError, Stored};
use super::data::Batch;
use super::options::TrainOptions;
use super::precision::Precision;
use super::settings::Settings;
use super::step::Trainer;
use crate::DemoError;
use crate::corpus::{Corpus, Split};
use crate::model::{ModelConfig, ParameterSpec, Parameters};
use crate::random::{Purpose, RandomStream};
use crate::tokenizer::Tokenizer;

/// A run about to begin or to continue: everything has been checked, nothing written.
pub(crate) struct Start {
    /// Family and sizes.
    pub(crate) model: ModelConfig,
    /// How the run learns.
    pub(crate) settings: Settings,
    /// One token a character.
    pub(super) tokenizer: Tokenizer,
    /// The text.
    pub(super) corpus: Corpus,
    /// Its tokens.
    pub(super) split: Split,
    /// The run to be continued.
    pub(super) stored: Option<Stored>,
}

impl Start {
    /// A new run; a folder that holds one already is refused.
    pub(crate) fn new(folder: Option<&Path>, options: &TrainOptions) -> Result<Self, DemoError> {
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

    /// The run in a folder. Where it ended before its first checkpoint was whole, and the text is given
    /// once more, it begins again: it had taken no step.
    pub(crate) fn resumed(folder: &Path, options: &TrainOptions) -> Result<Self, DemoError> {
        let stored = match Stored::read(folder) {
            Err(CheckpointError::Missing { .. })
                if options.corpus.is_some() && checkpoint::is_begun(folder) =>
            {
                return Self::new(Some(folder), options);
            }
            stored => stored?,
        };
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

    /// The trainer and the drawing of batches, where they stand.
    pub(crate) fn begin<T: Precision>(&self) -> Result<(Trainer<T>, RandomStream), DemoError> {
        let options = AdamWOptions {
            beta1: self.settings.beta1,
            beta2: self.settings.beta2,
            eps: self.settings.eps,
        };
        let decay = decay_matrices(self.settings.decay);
        match &self.stored {
            Some(stored) => {
                let (model, record) = (self.model.clone(), &stored.record);
                let batches =
                    RandomStream::restored(&record.batches).ok_or(DemoError::RandomState)?;
                let state = stored.state::<T>()?;
                let trainer = Trainer::restored(model, state, options, decay, record.step)?;
                Ok((trainer, batches))
            }
            None => {
                let first = initial_parameters(&self.model, self.settings.seed)?;
                let batches = RandomStream::new(self.settings.seed, Purpose::Batches);
                let trainer = Trainer::new(self.model.clone(), &first, options, decay)?;
                Ok((trainer, batches))
            }
        }
    }

    /// Pieces of text in a step, and how long each is.
    pub(super) fn sizes(&self) -> [usize; 2] {
        [self.settings.batch, self.model.block]
    }

    /// The batch that comes next.
    pub(crate) fn batch(&self, batches: &mut RandomStream) -> Result<Batch, DemoError> {
        Batch::draw(&self.split.training, self.sizes(), batches)
    }

    /// The learning rates.
    pub(super) fn schedule(&self) -> Result<WarmupCosine, DemoError> {
        Ok(WarmupCosine::new(
            self.settings.learning_rate,
            self.settings.least_learning_rate,
            self.settings.warmup,
            self.settings.steps,
        )?)
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

/// The text's fingerprint as a checkpoint stores it.
pub(super) fn fingerprint(corpus: &Corpus) -> String {
    format!("{:016x}", corpus.fingerprint())
}
