//! The report of one pass: its nodes, its edges in the order they were reversed, and every number.
//!
//! Invariant: watching never changes arithmetic: an observer is shown values and hands none back.

#[cfg(feature = "report")]
use std::sync::Arc;

use super::backward::GraphRetention;
use super::history::{HistoryRef, Parent};
use super::node::NodeRef;
#[cfg(feature = "report")]
use super::pending::Pending;
use super::reach::{Step, in_creation_order};
use crate::error::Result;
use crate::operation::Operation;
use crate::rule::{Rule, SavedFields};
use crate::tensor::{Element, Tensor};

/// One reverse pass, step by step.
#[derive(Clone, Debug, PartialEq)]
pub struct TensorBackwardPass<T: Element = f64> {
    /// The cotangent that the pass began with.
    pub seed: Tensor<T>,
    /// Whether the graph was kept.
    pub retention: GraphRetention,
    /// The reached nodes and their untracked operands, in creation order.
    pub nodes: Vec<TensorBackwardNode<T>>,
    /// The evaluated edges, in the order of evaluation.
    pub edges: Vec<TensorBackwardEdge<T>>,
}

/// One node of a pass.
#[derive(Clone, Debug, PartialEq)]
pub struct TensorBackwardNode<T: Element = f64> {
    /// The node's position in creation order.
    pub topology_index: usize,
    /// What made it.
    pub operation: Operation,
    /// Its shape.
    pub shape: Vec<usize>,
    /// Whether it is differentiated.
    pub tracked: bool,
    /// Whether it stores a gradient.
    pub parameter: bool,
    /// The sum of its contributions in this pass; `None` where it is untracked.
    pub pass_adjoint: Option<Tensor<T>>,
    /// The stored gradient after the pass; `None` where it is not a parameter.
    pub accumulated_gradient: Option<Tensor<T>>,
}

/// One evaluated edge of a pass.
#[derive(Clone, Debug, PartialEq)]
pub struct TensorBackwardEdge<T: Element = f64> {
    /// The edge's position in the order of evaluation.
    pub reverse_index: usize,
    /// The node that used the operand, as a position in `nodes`.
    pub child: usize,
    /// The operand's node, as a position in `nodes`.
    pub parent: usize,
    /// Which operand use of the child.
    pub operand: usize,
    /// What the edge saved, and its rule in words.
    pub saved: SavedFields<T>,
    /// The child's adjoint.
    pub upstream: Tensor<T>,
    /// What the rule returned for this operand use.
    pub contribution: Tensor<T>,
    /// Whether the parent is differentiated.
    pub parent_tracked: bool,
    /// The parent's adjoint before the contribution; zeros before the first.
    pub parent_adjoint_before: Option<Tensor<T>>,
    /// The parent's adjoint after it.
    pub parent_adjoint_after: Option<Tensor<T>>,
}

/// One edge as it was just evaluated.
pub(crate) struct EdgeStep<'a, T: Element> {
    pub(crate) rule: &'static Rule,
    pub(crate) history: &'a HistoryRef<'a, T>,
    pub(crate) child: u64,
    pub(crate) operand: usize,
    pub(crate) upstream: &'a Tensor<T>,
    pub(crate) contribution: Tensor<T>,
    pub(crate) before: Option<Tensor<T>>,
    pub(crate) after: Option<Tensor<T>>,
}

