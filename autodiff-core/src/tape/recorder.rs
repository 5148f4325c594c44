//! The forward half of one call on the tape: which operands are tracked, and what their edges keep.

use std::sync::Arc;

use super::history::{Edge, Edges, History, Parent, Place, Recorded};
use super::node::{Content, Node, Parameter};
use super::shard::Shard;
use super::value::{Held, TensorValue};
use crate::error::{Result, TensorAutodiffError};
use crate::operation::Operation;
use crate::rule::SavedContext;
use crate::tensor::{Element, Mode, Tensor, mode};

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

/// One operand use of the call that is being recorded.
#[derive(Clone, Debug)]
pub struct Use<'a, T: Element> {
    value: &'a TensorValue<T>,
    revision: u64,
    place: Place,
    primal: Primal<'a, T>,
}

#[derive(Clone, Debug)]
enum Primal<'a, T: Element> {
    /// A value that cannot change.
    Fixed(&'a Tensor<T>),
    /// A parameter's value at the time of the call. In a box, because uses are moved about and the
    /// tensor is wide.
    Current(Box<Tensor<T>>),
}

impl<T: Element> Primal<'_, T> {
    /// The value of a parameter, with its revision.
    #[inline(never)]
    fn current(parameter: &Parameter<T>) -> (Self, u64) {
        let held = parameter.value.lock();
        let primal = Self::Current(Box::new(held.tensor.clone()));
        (primal, held.revision)
    }
}

impl<T: Element> Use<'_, T> {
    /// The operand's value, as the forward pass reads it.
    #[inline]
    pub fn primal(&self) -> &Tensor<T> {
        match &self.primal {
            Primal::Fixed(tensor) => tensor,
            Primal::Current(tensor) => tensor,
        }
    }

    /// The same operand, used once more at another place.
    pub(crate) fn at(&self, place: Place) -> Self {
        Self {
            place,
            ..self.clone()
        }
    }

    fn edge(&self, begins_call: bool) -> Edge<T> {
        let node = &self.value.node;
        let parent = if node.tracked {
            Parent::Tracked {
                node: Arc::clone(node),
                revision: self.revision,
            }
        } else {
            Parent::Untracked {
                number: node.number,
                operation: node.operation,
                shape: self.primal().extents().clone(),
            }
        };
        Edge {
            parent,
            place: self.place,
            begins_call,
        }
    }

    fn is_tracked(&self) -> bool {
        self.value.node.tracked
    }
}

/// The operand uses of one call, in operand order: an array where the declaration fixes their number.
pub trait Uses<T: Element> {
    /// What a node holds for them.
    #[doc(hidden)]
    type Edges: Edges<T>;

    #[doc(hidden)]
    fn as_uses(&self) -> &[&Use<'_, T>];

    #[doc(hidden)]
    fn edges(&self) -> Self::Edges;
}

impl<'a, T: Element, const N: usize> Uses<T> for [&Use<'a, T>; N] {
    type Edges = [Edge<T>; N];

    #[inline]
    fn as_uses(&self) -> &[&Use<'_, T>] {
        self
    }

    #[inline]
    fn edges(&self) -> Self::Edges {
        std::array::from_fn(|operand| self[operand].edge(begins_call(self, operand)))
    }
}

impl<'a, T: Element> Uses<T> for Vec<&Use<'a, T>> {
    type Edges = Vec<Edge<T>>;

    fn as_uses(&self) -> &[&Use<'_, T>] {
        self
    }

    fn edges(&self) -> Self::Edges {
        (0..self.len())
            .map(|operand| self[operand].edge(begins_call(self, operand)))
            .collect()
    }
}

