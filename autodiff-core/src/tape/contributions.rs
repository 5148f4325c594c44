//! The contributions of one node's edges: rules called, results checked.
//!
//! Invariant: rules are called in operand order, each result is checked before the next rule runs, and
//! edges to untracked parents are not evaluated.

use smallvec::SmallVec;

use super::history::{Edge, HistoryRef, Parent};
use crate::error::{RegistryError, Result, TensorAutodiffError};
use crate::operation::Operation;
use crate::rule::{Contributions, ReverseCall, ReverseFn, Rule};
use crate::tensor::{Element, Shape, Tensor};

/// The contributions of one node, each with its operand, in operand order; none for an untracked parent.
pub(crate) type EdgeContributions<T> = SmallVec<[(usize, Tensor<T>); 2]>;

/// How an operation is reversed for one element type.
#[derive(Clone, Copy)]
pub(crate) struct Reverse<T: Element> {
    pub(crate) rule: &'static Rule,
    function: ReverseFn<T>,
}

impl<T: Element> Reverse<T> {
    /// How `rule` is reversed.
    ///
    /// # Errors
    /// `UnsupportedElement`.
    pub(crate) fn of(rule: &'static Rule) -> Result<Self, RegistryError> {
        match rule.for_element::<T>() {
            Some(element) => Ok(Self {
                rule,
                function: element.reverse,
            }),
            None => Err(RegistryError::UnsupportedElement {
                path: rule.operation.path(),
                element: T::NAME,
            }),
        }
    }
}

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

impl Fault {
    /// The error of a pass that calls the nodes as `position` does: the child, or an operand's node.
    #[cold]
    pub(crate) fn named(
        self,
        operation: Operation,
        position: impl Fn(Option<usize>) -> usize,
    ) -> TensorAutodiffError {
        match self {
            Self::Other(error) => error,
            Self::NonFinite {
                operand,
                index,
                value,
            } => TensorAutodiffError::NonFiniteVjp {
                operation,
                child: position(None),
                parent: position(Some(operand)),
                operand,
                index,
                value,
            },
        }
    }
}

impl From<TensorAutodiffError> for Fault {
    fn from(error: TensorAutodiffError) -> Self {
        Self::Other(error)
    }
}

/// Reverses one node. `adjust` sees every contribution before it is checked.
pub(crate) fn contributions<T: Element>(
    reverse: Reverse<T>,
    history: &HistoryRef<'_, T>,
    upstream: Tensor<T>,
    mut adjust: impl FnMut(usize, Tensor<T>) -> Tensor<T>,
) -> Result<EdgeContributions<T>, Fault> {
    let mut results = EdgeContributions::new();
    let Some(last) = history.edges.iter().rposition(|edge| edge.begins_call) else {
        return Ok(results);
    };
    for operand in 0..last {
        if history.edges[operand].begins_call {
            let upstream = upstream.clone();
            call(
                reverse,
                history,
                operand,
                upstream,
                &mut adjust,
                &mut results,
            )?;
        }
    }
    // The last call gets the adjoint itself, so that a rule may reuse its buffer.
    call(reverse, history, last, upstream, &mut adjust, &mut results)?;
    // A joint rule was called at the first of its operands.
    results.sort_by_key(|(operand, _)| *operand);
    Ok(results)
}

/// The one operand whose edge calls a rule, if there is just one, and the rule is for it alone.
#[inline]
pub(crate) fn sole_operand<T: Element>(edges: &[Edge<T>]) -> Option<usize> {
    let first = edges.iter().position(|edge| edge.begins_call)?;
    let (edge, rest) = edges[first..].split_first()?;
    let is_sole = !edge.place.is_joint() && !rest.iter().any(|edge| edge.begins_call);
    is_sole.then_some(first)
}

/// The contribution of one operand whose rule is for it alone.
#[inline]
pub(crate) fn contribution<T: Element>(
    reverse: Reverse<T>,
    history: &HistoryRef<'_, T>,
    operand: usize,
    upstream: Tensor<T>,
    adjust: impl FnOnce(usize, Tensor<T>) -> Tensor<T>,
) -> Result<Tensor<T>, Fault> {
    let operation = reverse.rule.operation;
    let edge = &history.edges[operand];
    let call = ReverseCall {
        vjp: edge.place.vjp(),
        index: entry(history.edges, operand),
        output_index: history.output_index,
        wanted: &[true],
        upstream,
    };
    match (reverse.function)(history.saved, call) {
        Ok(Contributions::One(contribution)) => {
            let contribution = adjust(operand, contribution);
            check(operation, operand, edge, &contribution)?;
            Ok(contribution)
        }
        Ok(Contributions::Joint(_)) => {
            Err(TensorAutodiffError::MissingContribution { operation, operand }.into())
        }
        Err(error) => Err(error.in_operation(operation).into()),
    }
}

