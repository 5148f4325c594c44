//! The contributions of one node's edges: rules called, results checked.
//!
//! Invariant: rules are called in operand order, each result is checked before the next rule runs, and
//! edges to untracked parents are not evaluated.

use smallvec::SmallVec;

use super::node::{Edge, HistoryRef};
use crate::error::{RegistryError, Result, TensorAutodiffError};
use crate::operation::Operation;
use crate::rule::{Contributions, ReverseCall, Rule};
use crate::tensor::{Element, Tensor};

/// One contribution per edge, in operand order; none for an untracked parent.
pub(crate) type EdgeContributions<T> = SmallVec<[Option<Tensor<T>>; 2]>;

/// How an edge's contribution failed its check.
pub(crate) enum Fault {
    /// It is not finite there.
    NonFinite {
        operand: usize,
        index: usize,
        value: f64,
    },
    /// Anything else.
    Other(TensorAutodiffError),
}

impl From<TensorAutodiffError> for Fault {
    fn from(error: TensorAutodiffError) -> Self {
        Self::Other(error)
    }
}

/// Reverses one node. `adjust` sees every contribution before it is checked.
pub(crate) fn contributions<T: Element>(
    rule: &Rule,
    history: &HistoryRef<'_, T>,
    upstream: Tensor<T>,
    mut adjust: impl FnMut(usize, Tensor<T>) -> Tensor<T>,
) -> Result<EdgeContributions<T>, Fault> {
    let operation = rule.operation;
    let reverse = rule
        .for_element::<T>()
        .ok_or_else(|| unsupported::<T>(operation))?
        .reverse;
    let edges = history.edges;
    let mut results: EdgeContributions<T> = edges.iter().map(|_| None).collect();
    // The last call gets the adjoint itself, so that a rule may reuse its buffer.
    let last_call = edges
        .iter()
        .enumerate()
        .rev()
        .find(|(operand, _)| begins_call(rule, edges, *operand));
    let last_call = last_call.map(|(operand, _)| operand);
    let mut upstream = Some(upstream);
    for (operand, edge) in edges.iter().enumerate() {
        if !begins_call(rule, edges, operand) {
            continue;
        }
        let given = if last_call == Some(operand) {
            upstream.take()
        } else {
            upstream.clone()
        };
        let Some(given) = given else { continue };
        let wanted = wanted(rule, edges, edge.vjp);
        let call = ReverseCall {
            vjp: edge.vjp,
            index: edge.index,
            output_index: history.output_index,
            wanted: &wanted,
            upstream: given,
        };
        let returned =
            reverse(history.saved, call).map_err(|error| error.in_operation(operation))?;
        match returned {
            Contributions::One(contribution) => {
                let contribution = check(operation, operand, edge, adjust(operand, contribution))?;
                if let Some(result) = results.get_mut(operand) {
                    *result = Some(contribution);
                }
            }
            Contributions::Joint(mut parts) => {
                for (operand, edge) in joint_edges(edges, edge.vjp) {
                    let part = parts.get_mut(edge.slot).and_then(Option::take);
                    let part = part
                        .ok_or(TensorAutodiffError::MissingContribution { operation, operand })?;
                    let contribution = check(operation, operand, edge, adjust(operand, part))?;
                    if let Some(result) = results.get_mut(operand) {
                        *result = Some(contribution);
                    }
                }
            }
        }
    }
    Ok(results)
}

/// Whether a rule is called when the traversal of the edges comes to `operand`.
fn begins_call<T: Element>(rule: &Rule, edges: &[Edge<T>], operand: usize) -> bool {
    let Some(edge) = edges.get(operand).filter(|edge| edge.parent.0.tracked) else {
        return false;
    };
    let first = || joint_edges(edges, edge.vjp).next().map(|(first, _)| first);
    !is_joint(rule, edge.vjp) || first() == Some(operand)
}

fn is_joint(rule: &Rule, vjp: usize) -> bool {
    rule.vjps.get(vjp).is_some_and(|vjp| vjp.joint)
}

/// The tracked edges that one joint rule gives contributions for.
fn joint_edges<T: Element>(
    edges: &[Edge<T>],
    vjp: usize,
) -> impl Iterator<Item = (usize, &Edge<T>)> {
    edges
        .iter()
        .enumerate()
        .filter(move |(_, edge)| edge.vjp == vjp && edge.parent.0.tracked)
}

fn wanted<T: Element>(rule: &Rule, edges: &[Edge<T>], vjp: usize) -> SmallVec<[bool; 8]> {
    let slots = rule.vjps.get(vjp).map_or(0, |vjp| vjp.operands.len());
    (0..slots)
        .map(|slot| joint_edges(edges, vjp).any(|(_, edge)| edge.slot == slot))
        .collect()
}

fn check<T: Element>(
    operation: Operation,
    operand: usize,
    edge: &Edge<T>,
    contribution: Tensor<T>,
) -> Result<Tensor<T>, Fault> {
    edge.parent.with_shape(|expected| {
        if contribution.shape() == expected {
            return Ok(());
        }
        Err(TensorAutodiffError::ContributionShape {
            operation,
            operand,
            expected: expected.to_vec(),
            actual: contribution.shape().to_vec(),
        })
    })?;
    match contribution.first_non_finite() {
        None => Ok(contribution),
        Some((index, value)) => Err(Fault::NonFinite {
            operand,
            index,
            value,
        }),
    }
}

pub(crate) fn unsupported<T: Element>(operation: Operation) -> TensorAutodiffError {
    RegistryError::UnsupportedElement {
        path: operation.path(),
        element: T::NAME,
    }
    .into()
}
