//! What unit tests of operations share.

use autodiff_core::prelude::*;

/// A tensor of rank 1.
pub fn vector(values: &[f64]) -> Tensor {
    Tensor::from_vec([values.len()], values.to_vec()).unwrap()
}

/// A tensor of the numbers from `first` on.
pub fn counted(shape: &[usize], first: f64) -> Tensor {
    Tensor::from_fn(shape, |place| first + place as f64).unwrap()
}

/// A tensor of places.
pub fn indices(shape: &[usize], values: &[usize]) -> Tensor<usize> {
    Tensor::from_vec(shape, values.to_vec()).unwrap()
}

/// The output of `f` on parameters with these values, and their gradients for an upstream.
pub fn pulled<const N: usize>(
    inputs: [&Tensor; N],
    upstream: &Tensor,
    f: impl Fn([&TensorValue; N]) -> Result<TensorValue>,
) -> Result<(Tensor, [Tensor; N])> {
    let parameters = inputs.map(|input| TensorValue::parameter(input.clone()).unwrap());
    let output = f(parameters.each_ref())?;
    output.backward_with_seed(&upstream.view(), GraphRetention::Retain)?;
    let gradients = parameters.map(|parameter| parameter.gradient_snapshot().unwrap());
    Ok((output.value_snapshot(), gradients))
}

/// The output and the gradient of an operation of one vector, for an upstream of ones.
pub fn at(
    x: &[f64],
    f: impl Fn(&TensorValue) -> Result<TensorValue>,
) -> Result<(Vec<f64>, Vec<f64>)> {
    let x = vector(x);
    let output = f(&TensorValue::constant(x.clone()).unwrap())?;
    let ones = Tensor::ones(output.shape()).unwrap();
    let (output, [gradient]) = pulled([&x], &ones, |[x]| f(x))?;
    Ok((output.to_vec(), gradient.to_vec()))
}
