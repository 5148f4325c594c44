//! One run of a block of operations on leaves of its own: how its result uses them, and what a pass
//! contributes to each use.
//!
//! Invariant: no node from outside is reached, so no gradient of such a node is cut off unnoticed.

use std::sync::Arc;

use super::backward::reversed;
use super::mode::recording;
use super::node::NodeRef;
use super::pending::Pending;
use super::trace::Observer;
use super::value::TensorValue;
use crate::error::{Result, TensorAutodiffError};
use crate::tensor::{Element, Tensor};

/// A function that can be run again, on any thread.
pub(crate) type BlockFn<T> = dyn Fn(&[TensorValue<T>]) -> Result<TensorValue<T>> + Send + Sync;

/// The value of an input, and whether the block is differentiated by it.
pub(crate) type BlockInput<T> = (Tensor<T>, bool);

/// A finished run.
pub(crate) struct BlockRun<T: Element> {
    leaves: Vec<TensorValue<T>>,
    output: TensorValue<T>,
}

/// What the uses of a run cannot be told for.
pub(crate) enum Unusable<T: Element> {
    /// The result depends on a tracked node that is no input.
    Captured(NodeRef<T>),
    /// An operation of the block has been released by the block.
    Released(TensorAutodiffError),
}

impl<T: Element> BlockRun<T> {
    /// Runs the block on new leaves and records what it does.
    pub(crate) fn new(block: &BlockFn<T>, inputs: &[BlockInput<T>]) -> Result<Self> {
        let leaf = |(value, tracked): &BlockInput<T>| {
            if *tracked {
                TensorValue::parameter(value.clone())
            } else {
                TensorValue::constant(value.clone())
            }
        };
        let leaves = inputs.iter().map(leaf).collect::<Result<Vec<_>>>()?;
        let output = block(&leaves)?;
        Ok(Self { leaves, output })
    }

    /// Does what [`new`](Self::new) does, and records also where the caller does not.
    pub(crate) fn recorded(block: &BlockFn<T>, inputs: &[BlockInput<T>]) -> Result<Self> {
        recording(|| Self::new(block, inputs))
    }

    pub(crate) fn value(&self) -> Tensor<T> {
        self.output.value_snapshot()
    }

    /// For every use of a tracked leaf, in the order in which a pass contributes to it, which leaf.
    pub(crate) fn uses(&self) -> Result<Vec<usize>, Unusable<T>> {
        if !self.output.tracks_gradient() {
            return Ok(Vec::new());
        }
        if let Some(leaf) = self.leaf(&self.output.node) {
            return Ok(vec![leaf]);
        }
        // Every node of the run is newer than its leaves.
        let first = self
            .leaves
            .first()
            .map_or(u64::MAX, |leaf| leaf.node.number);
        let mut uses = Vec::new();
        let mut pending = Pending::new(self.output.node.number, Arc::clone(&self.output.node));
        while let Some((number, node)) = pending.pop() {
            if number < first || node.is_parameter() {
                return Err(Unusable::Captured(node));
            }
            let found = node.look(|history| {
                let tracked = history
                    .edges
                    .iter()
                    .filter_map(|edge| edge.parent.tracked());
                for parent in tracked {
                    match self.leaf(parent) {
                        Some(leaf) => uses.push(leaf),
                        None => pending.insert(parent.number, Arc::clone(parent)),
                    }
                }
            });
            if found.is_none() {
                let operation = node.operation;
                return Err(Unusable::Released(TensorAutodiffError::GraphReleased {
                    operation,
                }));
            }
        }
        Ok(uses)
    }

    /// Which input a node is the leaf of.
    fn leaf(&self, node: &NodeRef<T>) -> Option<usize> {
        let number = node.number;
        self.leaves
            .binary_search_by_key(&number, |leaf| leaf.node.number)
            .ok()
    }

    /// One contribution for each of the [`uses`](Self::uses), with its leaf.
    pub(crate) fn contributions(self, upstream: Tensor<T>) -> Result<Vec<(usize, Tensor<T>)>> {
        if let Some(leaf) = self.leaf(&self.output.node) {
            return Ok(vec![(leaf, upstream)]);
        }
        let mut uses = Uses {
            run: &self,
            contributions: Vec::new(),
        };
        reversed(&self.output, upstream, &mut uses)?;
        Ok(uses.contributions)
    }
}

/// Takes the contributions to the leaves out of a pass, one by one and not summed: the pass outside
/// sums them in this order, as it would have without the block.
struct Uses<'a, T: Element> {
    run: &'a BlockRun<T>,
    contributions: Vec<(usize, Tensor<T>)>,
}

impl<T: Element> Observer<T> for Uses<'_, T> {
    fn receive(&mut self, parent: &NodeRef<T>, contribution: Tensor<T>) -> Option<Tensor<T>> {
        match self.run.leaf(parent) {
            Some(leaf) => {
                self.contributions.push((leaf, contribution));
                None
            }
            None => Some(contribution),
        }
    }
}
