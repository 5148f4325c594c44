//! The reference's reverse pass: every check in its order, then one contribution after the other; and
//! once more as the product of the seed with whole Jacobians.

use std::collections::{BTreeMap, BTreeSet};

use autodiff_ops::prelude::TensorAutodiffError;

use crate::arrays::{Array, Matrix};
use crate::world::{Flaw, World};

/// What a pass found, before anything is stored.
#[derive(Clone, Debug)]
pub struct Reversed {
    /// The adjoint of every reached parameter, oldest first.
    pub adjoints: Vec<(usize, Vec<f64>)>,
    /// Child, parent and operand of every contribution, by positions among the reached nodes.
    pub contributions: Vec<(usize, usize, usize, Vec<f64>)>,
}

/// From where on a number is near enough to the largest one that the order of a sum decides whether it
/// overflows.
const HUGE: f64 = 1e200;

/// What a pass reaches.
pub struct Scan<'a> {
    world: &'a World,
    output: usize,
    /// Tracked or not, oldest first.
    nodes: Vec<usize>,
}

impl<'a> Scan<'a> {
    pub fn new(world: &'a World, output: usize) -> Scan<'a> {
        let mut nodes = BTreeSet::from([output]);
        let mut left = vec![output];
        while let Some(node) = left.pop() {
            for edge in &world.nodes[node].edges {
                if !world.nodes[node].released && nodes.insert(edge.parent) {
                    left.push(edge.parent);
                }
            }
        }
        Self {
            world,
            output,
            nodes: nodes.into_iter().collect(),
        }
    }

    pub fn position(&self, node: usize) -> usize {
        self.nodes.iter().position(|other| *other == node).unwrap()
    }

    /// The reached tracked nodes, newest first.
    pub fn reached(&self) -> Vec<usize> {
        let tracked = |node: &usize| self.world.nodes[*node].tracked;
        self.nodes.iter().rev().copied().filter(tracked).collect()
    }

    /// None where the order of a sum decides, which is nobody's promise.
    pub fn reverse(&self, seed: &Array) -> Result<Option<Reversed>, TensorAutodiffError> {
        let nodes = &self.world.nodes;
        let output = &nodes[self.output];
        let operation = output.operation;
        if output.released {
            return Err(TensorAutodiffError::GraphReleased { operation });
        }
        if !output.tracked {
            return Err(TensorAutodiffError::UntrackedOutput { operation });
        }
        for node in self.reached() {
            if nodes[node].released {
                let operation = nodes[node].operation;
                return Err(TensorAutodiffError::GraphReleased { operation });
            }
        }
        if self.world.flaw == Flaw::SeedLast {
            self.check_revisions()?;
        }
        if seed.shape != output.array.shape {
            return Err(TensorAutodiffError::SeedShapeMismatch {
                expected: output.array.shape.clone(),
                actual: seed.shape.clone(),
            });
        }
        if let Some((index, value)) = seed.first_non_finite() {
            return Err(TensorAutodiffError::NonFiniteSeed { index, value });
        }
        if self.world.flaw != Flaw::ForgetsRevisions {
            self.check_revisions()?;
        }
        self.pull(seed)
    }

    fn check_revisions(&self) -> Result<(), TensorAutodiffError> {
        let nodes = &self.world.nodes;
        for child in self.reached() {
            for (operand, edge) in nodes[child].edges.iter().enumerate() {
                let parent = &nodes[edge.parent];
                let current = parent.parameter.as_ref().map_or(0, |own| own.revision);
                if current != edge.revision {
                    return Err(TensorAutodiffError::StaleOperandValue {
                        child: self.position(child),
                        parent: self.position(edge.parent),
                        operand,
                        recorded_revision: edge.revision,
                        current_revision: current,
                        child_operation: nodes[child].operation,
                        parent_operation: parent.operation,
                        shape: parent.array.shape.clone(),
                    });
                }
            }
        }
        Ok(())
    }

    fn pull(&self, seed: &Array) -> Result<Option<Reversed>, TensorAutodiffError> {
        let nodes = &self.world.nodes;
        let mut adjoints = BTreeMap::from([(self.output, seed.values.clone())]);
        let mut contributions = Vec::new();
        for child in self.reached() {
            if nodes[child].parameter.is_some() {
                continue;
            }
            let upstream = adjoints[&child].clone();
            let mut of_node = Vec::new();
            for (operand, edge) in nodes[child].edges.iter().enumerate() {
                if !nodes[edge.parent].tracked {
                    continue;
                }
                let Some(contribution) =
                    times(&upstream, &edge.jacobian, &nodes[edge.parent].array)
                else {
                    return Ok(None);
                };
                let mut entries = contribution.iter().copied().enumerate();
                if let Some(entry) = entries.find(|(_, value)| !value.is_finite()) {
                    return Err(self.non_finite(child, edge.parent, operand, entry));
                }
                of_node.push((operand, edge.parent, contribution));
            }
            for (operand, parent, contribution) in of_node {
                let positions = (self.position(child), self.position(parent));
                contributions.push((positions.0, positions.1, operand, contribution.clone()));
                let Some(sum) = adjoints.get_mut(&parent) else {
                    adjoints.insert(parent, contribution);
                    continue;
                };
                for (index, (entry, &contribution)) in sum.iter().zip(&contribution).enumerate() {
                    if !(entry + contribution).is_finite() {
                        return Err(TensorAutodiffError::NonFinitePassAdjoint {
                            node: positions.1,
                            index,
                            previous: *entry,
                            contribution,
                        });
                    }
                }
                for (entry, contribution) in sum.iter_mut().zip(contribution) {
                    *entry = match self.world.flaw {
                        Flaw::LastUseOnly => contribution,
                        _ => *entry + contribution,
                    };
                }
            }
        }
        adjoints.retain(|node, _| nodes[*node].parameter.is_some());
        self.check_whole_jacobians(seed, &adjoints);
        Ok(Some(Reversed {
            adjoints: adjoints.into_iter().collect(),
            contributions,
        }))
    }

    /// A contribution that is not finite. A recomputed operation is reversed in a graph of its own, of one
    /// leaf an operand and the operation.
    fn non_finite(
        &self,
        child: usize,
        parent: usize,
        operand: usize,
        (index, value): (usize, f64),
    ) -> TensorAutodiffError {
        let node = &self.world.nodes[child];
        let [child, parent] = if node.inner == node.operation {
            [child, parent].map(|node| self.position(node))
        } else {
            [node.edges.len(), operand]
        };
        TensorAutodiffError::NonFiniteVjp {
            operation: node.inner,
            child,
            parent,
            operand,
            index,
            value,
        }
    }

    /// The reference agrees with itself: what was pulled edge by edge is the seed times the Jacobian.
    fn check_whole_jacobians(&self, seed: &Array, adjoints: &BTreeMap<usize, Vec<f64>>) {
        let is_exact = |values: &[f64]| values.iter().all(|value| value.abs() < HUGE);
        if !is_exact(&seed.values) || self.world.flaw == Flaw::LastUseOnly {
            return;
        }
        for (node, adjoint) in adjoints {
            let jacobian = self.world.nodes[self.output].by.get(node);
            // Where a slope is infinite the chain rule says nothing of a sum that cancels before it.
            if let Some(jacobian) = jacobian.filter(|whole| whole.iter().all(|row| is_exact(row))) {
                let whole = times(&seed.values, jacobian, &self.world.nodes[*node].array);
                assert_eq!(whole.as_ref(), Some(adjoint), "node {node}");
            }
        }
    }
}

/// The row `u J`; none where the order of summing decides.
fn times(upstream: &[f64], jacobian: &Matrix, operand: &Array) -> Option<Vec<f64>> {
    let column = |column: usize| {
        let pairs = upstream.iter().zip(jacobian);
        // Nothing comes from a zero, whatever it is multiplied by.
        let terms: Vec<f64> = pairs
            .filter(|(u, row)| **u != 0.0 && row[column] != 0.0)
            .map(|(u, row)| u * row[column])
            .collect();
        let is_ordered = terms.len() > 2 && terms.iter().any(|term| term.abs() > HUGE);
        (!is_ordered).then(|| terms.iter().sum::<f64>() + 0.0)
    };
    (0..operand.values.len()).map(column).collect()
}
