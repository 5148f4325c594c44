//! A run on disk: one file that is replaced as a whole or not at all.
//!
//! Invariant: at every moment the file is complete, or absent before the first save. It is written under
//! another name, flushed to the disk and renamed, and a rename within a folder is atomic.
//! Invariant: revisions and graphs are never stored; a restored run begins with fresh nodes.

mod error;
mod replace;

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use autodiff_ops::prelude::*;
use safetensors::{SafeTensors, tensor::TensorView as StoredView};
use serde::{Deserialize, Serialize};

pub(super) use self::error::io_error;
pub use self::error::{Action, CheckpointError};
pub(super) use self::replace::replace;
use super::precision::Precision;
use super::settings::{Dtype, Settings};
use crate::model::{ModelConfig, Parameters};
use crate::random::RandomState;

/// The checkpoint's name in its folder.
pub const FILE_NAME: &str = "checkpoint.safetensors";
const UNFINISHED_NAME: &str = "checkpoint.safetensors.unfinished";
const METADATA_KEY: &str = "autodiff.demo";

/// What a checkpoint knows beside its tensors.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Of this layout.
    pub version: u32,
    /// Steps taken.
    pub step: usize,
    /// Family and sizes.
    pub model: ModelConfig,
    /// How the run learns.
    pub settings: Settings,
    /// The tokenizer's characters, in the order of their tokens.
    pub vocabulary: String,
    /// The text's file, or nothing for the text that the program carries.
    pub corpus: Option<PathBuf>,
    /// The text's fingerprint, in hexadecimal.
    pub fingerprint: String,
    /// Where the drawing of batches stands.
    pub batches: RandomState,
}

impl Record {
    /// The version that this program writes and reads.
    pub const VERSION: u32 = 1;
}

/// The tensors of a run.
#[derive(Clone, Debug)]
pub struct State<T> {
    /// Present values.
    pub parameters: Parameters<Tensor<T>>,
    /// AdamW's first moments.
    pub first_moments: Parameters<Tensor<T>>,
    /// AdamW's second moments.
    pub second_moments: Parameters<Tensor<T>>,
}

const PARAMETERS: &str = "param";
const PARTS: [&str; 3] = [PARAMETERS, "adam_m", "adam_v"];

/// The bytes of a file. A pipe or a device may have no end.
fn read_whole(path: &Path) -> io::Result<Vec<u8>> {
    let found = fs::metadata(path)?;
    if found.is_file() || found.is_dir() {
        return fs::read(path);
    }
    Err(io::Error::other("not a file"))
}

/// Writes a checkpoint, replacing the previous one atomically.
///
/// # Errors
/// [`CheckpointError::Io`]; the previous checkpoint is then still there.
pub fn save<T: Precision>(
    folder: &Path,
    record: &Record,
    state: &State<T>,
) -> Result<(), CheckpointError> {
    let path = folder.join(FILE_NAME);
    let dtype = stored_dtype(T::DTYPE);
    let parts = [
        &state.parameters,
        &state.first_moments,
        &state.second_moments,
    ];
    let mut tensors = Vec::new();
    for (part, parameters) in PARTS.iter().zip(parts) {
        for (name, tensor) in parameters.iter() {
            let bytes = T::to_bytes(tensor.as_slice());
            tensors.push((format!("{part}.{name}"), tensor.shape().to_vec(), bytes));
        }
    }
    let damaged = |source| CheckpointError::Damaged {
        path: path.clone(),
        source,
    };
    let views = tensors
        .iter()
        .map(|(name, shape, bytes)| Ok((name, StoredView::new(dtype, shape.clone(), bytes)?)))
        .collect::<Result<Vec<_>, _>>()
        .map_err(damaged)?;
    let text = serde_json::to_string(record).map_err(|error| CheckpointError::Io {
        action: Action::Describe,
        path: path.clone(),
        source: error.into(),
    })?;
    let metadata = HashMap::from([(METADATA_KEY.to_owned(), text)]);
    let bytes = safetensors::serialize(views, Some(metadata)).map_err(damaged)?;
    replace(folder, UNFINISHED_NAME, FILE_NAME, &bytes)
}

/// Whether the writing of a checkpoint has begun in this folder and not ended.
pub(super) fn is_begun(folder: &Path) -> bool {
    folder.join(UNFINISHED_NAME).exists()
}

/// A checkpoint that was read, before its tensors are.
#[derive(Debug)]
pub struct Stored {
    /// What it knows beside its tensors.
    pub record: Record,
    path: PathBuf,
    bytes: Vec<u8>,
}

