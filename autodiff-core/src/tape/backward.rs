//! The reverse pass: collect, check, pull, commit.
//!
//! Invariant: nothing outside the pass changes before the last step that can fail.

use super::commit::commit;
use super::contributions::{Fault, contributions, unsupported};
use super::node::HistoryRef;
use super::pending::Pending;
use super::trace::{EdgeStep, Observer, TensorBackwardPass, Trace, position_of};
use super::value::TensorValue;
use crate::error::{Result, TensorAutodiffError};
use crate::rule::{Registry, Rule};
use crate::tensor::{Element, Tensor, TensorView};

/// Whether a pass keeps the graph for another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GraphRetention {
    /// Edges and saved contexts stay.
    Retain,
    /// Edges and saved contexts of every reached operation are dropped once the gradients are stored.
    Release,
}

/// The nodes that a pass reaches.
pub(crate) struct Reached<T: Element> {
    /// The tracked nodes, newest first, with their rules; a parameter has none.
    pub(crate) nodes: Vec<(TensorValue<T>, Option<&'static Rule>)>,
    /// What step 5 will report, in its order: stale operands before unknown operations.
    stale: Option<TensorAutodiffError>,
    unknown: Option<TensorAutodiffError>,
}

impl<T: Element> TensorValue<T> {
    /// Reverses the graph of a rank-0 value from the seed 1 and keeps the graph.
    ///
    /// Gradients of the reached parameters grow by their adjoints.
    ///
    /// # Errors
    /// As for [`backward_with_seed`](Self::backward_with_seed); a value of another rank is a
    /// [`TensorAutodiffError::SeedShapeMismatch`].
    pub fn backward(&self) -> Result<()> {
        let seed = Tensor::scalar(T::one());
        run(self, &seed.view(), GraphRetention::Retain, &mut ())
    }

    /// Does what [`backward`](Self::backward) does, and reports every step of it.
    ///
    /// # Errors
    /// As for [`backward`](Self::backward).
    pub fn backward_with_trace(&self) -> Result<TensorBackwardPass<T>> {
        let seed = Tensor::scalar(T::one());
        self.backward_with_seed_and_trace(&seed.view(), GraphRetention::Retain)
    }

    /// Reverses the graph from a seed of the output's shape.
    ///
    /// # Errors
    /// In this order: [`GraphReleased`](TensorAutodiffError::GraphReleased) of the output,
    /// [`UntrackedOutput`](TensorAutodiffError::UntrackedOutput), `GraphReleased` of any reached
    /// operation, [`SeedShapeMismatch`](TensorAutodiffError::SeedShapeMismatch),
    /// [`NonFiniteSeed`](TensorAutodiffError::NonFiniteSeed),
    /// [`StaleOperandValue`](TensorAutodiffError::StaleOperandValue),
    /// [`Registry`](TensorAutodiffError::Registry); then, from newest node to oldest, whatever a rule
    /// returns, [`ContributionShape`](TensorAutodiffError::ContributionShape),
    /// [`NonFiniteVjp`](TensorAutodiffError::NonFiniteVjp) or
    /// [`NonFinitePassAdjoint`](TensorAutodiffError::NonFinitePassAdjoint); then
    /// [`NonFiniteAccumulatedGradient`](TensorAutodiffError::NonFiniteAccumulatedGradient) and
    /// [`GradientBorrowed`](TensorAutodiffError::GradientBorrowed). After any of them every gradient
    /// and every node is as before.
    pub fn backward_with_seed(
        &self,
        seed: &TensorView<'_, T>,
        retention: GraphRetention,
    ) -> Result<()> {
        run(self, seed, retention, &mut ())
    }

