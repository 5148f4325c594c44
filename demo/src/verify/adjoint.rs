//! The adjoint identity of a whole model: `⟨J v, u⟩ = ⟨v, Jᵀ u⟩` for any `v` and `u`.
//!
//! The left side runs forward on dual numbers and uses no reverse rule; the right side is the reverse
//! pass. Both are exact up to rounding, so a wrong rule cannot hide in a tolerance.

use autodiff_ops::prelude::*;

use super::numbers::worst_of;
use crate::DemoError;
use crate::model::{Model, Parameters};
use crate::random::RandomStream;
use crate::train::data::Batch;

/// Of the loss, for a direction within each parameter.
pub(super) fn of_loss(
    model: &Model<Tensor>,
    batch: &Batch,
    gradients: &Parameters<Tensor>,
    random: &mut RandomStream,
) -> Result<Vec<f64>, DemoError> {
    let still = lifted(&model.parameters, None)?;
    let mut errors = Vec::new();
    for (place, (value, gradient)) in model
        .parameters
        .values()
        .iter()
        .zip(gradients.values())
        .enumerate()
    {
        let direction = drawn(value, random)?;
        let moving = still.replaced(place, value.zip_map(&direction, Dual::new)?);
        let loss = at(model, moving).loss(&batch.tokens, &batch.targets)?;
        let forward = loss.item()?.tangent;
        errors.push(error(forward, &direction, gradient)?);
    }
    Ok(errors)
}

/// Of the logits, for one direction of all parameters and one cotangent.
pub(super) fn of_logits(
    model: &Model<Tensor>,
    batch: &Batch,
    random: &mut RandomStream,
) -> Result<f64, DemoError> {
    let directions = model.parameters.try_map(|value| drawn(value, random))?;
    let moving = lifted(&model.parameters, Some(&directions))?;
    let forward = at(model, moving).logits(&batch.tokens)?;
    let upstream = drawn(&forward.map(|x| x.value), random)?;
    let products = forward.zip_map(&upstream, |y, u| y.tangent * u)?;
    let forward = f64::sum_slice(products.as_slice());

    let taped = Model {
        config: model.config.clone(),
        parameters: model.parameters.taped()?,
    };
    let logits = taped.logits(&batch.tokens)?;
    logits.backward_with_seed(&upstream.view(), GraphRetention::Release)?;
    let (mut reverse, mut scale) = (0.0, 1.0);
    for (value, direction) in taped.parameters.values().iter().zip(directions.values()) {
        let gradient = value
            .gradient_snapshot()
            .unwrap_or_else(|| direction.map(|_| f64::NAN));
        let products = gradient.zip_map(direction, |g, v| g * v)?;
        reverse += f64::sum_slice(products.as_slice());
        scale += f64::sum_slice(products.map(f64::abs).as_slice());
    }
    Ok(worst_of((forward - reverse).abs() / scale, 0.0))
}

/// The difference of both sides, relative to the sum of the terms' sizes and never to less than 1.
fn error(forward: f64, direction: &Tensor, gradient: &Tensor) -> Result<f64, DemoError> {
    let products = gradient.zip_map(direction, |g, v| g * v)?;
    let reverse = f64::sum_slice(products.as_slice());
    let scale = f64::sum_slice(products.map(f64::abs).as_slice()).max(1.0);
    Ok(worst_of((forward - reverse).abs() / scale, 0.0))
}

fn lifted(
    parameters: &Parameters<Tensor>,
    directions: Option<&Parameters<Tensor>>,
) -> Result<Parameters<Tensor<Dual>>, DemoError> {
    let Some(directions) = directions else {
        return parameters.try_map(|value| Ok(value.cast()));
    };
    let pairs = parameters.iter().zip(directions.values());
    pairs
        .map(|((name, value), direction)| {
            Ok((name.to_owned(), value.zip_map(direction, Dual::new)?))
        })
        .collect()
}

fn at(model: &Model<Tensor>, parameters: Parameters<Tensor<Dual>>) -> Model<Tensor<Dual>> {
    Model {
        config: model.config.clone(),
        parameters,
    }
}

fn drawn(like: &Tensor, random: &mut RandomStream) -> Result<Tensor, DemoError> {
    Ok(Tensor::from_fn(like.shape(), |_| random.normal())?)
}
