//! The model, composed of elementary operations.

use std::error::Error;

use autodiff_ops::prelude::*;
use demo::model::ModelConfig;

/// Tokens and the token after each.
pub struct Batch {
    /// `[batch, time]`.
    pub tokens: Tensor<usize>,
    /// `[batch, time]`.
    pub targets: Tensor<usize>,
}

/// Values as parameters of the tape.
pub fn leaves<T: Element>(values: &[Tensor<T>]) -> Result<Vec<TensorValue<T>>> {
    values.iter().cloned().map(TensorValue::parameter).collect()
}

fn constant<T: Element>(shape: &[usize], f: impl FnMut(usize) -> f64) -> Result<TensorValue<T>> {
    TensorValue::constant(Tensor::from_fn(shape, f)?.cast())
}

/// `x / sqrt(mean(x²) + eps) · weight` on the last axis.
fn norm<T: Element>(
    x: &TensorValue<T>,
    weight: &TensorValue<T>,
    eps: f64,
) -> Result<TensorValue<T>> {
    let last = x.shape().len() - 1;
    let root = x.mul(x)?.mean(&[last], true)?.add_scalar(eps)?.sqrt()?;
    x.div(&root)?.mul(weight)
}

/// Pairs `(x_i, x_{i + d/2})` turned by `t · theta^(-2i/d)`, for `x: [batch, heads, time, d]`.
fn turned<T: Element>(x: &TensorValue<T>, theta: f64) -> Result<TensorValue<T>> {
    let shape = x.shape();
    let (time, half) = (shape[2], shape[3] / 2);
    let angle = |place: usize| {
        let (t, i) = (place / half, place % half);
        t as f64 * theta.powf(-(i as f64) / half as f64)
    };
    let cosines = constant(&[time, half], |place| angle(place).cos())?;
    let sines = constant(&[time, half], |place| angle(place).sin())?;
    let mut middle = shape.clone();
    middle[3] = half;
    let steps = [1; 4];
    let u = x.slice(&[0; 4], &middle, &steps)?;
    let w = x.slice(&[0, 0, 0, half], &shape, &steps)?;
    let first = u.mul(&cosines)?.sub(&w.mul(&sines)?)?;
    let second = w.mul(&cosines)?.add(&u.mul(&sines)?)?;
    concat(&[&first, &second], 3)
}

/// `exp(s) / Σ exp(s)` over the columns up to the row's own.
fn causal_softmax<T: Element>(scores: &TensorValue<T>) -> Result<TensorValue<T>> {
    let time = scores.shape()[3];
    let seen = |place: usize| f64::from(u8::from(place % time <= place / time));
    let weights = scores.exp()?.mul(&constant(&[time, time], seen)?)?;
    weights.div(&weights.sum(&[3], true)?)
}

fn silu_of<T: Element>(x: &TensorValue<T>) -> Result<TensorValue<T>> {
    x.mul(&x.neg()?.exp()?.add_scalar(1.0)?.reciprocal()?)
}

/// Scores `[batch · time, vocabulary]`; parameters in the order of the configuration.
fn scores<T: Element>(
    config: &ModelConfig,
    parameters: &[TensorValue<T>],
    tokens: &Tensor<usize>,
) -> Result<TensorValue<T>> {
    let (batch, time) = (tokens.shape()[0], tokens.shape()[1]);
    let (heads, width) = (config.heads, config.width);
    let depth = width / heads;
    let rows = tokens.with_shape([batch * time])?;
    let mut x = parameters[0].index_select(&rows, 0)?;
    for layer in parameters[1..parameters.len() - 1].chunks(9) {
        let a = norm(&x, &layer[0], config.norm_eps)?;
        let by_head = |weight: &TensorValue<T>| {
            let product = a.matmul(weight)?.reshape(&[batch, time, heads, depth])?;
            product.permute(&[0, 2, 1, 3])
        };
        let q = turned(&by_head(&layer[1])?, config.rope_theta)?;
        let k = turned(&by_head(&layer[2])?, config.rope_theta)?;
        let v = by_head(&layer[3])?;
        let products = q.matmul(&k.permute(&[0, 1, 3, 2])?)?;
        let weights = causal_softmax(&products.mul_scalar(1.0 / (depth as f64).sqrt())?)?;
        let mixed = weights.matmul(&v)?.permute(&[0, 2, 1, 3])?;
        x = x.add(&mixed.reshape(&[batch * time, width])?.matmul(&layer[4])?)?;

        let a = norm(&x, &layer[5], config.norm_eps)?;
        let gated = silu_of(&a.matmul(&layer[6])?)?.mul(&a.matmul(&layer[7])?)?;
        x = x.add(&gated.matmul(&layer[8])?)?;
    }
    let x = norm(&x, &parameters[parameters.len() - 1], config.norm_eps)?;
    x.matmul(&parameters[0].permute(&[1, 0])?)
}

/// Scores `[batch, time, vocabulary]`.
pub fn logits<T: Element>(
    config: &ModelConfig,
    parameters: &[TensorValue<T>],
    tokens: &Tensor<usize>,
) -> Result<TensorValue<T>> {
    let (batch, time) = (tokens.shape()[0], tokens.shape()[1]);
    scores(config, parameters, tokens)?.reshape(&[batch, time, config.vocabulary])
}

/// `mean(ln Σ exp(s) - s[target])`.
fn loss<T: Element>(
    config: &ModelConfig,
    parameters: &[TensorValue<T>],
    batch: &Batch,
) -> Result<TensorValue<T>> {
    let scores = scores(config, parameters, &batch.tokens)?;
    let (rows, classes) = (batch.targets.len(), config.vocabulary);
    let targets = batch.targets.as_slice();
    let chosen = constant(&[rows, classes], |place| {
        f64::from(u8::from(targets[place / classes] == place % classes))
    })?;
    let picked = scores.mul(&chosen)?.sum(&[1], false)?;
    let totals = scores.exp()?.sum(&[1], false)?.log()?;
    totals.sub(&picked)?.mean(&[0], false)
}

/// The loss and its gradient by every parameter, by a reverse pass.
pub fn gradients(
    config: &ModelConfig,
    values: &[Tensor],
    batch: &Batch,
) -> Result<(f64, Vec<Tensor>), Box<dyn Error>> {
    let leaves = leaves(values)?;
    let loss = loss(config, &leaves, batch)?;
    loss.backward()?;
    let gradients = leaves.iter().map(|leaf| leaf.gradient_snapshot());
    let gradients = gradients
        .collect::<Option<_>>()
        .ok_or("a leaf is no parameter")?;
    Ok((loss.value().item()?, gradients))
}

/// The worst difference of any coordinate of the gradient from a forward pass on dual numbers.
pub fn worst_coordinate(
    config: &ModelConfig,
    values: &[Tensor],
    batch: &Batch,
    gradients: &[Tensor],
) -> Result<f64> {
    let still: Vec<Tensor<Dual>> = values.iter().map(Tensor::cast).collect();
    let mut worst: f64 = 0.0;
    for (place, gradient) in gradients.iter().enumerate() {
        for (index, expected) in gradient.as_slice().iter().enumerate() {
            let mut moving = still.clone();
            moving[place].as_mut_slice()[index].tangent = 1.0;
            let loss = no_grad(|| loss(config, &leaves(&moving)?, batch))?;
            worst = worst.max((loss.value().item()?.tangent - expected).abs());
        }
    }
    Ok(worst)
}
