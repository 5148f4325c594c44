//! Everything that can be observed of nodes, so that a test can say that nothing changed.

use autodiff_ops::prelude::*;

/// All that one node shows, numbers by their bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeState {
    operation: Operation,
    shape: Vec<usize>,
    value: Vec<u64>,
    gradient: Option<Vec<u64>>,
    revision: u64,
    is_tracked: bool,
    is_parameter: bool,
    is_released: bool,
}

impl NodeState {
    /// What `node` shows now.
    pub fn of(node: &TensorValue) -> Self {
        Self {
            operation: node.operation(),
            shape: node.shape(),
            value: bits(&node.value_snapshot()),
            gradient: node.gradient_snapshot().as_ref().map(bits),
            revision: node.revision(),
            is_tracked: node.tracks_gradient(),
            is_parameter: node.is_parameter(),
            is_released: node.is_released(),
        }
    }
}

/// What each of `nodes` shows now.
pub fn states(nodes: &[&TensorValue]) -> Vec<NodeState> {
    nodes.iter().map(|node| NodeState::of(node)).collect()
}

/// The bits of every element.
pub fn bits(tensor: &Tensor) -> Vec<u64> {
    tensor
        .as_slice()
        .iter()
        .map(|value| value.to_bits())
        .collect()
}
