//! The program: an ordinary user of the operations, through `autodiff_ops::prelude`, and of the core's reports
//! and rule check.
//!
//! Every command writes to a handle that it is given, so that tests read what users see and a closed
//! pipe is an error like any other.

pub mod bench;
pub mod corpus;
mod error;
pub mod model;
mod output;
pub mod random;
pub mod report;
pub mod rules;
pub mod sample;
mod table;
pub mod tokenizer;
pub mod trace;
pub mod train;
pub mod verify;
pub mod worked;

pub use error::DemoError;