impl Stored {
    /// Reads the checkpoint in a folder.
    ///
    /// # Errors
    /// [`CheckpointError`].
    pub fn read(folder: &Path) -> Result<Self, CheckpointError> {
        let path = folder.join(FILE_NAME);
        let bytes = match read_whole(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(CheckpointError::Missing {
                    folder: folder.to_owned(),
                });
            }
            Err(error) => return Err(io_error(Action::Read, &path)(error)),
        };
        Self::decode(path, bytes)
    }

    /// The checkpoint that `bytes` are, which may come from anywhere; errors name the path.
    ///
    /// # Errors
    /// [`CheckpointError`].
    pub fn decode(path: PathBuf, bytes: Vec<u8>) -> Result<Self, CheckpointError> {
        let (_, metadata) =
            SafeTensors::read_metadata(&bytes).map_err(|source| CheckpointError::Damaged {
                path: path.clone(),
                source,
            })?;
        let foreign = |reason: String| CheckpointError::Foreign {
            path: path.clone(),
            reason,
        };
        let text = metadata
            .metadata()
            .as_ref()
            .and_then(|map| map.get(METADATA_KEY));
        let text = text.ok_or_else(|| foreign(format!("it has no entry {METADATA_KEY}")))?;
        let record: Record =
            serde_json::from_str(text).map_err(|error| foreign(error.to_string()))?;
        let (expected, actual) = (Record::VERSION, record.version);
        if actual != expected {
            return Err(foreign(format!(
                "expected version {expected}, got {actual}"
            )));
        }
        if record.vocabulary.chars().count() != record.model.vocabulary {
            return Err(foreign("its vocabulary and its sizes disagree".to_owned()));
        }
        // Of another order, its tokens would be read as other characters than they were learned as.
        if !record
            .vocabulary
            .chars()
            .is_sorted_by(|left, right| left < right)
        {
            return Err(foreign(
                "expected the characters of its vocabulary once each and in order".to_owned(),
            ));
        }
        record
            .model
            .check(record.settings.batch)
            .map_err(|error| foreign(error.to_string()))?;
        record
            .settings
            .check()
            .map_err(|error| foreign(error.to_string()))?;
        let (step, steps) = (record.step, record.settings.steps);
        if step > steps {
            return Err(foreign(format!(
                "expected at most {steps} steps, got {step}"
            )));
        }
        Ok(Self {
            record,
            path,
            bytes,
        })
    }

    /// The parameters alone.
    ///
    /// # Errors
    /// [`CheckpointError::Tensor`] where one is missing, of another shape or type, or not finite.
    pub fn parameters<T: Precision>(&self) -> Result<Parameters<Tensor<T>>, CheckpointError> {
        self.part(&self.open()?, PARAMETERS)
    }

    /// Parameters and moments.
    ///
    /// # Errors
    /// As for [`parameters`](Self::parameters).
    pub fn state<T: Precision>(&self) -> Result<State<T>, CheckpointError> {
        let tensors = self.open()?;
        let [parameters, first, second] = PARTS.map(|part| self.part(&tensors, part));
        Ok(State {
            parameters: parameters?,
            first_moments: first?,
            second_moments: second?,
        })
    }

    fn open(&self) -> Result<SafeTensors<'_>, CheckpointError> {
        SafeTensors::deserialize(&self.bytes).map_err(|source| CheckpointError::Damaged {
            path: self.path.clone(),
            source,
        })
    }

    fn part<T: Precision>(
        &self,
        tensors: &SafeTensors<'_>,
        part: &str,
    ) -> Result<Parameters<Tensor<T>>, CheckpointError> {
        let specs = self.record.model.parameters().into_iter();
        specs
            .map(|spec| {
                let stored_name = format!("{part}.{}", spec.name);
                let wrong = |reason: String| CheckpointError::Tensor {
                    path: self.path.clone(),
                    name: stored_name.clone(),
                    reason,
                };
                let view = tensors
                    .tensor(&stored_name)
                    .map_err(|error| wrong(error.to_string()))?;
                if view.dtype() != stored_dtype(T::DTYPE) {
                    return Err(wrong(format!("its elements are {:?}", view.dtype())));
                }
                if view.shape() != spec.shape {
                    return Err(wrong(format!(
                        "expected shape {:?}, got {:?}",
                        spec.shape,
                        view.shape()
                    )));
                }
                let tensor = Tensor::from_vec(view.shape(), T::from_bytes(view.data()))
                    .map_err(|error| wrong(error.to_string()))?;
                match tensor.first_non_finite() {
                    Some((index, value)) => Err(wrong(format!("{value} at flat index {index}"))),
                    None => Ok((spec.name, tensor)),
                }
            })
            .collect()
    }
}

fn stored_dtype(dtype: Dtype) -> safetensors::Dtype {
    match dtype {
        Dtype::F32 => safetensors::Dtype::F32,
        Dtype::F64 => safetensors::Dtype::F64,
    }
}
