//! Steps 1 to 5 of a pass: the nodes it reaches, and everything that can be checked before a rule runs.

use super::contributions::unsupported;
use super::pending::Pending;
use super::trace::position_of;
use super::value::TensorValue;
use crate::error::{Result, TensorAutodiffError};
use crate::rule::{Registry, Rule};
use crate::tensor::{Element, Tensor, TensorView};

/// The nodes that a pass reaches.
pub(crate) struct Reached<T: Element> {
    /// The tracked nodes, newest first, with their rules; a parameter has none.
    pub(crate) nodes: Vec<(TensorValue<T>, Option<&'static Rule>)>,
    /// What step 5 will report, in its order: stale operands before unknown operations.
    stale: Option<TensorAutodiffError>,
    unknown: Option<TensorAutodiffError>,
}

/// Steps 1 to 5: everything that can be checked before a rule runs.
pub(crate) fn reach<T: Element>(
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
