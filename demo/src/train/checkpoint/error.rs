//! What can be wrong with a checkpoint or its folder.

use std::io;
use std::path::{Path, PathBuf};

/// What can be wrong with a checkpoint or its folder.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    /// There is none.
    #[error("there is no checkpoint in {}", folder.display())]
    Missing {
        /// The folder.
        folder: PathBuf,
    },
    /// There is one that would be overwritten.
    #[error("{} holds a checkpoint; continue it with --resume or choose another --out", folder.display())]
    Exists {
        /// The folder.
        folder: PathBuf,
    },
    /// The file or folder could not be read or written.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// With what.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The bytes are not a whole safetensors file.
    #[error("the checkpoint {} is damaged: {source}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What the reader says.
        source: safetensors::SafeTensorError,
    },
    /// A safetensors file of another program.
    #[error("{} is not a checkpoint of this program: {reason}", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// What is missing or different.
        reason: String,
    },
    /// A tensor is missing or does not fit the configuration.
    #[error("the checkpoint {} is damaged: tensor {name}: {reason}", path.display())]
    Tensor {
        /// The file.
        path: PathBuf,
        /// Which tensor.
        name: String,
        /// What is wrong.
        reason: String,
    },
}

/// An error of a file operation, for `map_err`.
pub(in crate::train) fn io_error(
    action: &'static str,
    path: &Path,
) -> impl FnOnce(io::Error) -> CheckpointError {
    let path = path.to_owned();
    move |source| CheckpointError::Io {
        action,
        path,
        source,
    }
}
