//! Operations that only move elements.

mod arrange;
mod axes;
mod broadcast;
mod join;
mod part;
mod triangle;

pub use arrange::*;
pub use axes::*;
pub use broadcast::*;
pub use join::*;
pub use part::*;
pub use triangle::*;
