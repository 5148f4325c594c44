//! The contributions do not depend on which other operands are tracked.

use super::Item;
use crate::gradcheck::compare::{Place, same_contributions};
use crate::gradcheck::element::Checked;
use crate::gradcheck::finding::{Cause, Check};
use crate::gradcheck::point::Point;
use crate::gradcheck::report::Outcome;
use crate::gradcheck::stream::Stream;
use crate::tensor::Tensor;

/// Up to this many operand uses every subset is tried; of more, each alone, each left out, and a few
/// at random.
const ALL_SUBSETS: usize = 4;

/// With every subset tracked, the tracked operands get the bits that they get when all are, the others
/// get nothing; with none tracked, neither is the output.
pub(in crate::gradcheck) fn subsets<T: Checked>(
    point: &Point<'_, T>,
    upstreams: &[Tensor<T>],
) -> Item {
    let place = Place::new::<T>(Check::Subsets, 0);
    let all = point
        .record(|_| true)
        .map_err(|error| place.refused(error))?;
    let mut expected = Vec::with_capacity(upstreams.len());
    for (output, upstream) in upstreams.iter().enumerate() {
        expected.push(
            all.reverse(output, upstream)
                .map_err(|error| place.refused(error))?,
        );
    }
    for subset in proper_subsets(point.operands.len(), point.sample.values) {
        let tracked = |operand: usize| subset.get(operand).copied().unwrap_or(false);
        let recording = point
            .record(tracked)
            .map_err(|error| place.refused(error))?;
        for (output, (upstream, expected)) in upstreams.iter().zip(&expected).enumerate() {
            let place = Place { output, ..place };
            if !subset.contains(&true) {
                if recording
                    .outputs
                    .get(output)
                    .is_some_and(|output| output.tracks_gradient())
                {
                    return Err(place.found(Cause::Structure {
                        expected: "an untracked output of untracked operands".to_owned(),
                        actual: "a tracked one".to_owned(),
                    }));
                }
                continue;
            }
            let actual = recording
                .reverse(output, upstream)
                .map_err(|error| place.refused(error))?;
            if let Some(operand) = (0..subset.len())
                .find(|&i| actual.get(i).is_some_and(Option::is_some) != tracked(i))
            {
                let describe = |some: bool| {
                    if some {
                        "a contribution"
                    } else {
                        "no contribution"
                    }
                };
                return Err(place.of_operand(&point.sample.name(operand)).found(
                    Cause::Structure {
                        expected: describe(tracked(operand)).to_owned(),
                        actual: describe(!tracked(operand)).to_owned(),
                    },
                ));
            }
            same_contributions(place, point, &actual, expected)?;
        }
    }
    Ok(Outcome::Held(0.0))
}

fn proper_subsets(operands: usize, seed: u64) -> Vec<Vec<bool>> {
    if operands <= ALL_SUBSETS {
        let count = (1_usize << operands) - 1;
        return (0..count)
            .map(|bits| (0..operands).map(|i| bits >> i & 1 == 1).collect())
            .collect();
    }
    let mut stream = Stream::new(seed, 23);
    let mut subsets = vec![vec![false; operands]];
    for chosen in 0..operands {
        subsets.push((0..operands).map(|i| i == chosen).collect());
        subsets.push((0..operands).map(|i| i != chosen).collect());
    }
    for _ in 0..4 {
        subsets.push((0..operands).map(|_| stream.next() & 1 == 1).collect());
    }
    subsets
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_operands_have_three_proper_subsets() {
        assert_eq!(
            proper_subsets(2, 0),
            [[false, false], [true, false], [false, true]]
        );
    }

    #[test]
    fn many_operands_are_tried_alone_and_left_out() {
        let subsets = proper_subsets(6, 0);
        let tracked = |count: usize| {
            subsets
                .iter()
                .filter(|s| s.iter().filter(|t| **t).count() == count)
                .count()
        };
        assert!(tracked(1) >= 6 && tracked(5) >= 6);
    }
}
