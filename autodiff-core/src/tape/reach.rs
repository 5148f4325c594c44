//! Steps 1 to 5 of a pass: the nodes it reaches, and everything that can be checked before a rule runs.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::contributions::Reverse;
use super::history::{HistoryRef, Parent};
use super::node::NodeRef;
use super::pending::Pending;
use super::shard::{Histories, Reading, Shard};
use super::value::TensorValue;
use crate::error::{RegistryError, Result, TensorAutodiffError};
use crate::operation::Operation;
use crate::rule::Registry;
use crate::tensor::{Element, Tensor, TensorView};

/// One tracked node that a pass reaches.
pub(crate) struct Step<'a, T: Element> {
    pub(crate) node: &'a NodeRef<T>,
    /// What it is reversed by; a parameter is not.
    pub(crate) history: Option<HistoryRef<'a, T>>,
    /// How; none where its operation is unknown, and then no rule runs.
    pub(crate) reverse: Option<Reverse<T>>,
}

/// The nodes that a pass reaches, newest first.
pub(crate) struct Reached<'a, T: Element> {
    pub(crate) steps: Vec<Step<'a, T>>,
    /// What step 5 will report, in its order: stale operands before unknown operations.
    stale: Option<StaleUse<'a, T>>,
    unknown: Option<RegistryError>,
}

/// An operand whose value was replaced after it had been used.
struct StaleUse<'a, T: Element> {
    child: &'a NodeRef<T>,
    operand: usize,
    parent: &'a NodeRef<T>,
    recorded_revision: u64,
    current_revision: u64,
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
            Ok(reached) => {
                let seed = checked_seed(output, seed)?;
                reached.check()?;
                return go_on(reached, seed);
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
    while let Some((_, node)) = pending.pop() {
        let mut step = Step {
            node,
            history: None,
            reverse: None,
        };
        if node.is_parameter() {
            reached.steps.push(step);
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
        step.history = Some(history);
        for (operand, edge) in history.edges.iter().enumerate() {
            let Parent::Tracked {
                node: parent,
                revision,
            } = &edge.parent
            else {
                continue;
            };
            let current = parent.revision();
            if current != *revision {
                reached.stale.get_or_insert(StaleUse {
                    child: node,
                    operand,
                    parent,
                    recorded_revision: *revision,
                    current_revision: current,
                });
            }
            if pending.get_mut(parent.number).is_none() {
                pending.insert(parent.number, parent);
            }
        }
        match reverse_of(&registry, operation) {
            Ok(reverse) => step.reverse = Some(reverse),
            Err(error) => {
                reached.unknown.get_or_insert(error);
            }
        }
        reached.steps.push(step);
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

impl<T: Element> Reached<'_, T> {
    /// Step 5.
    fn check(&self) -> Result<()> {
        match (&self.stale, &self.unknown) {
            (Some(stale), _) => Err(stale.error(&self.steps)),
            (None, Some(unknown)) => Err(unknown.clone().into()),
            (None, None) => Ok(()),
        }
    }
}

impl<T: Element> StaleUse<'_, T> {
    fn error(&self, steps: &[Step<'_, T>]) -> TensorAutodiffError {
        TensorAutodiffError::StaleOperandValue {
            child: position_of(steps, self.child.number),
            parent: position_of(steps, self.parent.number),
            operand: self.operand,
            recorded_revision: self.recorded_revision,
            current_revision: self.current_revision,
            child_operation: self.child.operation,
            parent_operation: self.parent.operation,
            shape: self.parent.shape(),
        }
    }
}

/// The reached nodes and their untracked operands, in creation order. What a pass reads cannot be released
/// under it, so that this is the same all through the pass.
pub(crate) fn in_creation_order<T: Element>(steps: &[Step<'_, T>]) -> Vec<Parent<T>> {
    let mut nodes = BTreeMap::new();
    for step in steps {
        let own = Parent::Tracked {
            node: Arc::clone(step.node),
            revision: step.node.revision(),
        };
        nodes.insert(step.node.number, own);
        let edges = step.history.iter().flat_map(|history| history.edges);
        for edge in edges.filter(|edge| edge.parent.tracked().is_none()) {
            nodes.insert(edge.parent.number(), edge.parent.clone());
        }
    }
    nodes.into_values().collect()
}

/// The position of a node in creation order; sought only to report it.
pub(crate) fn position_of<T: Element>(steps: &[Step<'_, T>], number: u64) -> usize {
    let nodes = in_creation_order(steps);
    nodes.partition_point(|earlier| earlier.number() < number)
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

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use crate::prelude::*;

    thread_local! {
        static TO_RELEASE: RefCell<Option<TensorValue>> = const { RefCell::new(None) };
    }

    /// The input.
    #[vjp_rule]
    #[gradcheck(x: [..])]
    fn meddling<T: Element>(x: &Tensor<T>) -> Result<Tensor<T>> {
        /// upstream, or no number once it has released the graph that it is in
        #[vjp(x)]
        fn x_vjp(upstream: &Tensor<T>) -> Result<Tensor<T>> {
            let Some(graph) = TO_RELEASE.take() else {
                return Ok(upstream.clone());
            };
            let seed = Tensor::scalar(1.0);
            graph.backward_with_seed(&seed.view(), GraphRetention::Release)?;
            Ok(upstream.map(|_| T::from_f64(f64::NAN)))
        }
        Ok(x.clone())
    }

    #[test]
    fn a_fault_names_its_nodes_also_where_the_graph_was_released_meanwhile() {
        let x = TensorValue::parameter(Tensor::scalar(2.0)).unwrap();
        let middle = meddling(&x).unwrap();
        let output = meddling(&middle).unwrap();
        TO_RELEASE.set(Some(output.clone()));
        let refused = output.backward().unwrap_err();
        assert!(output.is_released());
        let TensorAutodiffError::NonFiniteVjp { child, parent, .. } = refused else {
            panic!("{refused}");
        };
        assert_eq!([child, parent], [2, 1]);
    }
}
