//! One call that a case asks for: the operation's name, its bound inputs and its arguments.

use autodiff_ops::prelude::*;

use super::{Attributes, Dtype, Fault, Input};

/// An input of a call.
#[derive(Clone, Debug)]
pub enum Bound<T: Element> {
    /// A differentiated tensor.
    Tensor(TensorValue<T>),
    /// Indices.
    Indices(Tensor<usize>),
    /// Conditions.
    Mask(Tensor<bool>),
}

impl<T: Element> Bound<T> {
    /// A parameter, or a plain tensor of indices or conditions, with the values of `input`.
    ///
    /// A negative index becomes an index past every extent, so that operations refuse it.
    ///
    /// # Errors
    /// [`Fault::Tensor`], [`Fault::Autodiff`] where a value is not finite.
    pub fn of(input: &Input) -> Result<Self, Fault> {
        let shape = input.shape.as_slice();
        let values = input.values.iter();
        Ok(match input.dtype {
            Dtype::F64 => {
                let values = values.map(|&value| T::from_f64(value)).collect();
                Self::Tensor(TensorValue::parameter(Tensor::from_vec(shape, values)?)?)
            }
            Dtype::I64 => {
                let values = values.map(|&value| value as i64 as usize).collect();
                Self::Indices(Tensor::from_vec(shape, values)?)
            }
            Dtype::Bool => {
                let values = values.map(|&value| value != 0.0).collect();
                Self::Mask(Tensor::from_vec(shape, values)?)
            }
        })
    }
}

/// One call.
#[derive(Debug)]
pub struct Call<'a, T: Element> {
    /// The operation's name in the cases.
    pub op: &'a str,
    /// Its inputs in order.
    pub inputs: Vec<Bound<T>>,
    /// Its plain arguments.
    pub attributes: &'a Attributes,
}

impl<T: Element> Call<'_, T> {
    /// The tensor at `position`.
    ///
    /// # Errors
    /// [`Fault::Input`]; so for all readers.
    pub fn tensor(&self, position: usize) -> Result<&TensorValue<T>, Fault> {
        match self.inputs.get(position) {
            Some(Bound::Tensor(value)) => Ok(value),
            _ => Err(Fault::Input {
                position,
                expected: "a tensor",
            }),
        }
    }

    /// All inputs, where each is a tensor.
    ///
    /// # Errors
    /// [`Fault::Input`].
    pub fn tensors(&self) -> Result<Vec<&TensorValue<T>>, Fault> {
        (0..self.inputs.len())
            .map(|position| self.tensor(position))
            .collect()
    }

    /// The indices at `position`.
    ///
    /// # Errors
    /// [`Fault::Input`].
    pub fn indices(&self, position: usize) -> Result<&Tensor<usize>, Fault> {
        match self.inputs.get(position) {
            Some(Bound::Indices(indices)) => Ok(indices),
            _ => Err(Fault::Input {
                position,
                expected: "indices",
            }),
        }
    }

    /// The conditions at `position`.
    ///
    /// # Errors
    /// [`Fault::Input`].
    pub fn mask(&self, position: usize) -> Result<&Tensor<bool>, Fault> {
        match self.inputs.get(position) {
            Some(Bound::Mask(mask)) => Ok(mask),
            _ => Err(Fault::Input {
                position,
                expected: "conditions",
            }),
        }
    }
}
