//! What can be wrong with a checkpoint or its folder.

use std::fmt;
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
        action: Action,
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

/// What was done with a file or a folder when the system refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Reading a file.
    Read,
    /// Making a folder.
    CreateFolder,
    /// Writing a file.
    Write,
    /// Putting a file in another one's place.
    Replace,
    /// Bringing a folder to the disk.
    Flush,
    /// Putting what a checkpoint knows into words.
    Describe,
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Read => "read",
            Self::CreateFolder => "create the folder",
            Self::Write => "write",
            Self::Replace => "replace",
            Self::Flush => "flush",
            Self::Describe => "describe",
        })
    }
}

impl CheckpointError {
    /// Whether a file could not be written, after its place had been found good.
    pub(crate) fn is_failed_write(&self) -> bool {
        match self {
            Self::Io { action, .. } => !matches!(action, Action::Read | Action::CreateFolder),
            Self::Missing { .. }
            | Self::Exists { .. }
            | Self::Damaged { .. }
            | Self::Foreign { .. }
            | Self::Tensor { .. } => false,
        }
    }
}

/// An error of a file operation, for `map_err`.
pub(in crate::train) fn io_error(
    action: Action,
    path: &Path,
) -> impl FnOnce(io::Error) -> CheckpointError {
    let path = path.to_owned();
    move |source| CheckpointError::Io {
        action,
        path,
        source,
    }
}
