//! The document: passes, events, checks and refusals of one program, as JSON.
//!
//! Invariant: bytes that decode are consistent: every position is in range, every node comes after its
//! operands, and no tensor has more elements than its shape.

use serde::{Deserialize, Serialize};

use super::event::{CheckRecord, EventRecord, RejectionRecord, StateRecord};
use super::pass::{EdgeRecord, NodeRecord, PassRecord};
use super::saved::SavedValueRecord;
use super::tensor::{Limits, TensorRecord, count};

/// What the field `format` of every document says.
pub const FORMAT: &str = "autodiff-trace";

/// The version of the schema that this crate writes and reads.
pub const VERSION: u32 = 1;

/// Everything that is recorded of one program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Document {
    /// [`FORMAT`].
    pub format: String,
    /// [`VERSION`].
    pub version: u32,
    /// What the document is about.
    pub title: String,
    /// How much of a tensor is recorded.
    pub limits: Limits,
    /// The passes.
    pub passes: Vec<PassRecord>,
    /// What happened, in order.
    pub events: Vec<EventRecord>,
    /// Checks of gradients.
    pub checks: Vec<CheckRecord>,
    /// What was refused.
    pub rejections: Vec<RejectionRecord>,
}

/// The first fields of a document of any version.
#[derive(Deserialize)]
struct Head {
    format: String,
    version: u32,
}

/// Why bytes are not a document.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// They are not JSON of the schema's form.
    #[error("trace: line {line}, column {column}: {reason}")]
    Malformed {
        /// The line, counted from 1; 0 where it is not known.
        line: usize,
        /// The column, counted from 1; 0 where it is not known.
        column: usize,
        /// What is wrong.
        reason: String,
    },
    /// They are another kind of document.
    #[error("trace: format, expected {FORMAT:?}, got {found:?}")]
    Format {
        /// What the field says.
        found: String,
    },
    /// They are of a schema that this crate does not read.
    #[error("trace: version, expected {VERSION}, got {found}")]
    Version {
        /// What the field says.
        found: u32,
    },
    /// They contradict themselves.
    #[error("trace: {place}: expected {expected}, got {actual}")]
    Inconsistent {
        /// Where.
        place: String,
        /// What the rest of the document asks for.
        expected: String,
        /// What stands there.
        actual: String,
    },
}

impl From<serde_json::Error> for DecodeError {
    fn from(error: serde_json::Error) -> Self {
        Self::Malformed {
            line: error.line(),
            column: error.column(),
            reason: error.to_string(),
        }
    }
}

impl Document {
    /// A document of nothing yet.
    pub fn new(title: &str) -> Self {
        Self {
            format: FORMAT.to_owned(),
            version: VERSION,
            title: title.to_owned(),
            limits: Limits::default(),
            passes: Vec::new(),
            events: Vec::new(),
            checks: Vec::new(),
            rejections: Vec::new(),
        }
    }

    /// The document as JSON, on one line.
    ///
    /// # Errors
    /// As for [`serde_json::to_string`]; with these types, none.
    pub fn encode(&self) -> serde_json::Result<String> {
        serde_json::to_string(self)
    }

    /// The document that `bytes` are the JSON of. They may come from anywhere: nothing is allocated that
    /// they do not have, and nesting is bounded.
    ///
    /// # Errors
    /// [`DecodeError`].
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        // Known before anything else is believed, so that a later version is told as such.
        let head: Head = serde_json::from_slice(bytes)?;
        if head.format != FORMAT {
            return Err(DecodeError::Format { found: head.format });
        }
        if head.version != VERSION {
            return Err(DecodeError::Version {
                found: head.version,
            });
        }
        let document: Self = serde_json::from_slice(bytes)?;
        document.check()?;
        Ok(document)
    }

    /// Whether the document contradicts itself.
    ///
    /// # Errors
    /// [`DecodeError::Inconsistent`] for the first contradiction.
    pub fn check(&self) -> Result<(), DecodeError> {
        for (number, pass) in self.passes.iter().enumerate() {
            check_pass(pass).map_err(|fault| fault.within(&format!("pass {number}")))?;
        }
        for (number, event) in self.events.iter().enumerate() {
            check_states(&event.states)
                .map_err(|fault| fault.within(&format!("event {number}")))?;
        }
        for (number, rejection) in self.rejections.iter().enumerate() {
            check_states(&rejection.before)
                .and_then(|()| check_states(&rejection.after))
                .map_err(|fault| fault.within(&format!("rejection {number}")))?;
        }
        Ok(())
    }
}

/// A contradiction, before its place is complete.
struct Fault {
    place: String,
    expected: String,
    actual: String,
}

