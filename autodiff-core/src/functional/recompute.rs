//! An operation that is a block of operations: it saves the block's inputs and runs it again in reverse.
//!
//! Invariant: what the reverse run computes has the bits of the forward run, or the pass is refused.
//! Invariant: every use that the block makes of an input is an edge of its own, in the order in which a
//! pass would contribute to it, so that gradients have the bits that they have without the block.

use std::any::{Any, type_name};
use std::sync::Arc;

use crate::error::{OpError, Result, TensorAutodiffError};
use crate::operation::Operation;
use crate::rule::{Contributions, ReverseCall, SavedContext, SavedField, SavedValue};
use crate::tape::{BlockFn, BlockInput, BlockRun, Place, Recorder, TensorValue, Unusable};
use crate::tensor::{Element, Tensor};

/// Why a block cannot be run again in place of what it recorded.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BlockError {
    /// The block's result depends on a tracked value that is no input; its gradient would be cut off.
    #[error(
        "the block uses a tracked {captured} of shape {shape:?} that is not one of its inputs; \
         pass it as an input, or detach it"
    )]
    Captured {
        /// What made the value.
        captured: Operation,
        /// Its shape.
        shape: Vec<usize>,
    },
    /// The second run gave a result of another shape.
    #[error(
        "the block gave shape {actual:?} when it ran again, expected {expected:?} as in the forward pass"
    )]
    ChangedShape {
        /// The shape of the first result.
        expected: Vec<usize>,
        /// The shape of the second.
        actual: Vec<usize>,
    },
    /// The second run gave other bits, as from a random number that is drawn anew.
    #[error(
        "the block gave {actual} at flat index {index} when it ran again, expected {expected} as in the \
         forward pass"
    )]
    ChangedValue {
        /// The first index where the results differ.
        index: usize,
        /// The first result there.
        expected: f64,
        /// The second.
        actual: f64,
    },
    /// The second run gave the same result by other operations.
    #[error(
        "the block used its inputs as {actual:?} when it ran again, expected {expected:?} as in the \
         forward pass"
    )]
    ChangedUses {
        /// Which input each use was of, newest first.
        expected: Vec<usize>,
        /// The same of the second run.
        actual: Vec<usize>,
    },
}

/// What a call saves: the inputs, and the function to run on them.
struct SavedBlock<T: Element> {
    block: Arc<BlockFn<T>>,
    type_name: &'static str,
    inputs: Vec<BlockInput<T>>,
    /// Which input each edge is a use of.
    edges: Vec<usize>,
    /// The result: to see whether the second run repeats it.
    output: Tensor<T>,
}

impl<T: Element> SavedBlock<T> {
    fn is_tracked(&self, input: usize) -> bool {
        let input = self.inputs.get(input);
        input.is_some_and(|(_, tracked)| *tracked)
    }
}

