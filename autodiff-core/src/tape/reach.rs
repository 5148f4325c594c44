//! Steps 1 to 5 of a pass: the nodes it reaches, and everything that can be checked before a rule runs.

use super::contributions::Reverse;
use super::history::{HistoryRef, Parent};
use super::node::NodeRef;
use super::pending::Pending;
use super::shard::{Histories, Reading, Shard};
use super::trace::position_of;
use super::value::TensorValue;
use crate::error::{RegistryError, Result, TensorAutodiffError};
use crate::operation::Operation;
use crate::rule::Registry;
use crate::tensor::{Element, Tensor, TensorView};

/// One tracked node that a pass reaches.
pub(crate) struct Step<'a, T: Element> {
    pub(crate) node: &'a NodeRef<T>,
    /// How it is reversed; a parameter is not.
    pub(crate) reversal: Option<(Reverse<T>, HistoryRef<'a, T>)>,
}

/// The nodes that a pass reaches, newest first.
pub(crate) struct Reached<'a, T: Element> {
    pub(crate) steps: Vec<Step<'a, T>>,
    /// What step 5 will report, in its order: stale operands before unknown operations.
    stale: Option<TensorAutodiffError>,
    unknown: Option<TensorAutodiffError>,
}

/// Why the reachable graph could not be collected.
enum Unreached {
    /// Some of it was made by another thread.
    Elsewhere(&'static Shard),
    Refused(TensorAutodiffError),
}

/// Steps 1 to 5: everything that can be checked before a rule runs. `go_on` does the rest of the pass
/// while the histories of all reached nodes are held.
pub(crate) fn reach<T: Element, R>(
    output: &TensorValue<T>,
    seed: &TensorView<'_, T>,
    go_on: impl FnOnce(Reached<'_, T>, Tensor<T>) -> Result<R>,
) -> Result<R> {
    let operation = output.operation();
    if output.is_released() {
        return Err(TensorAutodiffError::GraphReleased { operation });
    }
    if !output.tracks_gradient() {
        return Err(TensorAutodiffError::UntrackedOutput { operation });
    }
    let mut histories = Histories::of(output.node.shard);
    loop {
        let shard = match collect(output, &histories) {
            Ok(mut reached) => {
                let seed = checked_seed(output, seed)?;
                return match reached.stale.take().or(reached.unknown.take()) {
                    Some(error) => Err(error),
                    None => go_on(reached, seed),
                };
            }
            Err(Unreached::Refused(error)) => return Err(error),
            Err(Unreached::Elsewhere(shard)) => shard,
        };
        // Begun again with more to read: a graph rarely has nodes of more than one thread.
        histories.add(shard);
    }
}

/// Steps 2 and 5: the reached nodes, and what is wrong with their operands and operations.
fn collect<'a, T: Element>(
    output: &'a TensorValue<T>,
    histories: &'a Histories,
) -> Result<Reached<'a, T>, Unreached> {
    let registry = Registry::global();
    let mut reached = Reached {
        steps: Vec::new(),
        stale: None,
        unknown: None,
    };
    let mut pending = Pending::new(output.node.number, &output.node);
    while let Some((number, node)) = pending.pop() {
        if node.is_parameter() {
            reached.steps.push(Step {
                node,
                reversal: None,
            });
            continue;
        }
        let operation = node.operation;
        let history = match histories.read(node) {
            Reading::History(history) => history,
            Reading::Nothing => {
                let released = TensorAutodiffError::GraphReleased { operation };
                return Err(Unreached::Refused(released));
            }
            Reading::Elsewhere(shard) => return Err(Unreached::Elsewhere(shard)),
        };
        for (operand, edge) in history.edges.iter().enumerate() {
            let Parent::Tracked { node, revision } = &edge.parent else {
                continue;
            };
            let current = node.revision();
            if current != *revision && reached.stale.is_none() {
                reached.stale = Some(TensorAutodiffError::StaleOperandValue {
                    child: position_of(&output.node, number),
                    parent: position_of(&output.node, node.number),
                    operand,
                    recorded_revision: *revision,
                    current_revision: current,
                    child_operation: operation,
                    parent_operation: node.operation,
                    shape: node.shape(),
                });
            }
            if pending.get_mut(node.number).is_none() {
                pending.insert(node.number, node);
            }
        }
        match reverse_of(&registry, operation) {
            Ok(reverse) => reached.steps.push(Step {
                node,
                reversal: Some((reverse, history)),
            }),
            Err(error) => {
                reached.unknown.get_or_insert(error.into());
            }
        }
    }
    Ok(reached)
}

fn reverse_of<T: Element>(
    registry: &Result<&Registry, RegistryError>,
    operation: Operation,
) -> Result<Reverse<T>, RegistryError> {
    match registry {
        Ok(registry) => Reverse::of(registry.rule(operation)?),
        Err(error) => Err(error.clone()),
    }
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
