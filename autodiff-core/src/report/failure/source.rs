//! What is recorded of the errors of tensors and views, which stand inside other errors.

use super::{FieldRecord, FieldValue, text};
use crate::error::{OpError, TensorError, ViewError};

/// The kind of an operation's error and its fields. Of a type that is not known here, all that every error
/// shows is its `Debug` text, which has its fields by name.
pub(super) fn of_operation(source: &OpError) -> Vec<FieldRecord> {
    if let Some(source) = source.downcast_ref() {
        of_tensor(source)
    } else if let Some(source) = source.downcast_ref() {
        of_view(source)
    } else {
        vec![text("source", format!("{source:?}"))]
    }
}

/// The variant and its fields: a new one does not compile until it is recorded too.
pub(super) fn of_tensor(source: &TensorError) -> Vec<FieldRecord> {
    use TensorError as E;
    within(match source {
        E::ElementCount {
            shape,
            expected,
            actual,
        } => {
            fields!("ElementCount", shape, expected, actual)
        }
        E::ShapeOverflow { shape } => {
            fields!("ShapeOverflow", shape)
        }
        E::OutOfMemory { elements, bytes } => {
            fields!("OutOfMemory", elements, bytes)
        }
        E::ShapeMismatch { left, right } => {
            fields!("ShapeMismatch", left, right)
        }
        E::IncompatibleBroadcast { left, right } => {
            fields!("IncompatibleBroadcast", left, right)
        }
        E::AxisOutOfRange { axis, rank } => {
            fields!("AxisOutOfRange", axis, rank)
        }
        E::DuplicateAxis { axis } => {
            fields!("DuplicateAxis", axis)
        }
        E::AxisCount { expected, actual } => {
            fields!("AxisCount", expected, actual)
        }
        E::IndexOutOfRange {
            axis,
            index,
            extent,
        } => {
            fields!("IndexOutOfRange", axis, index, extent)
        }
        E::RangeOutOfBounds {
            axis,
            start,
            end,
            step,
            extent,
        } => {
            fields!("RangeOutOfBounds", axis, start, end, step, extent)
        }
        E::NotOneElement { shape } => {
            fields!("NotOneElement", shape)
        }
        E::Threads { count, reason } => {
            fields!("Threads", count, reason)
        }
        E::EmptyReduction { shape, axes } => {
            fields!("EmptyReduction", shape, axes)
        }
        E::NothingToJoin => fields!("NothingToJoin"),
        E::PartShape {
            part,
            axis,
            expected,
            actual,
        } => {
            fields!("PartShape", part, axis, expected, actual)
        }
        E::RowWidth { shape, width } => {
            fields!("RowWidth", shape, width)
        }
        E::PartExtents {
            axis,
            expected,
            actual,
        } => {
            fields!("PartExtents", axis, expected, actual)
        }
        E::MatrixExtents {
            left,
            right,
            output,
        } => {
            fields!("MatrixExtents", left, right, output)
        }
    })
}

/// The variant and its fields: a new one does not compile until it is recorded too.
pub(super) fn of_view(source: &ViewError) -> Vec<FieldRecord> {
    use ViewError as E;
    within(match source {
        E::ReshapeCount {
            from,
            requested,
            expected,
        } => {
            fields!("ReshapeCount", from, requested, expected)
        }
        E::ReshapeStrides {
            from,
            strides,
            requested,
        } => {
            fields!("ReshapeStrides", from, strides, requested)
        }
        E::TraversalRank { rank, strides } => {
            fields!("TraversalRank", rank, strides)
        }
        E::TraversalCount {
            shape,
            expected,
            actual,
        } => {
            fields!("TraversalCount", shape, expected, actual)
        }
        E::TraversalOverflow { shape, strides } => {
            fields!("TraversalOverflow", shape, strides)
        }
        E::TraversalReach { largest, len } => {
            fields!("TraversalReach", largest, len)
        }
        E::OverlappingEntries {
            rows,
            columns,
            row_stride,
            column_stride,
        } => {
            fields!(
                "OverlappingEntries",
                rows,
                columns,
                row_stride,
                column_stride
            )
        }
    })
}

fn within((kind, fields): (&str, Vec<FieldRecord>)) -> Vec<FieldRecord> {
    let kind = text("source", kind.to_owned());
    [kind].into_iter().chain(fields).collect()
}

#[cfg(test)]
mod tests {
    use super::super::{ErrorRecord, OperationRecord};
    use super::*;
    use crate::error::TensorAutodiffError;
    use crate::operation::Operation;

    #[test]
    fn an_operation_s_own_error_is_recorded_with_its_fields() {
        let error = TensorAutodiffError::from(TensorError::AxisOutOfRange { axis: 2, rank: 1 });
        let record = ErrorRecord::new(&error.in_operation(Operation::CONSTANT));
        let fields: Vec<_> = record
            .fields
            .iter()
            .map(|field| (field.name.as_str(), &field.value))
            .collect();
        let operation = OperationRecord::new(Operation::CONSTANT);
        assert_eq!(
            fields,
            [
                ("operation", &FieldValue::Operation(operation)),
                ("source", &FieldValue::Text("AxisOutOfRange".to_owned())),
                ("axis", &FieldValue::Count(2)),
                ("rank", &FieldValue::Count(1)),
            ]
        );
    }

    #[test]
    fn an_error_of_another_crate_is_recorded_as_it_prints() {
        #[derive(Debug, PartialEq, thiserror::Error)]
        #[error("weight {weight} is odd")]
        struct Odd {
            weight: u32,
        }
        let record = ErrorRecord::new(&OpError::new(Odd { weight: 3 }).into());
        let printed = FieldValue::Text("Odd { weight: 3 }".to_owned());
        assert_eq!(record.field("source"), Some(&printed));
        assert_eq!(record.message, "weight 3 is odd");
    }
}
