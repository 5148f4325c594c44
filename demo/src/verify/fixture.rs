//! Reference numbers of a whole model, read from JSON and from the safetensors file beside it.
//!
//! Keys that are not read are ignored; what is read must fit together.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use autodiff_ops::prelude::*;
use safetensors::SafeTensors;
use serde::Deserialize;

use crate::model::{Family, ModelConfig, Parameters};
use crate::train::Precision;
use crate::train::data::Batch;

/// What can be wrong with a fixture.
#[derive(Debug, thiserror::Error)]
pub enum FixtureError {
    /// A file could not be read.
    #[error("cannot read the fixture {}: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file is not what a fixture is.
    #[error("the fixture {} is malformed: {reason}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
}

/// A model, a batch and what belongs to them.
#[derive(Debug)]
pub struct Fixture {
    /// Family and sizes.
    pub config: ModelConfig,
    /// Tokens and targets.
    pub batch: Batch,
    /// The parameters before any step.
    pub parameters: Parameters<Tensor>,
    /// Which parameters decay, by name.
    pub decays: BTreeMap<String, bool>,
    /// The expected scores.
    pub logits: Tensor,
    /// The expected loss.
    pub loss: f64,
    /// The expected gradients.
    pub gradients: Parameters<Tensor>,
    /// The expected norm of all gradients together.
    pub gradient_norm: Option<f64>,
    /// The optimiser of the runs.
    pub optimizer: Option<Optimizer>,
    /// The runs: a title, the prefix of its tensors, its numbers.
    pub runs: Vec<(&'static str, &'static str, RunNumbers)>,
    /// Tensors by name.
    pub tensors: BTreeMap<String, Vec<f64>>,
}

/// The optimiser of a fixture.
#[derive(Clone, Debug, Deserialize)]
pub struct Optimizer {
    /// Learning rate.
    pub lr: f64,
    /// Memory of the first moment.
    pub beta1: f64,
    /// Memory of the second moment.
    pub beta2: f64,
    /// What is added to the root of the second moment.
    pub eps: f64,
    /// Decay of the parameters that decay.
    pub weight_decay: f64,
}

/// The numbers of a run.
#[derive(Clone, Debug, Deserialize)]
pub struct RunNumbers {
    /// The loss after as many steps as the place says.
    pub losses: Vec<f64>,
    /// The norm of all gradients there, before clipping.
    #[serde(default)]
    pub grad_norms: Vec<f64>,
    /// What the gradients of each step were multiplied by.
    #[serde(default)]
    pub coefs: Option<Vec<f64>>,
    /// The largest norm, where the run clips.
    pub max_norm: Option<f64>,
    /// What is added to the norm before dividing by it.
    pub clip_eps: Option<f64>,
    /// By number of steps, a summary of every parameter.
    #[serde(default)]
    pub snapshots: BTreeMap<usize, Vec<Summary>>,
}

/// A tensor in four numbers.
#[derive(Clone, Debug, Deserialize)]
pub struct Summary {
    /// The parameter.
    pub name: String,
    /// Its sum.
    pub sum: f64,
    /// The sum of its squares.
    pub sum_sq: f64,
    /// Its first element.
    pub first: f64,
    /// Its last element.
    pub last: f64,
}

#[derive(Deserialize)]
struct File {
    config: Sizes,
    optimizer: Option<Optimizer>,
    safetensors: Option<String>,
    tokens: Array<usize>,
    targets: Array<usize>,
    params: Vec<Named>,
    logits: Array<f64>,
    loss: f64,
    gradients: Vec<Named>,
    grad_global_norm: Option<f64>,
    adamw: Option<RunNumbers>,
    adamw_clipped: Option<RunNumbers>,
    adamw_clipped_no_eps: Option<RunNumbers>,
}

#[derive(Deserialize)]
struct Sizes {
    model: String,
    vocab: usize,
    n_layer: usize,
    n_head: usize,
    n_embd: usize,
    n_ff: Option<usize>,
    block: Option<usize>,
    ln_eps: Option<f64>,
    rms_eps: Option<f64>,
    rope_theta: Option<f64>,
}

#[derive(Deserialize)]
struct Array<T> {
    shape: Vec<usize>,
    values: Vec<T>,
}

#[derive(Deserialize)]
struct Named {
    #[serde(alias = "operand")]
    name: String,
    decay: Option<bool>,
    shape: Vec<usize>,
    values: Vec<f64>,
}

impl Fixture {
    /// Reads a fixture.
    ///
    /// # Errors
    /// [`FixtureError`].
    pub fn read(path: &Path) -> Result<Self, FixtureError> {
        let text = read(path)?;
        let malformed = |reason: String| FixtureError::Malformed {
            path: path.to_owned(),
            reason,
        };
        let file: File =
            serde_json::from_slice(&text).map_err(|error| malformed(error.to_string()))?;
        let tensors = match &file.safetensors {
            Some(name) => read_tensors(&path.with_file_name(name))?,
            None => BTreeMap::new(),
        };
        Self::assembled(file, tensors).map_err(malformed)
    }