impl Fault {
    fn new(place: &str, expected: impl Into<String>, actual: impl ToString) -> Self {
        Self {
            place: place.to_owned(),
            expected: expected.into(),
            actual: actual.to_string(),
        }
    }

    fn within(self, outer: &str) -> Self {
        Self {
            place: format!("{outer}, {}", self.place),
            ..self
        }
    }
}

impl From<Fault> for DecodeError {
    fn from(
        Fault {
            place,
            expected,
            actual,
        }: Fault,
    ) -> Self {
        Self::Inconsistent {
            place,
            expected,
            actual,
        }
    }
}

fn check_pass(pass: &PassRecord) -> Result<(), Fault> {
    if let Some(seed) = &pass.seed {
        check_tensor("seed", seed)?;
    }
    for (position, node) in pass.nodes.iter().enumerate() {
        check_node(position, node).map_err(|fault| fault.within(&format!("node {position}")))?;
    }
    let ends = |place: &str, child: usize, parent: usize| {
        if child >= pass.nodes.len() {
            let expected = format!("a child below {}", pass.nodes.len());
            return Err(Fault::new(place, expected, child));
        }
        // Creation order: so a graph that decodes has no cycle.
        if parent >= child {
            return Err(Fault::new(place, format!("a parent below {child}"), parent));
        }
        Ok(())
    };
    for (number, operand) in pass.operands.iter().enumerate() {
        ends(
            &format!("operand use {number}"),
            operand.child,
            operand.parent,
        )?;
    }
    for (position, edge) in pass.edges.iter().enumerate() {
        let place = format!("edge {position}");
        ends(&place, edge.child, edge.parent)?;
        check_edge(position, edge).map_err(|fault| fault.within(&place))?;
    }
    Ok(())
}

fn check_node(position: usize, node: &NodeRecord) -> Result<(), Fault> {
    if node.index != position {
        return Err(Fault::new("index", position.to_string(), node.index));
    }
    let tensors = [
        ("value", &node.value),
        ("adjoint", &node.adjoint),
        ("gradient", &node.gradient),
    ];
    for (name, tensor) in tensors {
        if let Some(tensor) = tensor {
            check_tensor(name, tensor)?;
            if tensor.shape != node.shape {
                return Err(Fault::new(
                    name,
                    format!("shape {:?}", node.shape),
                    format!("{:?}", tensor.shape),
                ));
            }
        }
    }
    Ok(())
}

fn check_edge(position: usize, edge: &EdgeRecord) -> Result<(), Fault> {
    if edge.index != position {
        return Err(Fault::new("index", position.to_string(), edge.index));
    }
    check_tensor("upstream", &edge.upstream)?;
    check_tensor("contribution", &edge.contribution)?;
    for (name, tensor) in [("before", &edge.before), ("after", &edge.after)] {
        if let Some(tensor) = tensor {
            check_tensor(name, tensor)?;
        }
    }
    for field in &edge.saved {
        let place = format!("saved {}", field.name);
        match &field.value {
            SavedValueRecord::Tensor(tensor) | SavedValueRecord::Numbers(tensor) => {
                check_tensor(&place, tensor)?;
            }
            SavedValueRecord::Tensors(tensors) => {
                for tensor in tensors {
                    check_tensor(&place, tensor)?;
                }
            }
            SavedValueRecord::Indices(entries) | SavedValueRecord::Counts(entries) => {
                check_count(&place, &entries.shape, entries.values.len())?;
            }
            SavedValueRecord::Mask(entries) => {
                check_count(&place, &entries.shape, entries.values.len())?;
            }
            SavedValueRecord::Projection(plan) => {
                check_count(&place, &plan.logical_shape, plan.offsets.len())?;
            }
            _ => {}
        }
    }
    Ok(())
}

fn check_states(states: &[StateRecord]) -> Result<(), Fault> {
    for state in states {
        check_tensor(&state.name, &state.value)?;
        if let Some(gradient) = &state.gradient {
            check_tensor(&state.name, gradient)?;
        }
    }
    Ok(())
}

fn check_tensor(place: &str, tensor: &TensorRecord) -> Result<(), Fault> {
    check_count(place, &tensor.shape, tensor.values.len())?;
    if let Some(tangents) = &tensor.tangents
        && tangents.len() != tensor.values.len()
    {
        let expected = format!("{} tangents", tensor.values.len());
        return Err(Fault::new(place, expected, tangents.len()));
    }
    Ok(())
}

fn check_count(place: &str, shape: &[usize], kept: usize) -> Result<(), Fault> {
    match count(shape) {
        Some(count) if kept <= count => Ok(()),
        Some(count) => Err(Fault::new(place, format!("at most {count} elements"), kept)),
        None => Err(Fault::new(
            place,
            "a shape that can be counted",
            format!("{shape:?}"),
        )),
    }
}
