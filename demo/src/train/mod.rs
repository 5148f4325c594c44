//! Training: steps, progress, metrics, checkpoints, and the page of a run.

mod charts;
pub mod checkpoint;
pub mod data;
pub mod metrics;
mod options;
mod precision;
mod progress;
pub mod report;
mod run;
mod settings;
mod start;
mod step;

pub use options::TrainOptions;
pub use precision::Precision;
pub use run::run;
pub use settings::{Dtype, Settings, SettingsError};
pub(crate) use start::{Start, initial_parameters};
pub use step::{Clip, StepReport, Trainer, Update};