    fn assembled(file: File, tensors: BTreeMap<String, Vec<f64>>) -> Result<Self, String> {
        let [tokens, targets] = [file.tokens, file.targets].map(Array::tensor);
        let (tokens, targets) = (tokens?, targets?);
        let &[batch, time] = tokens.shape() else {
            return Err(format!(
                "expected tokens [batch, time], got {:?}",
                tokens.shape()
            ));
        };
        if targets.shape() != tokens.shape() {
            return Err("tokens and targets differ in shape".to_owned());
        }
        let config = file.config.model_config(time)?;
        config
            .check(batch.max(1))
            .map_err(|error| error.to_string())?;
        let out_of_range = [&tokens, &targets]
            .into_iter()
            .flat_map(|ids| ids.as_slice())
            .find(|&&id| id >= config.vocabulary);
        if let Some(id) = out_of_range {
            return Err(format!(
                "token {id} is not below vocab {}",
                config.vocabulary
            ));
        }
        let logits = file.logits.tensor()?;
        let expected = [batch, time, config.vocabulary];
        if logits.shape() != expected {
            return Err(format!(
                "expected logits {expected:?}, got {:?}",
                logits.shape()
            ));
        }
        let decays = file.params.iter().map(|param| {
            let decays = param.decay.unwrap_or(param.shape.len() >= 2);
            (param.name.clone(), decays)
        });
        let decays = decays.collect();
        let runs = [
            ("AdamW", "", file.adamw),
            ("AdamW, clipped", "clip.", file.adamw_clipped),
            (
                "AdamW, clipped without eps",
                "clip_no_eps.",
                file.adamw_clipped_no_eps,
            ),
        ];
        let runs = runs
            .into_iter()
            .filter_map(|(title, prefix, run)| Some((title, prefix, run?)))
            .collect::<Vec<_>>();
        if !runs.is_empty() && file.optimizer.is_none() {
            return Err("it has runs and no optimizer".to_owned());
        }
        Ok(Self {
            parameters: in_order("params", file.params, &config)?,
            gradients: in_order("gradients", file.gradients, &config)?,
            batch: Batch { tokens, targets },
            decays,
            logits,
            loss: file.loss,
            gradient_norm: file.grad_global_norm,
            optimizer: file.optimizer,
            runs,
            tensors,
            config,
        })
    }
}

impl Sizes {
    fn model_config(&self, time: usize) -> Result<ModelConfig, String> {
        let (family, eps) = match self.model.as_str() {
            "nanogpt" => (Family::Gpt, self.ln_eps),
            "llama" => (Family::Llama, self.rms_eps),
            other => return Err(format!("expected model nanogpt or llama, got {other:?}")),
        };
        let block = self.block.unwrap_or(time);
        if time > block {
            return Err(format!("{time} tokens a row do not fit a block of {block}"));
        }
        let sizes = [self.n_layer, self.n_head, self.n_embd, block];
        let usual = ModelConfig::usual(family, sizes);
        Ok(ModelConfig {
            vocabulary: self.vocab,
            hidden: self.n_ff.unwrap_or(usual.hidden),
            norm_eps: eps.unwrap_or(usual.norm_eps),
            rope_theta: self.rope_theta.unwrap_or(usual.rope_theta),
            ..usual
        })
    }
}

impl<T: Copy + Send + Sync + 'static> Array<T> {
    fn tensor(self) -> Result<Tensor<T>, String> {
        Tensor::from_vec(self.shape, self.values).map_err(|error| error.to_string())
    }
}

/// The tensors of the model's parameters, each exactly once.
fn in_order(
    what: &str,
    named: Vec<Named>,
    config: &ModelConfig,
) -> Result<Parameters<Tensor>, String> {
    let mut given = BTreeMap::new();
    for entry in named {
        let tensor = Tensor::from_vec(entry.shape, entry.values)
            .map_err(|error| format!("{what}: {}: {error}", entry.name))?;
        if let Some((index, value)) = tensor.first_non_finite() {
            return Err(format!(
                "{what}: {}: {value} at flat index {index}",
                entry.name
            ));
        }
        if given.insert(entry.name.clone(), tensor).is_some() {
            return Err(format!("{what}: {} stands there twice", entry.name));
        }
    }
    let ordered = config.parameters().into_iter().map(|spec| {
        let name = spec.name;
        let tensor = given
            .remove(&name)
            .ok_or_else(|| format!("{what}: {name} is missing"))?;
        if tensor.shape() != spec.shape {
            return Err(format!(
                "{what}: {name}: expected shape {:?}, got {:?}",
                spec.shape,
                tensor.shape()
            ));
        }
        Ok((name, tensor))
    });
    let ordered = ordered.collect::<Result<_, String>>()?;
    match given.into_keys().next() {
        Some(name) => Err(format!("{what}: {name} is no parameter of this model")),
        None => Ok(ordered),
    }
}

fn read(path: &Path) -> Result<Vec<u8>, FixtureError> {
    fs::read(path).map_err(|source| FixtureError::Unreadable {
        path: path.to_owned(),
        source,
    })
}

fn read_tensors(path: &Path) -> Result<BTreeMap<String, Vec<f64>>, FixtureError> {
    let bytes = read(path)?;
    let malformed = |reason: String| FixtureError::Malformed {
        path: path.to_owned(),
        reason,
    };
    let tensors = SafeTensors::deserialize(&bytes).map_err(|error| malformed(error.to_string()))?;
    let values = tensors.tensors().into_iter().map(|(name, view)| {
        if view.dtype() != safetensors::Dtype::F64 {
            return Err(malformed(format!(
                "{name}: expected F64, got {:?}",
                view.dtype()
            )));
        }
        Ok((name, f64::from_bytes(view.data())))
    });
    values.collect()
}
