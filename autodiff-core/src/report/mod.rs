//! Passes as values that can be stored, sent and looked at: JSON, graphviz text, pictures and pages.
//!
//! Invariant: a report reads what was recorded and computes no gradient; every number on a page stands in
//! its [`Document`].
//!
//! The schema of the JSON is in `SCHEMA.md` beside this file.

mod document;
mod dot;
mod draw;
mod event;
mod failure;
mod graph;
mod number;
mod page;
mod pass;
mod saved;
mod tensor;
pub mod text;
mod words;

pub use document::{DecodeError, Document, FORMAT, VERSION};
pub use dot::dot;
pub use draw::{graph_svg, ledger_svg, lifecycle_svg};
pub use event::{CheckRecord, CoordinateRecord, EventRecord, RejectionRecord, StateRecord, Watch};
pub use failure::{ErrorRecord, FieldRecord, FieldValue, OperationRecord};
pub use graph::{Graph, OtherGraph};
pub use maud::Markup;
pub use number::Number;
pub use page::{document_page, page};
pub use pass::{
    EdgeRecord, NodeRecord, OperandRecord, PassRecord, RetentionRecord, UnreachedRecord,
};
pub use saved::{EntriesRecord, ProjectionRecord, SavedRecord, SavedValueRecord};
pub use tensor::{Limits, Statistics, TensorRecord};
