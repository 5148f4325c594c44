//! A reverse map is linear in the upstream cotangent.

use super::{Item, directions, lift_pair};
use crate::gradcheck::compare::{Place, tangents, values};
use crate::gradcheck::conditioning::Conditioning;
use crate::gradcheck::element::Checked;
use crate::gradcheck::finding::Check;
use crate::gradcheck::numeric::largest;
use crate::gradcheck::point::Point;
use crate::gradcheck::report::Outcome;
use crate::tensor::Tensor;

/// The weights of the combination; exact, and neither of them 1 or -1.
const FIRST: f64 = 0.75;
const SECOND: f64 = -1.5;

/// `vjp(0) = 0` exactly, and `vjp(a u + b w) = a vjp(u) + b vjp(w)` to rounding. A rule that ignores its
/// upstream, in whole or in part, fails the first.
pub(in crate::gradcheck) fn upstream<T: Checked>(
    point: &Point<'_, T>,
    upstreams: &[Tensor<f64>],
    conditioning: &Conditioning,
) -> Item {
    let place = Place::new::<T>(Check::Upstream, 0);
    let recording = point
        .record(|_| true)
        .map_err(|error| place.refused(error))?;
    let others = directions(point.sample, 22, upstreams);
    let mut worst = 0.0_f64;
    for (output, (first, second)) in upstreams.iter().zip(&others).enumerate() {
        let place = Place { output, ..place };
        let reverse = |upstream: &Tensor<f64>| {
            let lifted = lift_pair::<T>(upstream, &upstream.map(|_| 0.0));
            recording
                .reverse(output, &lifted)
                .map_err(|error| place.refused(error))
        };
        let of_zero = reverse(&first.map(|_| 0.0))?;
        let (of_first, of_second) = (reverse(first)?, reverse(second)?);
        let combined = first.zip_map(second, |u, w| FIRST * u + SECOND * w);
        let of_both = reverse(&combined.map_err(|error| place.refused(error))?)?;
        let parts = of_zero
            .iter()
            .zip(&of_first)
            .zip(of_second.iter().zip(&of_both));
        for (operand, ((zero, first), (second, both))) in parts.enumerate() {
            let (Some(zero), Some(first), Some(second), Some(both)) = (zero, first, second, both)
            else {
                continue;
            };
            let name = point.sample.name(operand);
            let place = place.of_operand(&name);
            let nothing = vec![0.0; zero.len()];
            place.close(&values(zero), &nothing, 0.0)?;
            place.close(&tangents(zero), &nothing, 0.0)?;
            let (first, second, both) = (values(first), values(second), values(both));
            let expected: Vec<f64> = first
                .iter()
                .zip(&second)
                .map(|(u, w)| FIRST * u + SECOND * w)
                .collect();
            // The bound is that of one upstream; the other one and the combination are of its size, or
            // give contributions of a size that is seen here.
            let seen = largest(&first).max(largest(&second)).max(largest(&both));
            let tolerance = 4.0 * conditioning.of_contribution::<T>(output, operand)
                + 512.0 * T::EPSILON * seen;
            worst = worst.max(place.close(&both, &expected, tolerance)?);
        }
    }
    Ok(Outcome::Held(worst))
}
