//! Operations that work element by element.

mod arithmetic;
mod decay;
mod exponential;
mod gaussian;
mod logistic;
mod power;
mod rectifier;
mod select;

pub use arithmetic::*;
pub use exponential::*;
pub use gaussian::*;
pub use logistic::*;
pub use power::*;
pub use rectifier::*;
pub use select::*;
