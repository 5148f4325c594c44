//! Text from a trained model: plain tensors only, no tape.

use std::io::Write;
use std::path::PathBuf;

use autodiff_ops::prelude::*;
use clap::Args;

use crate::DemoError;
use crate::model::Model;
use crate::random::{Purpose, RandomStream};
use crate::tokenizer::Tokenizer;
use crate::train::checkpoint::Stored;
use crate::train::{Dtype, Precision};

/// What to continue, and how.
#[derive(Args, Clone, Debug)]
pub struct SampleOptions {
    /// Folder of the checkpoint
    #[arg(long, value_name = "DIR")]
    pub checkpoint: PathBuf,
    /// Text to continue; if left out, the beginning of a line, or the first character of the vocabulary
    /// where the model has learned no lines
    #[arg(long, value_name = "TEXT", default_value = "")]
    pub prompt: String,
    /// How to continue it.
    #[command(flatten)]
    pub sampling: Sampling,
}

/// How the next character is chosen.
#[derive(Args, Clone, Debug, PartialEq)]
pub struct Sampling {
    /// Number of characters to write
    #[arg(long, value_name = "N", default_value_t = 500)]
    pub tokens: usize,
    /// Above 1 more varied, below 1 more predictable, at 0 always the likeliest
    #[arg(long, value_name = "X", default_value_t = 0.8)]
    pub temperature: f64,
    /// Choose among the N likeliest characters only
    #[arg(long, value_name = "N")]
    pub top_k: Option<usize>,
    /// The same seed writes the same text
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
}

impl Default for Sampling {
    fn default() -> Self {
        Self {
            tokens: 500,
            temperature: 0.8,
            top_k: None,
            seed: 1,
        }
    }
}

/// What cannot be sampled.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SampleError {
    /// The model has never seen a character of the prompt.
    #[error("character {position} of the prompt, {character:?}, is not in the model's vocabulary")]
    UnknownCharacter {
        /// Where, counted from 0.
        position: usize,
        /// Which.
        character: char,
    },
    /// The temperature makes no sense.
    #[error("temperature must be finite and not negative, got {value}")]
    Temperature {
        /// What it is.
        value: f64,
    },
    /// There is nothing to choose from.
    #[error("top-k must be at least 1")]
    NoChoice,
    /// The model's scores are of no use.
    #[error("the model gives no finite scores after {written} characters")]
    Scores {
        /// How many characters were written before.
        written: usize,
    },
}

/// Writes the prompt and its continuation.
///
/// # Errors
/// [`DemoError`] where the checkpoint, the prompt or an option is of no use.
pub fn run(out: &mut impl Write, options: &SampleOptions) -> Result<(), DemoError> {
    let stored = Stored::read(&options.checkpoint)?;
    match stored.record.settings.dtype {
        Dtype::F32 => sample_stored::<f32>(out, &stored, options),
        Dtype::F64 => sample_stored::<f64>(out, &stored, options),
    }
}

fn sample_stored<T: Precision>(
    out: &mut impl Write,
    stored: &Stored,
    options: &SampleOptions,
) -> Result<(), DemoError> {
    let model = Model {
        config: stored.record.model.clone(),
        parameters: stored.parameters::<T>()?,
    };
    let tokenizer = Tokenizer::from_vocabulary(stored.record.vocabulary.chars());
    continuation(out, &model, &tokenizer, &options.prompt, &options.sampling)?;
    writeln!(out)?;
    Ok(())
}

/// The token that stands for the first character of any vocabulary.
const FIRST_TOKEN: usize = 0;

