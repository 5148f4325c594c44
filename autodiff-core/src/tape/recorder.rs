//! The forward half of one call on the tape: which operands are tracked, and what their edges keep.

use std::ops::Deref;

use smallvec::SmallVec;

use super::mode::is_recording;
use super::node::{Content, Edge, History, NoRecord, Node, Recorded};
use super::value::TensorValue;
use crate::error::{Result, TensorAutodiffError};
use crate::operation::Operation;
use crate::rule::SavedContext;
use crate::tensor::{Element, Tensor};

mod sealed {
    pub trait Sealed {}
}

/// What an operation is called on: a plain [`Tensor`], or a [`TensorValue`] on the tape.
pub trait Value: Sized + sealed::Sealed {
    /// The element type.
    type Element: Element;
}

impl<T: Element> sealed::Sealed for Tensor<T> {}
impl<T: Element> Value for Tensor<T> {
    type Element = T;
}

impl<T: Element> sealed::Sealed for TensorValue<T> {}
impl<T: Element> Value for TensorValue<T> {
    type Element = T;
}

/// The value of an operand, as a forward pass reads it.
#[derive(Debug)]
pub enum Primal<'a, T: Copy> {
    /// A value that cannot change.
    Fixed(&'a Tensor<T>),
    /// A parameter's value at the time of the call.
    Current(Tensor<T>),
}

impl<T: Copy> Deref for Primal<'_, T> {
    type Target = Tensor<T>;

    fn deref(&self) -> &Tensor<T> {
        match self {
            Self::Fixed(tensor) => tensor,
            Self::Current(tensor) => tensor,
        }
    }
}

/// One operand use of the call that is being recorded.
struct Use<'a, T: Element> {
    value: &'a TensorValue<T>,
    revision: u64,
    vjp: usize,
    slot: usize,
    index: usize,
}

/// Records one call of an operation; driven by generated code.
pub struct Recorder<'a, T: Element> {
    operation: Operation,
    recording: bool,
    uses: SmallVec<[Use<'a, T>; 3]>,
}

impl<'a, T: Element> Recorder<'a, T> {
    /// Begins a call.
    pub fn new(operation: Operation) -> Self {
        Self {
            operation,
            recording: is_recording(),
            uses: SmallVec::new(),
        }
    }

    /// Adds one operand use, reversed by `vjp` as its operand number `slot`.
    ///
    /// # Errors
    /// [`TensorAutodiffError::ReleasedOperand`] where the operand's history is gone and this call
    /// would need it.
    pub fn operand(
        &mut self,
        value: &'a TensorValue<T>,
        vjp: usize,
        slot: usize,
    ) -> Result<Primal<'a, T>> {
        self.operand_at(value, vjp, slot, 0)
    }

    /// Adds an optional operand use.
    ///
    /// # Errors
    /// As for [`operand`](Self::operand).
    pub fn optional(
        &mut self,
        value: Option<&'a TensorValue<T>>,
        vjp: usize,
        slot: usize,
    ) -> Result<Option<Primal<'a, T>>> {
        value
            .map(|value| self.operand(value, vjp, slot))
            .transpose()
    }

    /// Adds the uses of a variadic operand.
    ///
    /// # Errors
    /// As for [`operand`](Self::operand).
    pub fn operands(
        &mut self,
        values: &[&'a TensorValue<T>],
        vjp: usize,
    ) -> Result<Vec<Primal<'a, T>>> {
        let uses = values.iter().enumerate();
        uses.map(|(index, value)| self.operand_at(value, vjp, 0, index))
            .collect()
    }

    fn operand_at(
        &mut self,
        value: &'a TensorValue<T>,
        vjp: usize,
        slot: usize,
        index: usize,
    ) -> Result<Primal<'a, T>> {
        if self.recording && value.is_released() {
            return Err(TensorAutodiffError::ReleasedOperand {
                operation: self.operation,
                operand: self.uses.len(),
            });
        }
        let (primal, revision) = match &value.0.content {
            Content::Fixed(tensor) => (Primal::Fixed(tensor), 0),
            Content::Parameter(parameter) => {
                let held = parameter.value.lock();
                (Primal::Current(held.tensor.clone()), held.revision)
            }
        };
        self.uses.push(Use {
            value,
            revision,
            vjp,
            slot,
            index,
        });
        Ok(primal)
    }

    /// The same call with uses of its own: each entry is the number of an operand that was read, whose
    /// value and revision the use has. The entry's position is the use's slot.
    pub(crate) fn with_uses(mut self, operands: &[usize]) -> Self {
        let slots = operands.iter().enumerate();
        let of_slot = |(slot, &operand): (usize, &usize)| {
            let read = self.uses.get(operand)?;
            Some(Use { slot, ..*read })
        };
        self.uses = slots.filter_map(of_slot).collect();
        self
    }

    /// For each reverse map, whether any of its operands is tracked, so that it saves something.
    pub fn wants<const VJPS: usize>(&self) -> [bool; VJPS] {
        std::array::from_fn(|vjp| {
            self.recording
                && self
                    .uses
                    .iter()
                    .any(|used| used.vjp == vjp && used.value.0.tracked)
        })
    }

    /// Makes the node of the only output.
    ///
    /// # Errors
    /// [`TensorAutodiffError::NonFiniteForward`].
    pub fn finish<S: SavedContext<T>>(
        &self,
        output: Tensor<T>,
        saved: S,
    ) -> Result<TensorValue<T>> {
        self.finish_output(0, output, saved)
    }

    /// Makes the node of one of several outputs.
    ///
    /// # Errors
    /// [`TensorAutodiffError::NonFiniteForward`].
    pub fn finish_output<S: SavedContext<T>>(
        &self,
        output_index: usize,
        output: Tensor<T>,
        saved: S,
    ) -> Result<TensorValue<T>> {
        let operation = self.operation;
        if let Some((index, value)) = output.first_non_finite() {
            return Err(TensorAutodiffError::NonFiniteForward {
                operation,
                index,
                value,
            });
        }
        let content = Content::Fixed(output);
        let tracked = self.recording && self.uses.iter().any(|used| used.value.0.tracked);
        if !tracked {
            return Ok(Node::create(operation, false, content, NoRecord));
        }
        let edges = self.uses.iter().map(Use::edge).collect();
        let history = History {
            edges,
            saved,
            output_index,
        };
        Ok(Node::create(
            operation,
            true,
            content,
            Recorded::new(history),
        ))
    }
}

impl<T: Element> Use<'_, T> {
    fn edge(&self) -> Edge<T> {
        Edge {
            parent: self.value.clone(),
            revision: self.revision,
            vjp: self.vjp,
            slot: self.slot,
            index: self.index,
        }
    }
}
