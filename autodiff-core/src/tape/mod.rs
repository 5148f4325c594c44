//! The tape: values with a history, and the reverse pass over it.
//!
//! Invariant: a handle points only to older nodes, so reverse-topological order is descending
//! creation number. Invariant: no user code runs under an exclusive lock, and nothing recurses.

mod backward;
mod block;
mod commit;
mod contributions;
mod drop;
mod history;
mod mode;
mod node;
mod pending;
mod pull;
mod reach;
mod recorder;
mod shard;
mod slot;
mod trace;
mod update;
mod value;

pub use backward::GraphRetention;
pub(crate) use backward::adjoints;
pub(crate) use block::{BlockFn, BlockInput, BlockRun, Unusable};
#[cfg(feature = "gradcheck")]
pub(crate) use contributions::{Fault, Reverse, contributions};
#[cfg(feature = "gradcheck")]
pub(crate) use history::HistoryRef;
pub use history::Place;
pub use mode::{keep_values, no_grad};
pub use recorder::{Recorder, Use, Value};
pub use slot::TensorGuard;
#[cfg(feature = "report")]
pub(crate) use trace::described;
pub use trace::{TensorBackwardEdge, TensorBackwardNode, TensorBackwardPass};
pub use update::{update_all, zero_all};
pub use value::TensorValue;
