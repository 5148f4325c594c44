//! The graph that a pass will reach, recorded before it: forward values, names and every operand use.

use std::collections::HashMap;

use super::failure::OperationRecord;
use super::pass::{NodeRecord, OperandRecord, PassRecord, UnreachedRecord};
use super::tensor::{Limits, TensorRecord};
use crate::tape::{TensorBackwardPass, TensorValue, operands, topology};
use crate::tensor::{Element, Tensor};

/// The nodes below an output.
///
/// A pass reports adjoints and contributions. This has what stands beside them on a picture and is gone
/// after a pass that releases: forward values, operands that are not differentiated, and the names that
/// the program has for its parameters.
#[derive(Clone, Debug)]
pub struct Graph<T: Element = f64> {
    nodes: Vec<(TensorValue<T>, Tensor<T>)>,
    operands: Vec<OperandRecord>,
    places: HashMap<u64, usize>,
    names: HashMap<usize, String>,
    unreached: Vec<UnreachedRecord>,
}

impl<T: Element> Graph<T> {
    /// Everything that `output` was made from, in creation order.
    pub fn of(output: &TensorValue<T>) -> Self {
        let handles = topology(output);
        let places: HashMap<u64, usize> = handles
            .iter()
            .enumerate()
            .map(|(place, node)| (node.0.number, place))
            .collect();
        let mut uses = Vec::new();
        for (child, node) in handles.iter().enumerate() {
            for (operand, parent) in operands(node).iter().enumerate() {
                if let Some(&parent) = places.get(&parent.0.number) {
                    uses.push(OperandRecord {
                        child,
                        operand,
                        parent,
                    });
                }
            }
        }
        let values = handles.iter().map(TensorValue::value_snapshot);
        Self {
            nodes: handles.iter().cloned().zip(values).collect(),
            operands: uses,
            places,
            names: HashMap::new(),
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
            match self.places.get(&value.0.number) {
                Some(&place) => {
                    self.names.insert(place, name.to_owned());
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
            && pass
                .nodes
                .iter()
                .zip(&self.nodes)
                .all(|(node, (handle, _))| {
                    node.operation == handle.operation() && node.shape == handle.shape()
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
        let nodes = self.nodes.iter().enumerate();
        nodes
            .map(|(index, (handle, value))| NodeRecord {
                index,
                operation: OperationRecord::new(handle.operation()),
                name: self.names.get(&index).cloned(),
                shape: value.shape().to_vec(),
                tracked: handle.tracks_gradient(),
                parameter: handle.is_parameter(),
                value: Some(TensorRecord::new(value, limits)),
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
