//! Everything that decides a run's numbers, apart from the model and the text.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The type that a run computes in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Dtype {
    /// Single precision
    F32,
    /// Double precision
    F64,
}

impl fmt::Display for Dtype {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::F32 => "f32",
            Self::F64 => "f64",
        })
    }
}

/// How a run learns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// The type of parameters and activations.
    pub dtype: Dtype,
    /// Decides the first parameters and the order of the text.
    pub seed: u64,
    /// Number of steps.
    pub steps: usize,
    /// Pieces of text a step.
    pub batch: usize,
    /// The learning rate after the warm-up.
    pub learning_rate: f64,
    /// The learning rate at the end.
    pub least_learning_rate: f64,
    /// Steps over which the learning rate rises.
    pub warmup: usize,
    /// Memory of AdamW's first moment.
    pub beta1: f64,
    /// Memory of AdamW's second moment.
    pub beta2: f64,
    /// What AdamW adds to the root of the second moment.
    pub eps: f64,
    /// Decay of matrices and embeddings.
    pub decay: f64,
    /// The largest norm of all gradients together.
    pub clip: f64,
    /// Steps between validations.
    pub validate_every: usize,
}

/// Settings that no run can have.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SettingsError {
    /// A count is zero.
    #[error("{setting} must be at least 1")]
    Zero {
        /// Which.
        setting: &'static str,
    },
    /// A number is out of range.
    #[error("{setting} must be {range}, got {value}")]
    Range {
        /// Which.
        setting: &'static str,
        /// What it must be.
        range: &'static str,
        /// What it is.
        value: f64,
    },
}

impl Settings {
    /// Checks every setting.
    ///
    /// # Errors
    /// The first one out of range.
    pub fn check(&self) -> Result<(), SettingsError> {
        for (setting, count) in [
            ("steps", self.steps),
            ("batch", self.batch),
            ("validate-every", self.validate_every),
        ] {
            if count == 0 {
                return Err(SettingsError::Zero { setting });
            }
        }
        if self.warmup > self.steps {
            return Err(SettingsError::Range {
                setting: "warmup",
                range: "at most the number of steps",
                value: self.warmup as f64,
            });
        }
        let positive = |x: f64| x > 0.0 && x.is_finite();
        let not_negative = |x: f64| x >= 0.0 && x.is_finite();
        let memory = |x: f64| (0.0..1.0).contains(&x);
        let [rate, least] = [self.learning_rate, self.least_learning_rate];
        for (setting, value, holds, range) in [
            ("lr", rate, positive(rate), "positive and finite"),
            (
                "min-lr",
                least,
                not_negative(least) && least <= rate,
                "between 0 and lr",
            ),
            ("beta1", self.beta1, memory(self.beta1), "in [0, 1)"),
            ("beta2", self.beta2, memory(self.beta2), "in [0, 1)"),
            ("eps", self.eps, positive(self.eps), "positive and finite"),
            (
                "decay",
                self.decay,
                not_negative(self.decay),
                "finite and not negative",
            ),
            (
                "clip",
                self.clip,
                positive(self.clip),
                "positive and finite",
            ),
        ] {
            if !holds {
                return Err(SettingsError::Range {
                    setting,
                    range,
                    value,
                });
            }
        }
        Ok(())
    }
}
