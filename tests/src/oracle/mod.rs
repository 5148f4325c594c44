//! Runs the reference cases of `fixtures/ops.json`: reads them, calls the operations they name, compares.

mod attributes;
mod call;
mod compare;
mod elementwise;
mod fault;
mod files;
mod format;
mod graph;
mod index;
mod linalg;
mod nn;
mod reduce;
mod run;
mod shape;

pub use attributes::Attributes;
pub use call::{Bound, Call};
pub use compare::{Worst, worst};
pub use fault::Fault;
pub use files::read_cases;
pub use format::{Case, Dtype, Gradient, Input, Values};
pub use run::{call, evaluate, run};
