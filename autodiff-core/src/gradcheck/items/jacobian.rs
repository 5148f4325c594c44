//! The Jacobian, entry by entry, against central differences.

use super::Item;
use crate::gradcheck::compare::Place;
use crate::gradcheck::conditioning::Conditioning;
use crate::gradcheck::draw::SMALL;
use crate::gradcheck::finding::Check;
use crate::gradcheck::numeric::{Derivative, derivative, largest};
use crate::gradcheck::point::{PerUse, Point};
use crate::gradcheck::report::Outcome;
use crate::gradcheck::stream::Stream;
use crate::tensor::Tensor;

/// What a difference may be off beyond its own estimate, as a part of the entry: the steps that are
/// trusted agree to 1e-6, and the error of the smaller one is 16 times less than their disagreement.
const RELATIVE: f64 = 1e-7;

/// What it may be off as a part of the largest entry that the same inputs move.
const OF_LARGEST: f64 = 1e-9;

/// Compares all rows for all columns of at most 64 operand entries; of more, 64 random ones each. A
/// row is the contributions to a cotangent that is 1 in one output entry.
pub(in crate::gradcheck) fn jacobian(
    point: &Point<'_, f64>,
    outputs: &[Tensor<f64>],
    conditioning: &Conditioning,
) -> Item {
    let place = Place::new::<f64>(Check::Jacobian, 0);
    let recording = point
        .record(|_| true)
        .map_err(|error| place.refused(error))?;
    let mut stream = Stream::new(point.sample.values, 20);
    let mut rows: Vec<(usize, usize, PerUse<f64>)> = Vec::new();
    for (output, entry) in chosen(outputs, &mut stream) {
        let Some(shape) = outputs.get(output) else {
            continue;
        };
        let upstream = unit(shape, entry);
        let row = recording.reverse(output, &upstream);
        rows.push((
            output,
            entry,
            row.map_err(|error| Place { output, ..place }.refused(error))?,
        ));
    }
    let mut worst = 0.0_f64;
    for (operand, index) in chosen(&point.operands, &mut stream) {
        let Some(column) = column(point, outputs, operand, index) else {
            return Ok(Outcome::Unreliable("central differences disagree"));
        };
        let scale = largest(&column.values);
        let name = point.sample.name(operand);
        for (output, entry, row) in &rows {
            let flat = outputs.iter().take(*output).map(Tensor::len).sum::<usize>() + entry;
            let analytic = entry_of(row, operand, index);
            let numeric = column.values.get(flat).copied().unwrap_or(f64::NAN);
            let tolerance = column.uncertainty
                + RELATIVE * numeric.abs()
                + OF_LARGEST * scale
                + conditioning.of_contribution::<f64>(*output, operand);
            let place = Place {
                output: *output,
                ..place
            }
            .of_operand(&name);
            let close = place.close(&[analytic], &[numeric], tolerance);
            worst = worst.max(close.map_err(|mut found| {
                found.index = Some(index);
                found.output_index = Some(*entry);
                found
            })?);
        }
    }
    Ok(Outcome::Held(worst))
}

/// The derivative of all outputs, one after the other, in one operand entry.
fn column(
    point: &Point<'_, f64>,
    outputs: &[Tensor<f64>],
    operand: usize,
    index: usize,
) -> Option<Derivative> {
    let center: Vec<f64> = outputs
        .iter()
        .flat_map(|output| output.as_slice())
        .copied()
        .collect();
    let value = point.operands.get(operand)?;
    let magnitude = value.as_slice().get(index)?.abs();
    derivative(&center, magnitude, |step| {
        let mut moved = value.clone();
        *moved.as_mut_slice().get_mut(index)? += step;
        let outputs = point.with_operand(operand, moved).plain_finite()?;
        Some(
            outputs
                .iter()
                .flat_map(|output| output.as_slice())
                .copied()
                .collect(),
        )
    })
}

/// At most 64 entries of these tensors, each as a tensor and a flat index in it.
fn chosen(tensors: &[Tensor<f64>], stream: &mut Stream) -> Vec<(usize, usize)> {
    let all: Vec<_> = tensors
        .iter()
        .enumerate()
        .flat_map(|(tensor, entries)| (0..entries.len()).map(move |index| (tensor, index)))
        .collect();
    let positions = stream.sample(SMALL, all.len());
    positions
        .into_iter()
        .filter_map(|position| all.get(position).copied())
        .collect()
}

fn unit(like: &Tensor<f64>, index: usize) -> Tensor<f64> {
    let mut unit = like.map(|_| 0.0);
    if let Some(entry) = unit.as_mut_slice().get_mut(index) {
        *entry = 1.0;
    }
    unit
}

fn entry_of(row: &PerUse<f64>, operand: usize, index: usize) -> f64 {
    let contribution = row.get(operand).and_then(Option::as_ref);
    contribution
        .and_then(|c| c.as_slice().get(index))
        .copied()
        .unwrap_or(f64::NAN)
}