impl<T: Element> SavedContext<T> for SavedBlock<T> {
    fn fields(&self, _vjp: usize) -> Vec<SavedField<T>> {
        let values = self.inputs.iter().map(|(value, _)| value.clone());
        vec![
            SavedField {
                name: "inputs",
                value: SavedValue::Tensors(values.collect()),
            },
            SavedField {
                name: "block",
                value: SavedValue::Other(self.type_name.to_owned()),
            },
        ]
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// Runs `block` and records it as one node of `operation`, whose rule must reverse it by
/// [`reverse_block`]. The operations of the block leave nothing behind.
///
/// # Errors
/// [`ReleasedOperand`](TensorAutodiffError::ReleasedOperand), whatever the block refuses, and
/// [`BlockError::Captured`].
pub fn record_block<T: Element, F>(
    operation: Operation,
    block: F,
    inputs: &[TensorValue<T>],
) -> Result<TensorValue<T>>
where
    F: Fn(&[TensorValue<T>]) -> Result<TensorValue<T>> + Send + Sync + 'static,
{
    let mut recorder = Recorder::new(operation);
    let mut values = Vec::with_capacity(inputs.len());
    let mut read = Vec::with_capacity(inputs.len());
    for input in inputs {
        let used = recorder.operand(input, Place::joint(0, 0))?;
        values.push((used.primal().clone(), input.tracks_gradient()));
        read.push(used);
    }
    let block: Arc<BlockFn<T>> = Arc::new(block);
    let run = BlockRun::new(&*block, &values)?;
    let uses = uses_of(&run, operation)?;
    let output = run.value();
    drop(run);
    let edges = with_untracked(uses, &values);
    let slots = edges.iter().filter_map(|&input| read.get(input)).zip(0..);
    let uses: Vec<_> = slots
        .map(|(used, slot)| used.at(Place::joint(0, slot)))
        .collect();
    let saved = SavedBlock {
        block,
        type_name: type_name::<F>(),
        inputs: values,
        edges,
        output: output.clone(),
    };
    recorder.finish(&uses.iter().collect::<Vec<_>>(), output, saved)
}

/// The reverse map of a node that [`record_block`] made.
///
/// # Errors
/// [`SavedContextMismatch`](TensorAutodiffError::SavedContextMismatch) for any other node; whatever the
/// block or the rules of its operations refuse; and a [`BlockError`] where the block does not repeat
/// what it did.
pub fn reverse_block<T: Element>(
    operation: Operation,
    saved: &dyn SavedContext<T>,
    call: ReverseCall<'_, T>,
) -> Result<Contributions<T>> {
    let Some(saved) = saved.as_any().downcast_ref::<SavedBlock<T>>() else {
        return Err(TensorAutodiffError::SavedContextMismatch { operation });
    };
    let run = BlockRun::recorded(&*saved.block, &saved.inputs)?;
    let uses = uses_of(&run, operation)?;
    check_repeated(saved, &run.value(), &uses).map_err(OpError::new)?;
    let mut contributions = run.contributions(call.upstream)?.into_iter();
    let parts = saved
        .edges
        .iter()
        .map(|&edge| {
            let next = saved
                .is_tracked(edge)
                .then(|| contributions.next())
                .flatten();
            next.map(|(_, contribution)| contribution)
        })
        .collect();
    Ok(Contributions::Joint(parts))
}

fn uses_of<T: Element>(run: &BlockRun<T>, operation: Operation) -> Result<Vec<usize>> {
    run.uses().map_err(|unusable| match unusable {
        Unusable::Released(error) => error,
        Unusable::Captured(node) => {
            let captured = OpError::new(BlockError::Captured {
                captured: node.operation,
                shape: node.shape(),
            });
            TensorAutodiffError::from(captured).in_operation(operation)
        }
    })
}

/// The uses with one more of each untracked input, before those of the inputs after it: a trace shows
/// every input of the node, and where each is used once the edges have the order of the inputs.
fn with_untracked<T: Element>(uses: Vec<usize>, inputs: &[BlockInput<T>]) -> Vec<usize> {
    let mut edges = uses;
    for (input, (_, tracked)) in inputs.iter().enumerate() {
        if !tracked {
            let after = edges.iter().position(|&used| used > input);
            edges.insert(after.unwrap_or(edges.len()), input);
        }
    }
    edges
}

fn check_repeated<T: Element>(
    saved: &SavedBlock<T>,
    value: &Tensor<T>,
    uses: &[usize],
) -> Result<(), BlockError> {
    let (expected, actual) = (saved.output.shape(), value.shape());
    if expected != actual {
        return Err(BlockError::ChangedShape {
            expected: expected.to_vec(),
            actual: actual.to_vec(),
        });
    }
    let pairs = saved.output.as_slice().iter().zip(value.as_slice());
    let differing = pairs
        .enumerate()
        .find(|(_, (expected, actual))| !expected.bit_eq(**actual));
    if let Some((index, (&expected, &actual))) = differing {
        let [expected, actual] = [expected.to_f64(), actual.to_f64()];
        return Err(BlockError::ChangedValue {
            index,
            expected,
            actual,
        });
    }
    let edges = saved.edges.iter().copied();
    let expected: Vec<usize> = edges.filter(|&input| saved.is_tracked(input)).collect();
    if expected != uses {
        return Err(BlockError::ChangedUses {
            expected,
            actual: uses.to_vec(),
        });
    }
    Ok(())
}
