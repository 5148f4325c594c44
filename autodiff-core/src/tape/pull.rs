//! Steps 6 and 7 of a pass: rules called, contributions summed into adjoints.

use super::contributions::{Fault, contributions};
use super::node::HistoryRef;
use super::pending::Pending;
use super::trace::{EdgeStep, Observer, position_of};
use super::value::TensorValue;
use crate::error::{Result, TensorAutodiffError};
use crate::rule::Rule;
use crate::tensor::{Element, Tensor};

/// Steps 6 and 7: the adjoint of every reached parameter, newest first.
pub(crate) fn pull<T: Element>(
    output: &TensorValue<T>,
    nodes: &[(TensorValue<T>, Option<&'static Rule>)],
    seed: Tensor<T>,
    observer: &mut impl Observer<T>,
) -> Result<Vec<(TensorValue<T>, Tensor<T>)>> {
    let mut adjoints = Pending::new(output.0.number, seed);
    let mut sums = Vec::new();
    for (node, rule) in nodes {
        let Some((_, adjoint)) = adjoints.pop() else {
            break;
        };
        observer.adjoint(node, &adjoint);
        let Some(rule) = rule else {
            sums.push((node.clone(), adjoint));
            continue;
        };
        let mut adjoint = Some(adjoint);
        let mut outcome = Ok(());
        let found = node.0.record.read(&mut |history| {
            if let Some(adjoint) = adjoint.take() {
                outcome = pull_node(
                    output,
                    node,
                    rule,
                    &history,
                    adjoint,
                    &mut adjoints,
                    observer,
                );
            }
        });
        outcome?;
        if !found {
            // Another thread released the node while this pass ran.
            return Err(TensorAutodiffError::GraphReleased {
                operation: node.operation(),
            });
        }
    }
    Ok(sums)
}

fn pull_node<T: Element>(
    output: &TensorValue<T>,
    node: &TensorValue<T>,
    rule: &'static Rule,
    history: &HistoryRef<'_, T>,
    adjoint: Tensor<T>,
    adjoints: &mut Pending<Tensor<T>>,
    observer: &mut impl Observer<T>,
) -> Result<()> {
    let child = node.0.number;
    let upstream = observer.keep(&adjoint);
    let results =
        contributions(rule, history, adjoint, |_, contribution| contribution).map_err(|fault| {
            match fault {
                Fault::Other(error) => error,
                Fault::NonFinite {
                    operand,
                    index,
                    value,
                } => TensorAutodiffError::NonFiniteVjp {
                    operation: rule.operation,
                    child: position_of(output, child),
                    parent: history
                        .edges
                        .get(operand)
                        .map_or(0, |edge| position_of(output, edge.parent.0.number)),
                    operand,
                    index,
                    value,
                },
            }
        })?;
    for (operand, (edge, contribution)) in history.edges.iter().zip(results).enumerate() {
        let received = contribution.and_then(|own| observer.receive(&edge.parent, own));
        let Some(contribution) = received else {
            continue;
        };
        let parent = edge.parent.0.number;
        let kept = observer.keep(&contribution);
        let before = match adjoints.get_mut(parent) {
            None => {
                adjoints.insert(parent, contribution);
                None
            }
            Some(sum) => {
                let before = observer.keep(sum);
                sum.accumulate(contribution).map_err(|fault| {
                    TensorAutodiffError::NonFinitePassAdjoint {
                        node: position_of(output, parent),
                        index: fault.index,
                        previous: fault.previous,
                        contribution: fault.contribution,
                    }
                })?;
                before
            }
        };
        if let (Some(upstream), Some(contribution)) = (&upstream, kept) {
            let after = adjoints.get_mut(parent).map(|sum| sum.clone());
            observer.edge(EdgeStep {
                rule,
                history,
                child,
                operand,
                upstream,
                contribution,
                before,
                after,
            })?;
        }
    }
    Ok(())
}
