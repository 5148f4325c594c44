//! What is recorded of one pass: the nodes it reached and every edge in the order it was reversed.

use serde::{Deserialize, Serialize};

use super::failure::OperationRecord;
use super::graph::Graph;
use super::saved::{SavedRecord, Storage};
use super::tensor::{Limits, TensorRecord};
use crate::tape::{GraphRetention, TensorBackwardEdge, TensorBackwardNode, TensorBackwardPass};
use crate::tensor::Element;

/// A pass, or a graph whose pass was refused: then there is no seed, no retention and no edge.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PassRecord {
    /// What the pass was for.
    pub title: String,
    /// The element type: `f32`, `f64` or `dual`.
    pub element: String,
    /// The cotangent that the pass began with.
    pub seed: Option<TensorRecord>,
    /// Whether the graph was kept.
    pub retention: Option<RetentionRecord>,
    /// The reached nodes and their untracked operands, in creation order.
    pub nodes: Vec<NodeRecord>,
    /// Every operand use, by child and operand.
    pub operands: Vec<OperandRecord>,
    /// The evaluated operand uses, in the order of evaluation.
    pub edges: Vec<EdgeRecord>,
    /// Parameters by name that the pass did not reach.
    pub unreached: Vec<UnreachedRecord>,
}

/// Whether a pass kept the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RetentionRecord {
    /// It can be reversed again.
    Retain,
    /// Its edges and saved contexts are dropped.
    Release,
}

/// One node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NodeRecord {
    /// Its position in creation order.
    pub index: usize,
    /// What made it.
    pub operation: OperationRecord,
    /// The name that the program has for it.
    pub name: Option<String>,
    /// Its shape.
    pub shape: Vec<usize>,
    /// Whether it is differentiated.
    pub tracked: bool,
    /// Whether it stores a gradient.
    pub parameter: bool,
    /// Its forward value, where the graph was recorded beside the pass.
    pub value: Option<TensorRecord>,
    /// The sum of its contributions in this pass.
    pub adjoint: Option<TensorRecord>,
    /// The gradient that it stores after the pass.
    pub gradient: Option<TensorRecord>,
}

/// One operand use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OperandRecord {
    /// The node that uses the operand.
    pub child: usize,
    /// Which operand of it.
    pub operand: usize,
    /// The operand's node.
    pub parent: usize,
}

/// One evaluated operand use.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EdgeRecord {
    /// Its position in the order of evaluation.
    pub index: usize,
    /// The node that uses the operand.
    pub child: usize,
    /// Which operand of it.
    pub operand: usize,
    /// The operand's node.
    pub parent: usize,
    /// The local rule in words.
    pub rule: String,
    /// What was saved for it.
    pub saved: Vec<SavedRecord>,
    /// The child's adjoint.
    pub upstream: TensorRecord,
    /// What the rule returned.
    pub contribution: TensorRecord,
    /// Whether the parent is differentiated.
    pub parent_tracked: bool,
    /// The parent's adjoint before the contribution.
    pub before: Option<TensorRecord>,
    /// The parent's adjoint after it.
    pub after: Option<TensorRecord>,
}

/// A parameter that a pass did not reach: nothing that was differentiated depends on it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UnreachedRecord {
    /// Its name.
    pub name: String,
    /// Its shape.
    pub shape: Vec<usize>,
}

impl PassRecord {
    /// Records a pass by itself: without forward values, and without the operands that it did not
    /// differentiate.
    pub fn new<T: Element>(title: &str, pass: &TensorBackwardPass<T>, limits: Limits) -> Self {
        let mut storage = Storage::default();
        let edges = pass
            .edges
            .iter()
            .map(|edge| EdgeRecord::new(edge, limits, &mut storage));
        let edges: Vec<EdgeRecord> = edges.collect();
        let mut operands: Vec<OperandRecord> = edges.iter().map(EdgeRecord::operand_use).collect();
        operands.sort_by_key(|operand| (operand.child, operand.operand));
        Self {
            title: title.to_owned(),
            element: T::NAME.to_owned(),
            seed: Some(TensorRecord::new(&pass.seed, limits)),
            retention: Some(match pass.retention {
                GraphRetention::Retain => RetentionRecord::Retain,
                GraphRetention::Release => RetentionRecord::Release,
            }),
            nodes: pass
                .nodes
                .iter()
                .map(|node| NodeRecord::new(node, limits))
                .collect(),
            operands,
            edges,
            unreached: Vec::new(),
        }
    }

    /// Records the graph of a pass that was refused.
    pub fn refused<T: Element>(title: &str, graph: &Graph<T>, limits: Limits) -> Self {
        Self {
            title: title.to_owned(),
            element: T::NAME.to_owned(),
            seed: None,
            retention: None,
            nodes: graph.nodes(limits),
            operands: graph.operands().to_vec(),
            edges: Vec::new(),
            unreached: graph.unreached(),
        }
    }

    /// A node by its position.
    pub fn node(&self, index: usize) -> Option<&NodeRecord> {
        self.nodes.get(index)
    }
}

impl NodeRecord {
    fn new<T: Element>(node: &TensorBackwardNode<T>, limits: Limits) -> Self {
        let record = |tensor| TensorRecord::new(tensor, limits);
        Self {
            index: node.topology_index,
            operation: OperationRecord::new(node.operation),
            name: None,
            shape: node.shape.clone(),
            tracked: node.tracked,
            parameter: node.parameter,
            value: None,
            adjoint: node.pass_adjoint.as_ref().map(record),
            gradient: node.accumulated_gradient.as_ref().map(record),
        }
    }
}

impl EdgeRecord {
    fn new<T: Element>(
        edge: &TensorBackwardEdge<T>,
        limits: Limits,
        storage: &mut Storage,
    ) -> Self {
        let record = |tensor| TensorRecord::new(tensor, limits);
        let saved = edge.saved.fields.iter();
        Self {
            index: edge.reverse_index,
            child: edge.child,
            operand: edge.operand,
            parent: edge.parent,
            rule: edge.saved.rule.to_owned(),
            saved: saved
                .map(|field| SavedRecord::new(field, limits, storage))
                .collect(),
            upstream: record(&edge.upstream),
            contribution: record(&edge.contribution),
            parent_tracked: edge.parent_tracked,
            before: edge.parent_adjoint_before.as_ref().map(record),
            after: edge.parent_adjoint_after.as_ref().map(record),
        }
    }

    /// The operand use that was evaluated.
    pub fn operand_use(&self) -> OperandRecord {
        OperandRecord {
            child: self.child,
            operand: self.operand,
            parent: self.parent,
        }
    }
}
