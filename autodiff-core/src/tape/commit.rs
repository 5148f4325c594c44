//! The last step of a pass: adjoints into stored gradients, all or none.

use super::node::NodeRef;
use super::reach::{Step, position_of};
use super::slot::Gradient;
use super::trace::Observer;
use crate::error::{Result, TensorAutodiffError};
use crate::tensor::{Element, Tensor, alone};

/// Steps 8 to 11. Gradients are read under the locks they are written under, so that two passes over
/// shared parameters lose nothing; locks are taken in creation order, and no loop is split under them, so
/// that neither waits for ever.
pub(crate) fn commit<T: Element>(
    steps: &[Step<'_, T>],
    sums: Vec<(&NodeRef<T>, Tensor<T>)>,
    observer: &mut impl Observer<T>,
) -> Result<()> {
    let (nodes, adjoints): (Vec<_>, Vec<_>) = sums.into_iter().rev().unzip();
    let mut slots = Vec::with_capacity(nodes.len());
    for node in &nodes {
        slots.extend(node.parameter().map(|parameter| &parameter.gradient));
    }
    let mut locked: Vec<_> = slots.iter().map(|slot| slot.lock()).collect();
    let mut prospective = Vec::with_capacity(nodes.len());
    for ((node, held), mut adjoint) in nodes.iter().zip(&locked).zip(adjoints) {
        if let Gradient::Sum(stored) = &**held {
            // In place into the adjoint: it belongs to this pass, and the sum is the same either way
            // round.
            alone(|| adjoint.accumulate(stored.clone())).map_err(|fault| {
                TensorAutodiffError::NonFiniteAccumulatedGradient {
                    node: position_of(steps, node.number),
                    index: fault.index,
                    stored: fault.contribution,
                    pass_adjoint: fault.previous,
                }
            })?;
        }
        prospective.push(adjoint);
    }
    if slots.iter().any(|slot| slot.has_readers()) {
        return Err(TensorAutodiffError::GradientBorrowed);
    }
    for ((node, held), gradient) in nodes.iter().zip(&mut locked).zip(prospective) {
        observer.committed(node, &gradient);
        **held = Gradient::Sum(gradient);
    }
    Ok(())
}
