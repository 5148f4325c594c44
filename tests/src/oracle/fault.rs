//! Why a reference case did not pass.

use std::path::PathBuf;

use autodiff_ops::prelude::*;
use thiserror::Error;

/// Why a reference case did not pass, or could not be read.
#[derive(Debug, Error)]
pub enum Fault {
    /// A file or folder of cases cannot be read.
    #[error("{path}: {source}")]
    Unreadable {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A file is not in the format of the cases.
    #[error("{path}: {source}")]
    Malformed {
        /// The file.
        path: PathBuf,
        /// Why.
        source: serde_json::Error,
    },
    /// There is nothing to check.
    #[error("{path}: expected at least one case in files named *ops.json, got none")]
    NoCases {
        /// The folder.
        path: PathBuf,
    },
    /// No dispatch is written for the operation.
    #[error("unknown operation {0}")]
    UnknownOperation(String),
    /// An attribute is absent or of another type.
    #[error("attribute {name}: expected {expected}, got {actual}")]
    Attribute {
        /// Its name.
        name: &'static str,
        /// What the operation takes.
        expected: &'static str,
        /// What the case holds.
        actual: String,
    },
    /// An input is absent or of another kind.
    #[error("input {position}: expected {expected}")]
    Input {
        /// Which input.
        position: usize,
        /// What the operation takes.
        expected: &'static str,
    },
    /// A graph names a value that no earlier step made.
    #[error("the graph uses {0} before a step makes it")]
    UnknownValue(String),
    /// The inputs that are differentiated and the gradients to compare with are not the same.
    #[error("expected gradients of {expected:?}, got {actual:?}")]
    Gradients {
        /// The differentiated inputs.
        expected: Vec<String>,
        /// The inputs with a gradient in the case.
        actual: Vec<String>,
    },
    /// The operation or the reverse pass refused.
    #[error(transparent)]
    Autodiff(#[from] TensorAutodiffError),
    /// The case holds a tensor whose shape and values disagree.
    #[error(transparent)]
    Tensor(#[from] TensorError),
    /// A shape differs.
    #[error("{what}: expected shape {expected:?}, got {actual:?}")]
    Shape {
        /// The output or a gradient.
        what: String,
        /// The shape to have.
        expected: Vec<usize>,
        /// The shape there is.
        actual: Vec<usize>,
    },
    /// A value differs by more than the tolerance.
    #[error(
        "{what}: expected {expected:e} at flat index {index}, got {actual:e}: off by {error:e}, allowed {tolerance:e}"
    )]
    Value {
        /// The output or a gradient.
        what: String,
        /// Where.
        index: usize,
        /// The value to have.
        expected: f64,
        /// The value there is.
        actual: f64,
        /// The scaled difference.
        error: f64,
        /// The largest scaled difference that is allowed.
        tolerance: f64,
    },
}