/// Calls the rule that begins at `operand`.
fn call<T: Element>(
    reverse: Reverse<T>,
    history: &HistoryRef<'_, T>,
    operand: usize,
    upstream: Tensor<T>,
    adjust: &mut impl FnMut(usize, Tensor<T>) -> Tensor<T>,
    results: &mut EdgeContributions<T>,
) -> Result<(), Fault> {
    let place = history.edges[operand].place;
    if !place.is_joint() {
        let own = contribution(reverse, history, operand, upstream, adjust)?;
        results.push((operand, own));
        return Ok(());
    }
    let operation = reverse.rule.operation;
    let wanted = wanted(reverse.rule, history.edges, place.vjp());
    let call = ReverseCall {
        vjp: place.vjp(),
        index: 0,
        output_index: history.output_index,
        wanted: &wanted,
        upstream,
    };
    let returned =
        (reverse.function)(history.saved, call).map_err(|error| error.in_operation(operation))?;
    let mut parts = match returned {
        Contributions::Joint(parts) => parts,
        Contributions::One(part) => vec![Some(part)],
    };
    for (operand, edge) in joint_edges(history.edges, place.vjp()) {
        let part = parts.get_mut(edge.place.slot()).and_then(Option::take);
        let part = part.ok_or(TensorAutodiffError::MissingContribution { operation, operand })?;
        let part = adjust(operand, part);
        check(operation, operand, edge, &part)?;
        results.push((operand, part));
    }
    Ok(())
}

/// Which entry of a variadic operand an edge is: the edges of one stand side by side.
fn entry<T: Element>(edges: &[Edge<T>], operand: usize) -> usize {
    let place = edges[operand].place;
    // Searched and not walked: an operation may have a hundred thousand entries.
    operand - edges[..operand].partition_point(|edge| edge.place != place)
}

/// The tracked edges that one joint rule gives contributions for.
fn joint_edges<T: Element>(
    edges: &[Edge<T>],
    vjp: usize,
) -> impl Iterator<Item = (usize, &Edge<T>)> {
    edges
        .iter()
        .enumerate()
        .filter(move |(_, edge)| edge.place.vjp() == vjp && edge.parent.tracked().is_some())
}

fn wanted<T: Element>(rule: &Rule, edges: &[Edge<T>], vjp: usize) -> SmallVec<[bool; 8]> {
    let slots = rule.vjps.get(vjp).map_or(0, |vjp| vjp.operands.len());
    (0..slots)
        .map(|slot| joint_edges(edges, vjp).any(|(_, edge)| edge.place.slot() == slot))
        .collect()
}

#[inline]
fn check<T: Element>(
    operation: Operation,
    operand: usize,
    edge: &Edge<T>,
    contribution: &Tensor<T>,
) -> Result<(), Fault> {
    let shape = contribution.extents();
    let fits = match &edge.parent {
        Parent::Tracked { node, .. } => node.with_shape(|expected| shape == expected),
        Parent::Untracked {
            shape: expected, ..
        } => shape == expected,
    };
    if !fits {
        return Err(wrong_shape(operation, operand, edge, shape).into());
    }
    match contribution.first_non_finite() {
        None => Ok(()),
        Some((index, value)) => Err(Fault::NonFinite {
            operand,
            index,
            value,
        }),
    }
}

#[cold]
fn wrong_shape<T: Element>(
    operation: Operation,
    operand: usize,
    edge: &Edge<T>,
    actual: &Shape,
) -> TensorAutodiffError {
    let expected = match &edge.parent {
        Parent::Tracked { node, .. } => node.shape(),
        Parent::Untracked { shape, .. } => shape.to_vec(),
    };
    TensorAutodiffError::ContributionShape {
        operation,
        operand,
        expected,
        actual: actual.to_vec(),
    }
}
