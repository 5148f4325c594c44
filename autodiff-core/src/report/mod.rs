//! Passes as values that can be stored, sent and looked at: JSON, graphviz text, pictures and pages.
//!
//! Invariant: a report reads what was recorded and computes no gradient; every number on a page stands in
//! its [`Document`].
//!
//! The schema of the JSON is in `SCHEMA.md` beside this file.
//!
//! ```
//! use autodiff_core::prelude::*;
//! use autodiff_core::report::{Document, Graph, Limits, Watch, document_page};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let limits = Limits::default();
//! let weight = TensorValue::parameter(Tensor::from_vec([2], vec![1.0, 2.0])?)?;
//! // Any result stands here; a parameter is one, too.
//! let output = weight.clone();
//! let graph = Graph::of(&output).named([("weight", &weight)]);
//! let watch = Watch::new([("weight", &weight)], limits);
//!
//! let seed = Tensor::from_vec([2], vec![3.0, 6.0])?;
//! let pass = output.backward_with_seed_and_trace(&seed.view(), GraphRetention::Retain)?;
//! let mut document = Document::new("my model");
//! document.passes.push(graph.record("one step", &pass, limits)?);
//! document.events.push(watch.event("after one step"));
//!
//! let json = document.encode()?;
//! assert_eq!(Document::decode(json.as_bytes())?, document);
//! assert!(document_page(&document).contains("[3, 6]"));
//! # Ok(())
//! # }
//! ```

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