/// Whether a pass calls a rule when it comes to this use.
#[inline]
fn begins_call<T: Element>(uses: &[&Use<'_, T>], operand: usize) -> bool {
    let own = uses[operand];
    let shares =
        |earlier: &&Use<'_, T>| earlier.is_tracked() && earlier.place.vjp() == own.place.vjp();
    own.is_tracked() && !(own.place.is_joint() && uses[..operand].iter().any(shares))
}

/// Records one call of an operation; driven by generated code.
#[derive(Debug)]
pub struct Recorder {
    operation: Operation,
    mode: Mode,
    uses: usize,
}

impl Recorder {
    /// Begins a call.
    #[inline]
    pub fn new(operation: Operation) -> Self {
        Self {
            operation,
            mode: mode(),
            uses: 0,
        }
    }

    /// Adds one operand use.
    ///
    /// # Errors
    /// [`TensorAutodiffError::ReleasedOperand`] where the operand's history is gone and this call
    /// would need it.
    #[inline]
    pub fn operand<'a, T: Element>(
        &mut self,
        value: &'a TensorValue<T>,
        place: Place,
    ) -> Result<Use<'a, T>> {
        let operand = self.uses;
        self.uses += 1;
        if self.mode.recording && value.is_released() {
            return Err(self.released(operand));
        }
        let (primal, revision) = match &value.held {
            Held::Fixed(tensor) => (Primal::Fixed(tensor), 0),
            Held::Current(parameter) => Primal::current(parameter),
        };
        Ok(Use {
            value,
            revision,
            place,
            primal,
        })
    }

    #[cold]
    fn released(&self, operand: usize) -> TensorAutodiffError {
        TensorAutodiffError::ReleasedOperand {
            operation: self.operation,
            operand,
        }
    }

    /// Adds an optional operand use.
    ///
    /// # Errors
    /// As for [`operand`](Self::operand).
    pub fn optional<'a, T: Element>(
        &mut self,
        value: Option<&'a TensorValue<T>>,
        place: Place,
    ) -> Result<Option<Use<'a, T>>> {
        value.map(|value| self.operand(value, place)).transpose()
    }

    /// Adds the uses of a variadic operand.
    ///
    /// # Errors
    /// As for [`operand`](Self::operand).
    pub fn operands<'a, T: Element>(
        &mut self,
        values: &[&'a TensorValue<T>],
        place: Place,
    ) -> Result<Vec<Use<'a, T>>> {
        values
            .iter()
            .map(|value| self.operand(value, place))
            .collect()
    }

    /// For each reverse map, whether any of its operands is tracked, so that it saves something.
    pub fn wants<T: Element, const VJPS: usize>(&self, uses: &[&Use<'_, T>]) -> [bool; VJPS] {
        let mut wants = [false; VJPS];
        for used in uses {
            if let Some(wanted) = wants.get_mut(used.place.vjp()) {
                *wanted |= self.mode.recording && used.is_tracked();
            }
        }
        wants
    }

    /// Makes the node of the only output.
    ///
    /// # Errors
    /// [`TensorAutodiffError::NonFiniteForward`].
    #[inline]
    pub fn finish<T: Element, U: Uses<T>, S: SavedContext<T>>(
        &self,
        uses: &U,
        output: Tensor<T>,
        saved: S,
    ) -> Result<TensorValue<T>> {
        self.finish_output(uses, 0, output, saved)
    }

    /// Makes the node of one of several outputs.
    ///
    /// # Errors
    /// [`TensorAutodiffError::NonFiniteForward`].
    #[inline]
    pub fn finish_output<T: Element, U: Uses<T>, S: SavedContext<T>>(
        &self,
        uses: &U,
        output_index: usize,
        output: Tensor<T>,
        saved: S,
    ) -> Result<TensorValue<T>> {
        let operation = self.operation;
        self.check(&output)?;
        if !self.is_tracked(uses.as_uses()) {
            return Ok(TensorValue::untracked(operation, output));
        }
        let content = match self.mode.keeping {
            false => Content::Shape(output.extents().clone()),
            true => kept(&output),
        };
        let shard = Shard::current();
        let history = History {
            edges: uses.edges(),
            saved,
        };
        let record = Recorded::new(shard, history);
        Ok(TensorValue {
            node: Node::create((operation, output_index), true, content, shard, record),
            held: Held::Fixed(output),
        })
    }

    #[inline]
    fn check<T: Element>(&self, output: &Tensor<T>) -> Result<()> {
        match output.first_non_finite() {
            None => Ok(()),
            Some((index, value)) => Err(TensorAutodiffError::NonFiniteForward {
                operation: self.operation,
                index,
                value,
            }),
        }
    }

    fn is_tracked<T: Element>(&self, uses: &[&Use<'_, T>]) -> bool {
        self.mode.recording && uses.iter().any(|used| used.is_tracked())
    }
}

#[cold]
fn kept<T: Element>(output: &Tensor<T>) -> Content<T> {
    Content::Kept(Box::new(output.clone()))
}
