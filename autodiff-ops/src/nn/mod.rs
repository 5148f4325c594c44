//! Operations of neural networks: normalisations, probabilities, losses, attention, positions.

mod attend;
mod heads;
mod layout;
mod loss;
mod mask;
mod mixture;
mod norm;
mod normalized;
mod probability;
mod random;
mod rotary;
mod rows;

#[cfg(test)]
mod composed;
#[cfg(test)]
mod testing;

pub use attend::*;
pub use loss::*;
pub use mask::*;
pub use norm::*;
pub use probability::*;
pub use random::*;
pub use rotary::*;
