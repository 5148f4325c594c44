//! Central differences of the loss at sampled coordinates of every parameter.
//!
//! They use the plain forward pass alone: no tape, no rule, no dual number.

use autodiff_ops::prelude::*;

use super::numbers::worst_of;
use crate::DemoError;
use crate::model::{Model, Parameters};
use crate::random::RandomStream;
use crate::train::data::Batch;

/// How many coordinates of each parameter are looked at.
const COORDINATES: usize = 4;

/// The larger step, relative to the coordinate where that is above 1; the other is half of it. The error
/// of five points falls with the fourth power of the step, so 16 parts of one and one of the other leave
/// an error that falls with the sixth, while rounding stays near 1e-12.
const STEP: f64 = 1e-3;

/// The worst error of each parameter, relative to its gradient there and never to less than 1.
pub(super) fn of_loss(
    model: &Model<Tensor>,
    batch: &Batch,
    gradients: &Parameters<Tensor>,
    random: &mut RandomStream,
) -> Result<Vec<f64>, DemoError> {
    let mut errors = Vec::new();
    for (place, (value, gradient)) in model
        .parameters
        .values()
        .iter()
        .zip(gradients.values())
        .enumerate()
    {
        let mut worst = 0.0;
        for _ in 0..COORDINATES {
            let index = random.below(value.len());
            let (Some(&x), Some(&analytic)) =
                (value.as_slice().get(index), gradient.as_slice().get(index))
            else {
                continue;
            };
            let loss_at = |x: f64| -> Result<f64, DemoError> {
                let mut moved = value.clone();
                if let Some(coordinate) = moved.as_mut_slice().get_mut(index) {
                    *coordinate = x;
                }
                let model = model.with(model.parameters.replaced(place, moved));
                Ok(model.loss(&batch.tokens, &batch.targets)?.item()?)
            };
            let step = STEP * x.abs().max(1.0);
            let numeric =
                (16.0 * central(loss_at, x, step / 2.0)? - central(loss_at, x, step)?) / 15.0;
            let error = (numeric - analytic).abs() / analytic.abs().max(1.0);
            worst = worst_of(worst, error);
        }
        errors.push(worst);
    }
    Ok(errors)
}

/// `(f(x-2h) - 8 f(x-h) + 8 f(x+h) - f(x+2h)) / 12h`.
fn central(f: impl Fn(f64) -> Result<f64, DemoError>, x: f64, h: f64) -> Result<f64, DemoError> {
    let outer = f(x - 2.0 * h)? - f(x + 2.0 * h)?;
    let inner = f(x + h)? - f(x - h)?;
    Ok((outer + 8.0 * inner) / (12.0 * h))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_points_are_exact_for_a_polynomial_of_degree_4() {
        let slope = central(|x| Ok(x.powi(4) - 3.0 * x), 2.0, 0.25).unwrap();
        // 4 · 2³ - 3
        assert!((slope - 29.0).abs() < 1e-12, "{slope}");
    }
}