/// What watches a pass. The unit type watches nothing and costs nothing.
pub(crate) trait Observer<T: Element> {
    fn begin(&mut self, _steps: &[Step<'_, T>], _seed: &Tensor<T>) {}

    /// A copy to report, if anything is reported.
    fn keep(&self, _tensor: &Tensor<T>) -> Option<Tensor<T>> {
        None
    }

    /// A contribution before it is added to its parent's adjoint; none where the observer keeps it.
    fn receive(&mut self, _parent: &NodeRef<T>, contribution: Tensor<T>) -> Option<Tensor<T>> {
        Some(contribution)
    }

    fn adjoint(&mut self, _node: &NodeRef<T>, _adjoint: &Tensor<T>) {}

    fn edge(&mut self, _step: EdgeStep<'_, T>) -> Result<()> {
        Ok(())
    }

    fn committed(&mut self, _node: &NodeRef<T>, _gradient: &Tensor<T>) {}
}

impl<T: Element> Observer<T> for () {}

/// Collects the report of a pass.
pub(crate) struct Trace<T: Element> {
    /// The creation numbers of the nodes of the pass.
    numbers: Vec<u64>,
    pass: TensorBackwardPass<T>,
}

impl<T: Element> Trace<T> {
    pub(crate) fn new(retention: GraphRetention) -> Self {
        Self {
            numbers: Vec::new(),
            pass: TensorBackwardPass {
                seed: Tensor::scalar(T::zero()),
                retention,
                nodes: Vec::new(),
                edges: Vec::new(),
            },
        }
    }

    pub(crate) fn finish(self) -> TensorBackwardPass<T> {
        self.pass
    }

    fn node_mut(&mut self, node: &NodeRef<T>) -> Option<&mut TensorBackwardNode<T>> {
        let position = position_in(&self.numbers, node.number);
        self.pass.nodes.get_mut(position)
    }
}

impl<T: Element> Observer<T> for Trace<T> {
    fn begin(&mut self, steps: &[Step<'_, T>], seed: &Tensor<T>) {
        self.pass.seed = seed.clone();
        let nodes = in_creation_order(steps);
        self.numbers = nodes.iter().map(Parent::number).collect();
        self.pass.nodes = nodes.iter().enumerate().map(untouched).collect();
    }

    fn keep(&self, tensor: &Tensor<T>) -> Option<Tensor<T>> {
        Some(tensor.clone())
    }

    fn adjoint(&mut self, node: &NodeRef<T>, adjoint: &Tensor<T>) {
        if let Some(node) = self.node_mut(node) {
            node.pass_adjoint = Some(adjoint.clone());
        }
    }

    fn edge(&mut self, step: EdgeStep<'_, T>) -> Result<()> {
        let Some(edge) = step.history.edges.get(step.operand) else {
            return Ok(());
        };
        let vjp = edge.place.vjp();
        let before = match step.before {
            Some(before) => before,
            None => Tensor::zeros(step.contribution.shape())?,
        };
        self.pass.edges.push(TensorBackwardEdge {
            reverse_index: self.pass.edges.len(),
            child: position_in(&self.numbers, step.child),
            parent: position_in(&self.numbers, edge.parent.number()),
            operand: step.operand,
            saved: SavedFields {
                rule: step.rule.vjps.get(vjp).map_or("", |vjp| vjp.words),
                fields: step.history.saved.fields(vjp),
            },
            upstream: step.upstream.clone(),
            contribution: step.contribution,
            parent_tracked: edge.parent.tracked().is_some(),
            parent_adjoint_before: Some(before),
            parent_adjoint_after: step.after,
        });
        Ok(())
    }

    fn committed(&mut self, node: &NodeRef<T>, gradient: &Tensor<T>) {
        if let Some(node) = self.node_mut(node) {
            node.accumulated_gradient = Some(gradient.clone());
        }
    }
}

/// A node as a pass finds it.
fn untouched<T: Element>((topology_index, node): (usize, &Parent<T>)) -> TensorBackwardNode<T> {
    let (operation, shape) = match node {
        Parent::Tracked { node, .. } => (node.operation, node.shape()),
        Parent::Untracked {
            operation, shape, ..
        } => (*operation, shape.to_vec()),
    };
    TensorBackwardNode {
        topology_index,
        operation,
        shape,
        tracked: node.tracked().is_some(),
        parameter: node.tracked().is_some_and(|node| node.is_parameter()),
        pass_adjoint: None,
        accumulated_gradient: None,
    }
}

/// A node below an output, before a pass.
#[cfg(feature = "report")]
pub(crate) struct Described<T: Element> {
    pub(crate) number: u64,
    pub(crate) node: TensorBackwardNode<T>,
    /// The value, where the node has it; an operand that is not tracked is known by its description only.
    pub(crate) value: Option<Tensor<T>>,
    /// The numbers of its operands, in order.
    pub(crate) operands: Vec<u64>,
}

/// What a pass from `output` would report of nodes and operand uses, in creation order.
#[cfg(feature = "report")]
pub(crate) fn described<T: Element>(output: &NodeRef<T>) -> Vec<Described<T>> {
    let nodes = topology(output);
    let described = nodes.iter().enumerate().map(|(index, reached)| {
        let mut operands = Vec::new();
        if let Some(node) = reached.tracked() {
            node.look(|history| {
                operands.extend(history.edges.iter().map(|edge| edge.parent.number()));
            });
        }
        Described {
            number: reached.number(),
            node: untouched((index, reached)),
            value: reached.tracked().and_then(|node| node.own_value()),
            operands,
        }
    });
    described.collect()
}

/// What a pass would reach and its untracked operands, in creation order, as far as it is not released.
#[cfg(feature = "report")]
fn topology<T: Element>(output: &NodeRef<T>) -> Vec<Parent<T>> {
    let mut nodes = Vec::new();
    let output = Parent::Tracked {
        node: Arc::clone(output),
        revision: output.revision(),
    };
    let mut pending = Pending::new(output.number(), output);
    while let Some((_, reached)) = pending.pop() {
        if let Some(node) = reached.tracked() {
            node.look(|history| {
                for edge in history.edges {
                    pending.insert(edge.parent.number(), edge.parent.clone());
                }
            });
        }
        nodes.push(reached);
    }
    nodes.reverse();
    nodes
}

fn position_in(numbers: &[u64], number: u64) -> usize {
    numbers.partition_point(|&earlier| earlier < number)
}
