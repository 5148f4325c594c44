//! What replaces values and gradients of the reference: updates, zeroing, and passes.

use autodiff_ops::prelude::{GraphRetention, Operation, TensorAutodiffError};

use crate::arrays::Array;
use crate::inputs::updates;
use crate::pass::Scan;
use crate::step::Values;
use crate::world::{Flaw, World};

impl World {
    pub fn zero(&mut self, node: usize) -> Result<(), TensorAutodiffError> {
        let borrowed = self.is_guarded(node, true);
        let operation = self.nodes[node].operation;
        let Some(parameter) = &mut self.nodes[node].parameter else {
            return Err(TensorAutodiffError::NotAParameter { operation });
        };
        if borrowed {
            return Err(TensorAutodiffError::GradientBorrowed);
        }
        parameter.gradient.fill(0.0);
        Ok(())
    }

    pub fn set(
        &mut self,
        nodes: &[usize],
        values: &Values,
        other_shape: bool,
    ) -> Option<Result<(), TensorAutodiffError>> {
        let updates = updates(
            nodes.iter().map(|node| &self.nodes[*node].array),
            values,
            other_shape,
        );
        for &node in nodes {
            if self.nodes[node].parameter.is_none() {
                let operation = self.nodes[node].operation;
                return Some(Err(TensorAutodiffError::NotAParameter { operation }));
            }
        }
        for (position, node) in nodes.iter().enumerate() {
            if let Some(first) = nodes[..position].iter().position(|other| other == node) {
                return Some(Err(TensorAutodiffError::DuplicateUpdate {
                    first,
                    position,
                }));
            }
        }
        for (position, (&node, update)) in nodes.iter().zip(&updates).enumerate() {
            let expected = &self.nodes[node].array.shape;
            if update.shape != *expected {
                return Some(Err(TensorAutodiffError::UpdateShape {
                    position,
                    expected: expected.clone(),
                    actual: update.shape.clone(),
                }));
            }
            if let Some((index, value)) = update.first_non_finite() {
                return Some(Err(TensorAutodiffError::NonFiniteLeaf {
                    operation: Operation::PARAMETER,
                    index,
                    value,
                }));
            }
        }
        if nodes.iter().any(|node| self.is_guarded(*node, false)) {
            return Some(Err(TensorAutodiffError::ValueBorrowed));
        }
        for (&node, update) in nodes.iter().zip(updates) {
            let node = &mut self.nodes[node];
            node.array = update;
            if let Some(parameter) = &mut node.parameter {
                parameter.revision += 1;
            }
        }
        Some(Ok(()))
    }

    pub fn pass(
        &mut self,
        output: usize,
        seed: Array,
        retention: GraphRetention,
    ) -> Option<Result<(), TensorAutodiffError>> {
        let scan = Scan::new(self, output);
        let reached = scan.reached();
        let reversed = match scan.reverse(&seed) {
            Ok(reversed) => reversed?,
            Err(error) => return Some(Err(error)),
        };
        let mut gradients = Vec::new();
        let mut refused = None;
        for (node, adjoint) in &reversed.adjoints {
            let stored = &self.nodes[*node].parameter.as_ref()?.gradient;
            let mut pairs = stored.iter().zip(adjoint).enumerate();
            let overflowing =
                pairs.find(|(_, (stored, adjoint))| !(*stored + *adjoint).is_finite());
            if let Some((index, (&stored, &pass_adjoint))) = overflowing {
                refused = Some(TensorAutodiffError::NonFiniteAccumulatedGradient {
                    node: scan.position(*node),
                    index,
                    stored,
                    pass_adjoint,
                });
                break;
            }
            let sum = |(stored, adjoint): (&f64, &f64)| match self.flaw {
                Flaw::Overwrites => *adjoint,
                _ => stored + adjoint,
            };
            gradients.push((*node, stored.iter().zip(adjoint).map(sum).collect()));
        }
        let mut parameters = reversed.adjoints.iter();
        if refused.is_none() && parameters.any(|(node, _)| self.is_guarded(*node, true)) {
            refused = Some(TensorAutodiffError::GradientBorrowed);
        }
        if let Some(error) = refused {
            if self.flaw == Flaw::CommitsInParts {
                self.store(gradients);
            }
            return Some(Err(error));
        }
        self.store(gradients);
        if retention == GraphRetention::Release {
            for node in reached {
                let node = &mut self.nodes[node];
                node.released = node.parameter.is_none();
            }
        }
        self.reversed = Some(reversed);
        Some(Ok(()))
    }

    fn store(&mut self, gradients: Vec<(usize, Vec<f64>)>) {
        for (node, gradient) in gradients {
            if let Some(parameter) = &mut self.nodes[node].parameter {
                parameter.gradient = gradient;
            }
        }
    }
}
