//! The adjoint identity `<J v, u> = <v, Jᵀ u>`, one operand use at a time.

use super::{Item, directions};
use crate::gradcheck::compare::{Place, tangents};
use crate::gradcheck::conditioning::Conditioning;
use crate::gradcheck::finding::Check;
use crate::gradcheck::numeric::derivative;
use crate::gradcheck::point::Point;
use crate::gradcheck::report::Outcome;
use crate::tensor::{Dual, Tensor};

/// `J v` is the tangent of the operation on dual numbers, exact to rounding; of a rule without a form
/// for them, a central difference along `v`. The direction is zero for all operand uses but one, so
/// that a finding names it.
pub(in crate::gradcheck) fn adjoint_identity(
    point: &Point<'_, f64>,
    outputs: &[Tensor<f64>],
    upstreams: &[Tensor<f64>],
    conditioning: &Conditioning,
) -> Item {
    let place = Place::new::<f64>(Check::Adjoint, 0);
    let recording = point
        .record(|_| true)
        .map_err(|error| place.refused(error))?;
    let directions = directions(point.sample, 21, &point.operands);
    let mut worst = 0.0_f64;
    for (operand, direction) in directions.iter().enumerate() {
        let forward = match point.rule.dual {
            Some(_) => dual_forward(point, operand, direction),
            None => difference_forward(point, outputs, operand, direction),
        };
        let Some((forward, uncertainty)) = forward else {
            return Ok(Outcome::Unreliable(
                "the forward derivative is not finite or not certain",
            ));
        };
        let name = point.sample.name(operand);
        for (output, (moved, upstream)) in forward.iter().zip(upstreams).enumerate() {
            let place = Place { output, ..place }.of_operand(&name);
            let contributions = recording
                .reverse(output, upstream)
                .map_err(|error| place.refused(error))?;
            let Some(Some(contribution)) = contributions.get(operand) else {
                continue;
            };
            let reverse_sum = dot(direction, contribution.as_slice());
            let forward_sum = dot(upstream, moved);
            // Each side is a sum whose terms may each be off by rounding, and cancel.
            let rounding = conditioning.of_contribution::<f64>(output, operand);
            let tolerance = rounding * (direction.len() + 1) as f64
                + 512.0 * f64::EPSILON * (forward_sum.size + reverse_sum.size)
                + uncertainty * upstream.len() as f64;
            worst = worst.max(place.close(&[reverse_sum.sum], &[forward_sum.sum], tolerance)?);
        }
    }
    Ok(Outcome::Held(worst))
}

type Moved = (Vec<Vec<f64>>, f64);

fn dual_forward(point: &Point<'_, f64>, operand: usize, direction: &Tensor<f64>) -> Option<Moved> {
    let zero = |tensor: &Tensor<f64>| tensor.map(|_| 0.0);
    let mut moving: Vec<_> = point.operands.iter().map(zero).collect();
    *moving.get_mut(operand)? = direction.clone();
    let lifted = Point::<Dual<f64>>::new(point.rule, point.sample, Some(&moving), None).ok()?;
    let outputs = lifted.plain_finite()?;
    Some((outputs.iter().map(tangents).collect(), 0.0))
}

fn difference_forward(
    point: &Point<'_, f64>,
    outputs: &[Tensor<f64>],
    operand: usize,
    direction: &Tensor<f64>,
) -> Option<Moved> {
    let value = point.operands.get(operand)?;
    let magnitude = crate::gradcheck::numeric::largest(value.as_slice());
    let mut forward = Vec::with_capacity(outputs.len());
    let mut uncertainty = 0.0_f64;
    for (output, center) in outputs.iter().enumerate() {
        let found = derivative(center.as_slice(), magnitude, |step| {
            let moved = value.zip_map(direction, |x, v| x + step * v).ok()?;
            let outputs = point.with_operand(operand, moved).plain_finite()?;
            Some(outputs.get(output)?.to_vec())
        })?;
        let largest = crate::gradcheck::numeric::largest(&found.values);
        uncertainty = uncertainty.max(found.uncertainty + 1e-7 * largest);
        forward.push(found.values);
    }
    Some((forward, uncertainty))
}

struct Dot {
    sum: f64,
    /// The sum of the absolute values of the terms.
    size: f64,
}

fn dot(left: &Tensor<f64>, right: &[f64]) -> Dot {
    let mut dot = Dot {
        sum: 0.0,
        size: 0.0,
    };
    for (left, right) in left.as_slice().iter().zip(right) {
        dot.sum += left * right;
        dot.size += (left * right).abs();
    }
    dot
}
