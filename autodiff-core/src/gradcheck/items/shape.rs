//! Every operand use is one edge, and its contribution has its shape.

use super::Item;
use crate::gradcheck::compare::Place;
use crate::gradcheck::element::Checked;
use crate::gradcheck::finding::{Cause, Check};
use crate::gradcheck::point::Point;
use crate::gradcheck::report::Outcome;
use crate::tensor::Tensor;

/// Reverses every output once. Shape and finiteness are what the tape checks of every contribution;
/// here its refusal becomes a finding.
pub(in crate::gradcheck) fn shape<T: Checked>(
    point: &Point<'_, T>,
    upstreams: &[Tensor<T>],
) -> Item {
    let place = Place::new::<T>(Check::Shape, 0);
    let recording = point
        .record(|_| true)
        .map_err(|error| place.refused(error))?;
    for (output, upstream) in upstreams.iter().enumerate() {
        let place = Place { output, ..place };
        let in_order = recording.with_history(output, |history| {
            let parents = history.edges.iter().map(|edge| &edge.parent);
            let same = parents
                .zip(&recording.leaves)
                .all(|(parent, leaf)| parent.tracked().is_some_and(|own| leaf.is_of(own)));
            (same, history.edges.len())
        });
        let (same, edges) = in_order.map_err(|error| place.refused(error))?;
        if !same || edges != recording.leaves.len() {
            return Err(place.found(Cause::Structure {
                expected: format!(
                    "{} edges in the order of the operands",
                    recording.leaves.len()
                ),
                actual: format!(
                    "{edges} edges{}",
                    if same { "" } else { " in another order" }
                ),
            }));
        }
        recording
            .reverse(output, upstream)
            .map_err(|error| place.refused(error))?;
    }
    Ok(Outcome::Held(0.0))
}
