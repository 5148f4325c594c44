//! What is recorded of a saved value, of every type that one can have.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::number::Number;
use super::tensor::{Limits, TensorRecord};
use crate::rule::{SavedField, SavedValue};
use crate::tensor::{Element, Projection, Tensor};

/// One saved value of an edge.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SavedRecord {
    /// The operand, argument, output or local that was saved.
    pub name: String,
    /// Its value.
    pub value: SavedValueRecord,
    /// How many bytes it keeps alive, counting shared storage in full.
    pub bytes: usize,
    /// How many of them no earlier edge of the pass keeps alive.
    pub own_bytes: usize,
}

/// A saved value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SavedValueRecord {
    /// A tensor.
    Tensor(TensorRecord),
    /// The tensors of a variadic operand.
    Tensors(Vec<TensorRecord>),
    /// Indices.
    Indices(EntriesRecord<usize>),
    /// Conditions.
    Mask(EntriesRecord<bool>),
    /// A plan of broadcasting or reducing.
    Projection(ProjectionRecord),
    /// A count, an axis or an extent.
    Count(usize),
    /// A signed offset.
    Offset(i64),
    /// A switch.
    Switch(bool),
    /// A number.
    Number(Number),
    /// A shape or a list of axes.
    Counts(EntriesRecord<usize>),
    /// A list of numbers.
    Numbers(TensorRecord),
    /// A text.
    Text(String),
    /// An absent optional value.
    Absent,
    /// A value of another type, as its `Debug` text.
    Other(String),
}

/// Elements that are no numbers to calculate with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EntriesRecord<E> {
    /// Their shape.
    pub shape: Vec<usize>,
    /// All of them, or the first ones of many.
    pub values: Vec<E>,
}

/// A plan of broadcasting or reducing, with where it reads or writes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProjectionRecord {
    /// The shape before the operation.
    pub input_shape: Vec<usize>,
    /// The shape after it.
    pub output_shape: Vec<usize>,
    /// The shape that is walked.
    pub logical_shape: Vec<usize>,
    /// The shape of the storage that is read or written on the walk.
    pub addressed_shape: Vec<usize>,
    /// The axes of the walk that the storage lacks.
    pub reduced_axes: Vec<usize>,
    /// How far each axis of the walk moves in the storage.
    pub strides: Vec<usize>,
    /// The offset of every step of the walk, or of the first ones of a long walk.
    pub offsets: Vec<usize>,
}

impl ProjectionRecord {
    fn new(plan: &Projection, limits: Limits) -> Self {
        let offsets = plan.offsets();
        let count = offsets.len();
        Self {
            input_shape: plan.input_shape().to_vec(),
            output_shape: plan.output_shape().to_vec(),
            logical_shape: plan.logical_shape().to_vec(),
            addressed_shape: plan.addressed_shape().to_vec(),
            reduced_axes: plan.reduced_axes().to_vec(),
            strides: plan.strides(),
            offsets: offsets.take(limits.kept(count)).collect(),
        }
    }
}

impl<E: Copy> EntriesRecord<E> {
    fn new(shape: &[usize], values: &[E], limits: Limits) -> Self {
        Self {
            shape: shape.to_vec(),
            values: values
                .iter()
                .take(limits.kept(values.len()))
                .copied()
                .collect(),
        }
    }
}

/// Which storage the edges of a pass have been seen to keep alive.
#[derive(Debug, Default)]
pub(super) struct Storage(HashSet<(usize, usize)>);

impl Storage {
    /// The bytes of a slice that is met for the first time.
    fn first_met<E>(&mut self, values: &[E]) -> usize {
        // Values that the same edges keep alive cannot lie at one address.
        let place = (values.as_ptr().addr(), size_of_val(values));
        if self.0.insert(place) { place.1 } else { 0 }
    }

    fn first_met_of<T: Element>(&mut self, value: &SavedValue<T>) -> usize {
        let mut of = |tensor: &Tensor<T>| self.first_met(tensor.as_slice());
        match value {
            SavedValue::Tensor(tensor) => of(tensor),
            SavedValue::Tensors(tensors) => tensors.iter().map(of).sum(),
            SavedValue::Indices(tensor) => self.first_met(tensor.as_slice()),
            SavedValue::Mask(tensor) => self.first_met(tensor.as_slice()),
            // Every edge has these for itself.
            other => other.bytes(),
        }
    }
}

impl SavedRecord {
    pub(super) fn new<T: Element>(
        field: &SavedField<T>,
        limits: Limits,
        storage: &mut Storage,
    ) -> Self {
        Self {
            name: field.name.to_owned(),
            value: SavedValueRecord::new(&field.value, limits),
            bytes: field.value.bytes(),
            own_bytes: storage.first_met_of(&field.value),
        }
    }
}

impl SavedValueRecord {
    fn new<T: Element>(value: &SavedValue<T>, limits: Limits) -> Self {
        match value {
            SavedValue::Tensor(tensor) => Self::Tensor(TensorRecord::new(tensor, limits)),
            SavedValue::Tensors(tensors) => {
                let record = |tensor| TensorRecord::new(tensor, limits);
                Self::Tensors(tensors.iter().map(record).collect())
            }
            SavedValue::Indices(tensor) => Self::Indices(EntriesRecord::new(
                tensor.shape(),
                tensor.as_slice(),
                limits,
            )),
            SavedValue::Mask(tensor) => Self::Mask(EntriesRecord::new(
                tensor.shape(),
                tensor.as_slice(),
                limits,
            )),
            SavedValue::Projection(plan) => Self::Projection(ProjectionRecord::new(plan, limits)),
            SavedValue::Usize(count) => Self::Count(*count),
            SavedValue::Isize(offset) => Self::Offset(*offset as i64),
            SavedValue::Bool(switch) => Self::Switch(*switch),
            SavedValue::F64(number) => Self::Number(Number(*number)),
            SavedValue::UsizeList(counts) => {
                Self::Counts(EntriesRecord::new(&[counts.len()], counts, limits))
            }
            SavedValue::IsizeList(offsets) => Self::Other(format!("{offsets:?}")),
            SavedValue::F64List(numbers) => Self::Numbers(TensorRecord::of_list(numbers, limits)),
            SavedValue::Text(text) => Self::Text(text.clone()),
            SavedValue::Absent => Self::Absent,
            SavedValue::Other(debug) => Self::Other(debug.clone()),
        }
    }
}
