//! What is timed: each workload prepared once, then run as often as asked.

use std::fmt;

use autodiff_ops::prelude::*;
use clap::ValueEnum;

use super::inputs::{integers, uniform};
use super::language_model;
use crate::DemoError;

/// A prepared workload: forward and backward once, and a number that depends on both.
pub(super) type Run = Box<dyn FnMut() -> Result<f64, DemoError> + Send>;

/// A computation that can be timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum Workload {
    /// 500 additions and 500 products of four numbers, one after the other
    Chain,
    /// Reshape, transposition, a bias, a square and a mean of [1024, 1024]
    Structural,
    /// A bias over the rows of [4096, 1024]
    BroadcastBias,
    /// Cross-entropy of [2048, 1024]
    SoftmaxXent,
    /// Layer norm and GELU of [2048, 512]
    LayernormGelu,
    /// Three layers with ReLU, 64 rows of 784
    Mlp,
    /// A product of two matrices [512, 512]
    Matmul,
    /// A training step of a language model of 4 layers of width 128
    Gpt,
    /// The same without the update
    GptFwdbwd,
}

impl fmt::Display for Workload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.to_possible_value() {
            Some(value) => f.write_str(value.get_name()),
            None => Ok(()),
        }
    }
}

impl Workload {
    /// Makes the inputs; the number that a run returns is compared with other programs'.
    pub(super) fn prepare<T: Element>(self) -> Result<Run, DemoError> {
        match self {
            Self::Chain => chain::<T>(),
            Self::Structural => structural::<T>(),
            Self::BroadcastBias => broadcast_bias::<T>(),
            Self::SoftmaxXent => softmax_xent::<T>(),
            Self::LayernormGelu => layernorm_gelu::<T>(),
            Self::Mlp => mlp::<T>(),
            Self::Matmul => matmul_both::<T>(),
            Self::Gpt => language_model::prepare::<T>(true),
            Self::GptFwdbwd => language_model::prepare::<T>(false),
        }
    }
}

fn parameter<T: Element>(
    seed: u64,
    shape: &[usize],
    scale: f64,
) -> Result<TensorValue<T>, DemoError> {
    Ok(TensorValue::parameter(uniform(seed, shape, scale)?)?)
}

/// The first element of a value.
fn first<T: Element>(x: &TensorValue<T>) -> f64 {
    first_of(&x.value())
}

/// The first element of a gradient.
fn first_gradient<T: Element>(x: &TensorValue<T>) -> f64 {
    x.gradient()
        .map_or(f64::NAN, |gradient| first_of(&gradient))
}

fn first_of<T: Element>(x: &Tensor<T>) -> f64 {
    x.as_slice().first().map_or(f64::NAN, |x| x.to_f64())
}

fn zero_all<T: Element>(parameters: &[&TensorValue<T>]) -> Result<(), DemoError> {
    for parameter in parameters {
        parameter.zero_grad()?;
    }
    Ok(())
}

/// The sum over all axes.
fn total<T: Element>(x: &TensorValue<T>) -> Result<TensorValue<T>> {
    let axes: Vec<usize> = (0..x.shape().len()).collect();
    x.sum(&axes, false)
}

fn chain<T: Element>() -> Result<Run, DemoError> {
    let x = parameter::<T>(1, &[4], 1.0)?;
    let shift = TensorValue::constant(uniform(2, &[4], 0.01)?)?;
    let factor = TensorValue::constant(uniform(3, &[4], 0.01)?.map(|x: T| x + T::one()))?;
    Ok(Box::new(move || {
        zero_all(&[&x])?;
        let mut y = x.clone();
        for _ in 0..500 {
            y = y.add(&shift)?;
            y = y.mul(&factor)?;
        }
        let sum = total(&y)?;
        sum.backward()?;
        let slope = x.gradient().map_or(f64::NAN, |gradient| {
            gradient.as_slice().iter().map(|x| x.to_f64()).sum()
        });
        Ok(first(&sum) + slope)
    }))
}

