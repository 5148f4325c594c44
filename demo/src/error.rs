//! What can stop a command, and what that means for the exit code.

use std::io;
use std::path::PathBuf;

use autodiff_core::gradcheck::SeedError;
use autodiff_core::report::OtherGraph;
use autodiff_ops::prelude::*;

use crate::corpus::CorpusError;
use crate::model::ConfigError;
use crate::sample::SampleError;
use crate::train::SettingsError;
use crate::train::checkpoint::CheckpointError;
use crate::verify::FixtureError;

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

    /// A file that is to be written cannot be, which was found before any work.
    #[error("cannot write {}: {source}", path.display())]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },

    /// A file could not be written.
    #[error("cannot write {}: {source}", path.display())]
    Output {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },

    /// Two options name the same file, and one of them or both would write it.
    #[error("{first} and {second} cannot both name {}", path.display())]
    SharedOutput {
        /// An option.
        first: &'static str,
        /// Another one.
        second: &'static str,
        /// The file, as the second one names it.
        path: PathBuf,
    },

    /// A pass and a recorded graph do not belong together.
    #[error(transparent)]
    OtherGraph(#[from] OtherGraph),

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

    /// The worked example does not show what it is there to show.
    #[error("{what}: expected {expected}, got {actual}")]
    Unexpected {
        /// What was looked at.
        what: &'static str,
        /// What it shows.
        expected: String,
        /// What was found.
        actual: String,
    },

    /// The optimiser refused a step.
    #[error(transparent)]
    Optim(#[from] OptimError),

    /// The text is of no use.
    #[error(transparent)]
    Corpus(#[from] CorpusError),

    /// The model's sizes are impossible.
    #[error(transparent)]
    Config(#[from] ConfigError),

    /// A setting of a run is impossible.
    #[error(transparent)]
    Settings(#[from] SettingsError),

    /// The checkpoint is of no use.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),

    /// The prompt or a sampling option is of no use.
    #[error(transparent)]
    Sample(#[from] SampleError),

    /// An option contradicts the run to be continued.
    #[error("--{option} is {given}, but the run was started with {recorded}")]
    Conflict {
        /// Which option.
        option: &'static str,
        /// What it says.
        given: String,
        /// What the run says.
        recorded: String,
    },

    /// The run to be continued was started on another text.
    #[error("the corpus is not the text that the run was started with")]
    OtherCorpus,

    /// The run to be continued has lost its place in the text.
    #[error("the checkpoint is damaged: its random state is of no stream")]
    RandomState,

    /// A model lacks a parameter.
    #[error("there is no parameter {name}")]
    MissingParameter {
        /// Its name.
        name: String,
    },

    /// The reference numbers of a model are of no use.
    #[error(transparent)]
    Fixture(#[from] FixtureError),

    /// A verification found numbers that do not agree.
    #[error("{failed} of {total} comparisons failed")]
    Verification {
        /// How many failed.
        failed: usize,
        /// Out of how many.
        total: usize,
    },

    /// Not every rule is registered, checked, dispatched and sensitive to faults.
    #[error("the rules are not verified: {gaps} gaps")]
    Unverified {
        /// How many things are missing or wrong.
        gaps: usize,
    },

    /// The variable for the seed holds no seed.
    #[error(transparent)]
    Seed(#[from] SeedError),

    /// The time that a process has computed cannot be had.
    #[error("this machine does not tell the time of a process, expected --clock wall")]
    NoClock,

    /// No registered rule has this name.
    #[error("no rule has the name or path {name:?}; `demo rules` lists them all")]
    UnknownRule {
        /// What was asked for.
        name: String,
    },
}

impl DemoError {
    /// The exit code: 0 where the reader of the output left, 2 for bad input, a place that cannot be written
    /// included, and 1 for what goes wrong later.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Write(source) | Self::Output { source, .. }
                if source.kind() == io::ErrorKind::BrokenPipe =>
            {
                0
            }
            Self::Sample(SampleError::Scores { .. }) => 1,
            Self::Checkpoint(error) if error.is_failed_write() => 1,
            Self::UnknownRule { .. }
            | Self::Unwritable { .. }
            | Self::SharedOutput { .. }
            | Self::Tensor(TensorError::Threads { .. })
            | Self::Corpus(_)
            | Self::Config(_)
            | Self::Settings(_)
            | Self::Checkpoint(_)
            | Self::Sample(_)
            | Self::Fixture(_)
            | Self::Conflict { .. }
            | Self::OtherCorpus
            | Self::NoClock
            | Self::Seed(_)
            | Self::RandomState => 2,
            Self::Autodiff(_)
            | Self::Tensor(_)
            | Self::Registry(_)
            | Self::Gradcheck(_)
            | Self::Write(_)
            | Self::Output { .. }
            | Self::OtherGraph(_)
            | Self::Disagreement { .. }
            | Self::Accepted { .. }
            | Self::Unexpected { .. }
            | Self::Optim(_)
            | Self::MissingParameter { .. }
            | Self::Verification { .. }
            | Self::Unverified { .. } => 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::checkpoint::Action;

    #[test]
    fn what_was_asked_for_wrongly_is_2_and_what_went_wrong_later_1() {
        let path = || PathBuf::from("out");
        let full = || io::Error::from(io::ErrorKind::StorageFull);
        let of_action = |action| {
            let (path, source) = (path(), full());
            DemoError::Checkpoint(CheckpointError::Io {
                action,
                path,
                source,
            })
        };
        let (count, reason) = (60_000, "no room".to_owned());
        for (error, code) in [
            (of_action(Action::Read), 2),
            (of_action(Action::CreateFolder), 2),
            (of_action(Action::Write), 1),
            (of_action(Action::Replace), 1),
            (of_action(Action::Flush), 1),
            (of_action(Action::Describe), 1),
            (CheckpointError::Missing { folder: path() }.into(), 2),
            (SampleError::Scores { written: 3 }.into(), 1),
            (SampleError::NoChoice.into(), 2),
            (TensorError::Threads { count, reason }.into(), 2),
            (TensorError::NotOneElement { shape: vec![2] }.into(), 1),
        ] {
            assert_eq!(error.exit_code(), code, "{error}");
        }
        let (path, source) = (path(), full());
        assert_eq!(DemoError::Unwritable { path, source }.exit_code(), 2);
        let (path, source) = (PathBuf::from("out"), full());
        assert_eq!(DemoError::Output { path, source }.exit_code(), 1);
    }
}