    /// Does what [`backward_with_seed`](Self::backward_with_seed) does, and reports every step of it.
    ///
    /// # Errors
    /// As for [`backward_with_seed`](Self::backward_with_seed).
    pub fn backward_with_seed_and_trace(
        &self,
        seed: &TensorView<'_, T>,
        retention: GraphRetention,
    ) -> Result<TensorBackwardPass<T>> {
        let mut trace = Trace::new(retention);
        run(self, seed, retention, &mut trace)?;
        Ok(trace.finish())
    }
}

fn run<T: Element>(
    output: &TensorValue<T>,
    seed: &TensorView<'_, T>,
    retention: GraphRetention,
    observer: &mut impl Observer<T>,
) -> Result<()> {
    let (reached, seed) = reach(output, seed)?;
    observer.begin(output, &seed);
    let sums = pull(output, &reached.nodes, seed, observer)?;
    commit(output, sums, observer)?;
    if retention == GraphRetention::Release {
        for (node, _) in &reached.nodes {
            node.0.record.release();
        }
    }
    Ok(())
}

/// The adjoints of the reached parameters, newest first; no stored gradient is read or written.
pub(crate) fn adjoints<T: Element>(
    output: &TensorValue<T>,
    seed: Tensor<T>,
) -> Result<Vec<(TensorValue<T>, Tensor<T>)>> {
    let (reached, seed) = reach(output, &seed.view())?;
    pull(output, &reached.nodes, seed, &mut ())
}

/// Steps 1 to 5: everything that can be checked before a rule runs.
fn reach<T: Element>(
    output: &TensorValue<T>,
    seed: &TensorView<'_, T>,
) -> Result<(Reached<T>, Tensor<T>)> {
    let operation = output.operation();
    if output.is_released() {
        return Err(TensorAutodiffError::GraphReleased { operation });
    }
    if !output.tracks_gradient() {
        return Err(TensorAutodiffError::UntrackedOutput { operation });
    }
    let mut reached = collect(output)?;
    let seed = checked_seed(output, seed)?;
    match reached.stale.take().or(reached.unknown.take()) {
        Some(error) => Err(error),
        None => Ok((reached, seed)),
    }
}

/// Steps 2 and 5: the reached nodes, and what is wrong with their operands and operations.
fn collect<T: Element>(output: &TensorValue<T>) -> Result<Reached<T>> {
    let registry = Registry::global();
    let mut reached = Reached {
        nodes: Vec::new(),
        stale: None,
        unknown: None,
    };
    let mut pending = Pending::new(output.0.number, output.clone());
    while let Some((number, node)) = pending.pop() {
        if node.is_parameter() {
            reached.nodes.push((node, None));
            continue;
        }
        let operation = node.operation();
        let mut stale = None;
        let found = node.0.record.read(&mut |history| {
            for (operand, edge) in history.edges.iter().enumerate() {
                let current = edge.parent.revision();
                if current != edge.revision && stale.is_none() {
                    stale = Some((operand, edge.revision, current, edge.parent.clone()));
                }
                if edge.parent.0.tracked && pending.get_mut(edge.parent.0.number).is_none() {
                    pending.insert(edge.parent.0.number, edge.parent.clone());
                }
            }
        });
        if !found {
            return Err(TensorAutodiffError::GraphReleased { operation });
        }
        if let (Some((operand, recorded_revision, current_revision, parent)), None) =
            (stale, &reached.stale)
        {
            reached.stale = Some(TensorAutodiffError::StaleOperandValue {
                child: position_of(output, number),
                parent: position_of(output, parent.0.number),
                operand,
                recorded_revision,
                current_revision,
                child_operation: operation,
                parent_operation: parent.operation(),
                shape: parent.shape(),
            });
        }
        let rule = registry
            .clone()
            .and_then(|registry| registry.rule(operation));
        match rule {
            Ok(rule) => {
                if rule.for_element::<T>().is_none() && reached.unknown.is_none() {
                    reached.unknown = Some(unsupported::<T>(operation));
                }
                reached.nodes.push((node, Some(rule)));
            }
            Err(error) => {
                reached.unknown.get_or_insert(error.into());
            }
        }
    }
    Ok(reached)
}

/// Steps 3 and 4. A view of a wrong shape may show more elements than memory holds, so it is
/// materialised only after the shape is known to be right.
fn checked_seed<T: Element>(
    output: &TensorValue<T>,
    seed: &TensorView<'_, T>,
) -> Result<Tensor<T>> {
    let expected = output.shape();
    if seed.shape() != expected {
        return Err(TensorAutodiffError::SeedShapeMismatch {
            expected,
            actual: seed.shape().to_vec(),
        });
    }
    let seed = seed.materialize()?;
    match seed.first_non_finite() {
        None => Ok(seed),
        Some((index, value)) => Err(TensorAutodiffError::NonFiniteSeed { index, value }),
    }
}

/// Steps 6 and 7: the adjoint of every reached parameter, newest first.
fn pull<T: Element>(
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
        let Some(contribution) = contribution else {
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
