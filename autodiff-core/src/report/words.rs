//! Saved values in words: what a ledger says of each.

use super::saved::{EntriesRecord, ProjectionRecord, SavedRecord, SavedValueRecord};
use super::tensor::{TensorRecord, count};
use super::text;

/// A saved value as labelled lines, with at most `most` elements a line.
pub(super) fn saved_lines(field: &SavedRecord, most: usize) -> Vec<(String, String)> {
    let name = text::plain(&field.name);
    match &field.value {
        SavedValueRecord::Projection(plan) => projection_lines(&name, plan, most),
        other => vec![(name, saved_value(other, most))],
    }
}

fn saved_value(value: &SavedValueRecord, most: usize) -> String {
    match value {
        SavedValueRecord::Tensor(tensor) => tensor_line(tensor, most),
        SavedValueRecord::Numbers(numbers) => text::elements(numbers, most),
        SavedValueRecord::Tensors(tensors) => {
            let mut lines: Vec<String> = tensors
                .iter()
                .take(most)
                .map(|tensor| tensor_line(tensor, most))
                .collect();
            if tensors.len() > most {
                lines.push("…".to_owned());
            }
            lines.join(", ")
        }
        SavedValueRecord::Indices(entries) => {
            format!(
                "{} {}",
                text::shape(&entries.shape),
                entries_line(entries, most)
            )
        }
        SavedValueRecord::Mask(entries) => {
            format!(
                "{} {}",
                text::shape(&entries.shape),
                entries_line(entries, most)
            )
        }
        SavedValueRecord::Counts(entries) => entries_line(entries, most),
        SavedValueRecord::Projection(plan) => {
            format!(
                "{} → {}",
                text::shape(&plan.input_shape),
                text::shape(&plan.output_shape)
            )
        }
        SavedValueRecord::Count(count) => count.to_string(),
        SavedValueRecord::Offset(offset) => offset.to_string(),
        SavedValueRecord::Switch(switch) => switch.to_string(),
        SavedValueRecord::Number(number) => text::number(number.0),
        SavedValueRecord::Text(words) => format!("“{}”", text::plain(words)),
        SavedValueRecord::Absent => "absent".to_owned(),
        SavedValueRecord::Other(debug) => text::plain(debug),
    }
}

/// `[2, 3] [1, 2, 3, 4, 5, 6]`.
pub(super) fn tensor_line(tensor: &TensorRecord, most: usize) -> String {
    format!(
        "{} {}",
        text::shape(&tensor.shape),
        text::elements(tensor, most)
    )
}

fn entries_line<E: ToString>(entries: &EntriesRecord<E>, most: usize) -> String {
    sequence(&entries.values, count(&entries.shape), most)
}

/// The first entries, and a mark where there are more.
fn sequence<E: ToString>(values: &[E], whole: Option<usize>, most: usize) -> String {
    let mut shown: Vec<String> = values.iter().take(most).map(E::to_string).collect();
    if whole != Some(shown.len()) {
        shown.push("…".to_owned());
    }
    format!("[{}]", shown.join(", "))
}

/// A plan of reducing is read through when it is reversed, one of broadcasting is written through.
fn projection_lines(name: &str, plan: &ProjectionRecord, most: usize) -> Vec<(String, String)> {
    let walk = match (
        plan.input_shape == plan.logical_shape,
        plan.output_shape == plan.logical_shape,
    ) {
        (true, true) => "walks",
        (true, false) => "reads",
        _ => "writes",
    };
    let shapes = format!(
        "{} → {}",
        text::shape(&plan.input_shape),
        text::shape(&plan.output_shape)
    );
    let offsets = sequence(&plan.offsets, count(&plan.logical_shape), most.max(12));
    vec![
        (name.to_owned(), shapes),
        ("reduced axes".to_owned(), text::shape(&plan.reduced_axes)),
        (
            format!("{walk} through"),
            format!("strides {}, offsets {offsets}", text::shape(&plan.strides)),
        ),
    ]
}
