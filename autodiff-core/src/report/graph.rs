//! The graph that a pass will reach, recorded before it: forward values, names and every operand use.

use std::collections::HashMap;

use super::failure::OperationRecord;
use super::pass::{NodeRecord, OperandRecord, PassRecord, UnreachedRecord};
use super::tensor::{Limits, TensorRecord};
use crate::tape::{TensorBackwardNode, TensorBackwardPass, TensorValue, described};
use crate::tensor::{Element, Tensor};

/// The nodes below an output.
///
/// A pass reports adjoints and contributions. This has what stands beside them on a picture and is gone
/// after a pass that releases: forward values, operands that are not differentiated, and the names that
/// the program has for its parameters.
#[derive(Clone, Debug)]
pub struct Graph<T: Element = f64> {
    nodes: Vec<Below<T>>,
    operands: Vec<OperandRecord>,
    places: HashMap<u64, usize>,
    unreached: Vec<UnreachedRecord>,
}

#[derive(Clone, Debug)]
struct Below<T: Element> {
    node: TensorBackwardNode<T>,
    name: Option<String>,
    value: Option<Tensor<T>>,
}

impl<T: Element> Graph<T> {
    /// Everything that `output` was made from, in creation order.
    ///
    /// Of what stands between, the tape holds the values that were recorded in
    /// [`keep_values`](crate::keep_values); without it such a node is shown without its value.
    pub fn of(output: &TensorValue<T>) -> Self {
        let described = described(&output.node);
        let numbers = described.iter().map(|below| below.number);
        let places: HashMap<u64, usize> = numbers.zip(0..).collect();
        let uses = described.iter().enumerate().flat_map(|(child, below)| {
            let places = &places;
            let operands = below.operands.iter().enumerate();
            operands.filter_map(move |(operand, number)| {
                let parent = *places.get(number)?;
                Some(OperandRecord {
                    child,
                    operand,
                    parent,
                })
            })
        });
        let operands = uses.collect();
        let nodes = described.into_iter().map(|below| Below {
            node: below.node,
            name: None,
            value: below.value,
        });
        let mut nodes: Vec<_> = nodes.collect();
        if let Some(newest) = nodes.last_mut() {
            newest.value = Some(output.value_snapshot());
        }
        Self {
            nodes,
            operands,
            places,
            unreached: Vec::new(),
        }
    }

    /// With names. A parameter of theirs that is not below the output is one that the pass will not reach.
    #[must_use]
    pub fn named<'a>(
        mut self,
        values: impl IntoIterator<Item = (&'a str, &'a TensorValue<T>)>,
    ) -> Self {
        for (name, value) in values {
            let place = self.places.get(&value.node.number);
            match place.and_then(|&place| self.nodes.get_mut(place)) {
                Some(below) => {
                    below.name = Some(name.to_owned());
                    below.value = Some(value.value_snapshot());
                }
                None if value.is_parameter() => self.unreached.push(UnreachedRecord {
                    name: name.to_owned(),
                    shape: value.shape(),
                }),
                None => {}
            }
        }
        self
    }

    /// Records a pass over this graph, with values, names and all operands.
    ///
    /// # Errors
    /// [`OtherGraph`] where the pass is of another graph.
    pub fn record(
        &self,
        title: &str,
        pass: &TensorBackwardPass<T>,
        limits: Limits,
    ) -> Result<PassRecord, OtherGraph> {
        let mut record = PassRecord::new(title, pass, limits);
        let same = pass.nodes.len() == self.nodes.len()
            && pass.nodes.iter().zip(&self.nodes).all(|(node, below)| {
                node.operation == below.node.operation && node.shape == below.node.shape
            });
        if !same {
            return Err(OtherGraph {
                recorded: self.nodes.len(),
                passed: pass.nodes.len(),
            });
        }
        for (node, own) in record.nodes.iter_mut().zip(self.nodes(limits)) {
            node.value = own.value;
            node.name = own.name;
        }
        record.operands.clone_from(&self.operands);
        record.unreached.clone_from(&self.unreached);
        Ok(record)
    }

    pub(super) fn nodes(&self, limits: Limits) -> Vec<NodeRecord> {
        let nodes = self.nodes.iter();
        nodes
            .map(|Below { node, name, value }| NodeRecord {
                index: node.topology_index,
                operation: OperationRecord::new(node.operation),
                name: name.clone(),
                shape: node.shape.clone(),
                tracked: node.tracked,
                parameter: node.parameter,
                value: value.as_ref().map(|value| TensorRecord::new(value, limits)),
                adjoint: None,
                gradient: None,
            })
            .collect()
    }

    pub(super) fn operands(&self) -> &[OperandRecord] {
        &self.operands
    }

    pub(super) fn unreached(&self) -> Vec<UnreachedRecord> {
        self.unreached.clone()
    }
}

/// A pass and a graph that do not belong together.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "report: expected a pass over the graph of {recorded} nodes that was recorded, got one over {passed} nodes"
)]
pub struct OtherGraph {
    /// The nodes of the graph.
    pub recorded: usize,
    /// The nodes of the pass.
    pub passed: usize,
}
