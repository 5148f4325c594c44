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
    let still = model
        .parameters
        .try_map(|value| Ok::<_, DemoError>(value.cast()))?;
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
        let loss = model.with(moving).loss(&batch.tokens, &batch.targets)?;
        let forward = loss.item()?.tangent;
        errors.push(error(forward, Terms::of(gradient, &direction)?));
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
    let forward = model
        .with(moving(&model.parameters, &directions)?)
        .logits(&batch.tokens)?;
    let upstream = drawn(&forward.map(|x| x.value), random)?;
    let products = forward.zip_map(&upstream, |y, u| y.tangent * u)?;
    let forward = f64::sum_slice(products.as_slice());

    let taped = model.taped()?;
    let logits = taped.logits(&batch.tokens)?;
    logits.backward_with_seed(&upstream.view(), GraphRetention::Release)?;
    let mut all = Terms::default();
    for (value, direction) in taped.parameters.values().iter().zip(directions.values()) {
        let gradient = value
            .gradient_snapshot()
            .unwrap_or_else(|| direction.map(|_| f64::NAN));
        let terms = Terms::of(&gradient, direction)?;
        all.sum += terms.sum;
        all.sizes += terms.sizes;
    }
    Ok(error(forward, all))
}

/// The terms `gradient · direction` of the right side.
#[derive(Clone, Copy, Debug, Default)]
struct Terms {
    sum: f64,
    /// The sum of their sizes, to which their rounding is relative.
    sizes: f64,
}

impl Terms {
    fn of(gradient: &Tensor, direction: &Tensor) -> Result<Self, DemoError> {
        let products = gradient.zip_map(direction, |g, v| g * v)?;
        Ok(Self {
            sum: f64::sum_slice(products.as_slice()),
            sizes: f64::sum_slice(products.map(f64::abs).as_slice()),
        })
    }
}

/// The difference of both sides, relative to the sum of the terms' sizes and never to less than 1.
fn error(forward: f64, reverse: Terms) -> f64 {
    worst_of((forward - reverse.sum).abs() / reverse.sizes.max(1.0), 0.0)
}

/// Every parameter with its direction as the tangent.
fn moving(
    parameters: &Parameters<Tensor>,
    directions: &Parameters<Tensor>,
) -> Result<Parameters<Tensor<Dual>>, DemoError> {
    let pairs = parameters.iter().zip(directions.values());
    pairs
        .map(|((name, value), direction)| {
            Ok((name.to_owned(), value.zip_map(direction, Dual::new)?))
        })
        .collect()
}

fn drawn(like: &Tensor, random: &mut RandomStream) -> Result<Tensor, DemoError> {
    Ok(Tensor::from_fn(like.shape(), |_| random.normal())?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_is_relative_to_the_sizes_of_the_terms_and_never_to_less_than_1() {
        let [gradient, direction] =
            [[3.0, -5.0], [2.0, 1.0]].map(|x| Tensor::from_vec([2], x.to_vec()).unwrap());
        // 3 · 2 - 5 · 1 = 1, and the sizes are 6 and 5.
        let terms = Terms::of(&gradient, &direction).unwrap();
        assert_eq!(error(12.0, terms), 11.0 / 11.0);
        let small = Terms {
            sum: 0.25,
            sizes: 0.25,
        };
        assert_eq!(error(0.75, small), 0.5);
        assert_eq!(error(f64::NAN, small), f64::INFINITY);
    }
}
