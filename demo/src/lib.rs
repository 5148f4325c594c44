//! The program: an ordinary user of the operations, through `autodiff_ops::prelude` alone.
//!
//! Every command writes to a handle that it is given, so that tests read what users see and a closed
//! pipe is an error like any other.

mod error;
pub mod rules;
mod table;
pub mod trace;
pub mod worked;

pub use error::DemoError;
