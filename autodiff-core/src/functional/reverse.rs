//! Reverse mode: the gradient of a scalar, or the product of any cotangent with the Jacobian.

use crate::error::Result;
use crate::tape::{TensorValue, adjoints};
use crate::tensor::{Element, Tensor};

/// The value of a scalar function and its gradient by every input.
///
/// An input that the value does not depend on has gradient zero, as long as it depends on another one.
///
/// ```
/// use autodiff_core::functional::value_and_gradients;
/// use autodiff_core::prelude::*;
///
/// # fn main() -> Result<()> {
/// let identity = |inputs: &[TensorValue]| Ok(inputs[0].clone());
/// let (value, gradients) = value_and_gradients(identity, &[Tensor::scalar(3.0)])?;
/// assert_eq!((value, gradients), (Tensor::scalar(3.0), vec![Tensor::scalar(1.0)]));
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// Whatever the function refuses, and the errors of [`TensorValue::backward`]; so a value that depends on
/// no input is an [`UntrackedOutput`](crate::TensorAutodiffError::UntrackedOutput), and no silent zero.
pub fn value_and_gradients<T: Element>(
    function: impl Fn(&[TensorValue<T>]) -> Result<TensorValue<T>>,
    inputs: &[Tensor<T>],
) -> Result<(Tensor<T>, Vec<Tensor<T>>)> {
    vjp(function, inputs, &Tensor::scalar(T::one()))
}

/// The value of a function and the product of `upstream` with its Jacobian, by every input.
///
/// # Errors
/// Whatever the function refuses, and the errors of [`TensorValue::backward_with_seed`].
pub fn vjp<T: Element>(
    function: impl Fn(&[TensorValue<T>]) -> Result<TensorValue<T>>,
    inputs: &[Tensor<T>],
    upstream: &Tensor<T>,
) -> Result<(Tensor<T>, Vec<Tensor<T>>)> {
    let leaves = leaves(inputs)?;
    let output = function(&leaves)?;
    let sums = adjoints(&output, upstream.clone())?;
    let gradient_of = |leaf: &TensorValue<T>| {
        let sum = sums.iter().find(|(node, _)| leaf.is_of(node));
        sum.map_or_else(
            || Tensor::zeros(leaf.shape()),
            |(_, adjoint)| Ok(adjoint.clone()),
        )
    };
    let gradients = leaves.iter().map(gradient_of).collect::<Result<_>>()?;
    Ok((output.value_snapshot(), gradients))
}

fn leaves<T: Element>(inputs: &[Tensor<T>]) -> Result<Vec<TensorValue<T>>> {
    inputs.iter().cloned().map(TensorValue::parameter).collect()
}
