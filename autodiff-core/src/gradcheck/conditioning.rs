//! How much rounding may move the results of a rule at a point.

use super::element::Checked;
use super::numeric::largest;
use super::point::{PerUse, Point};
use super::stream::Stream;
use crate::error::Result;
use crate::tensor::Tensor;

/// The size of a rule's outputs and contributions at a point, with what a small relative change of
/// the inputs does to them: `size + max |change| / relative change`.
///
/// A rule that is evaluated well gives the exact result of inputs that are off in their last place, so
/// its error is a small multiple of `ε` times this, even where inputs are nearly equal and subtracted.
/// Where it subtracts intermediate numbers that nearly cancel whatever the inputs, its error is larger
/// than that; changes of a few last places show it, as noise.
#[derive(Clone, Debug)]
pub(super) struct Conditioning {
    outputs: Vec<f64>,
    /// By output, then by operand use.
    contributions: Vec<Vec<f64>>,
}

/// Small enough for a first-order answer, large enough to stand out of the rounding of `f64`; tried
/// with two sets of random signs.
const SMALL_CHANGE: f64 = 1.0 / (1_u64 << 26) as f64;

/// A few last places, whose effect is mostly rounding.
const LAST_PLACES: f64 = 8.0 * f64::EPSILON;

/// How often the last places are changed at first: all of a few changes may happen to round alike.
pub(super) const TRIES: u64 = 6;

/// How often they are before anything that depends on rounding is reported as wrong.
pub(super) const MORE_TRIES: u64 = 100;

/// How many last places an evaluation may lose: a sum of a few hundred terms, or a function of a
/// dozen rounded steps, stays well below.
const PLACES: f64 = 512.0;

impl Conditioning {
    /// Measured by random changes of every input and of the upstream of each output.
    pub(super) fn measure(
        point: &Point<'_, f64>,
        upstreams: &[Tensor<f64>],
        tries: u64,
    ) -> Result<Self> {
        let outputs = point.plain()?;
        let recording = point.record(|_| true)?;
        let reverse = |output: usize, upstream| match point.operands.is_empty() {
            true => Ok(Vec::new()),
            false => recording.reverse(output, upstream),
        };
        let mut contributions = Vec::with_capacity(upstreams.len());
        for (output, upstream) in upstreams.iter().enumerate() {
            contributions.push(reverse(output, upstream)?);
        }
        let mut found = Self {
            outputs: outputs
                .iter()
                .map(|output| largest(output.as_slice()))
                .collect(),
            contributions: contributions.iter().map(sizes).collect(),
        };
        for number in 0..2 + tries {
            let size = if number < 2 {
                SMALL_CHANGE
            } else {
                LAST_PLACES
            };
            let mut stream = Stream::new(point.sample.values, 1000 + number);
            let moved = point.at(point
                .operands
                .iter()
                .map(|x| changed(x, size, &mut stream))
                .collect());
            // A change that leaves the domain says nothing.
            let Some(moved_outputs) = moved.plain_finite() else {
                continue;
            };
            for (bound, pair) in found
                .outputs
                .iter_mut()
                .zip(outputs.iter().zip(&moved_outputs))
            {
                *bound = bound.max(largest(pair.0.as_slice()) + change(pair.0, pair.1) / size);
            }
            let Ok(recording) = moved.record(|_| true) else {
                continue;
            };
            for (output, upstream) in upstreams.iter().enumerate() {
                let Ok(moved) = recording.reverse(output, &changed(upstream, size, &mut stream))
                else {
                    continue;
                };
                found.raise(output, &contributions, &moved, size);
            }
        }
        Ok(found)
    }

    fn raise(
        &mut self,
        output: usize,
        contributions: &[PerUse<f64>],
        moved: &PerUse<f64>,
        size: f64,
    ) {
        let (Some(bounds), Some(own)) = (
            self.contributions.get_mut(output),
            contributions.get(output),
        ) else {
            return;
        };
        for (bound, pair) in bounds.iter_mut().zip(own.iter().zip(moved)) {
            if let (Some(own), Some(moved)) = pair {
                *bound = bound.max(largest(own.as_slice()) + change(own, moved) / size);
            }
        }
    }

    /// How far rounding in `T` may move an output.
    pub(super) fn of_output<T: Checked>(&self, output: usize) -> f64 {
        PLACES * T::EPSILON * self.outputs.get(output).copied().unwrap_or(0.0)
    }

    /// How far rounding in `T` may move a contribution.
    pub(super) fn of_contribution<T: Checked>(&self, output: usize, operand: usize) -> f64 {
        let bound = self
            .contributions
            .get(output)
            .and_then(|bounds| bounds.get(operand));
        PLACES * T::EPSILON * bound.copied().unwrap_or(0.0)
    }
}

fn sizes(contributions: &PerUse<f64>) -> Vec<f64> {
    let size =
        |part: &Option<Tensor<f64>>| part.as_ref().map_or(0.0, |part| largest(part.as_slice()));
    contributions.iter().map(size).collect()
}

fn changed(tensor: &Tensor<f64>, size: f64, stream: &mut Stream) -> Tensor<f64> {
    let mut changed = tensor.clone();
    for value in changed.as_mut_slice() {
        *value += size * stream.signed() * *value;
    }
    changed
}

fn change(own: &Tensor<f64>, moved: &Tensor<f64>) -> f64 {
    largest(
        own.as_slice()
            .iter()
            .zip(moved.as_slice())
            .map(|(own, moved)| own - moved),
    )
}
