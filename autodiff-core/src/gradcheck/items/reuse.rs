//! One node in several operand slots.

use super::Item;
use crate::gradcheck::compare::{Place, same_contributions, values};
use crate::gradcheck::element::Checked;
use crate::gradcheck::finding::{Check, Found};
use crate::gradcheck::point::{PerUse, Point};
use crate::gradcheck::report::Outcome;
use crate::tensor::Tensor;

/// How many pairs of slots are tried on one draw.
const PAIRS: usize = 6;

/// For pairs of slots of one shape: each edge of `f(x, x)` gets what it would get from two nodes with
/// the value of `x`, and `x` stores the sum of both.
pub(in crate::gradcheck) fn reuse<T: Checked>(
    point: &Point<'_, T>,
    upstreams: &[Tensor<T>],
    dispatched: bool,
) -> Item {
    let place = Place::new::<T>(Check::Reuse, 0);
    let pairs = pairs(&point.operands);
    if pairs.is_empty() {
        return Ok(Outcome::Skipped(
            "no two operands have one shape".to_owned(),
        ));
    }
    let mut tried = 0;
    for (first, second) in pairs {
        // The value of one slot may lie outside the domain of the other.
        let candidates = [(first, second), (second, first)];
        let accepted = candidates.into_iter().find_map(|(from, to)| {
            // In storage of its own: two nodes share nothing, one node shares it with itself.
            let copy = point.operands.get(from)?.map(|x| x);
            let shared = point.with_operand(to, copy);
            shared.plain_finite().map(|_| shared)
        });
        let Some(shared) = accepted else { continue };
        let distinct = shared
            .record(|_| true)
            .map_err(|error| place.refused(error))?;
        let one_node = shared
            .record_shared(first, second)
            .map_err(|error| place.refused(error))?;
        for (output, upstream) in upstreams.iter().enumerate() {
            let place = Place { output, ..place };
            let expected = distinct
                .reverse(output, upstream)
                .map_err(|error| place.refused(error))?;
            let actual = one_node
                .reverse(output, upstream)
                .map_err(|error| place.refused(error))?;
            same_contributions(place, &shared, &actual, &expected)?;
            if dispatched {
                stores_the_sum(place, &shared, (first, second), upstream, &expected)?;
            }
        }
        tried += 1;
    }
    match tried {
        0 => Ok(Outcome::Skipped(
            "no operand is in the domain of another".to_owned(),
        )),
        _ => Ok(Outcome::Held(0.0)),
    }
}

fn stores_the_sum<T: Checked>(
    place: Place<'_>,
    point: &Point<'_, T>,
    (first, second): (usize, usize),
    upstream: &Tensor<T>,
    contributions: &PerUse<T>,
) -> Result<(), Found> {
    let fresh = point
        .record_shared(first, second)
        .map_err(|error| place.refused(error))?;
    let stored = fresh
        .pass(place.output, upstream)
        .map_err(|error| place.refused(error))?;
    let part = |operand: usize| contributions.get(operand).and_then(Option::as_ref);
    let (Some(left), Some(right)) = (part(first), part(second)) else {
        return Ok(());
    };
    let sum = left
        .zip_map(right, |left, right| left + right)
        .map_err(|error| place.refused(error))?;
    if let Some(Some(stored)) = stored.get(first) {
        let name = format!(
            "{} and {}",
            point.sample.name(first),
            point.sample.name(second)
        );
        // Two terms have one sum, whatever their order; adding it to the zero that a parameter starts
        // from can only change the sign of a zero.
        place
            .of_operand(&name)
            .close(&values(stored), &values(&sum), 0.0)?;
    }
    Ok(())
}

fn pairs<T: Checked>(operands: &[Tensor<T>]) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    for (second, right) in operands.iter().enumerate() {
        for (first, left) in operands.iter().enumerate().take(second) {
            if left.shape() == right.shape() {
                pairs.push((first, second));
            }
        }
    }
    pairs.truncate(PAIRS);
    pairs
}
