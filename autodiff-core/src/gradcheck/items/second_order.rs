//! The derivative of a reverse map: its tangent on dual numbers against central differences of it.

use super::{Item, directions, lift_pair};
use crate::gradcheck::compare::{Place, tangents};
use crate::gradcheck::conditioning::Conditioning;
use crate::gradcheck::fault::Planted;
use crate::gradcheck::finding::Check;
use crate::gradcheck::numeric::{derivative, largest};
use crate::gradcheck::point::{PerUse, Point};
use crate::gradcheck::report::Outcome;
use crate::tensor::{Dual, Tensor};

/// What trusted differences may be off, as a part of the largest entry: see the Jacobian. All entries
/// move together here, so the smaller ones carry the rounding of the larger.
const RELATIVE: f64 = 1e-7;

/// Moves all operands and the upstream along random directions, and compares every entry of every
/// contribution.
pub(in crate::gradcheck) fn second_order(
    point: &Point<'_, f64>,
    upstreams: &[Tensor<f64>],
    conditioning: &Conditioning,
    planted: Option<&Planted>,
) -> Item {
    let place = Place::new::<Dual<f64>>(Check::SecondOrder, 0);
    let moving = directions(point.sample, 24, &point.operands);
    let turning = directions(point.sample, 25, upstreams);
    let dual = Point::<Dual<f64>>::new(point.rule, point.sample, Some(&moving), planted);
    let dual = dual.map_err(|error| place.refused(error))?;
    let recording = dual
        .record(|_| true)
        .map_err(|error| place.refused(error))?;
    let magnitude = point
        .operands
        .iter()
        .fold(0.0, |size, x| largest(x.as_slice()).max(size));
    let mut worst = 0.0_f64;
    for (output, (upstream, turn)) in upstreams.iter().zip(&turning).enumerate() {
        let place = Place { output, ..place };
        let actual = recording
            .reverse(output, &lift_pair(upstream, turn))
            .map_err(|error| place.refused(error))?;
        let center = reversed_at(point, &moving, upstream, turn, output, 0.0);
        let numeric = center.and_then(|center| {
            derivative(&center, magnitude, |step| {
                reversed_at(point, &moving, upstream, turn, output, step)
            })
        });
        let Some(numeric) = numeric else {
            return Ok(Outcome::Unreliable(
                "central differences of the rule disagree",
            ));
        };
        let mut rest = numeric.values.as_slice();
        let scale = largest(rest);
        for (operand, contribution) in actual.iter().enumerate() {
            let Some(contribution) = contribution else {
                continue;
            };
            let Some((expected, after)) = rest.split_at_checked(contribution.len()) else {
                continue;
            };
            rest = after;
            let rounding = conditioning.of_contribution::<f64>(output, operand);
            let tolerance = numeric.uncertainty + RELATIVE * scale + rounding;
            let name = point.sample.name(operand);
            let close = place
                .of_operand(&name)
                .close(&tangents(contribution), expected, tolerance);
            worst = worst.max(close?);
        }
    }
    Ok(Outcome::Held(worst))
}

/// All contributions one after the other, with operands and upstream moved by `step`.
fn reversed_at(
    point: &Point<'_, f64>,
    moving: &[Tensor<f64>],
    upstream: &Tensor<f64>,
    turn: &Tensor<f64>,
    output: usize,
    step: f64,
) -> Option<Vec<f64>> {
    let along = |from: &Tensor<f64>, to: &Tensor<f64>| from.zip_map(to, |x, v| x + step * v).ok();
    let operands = point.operands.iter().zip(moving).map(|(x, v)| along(x, v));
    let recording = point
        .at(operands.collect::<Option<_>>()?)
        .record(|_| true)
        .ok()?;
    let contributions: PerUse<f64> = recording.reverse(output, &along(upstream, turn)?).ok()?;
    Some(
        contributions
            .iter()
            .flatten()
            .flat_map(|part| part.as_slice())
            .copied()
            .collect(),
    )
}