/// Writes `prompt` and the characters that follow it, each as soon as it is chosen.
pub(crate) fn continuation<T: Element>(
    out: &mut impl Write,
    model: &Model<Tensor<T>>,
    tokenizer: &Tokenizer,
    prompt: &str,
    sampling: &Sampling,
) -> Result<(), DemoError> {
    sampling.check()?;
    let mut context = Vec::new();
    for (position, (token, character)) in tokenizer.encode(prompt).zip(prompt.chars()).enumerate() {
        context.push(token.ok_or(SampleError::UnknownCharacter {
            position,
            character,
        })?);
    }
    // The model needs something to continue: an empty prompt stands at the beginning of a line, or after the
    // first token where no line ends.
    if context.is_empty() {
        context.push(tokenizer.token('\n').unwrap_or(FIRST_TOKEN));
    }
    write!(out, "{prompt}")?;
    let mut random = RandomStream::new(sampling.seed, Purpose::Sampling);
    for written in 0..sampling.tokens {
        let start = context.len().saturating_sub(model.config.block);
        let recent = context.split_off(start);
        context = recent;
        let tokens = Tensor::from_vec([1, context.len()], context.clone())?;
        let logits = model.logits(&tokens)?;
        let places = logits.len().saturating_sub(model.config.vocabulary);
        let scores: Vec<f64> = logits
            .as_slice()
            .iter()
            .skip(places)
            .map(|score| score.to_f64())
            .collect();
        let token = sampling
            .choose(&scores, &mut random)
            .ok_or(SampleError::Scores { written })?;
        context.push(token);
        if let Some(character) = tokenizer.character(token) {
            write!(out, "{character}")?;
            out.flush()?;
        }
    }
    Ok(())
}

impl Sampling {
    fn check(&self) -> Result<(), SampleError> {
        let value = self.temperature;
        if !(value.is_finite() && value >= 0.0) {
            return Err(SampleError::Temperature { value });
        }
        match self.top_k {
            Some(0) => Err(SampleError::NoChoice),
            _ => Ok(()),
        }
    }

    /// A token drawn from the softmax of the scores; `None` where they are not finite.
    fn choose(&self, scores: &[f64], random: &mut RandomStream) -> Option<usize> {
        if scores.iter().any(|score| !score.is_finite()) {
            return None;
        }
        let mut ranked: Vec<(usize, f64)> = scores.iter().copied().enumerate().collect();
        // A stable sort: of equal scores the first token comes first.
        ranked.sort_by(|(_, left), (_, right)| right.total_cmp(left));
        let &(likeliest, highest) = ranked.first()?;
        if self.temperature == 0.0 {
            return Some(likeliest);
        }
        ranked.truncate(self.top_k.unwrap_or(usize::MAX));
        let weight = |score: f64| ((score - highest) / self.temperature).exp();
        let total: f64 = ranked.iter().map(|&(_, score)| weight(score)).sum();
        let mut left = random.uniform() * total;
        let chosen = ranked.iter().find(|&&(_, score)| {
            left -= weight(score);
            left < 0.0
        });
        Some(chosen.map_or(likeliest, |&(token, _)| token))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(sampling: &Sampling) -> Vec<usize> {
        let mut random = RandomStream::new(5, Purpose::Sampling);
        let mut chosen: Vec<usize> = (0..200)
            .map(|_| {
                sampling
                    .choose(&[1.0, 3.0, 2.0, -1000.0], &mut random)
                    .unwrap()
            })
            .collect();
        chosen.sort_unstable();
        chosen.dedup();
        chosen
    }

    #[test]
    fn at_temperature_0_the_likeliest_is_chosen() {
        let sampling = Sampling {
            temperature: 0.0,
            ..Sampling::default()
        };
        assert_eq!(drawn(&sampling), [1]);
    }

    #[test]
    fn top_k_leaves_the_k_likeliest() {
        let sampling = Sampling {
            temperature: 5.0,
            top_k: Some(2),
            ..Sampling::default()
        };
        assert_eq!(drawn(&sampling), [1, 2]);
    }

    #[test]
    fn all_that_have_a_chance_are_chosen_at_times() {
        let sampling = Sampling {
            temperature: 1.0,
            ..Sampling::default()
        };
        // e^-1003 is zero in effect.
        assert_eq!(drawn(&sampling), [0, 1, 2]);
    }
}
