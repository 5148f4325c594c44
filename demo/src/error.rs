//! What can stop a command, and what that means for the exit code.

use std::io;

use autodiff_ops::prelude::*;

/// Why a command ended early.
#[derive(Debug, thiserror::Error)]
pub enum DemoError {
    /// The tape or an operation refused.
    #[error(transparent)]
    Autodiff(#[from] TensorAutodiffError),

    /// A tensor could not be made.
    #[error(transparent)]
    Tensor(#[from] TensorError),

    /// The registry could not be built.
    #[error(transparent)]
    Registry(#[from] RegistryError),

    /// The gradient check found a fault.
    #[error(transparent)]
    Gradcheck(#[from] GradcheckError),

    /// The output could not be written.
    #[error("cannot write the output: {0}")]
    Write(#[from] io::Error),

    /// The tape and the handwritten arrays do not agree.
    #[error("{quantity}: the handwritten arrays give {handwritten:?}, the tape gives {taped:?}")]
    Disagreement {
        /// What was compared.
        quantity: &'static str,
        /// Computed by the handwritten loops.
        handwritten: Vec<f64>,
        /// Computed by the tape.
        taped: Vec<f64>,
    },

    /// The tape accepted what it must refuse.
    #[error("{what} was accepted, expected a refusal")]
    Accepted {
        /// What was tried.
        what: &'static str,
    },

    /// No registered rule has this name.
    #[error("no rule has the name or path {name:?}; `demo rules` lists them all")]
    UnknownRule {
        /// What was asked for.
        name: String,
    },
}

impl DemoError {
    /// The exit code: 0 where the reader of the output left, 2 for bad input, 1 for everything else.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Write(error) if error.kind() == io::ErrorKind::BrokenPipe => 0,
            Self::UnknownRule { .. } => 2,
            _ => 1,
        }
    }
}
