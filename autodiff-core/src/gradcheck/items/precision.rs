//! What `f32` and dual numbers give is what `f64` gives, to rounding.

use super::{Item, lift_pair};
use crate::gradcheck::compare::{Place, values};
use crate::gradcheck::conditioning::Conditioning;
use crate::gradcheck::element::Checked;
use crate::gradcheck::finding::Check;
use crate::gradcheck::point::Point;
use crate::gradcheck::report::Outcome;
use crate::tensor::Tensor;

/// Compares outputs and contributions at the same inputs, which are exact in both types. `f32` is never
/// differenced: a difference quotient has half the digits of its type, and `f32` has seven.
pub(in crate::gradcheck) fn precision<T: Checked>(
    point: &Point<'_, T>,
    reference: &Point<'_, f64>,
    upstreams: &[Tensor<f64>],
    conditioning: &Conditioning,
) -> Item {
    let place = Place::new::<T>(Check::Precision, 0);
    let outputs = point.plain().map_err(|error| place.refused(error))?;
    let expected = reference.plain().map_err(|error| place.refused(error))?;
    let mut worst = 0.0_f64;
    for (output, (actual, expected)) in outputs.iter().zip(&expected).enumerate() {
        let tolerance = conditioning.of_output::<T>(output);
        let close =
            Place { output, ..place }.close(&values(actual), expected.as_slice(), tolerance);
        worst = worst.max(close?);
    }
    if point.operands.is_empty() {
        return Ok(Outcome::Held(worst));
    }
    let recording = point
        .record(|_| true)
        .map_err(|error| place.refused(error))?;
    let trusted = reference
        .record(|_| true)
        .map_err(|error| place.refused(error))?;
    for (output, upstream) in upstreams.iter().enumerate() {
        let place = Place { output, ..place };
        let lifted = lift_pair::<T>(upstream, &upstream.map(|_| 0.0));
        let actual = recording
            .reverse(output, &lifted)
            .map_err(|error| place.refused(error))?;
        let expected = trusted
            .reverse(output, upstream)
            .map_err(|error| place.refused(error))?;
        for (operand, pair) in actual.iter().zip(&expected).enumerate() {
            let (Some(actual), Some(expected)) = pair else {
                continue;
            };
            let tolerance = conditioning.of_contribution::<T>(output, operand);
            let name = point.sample.name(operand);
            let close =
                place
                    .of_operand(&name)
                    .close(&values(actual), expected.as_slice(), tolerance);
            worst = worst.max(close?);
        }
    }
    Ok(Outcome::Held(worst))
}
