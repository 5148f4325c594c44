//! A reverse pass finds the rule by its ID.

use super::Item;
use crate::gradcheck::compare::{Place, values};
use crate::gradcheck::element::Checked;
use crate::gradcheck::finding::Check;
use crate::gradcheck::point::Point;
use crate::gradcheck::report::Outcome;
use crate::tensor::Tensor;

/// Runs a reverse pass over the tape, which dispatches by ID through the registry, and compares what
/// the parameters store with what the rule gives when it is called directly.
pub(in crate::gradcheck) fn dispatch<T: Checked>(
    point: &Point<'_, T>,
    upstreams: &[Tensor<T>],
) -> Item {
    let place = Place::new::<T>(Check::Dispatch, 0);
    for (output, upstream) in upstreams.iter().enumerate() {
        let place = Place { output, ..place };
        let recording = point
            .record(|_| true)
            .map_err(|error| place.refused(error))?;
        let expected = recording
            .reverse(output, upstream)
            .map_err(|error| place.refused(error))?;
        let stored = recording
            .pass(output, upstream)
            .map_err(|error| place.refused(error))?;
        for (operand, pair) in stored.iter().zip(&expected).enumerate() {
            let (Some(stored), Some(expected)) = pair else {
                continue;
            };
            let name = point.sample.name(operand);
            // Equal as numbers: the zero that a parameter starts from can change the sign of a zero.
            place
                .of_operand(&name)
                .close(&values(stored), &values(expected), 0.0)?;
        }
    }
    Ok(Outcome::Held(0.0))
}
