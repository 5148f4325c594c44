//! Operations that only move elements.

mod arrange;
mod broadcast;

pub use arrange::*;
pub use broadcast::*;
