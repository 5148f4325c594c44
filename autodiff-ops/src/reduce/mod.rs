//! Operations that combine the elements along axes.

mod cumulative;
mod extremum;
mod norm;
mod product;
mod spread;
mod total;

pub use cumulative::*;
pub use extremum::*;
pub use norm::*;
pub use product::*;
pub use spread::*;
pub use total::*;