fn structural<T: Element>() -> Result<Run, DemoError> {
    let x = parameter::<T>(1, &[1024, 1024], 1.0)?;
    let bias = parameter::<T>(2, &[512], 1.0)?;
    let seed = Tensor::full([2048], T::from_f64(0.5))?;
    Ok(Box::new(move || {
        zero_all(&[&x, &bias])?;
        let sum = x.reshape(&[512, 2048])?.transpose(0, 1)?.add(&bias)?;
        let y = sum.mul(&sum)?.mean_axis(1, false)?;
        y.backward_with_seed(&seed.view(), GraphRetention::Release)?;
        Ok(first(&y) + first_gradient(&x) + first_gradient(&bias))
    }))
}

fn broadcast_bias<T: Element>() -> Result<Run, DemoError> {
    let x = parameter::<T>(1, &[4096, 1024], 1.0)?;
    let bias = parameter::<T>(2, &[1024], 1.0)?;
    Ok(Box::new(move || {
        zero_all(&[&x, &bias])?;
        let sum = total(&x.add(&bias)?)?;
        sum.backward()?;
        Ok(first(&sum) + first_gradient(&x) + first_gradient(&bias))
    }))
}

fn softmax_xent<T: Element>() -> Result<Run, DemoError> {
    let x = parameter::<T>(1, &[2048, 1024], 3.0)?;
    let targets = integers(2, &[2048], 1024)?;
    Ok(Box::new(move || {
        zero_all(&[&x])?;
        let loss = x.cross_entropy(&targets, None)?;
        loss.backward()?;
        Ok(first(&loss) + first_gradient(&x))
    }))
}

fn layernorm_gelu<T: Element>() -> Result<Run, DemoError> {
    let x = parameter::<T>(1, &[2048, 512], 2.0)?;
    let weight = parameter::<T>(2, &[512], 1.0)?;
    let bias = parameter::<T>(3, &[512], 1.0)?;
    Ok(Box::new(move || {
        zero_all(&[&x, &weight, &bias])?;
        let sum = total(&layer_norm(&x, &weight, &bias, 1e-5)?.gelu()?)?;
        sum.backward()?;
        Ok(first(&sum) + first_gradient(&x) + first_gradient(&weight))
    }))
}

fn mlp<T: Element>() -> Result<Run, DemoError> {
    let x = TensorValue::constant(uniform::<T>(1, &[64, 784], 1.0)?)?;
    let targets = integers(2, &[64], 10)?;
    let mut layers = Vec::new();
    for (seed, [outputs, inputs]) in (10..).zip([[256, 784], [256, 256], [10, 256]]) {
        // The numbers are those of a matrix `[out, in]`.
        let weight = uniform::<T>(seed, &[outputs, inputs], 0.05)?;
        let weight = weight.view().transpose(0, 1)?.materialize()?;
        let bias = TensorValue::parameter(Tensor::zeros([outputs])?)?;
        layers.push((TensorValue::parameter(weight)?, bias));
    }
    Ok(Box::new(move || {
        let mut hidden = x.clone();
        for (index, (weight, bias)) in layers.iter().enumerate() {
            zero_all(&[weight, bias])?;
            if index > 0 {
                hidden = hidden.relu()?;
            }
            hidden = linear(&hidden, weight, Some(bias))?;
        }
        let loss = hidden.cross_entropy(&targets, None)?;
        loss.backward()?;
        let slope = layers
            .first()
            .map_or(f64::NAN, |(weight, _)| first_gradient(weight));
        Ok(first(&loss) + slope)
    }))
}

fn matmul_both<T: Element>() -> Result<Run, DemoError> {
    let x = parameter::<T>(1, &[512, 512], 1.0)?;
    let y = parameter::<T>(2, &[512, 512], 1.0)?;
    let seed = uniform::<T>(3, &[512, 512], 1.0)?;
    Ok(Box::new(move || {
        zero_all(&[&x, &y])?;
        let product = x.matmul(&y)?;
        product.backward_with_seed(&seed.view(), GraphRetention::Release)?;
        Ok(first(&product) + first_gradient(&x) + first_gradient(&y))
    }))
}
