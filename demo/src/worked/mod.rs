//! The worked example: one graph, reversed by the tape and by hand, and what the tape refuses.

mod document;
mod evidence;
mod graph;
pub mod handwritten;
mod print;

pub use document::document;
pub use graph::{BIAS, SEED, WorkedGraph, X};
pub use print::print;
