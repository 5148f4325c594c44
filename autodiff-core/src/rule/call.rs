//! A call of an operation with inputs chosen at run time, one per declared parameter.

use super::{ArgumentValue, FromArgument};
use crate::error::{OpError, Result};
use crate::tensor::Tensor;

/// The inputs of one call, in declaration order. `V` is `Tensor<T>` or `TensorValue<T>`.
#[derive(Clone, Debug)]
pub struct Call<T, V> {
    /// One input per parameter.
    pub inputs: Vec<Input<T, V>>,
}

/// One input of a call.
#[derive(Clone, Debug)]
pub enum Input<T, V> {
    /// A differentiable operand.
    Operand(V),
    /// A variadic operand.
    Operands(Vec<V>),
    /// An absent optional operand.
    Absent,
    /// A constant tensor of the operation's element type.
    Constant(Tensor<T>),
    /// A constant tensor of indices.
    Indices(Tensor<usize>),
    /// A constant tensor of conditions.
    Mask(Tensor<bool>),
    /// A plain argument.
    Argument(ArgumentValue),
}

/// An input that is not of the declared kind.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("input {position}: expected {expected}, got {actual}")]
pub struct CallError {
    /// Which input.
    pub position: usize,
    /// What the declaration takes there.
    pub expected: &'static str,
    /// What was given.
    pub actual: &'static str,
}

impl<T, V> Input<T, V> {
    fn describe(&self) -> &'static str {
        match self {
            Self::Operand(_) => "an operand",
            Self::Operands(_) => "a list of operands",
            Self::Absent => "an absent operand",
            Self::Constant(_) => "a constant tensor",
            Self::Indices(_) => "a tensor of indices",
            Self::Mask(_) => "a tensor of conditions",
            Self::Argument(_) => "an argument",
        }
    }
}

impl<T, V> Call<T, V> {
    fn input<'a, X>(
        &'a self,
        position: usize,
        expected: &'static str,
        read: impl FnOnce(&'a Input<T, V>) -> Option<X>,
    ) -> Result<X> {
        let input = self.inputs.get(position);
        input.and_then(read).ok_or_else(|| {
            OpError::new(CallError {
                position,
                expected,
                actual: input.map_or("nothing", Input::describe),
            })
            .into()
        })
    }

    /// The differentiable operand at `position`.
    ///
    /// # Errors
    /// [`CallError`] where the input there is something else; so for all readers of a call.
    pub fn operand(&self, position: usize) -> Result<&V> {
        self.input(position, "an operand", |input| match input {
            Input::Operand(value) => Some(value),
            _ => None,
        })
    }

    /// The variadic operand at `position`.
    ///
    /// # Errors
    /// [`CallError`].
    pub fn operands(&self, position: usize) -> Result<Vec<&V>> {
        self.input(position, "a list of operands", |input| match input {
            Input::Operands(values) => Some(values.iter().collect()),
            _ => None,
        })
    }

    /// The optional operand at `position`.
    ///
    /// # Errors
    /// [`CallError`].
    pub fn optional(&self, position: usize) -> Result<Option<&V>> {
        self.input(position, "an optional operand", |input| match input {
            Input::Operand(value) => Some(Some(value)),
            Input::Absent => Some(None),
            _ => None,
        })
    }

    /// The constant tensor at `position`.
    ///
    /// # Errors
    /// [`CallError`].
    pub fn constant(&self, position: usize) -> Result<&Tensor<T>> {
        self.input(position, "a constant tensor", |input| match input {
            Input::Constant(tensor) => Some(tensor),
            _ => None,
        })
    }

    /// The tensor of indices at `position`.
    ///
    /// # Errors
    /// [`CallError`].
    pub fn indices(&self, position: usize) -> Result<&Tensor<usize>> {
        self.input(position, "a tensor of indices", |input| match input {
            Input::Indices(tensor) => Some(tensor),
            _ => None,
        })
    }

    /// The tensor of conditions at `position`.
    ///
    /// # Errors
    /// [`CallError`].
    pub fn mask(&self, position: usize) -> Result<&Tensor<bool>> {
        self.input(position, "a tensor of conditions", |input| match input {
            Input::Mask(tensor) => Some(tensor),
            _ => None,
        })
    }

    /// The plain argument at `position`.
    ///
    /// # Errors
    /// [`CallError`].
    pub fn argument<'a, A: FromArgument<'a>>(&'a self, position: usize) -> Result<A> {
        self.input(
            position,
            "an argument of the declared type",
            |input| match input {
                Input::Argument(value) => A::from_argument(value),
                _ => None,
            },
        )
    }
}
