//! Training: named parameters, their gradients, and the steps that replace their values.
//!
//! ```
//! use autodiff_ops::prelude::*;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut parameters = ParameterSet::new();
//! let weight = parameters.create("h.0.weight", Tensor::from_vec([2], vec![1.0, -2.0])?)?;
//! let mut optimiser = AdamW::new(&parameters, AdamWOptions::default(), decay_matrices(0.1))?;
//! let schedule = WarmupCosine::new(0.1, 0.01, 2, 10)?;
//! for step in 0..3 {
//!     parameters.zero_grad()?;
//!     weight.mul(&weight)?.sum_axis(0, false)?.backward()?;
//!     let gradients = parameters.gradients().clipped(1.0, 1e-6)?;
//!     optimiser.step(&parameters, &gradients, schedule.rate(step))?;
//! }
//! assert_eq!(optimiser.step_count(), 3);
//! # Ok(())
//! # }
//! ```
//!
//! Invariant: a step that fails has changed neither parameters nor optimiser.

mod adamw;
mod error;
mod gradients;
mod parameters;
mod schedule;
mod sgd;
mod transaction;

pub use adamw::{AdamW, AdamWOptions, Moments};
pub use error::{OptimError, Quantity};
pub use gradients::Gradients;
pub use parameters::{ParameterSet, decay_matrices};
pub use schedule::WarmupCosine;
pub use sgd::{Sgd, SgdOptions};
