//! Steps 6 and 7 of a pass: rules called, contributions summed into adjoints.

use super::contributions::{Fault, Reverse, contribution, contributions, sole_operand};
use super::history::HistoryRef;
use super::node::NodeRef;
use super::pending::Pending;
use super::reach::{Step, position_of};
use super::trace::{EdgeStep, Observer};
use crate::error::{Result, TensorAutodiffError};
use crate::tensor::{Element, Tensor};

/// Steps 6 and 7: the adjoint of every reached parameter, newest first.
pub(crate) fn pull<'a, T: Element>(
    steps: &[Step<'a, T>],
    seed: Tensor<T>,
    observer: &mut impl Observer<T>,
) -> Result<Vec<(&'a NodeRef<T>, Tensor<T>)>> {
    let mut sums = Vec::new();
    let Some(output) = steps.first() else {
        return Ok(sums);
    };
    let mut pull = Pull {
        steps,
        adjoints: Pending::new(output.node.number, seed),
        observer,
    };
    for step in steps {
        let node = step.node;
        let Some((_, adjoint)) = pull.adjoints.pop() else {
            break;
        };
        pull.observer.adjoint(node, &adjoint);
        match (step.reverse, &step.history) {
            (Some(reverse), Some(history)) => pull.node(node.number, reverse, history, adjoint)?,
            _ => sums.push((node, adjoint)),
        }
    }
    Ok(sums)
}

/// A pass between its seed and its sums.
struct Pull<'a, T: Element, O> {
    steps: &'a [Step<'a, T>],
    adjoints: Pending<Tensor<T>>,
    observer: &'a mut O,
}

impl<T: Element, O: Observer<T>> Pull<'_, T, O> {
    /// Reverses one node: every contribution is checked before the first is added anywhere.
    fn node(
        &mut self,
        child: u64,
        reverse: Reverse<T>,
        history: &HistoryRef<'_, T>,
        adjoint: Tensor<T>,
    ) -> Result<()> {
        let upstream = self.observer.keep(&adjoint);
        let same = |_, contribution| contribution;
        let steps = self.steps;
        let number = |operand: Option<usize>| match operand {
            None => child,
            Some(operand) => history.edges[operand].parent.number(),
        };
        let named =
            |fault: Fault| fault.named(reverse.rule.operation, |of| position_of(steps, number(of)));
        if let Some(operand) = sole_operand(history.edges) {
            let own = contribution(reverse, history, operand, adjoint, same).map_err(named)?;
            return self.add(child, reverse, history, upstream.as_ref(), (operand, own));
        }
        let results = contributions(reverse, history, adjoint, same).map_err(named)?;
        for result in results {
            self.add(child, reverse, history, upstream.as_ref(), result)?;
        }
        Ok(())
    }

    /// Adds an edge's contribution to the adjoint of its parent.
    fn add(
        &mut self,
        child: u64,
        reverse: Reverse<T>,
        history: &HistoryRef<'_, T>,
        upstream: Option<&Tensor<T>>,
        (operand, contribution): (usize, Tensor<T>),
    ) -> Result<()> {
        let Some(parent) = history.edges[operand].parent.tracked() else {
            return Ok(());
        };
        let Some(contribution) = self.observer.receive(parent, contribution) else {
            return Ok(());
        };
        let parent = parent.number;
        let kept = self.observer.keep(&contribution);
        let before = match self.adjoints.get_mut(parent) {
            None => {
                self.adjoints.insert(parent, contribution);
                None
            }
            Some(sum) => {
                let before = self.observer.keep(sum);
                sum.accumulate(contribution).map_err(|fault| {
                    TensorAutodiffError::NonFinitePassAdjoint {
                        node: position_of(self.steps, parent),
                        index: fault.index,
                        previous: fault.previous,
                        contribution: fault.contribution,
                    }
                })?;
                before
            }
        };
        let (Some(upstream), Some(contribution)) = (upstream, kept) else {
            return Ok(());
        };
        self.observer.edge(EdgeStep {
            rule: reverse.rule,
            history,
            child,
            operand,
            upstream,
            contribution,
            before,
            after: self.adjoints.get_mut(parent).map(|sum| sum.clone()),
        })
    }
}
