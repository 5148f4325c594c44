//! What is recorded of a refusal: the kind of error, its text and each of its fields.

use serde::{Deserialize, Serialize};

use super::number::Number;
use crate::error::{RegistryError, TensorAutodiffError};
use crate::operation::Operation;

/// A typed error.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ErrorRecord {
    /// The name of its variant.
    pub kind: String,
    /// What it says.
    pub message: String,
    /// Its fields by name.
    pub fields: Vec<FieldRecord>,
}

/// One field of an error.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FieldRecord {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: FieldValue,
}

/// The value of a field of an error.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FieldValue {
    /// An operation or a kind of leaf.
    Operation(OperationRecord),
    /// A node, an operand, an index or a revision.
    Count(u64),
    /// A number.
    Number(Number),
    /// A shape.
    Shape(Vec<usize>),
    /// A text.
    Text(String),
}

/// What made a node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OperationRecord {
    /// The name people see.
    pub name: String,
    /// The path of the declaring function; the name once more for a leaf.
    pub path: String,
}

impl OperationRecord {
    pub(super) fn new(operation: Operation) -> Self {
        Self {
            name: operation.name().to_owned(),
            path: operation.path().to_owned(),
        }
    }
}

macro_rules! recorded_as {
    ($($field:ty, $value:ident => $recorded:expr;)*) => {$(
        impl From<&$field> for FieldValue {
            fn from($value: &$field) -> Self {
                $recorded
            }
        }
    )*};
}

recorded_as! {
    Operation, operation => Self::Operation(OperationRecord::new(*operation));
    usize, count => Self::Count(*count as u64);
    u64, count => Self::Count(*count);
    f64, number => Self::Number(Number(*number));
    Vec<usize>, shape => Self::Shape(shape.clone());
    [usize; 2], shape => Self::Shape(shape.to_vec());
    &str, text => Self::Text((*text).to_owned());
    String, text => Self::Text(text.clone());
}

/// The name of the variant and its fields, from a pattern that must name every field.
macro_rules! fields {
    ($kind:literal) => { ($kind, Vec::new()) };
    ($kind:literal, $($field:ident),+) => {
        ($kind, vec![$(FieldRecord {
            name: stringify!($field).to_owned(),
            value: FieldValue::from($field),
        }),+])
    };
}

mod source;

impl ErrorRecord {
    /// Records an error.
    pub fn new(error: &TensorAutodiffError) -> Self {
        let (kind, fields) = parts(error);
        Self {
            kind: kind.to_owned(),
            message: error.to_string(),
            fields,
        }
    }

    /// The value of a field.
    pub fn field(&self, name: &str) -> Option<&FieldValue> {
        let named = self.fields.iter().find(|field| field.name == name);
        named.map(|field| &field.value)
    }
}

/// Every variant by name: a new one does not compile until it is recorded too.
fn parts(error: &TensorAutodiffError) -> (&'static str, Vec<FieldRecord>) {
    use TensorAutodiffError as E;
    match error {
        E::Tensor(source) => ("Tensor", source::of_tensor(source)),
        E::View(source) => ("View", source::of_view(source)),
        E::Op(source) => ("Op", source::of_operation(source)),
        E::Registry(source) => of_registry(source),
        E::Operation { operation, source } => {
            let (kind, mut fields) = fields!("Operation", operation);
            fields.extend(source::of_operation(source));
            (kind, fields)
        }
        E::BroadcastTargetMismatch {
            input,
            requested,
            inferred,
        } => {
            fields!("BroadcastTargetMismatch", input, requested, inferred)
        }
        E::NonFiniteLeaf {
            operation,
            index,
            value,
        } => {
            fields!("NonFiniteLeaf", operation, index, value)
        }
        E::NonFiniteForward {
            operation,
            index,
            value,
        } => {
            fields!("NonFiniteForward", operation, index, value)
        }
        E::UntrackedOutput { operation } => fields!("UntrackedOutput", operation),
        E::GraphReleased { operation } => fields!("GraphReleased", operation),
        E::NotAParameter { operation } => fields!("NotAParameter", operation),
        E::SavedContextMismatch { operation } => fields!("SavedContextMismatch", operation),
        E::ReleasedOperand { operation, operand } => {
            fields!("ReleasedOperand", operation, operand)
        }
        E::MissingContribution { operation, operand } => {
            fields!("MissingContribution", operation, operand)
        }
        E::SeedShapeMismatch { expected, actual } => {
            fields!("SeedShapeMismatch", expected, actual)
        }
        E::NonFiniteSeed { index, value } => fields!("NonFiniteSeed", index, value),
        E::StaleOperandValue {
            child,
            parent,
            operand,
            recorded_revision,
            current_revision,
            child_operation,
            parent_operation,
            shape,
        } => fields!(
            "StaleOperandValue",
            child,
            parent,
            operand,
            recorded_revision,
            current_revision,
            child_operation,
            parent_operation,
            shape
        ),
        E::NonFiniteVjp {
            operation,
            child,
            parent,
            operand,
            index,
            value,
        } => {
            fields!(
                "NonFiniteVjp",
                operation,
                child,
                parent,
                operand,
                index,
                value
            )
        }
        E::NonFinitePassAdjoint {
            node,
            index,
            previous,
            contribution,
        } => {
            fields!("NonFinitePassAdjoint", node, index, previous, contribution)
        }
        E::NonFiniteAccumulatedGradient {
            node,
            index,
            stored,
            pass_adjoint,
        } => {
            fields!(
                "NonFiniteAccumulatedGradient",
                node,
                index,
                stored,
                pass_adjoint
            )
        }
        E::ContributionShape {
            operation,
            operand,
            expected,
            actual,
        } => {
            fields!("ContributionShape", operation, operand, expected, actual)
        }
        E::UpdateShape {
            position,
            expected,
            actual,
        } => {
            fields!("UpdateShape", position, expected, actual)
        }
        E::DuplicateUpdate { first, position } => fields!("DuplicateUpdate", first, position),
        E::GradientBorrowed => fields!("GradientBorrowed"),
        E::ValueBorrowed => fields!("ValueBorrowed"),
    }
}

fn of_registry(source: &RegistryError) -> (&'static str, Vec<FieldRecord>) {
    match source {
        RegistryError::Empty => fields!("Registry"),
        RegistryError::Duplicate {
            earlier,
            path,
            first,
            second,
        } => {
            fields!("Registry", earlier, path, first, second)
        }
        RegistryError::UnknownOperation { path, id } => {
            let (kind, mut fields) = fields!("Registry", path);
            fields.push(text("id", id.to_string()));
            (kind, fields)
        }
        RegistryError::UnsupportedElement { path, element } => {
            fields!("Registry", path, element)
        }
    }
}

fn text(name: &str, value: String) -> FieldRecord {
    FieldRecord {
        name: name.to_owned(),
        value: FieldValue::Text(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_of_an_error_is_recorded_by_name() {
        let error = TensorAutodiffError::NonFinitePassAdjoint {
            node: 3,
            index: 1,
            previous: f64::MAX,
            contribution: f64::NAN,
        };
        let record = ErrorRecord::new(&error);
        assert_eq!(record.kind, "NonFinitePassAdjoint");
        assert_eq!(record.message, error.to_string());
        let names: Vec<_> = record
            .fields
            .iter()
            .map(|field| field.name.as_str())
            .collect();
        assert_eq!(names, ["node", "index", "previous", "contribution"]);
        assert_eq!(
            record.field("contribution"),
            Some(&FieldValue::Number(Number(f64::NAN)))
        );
    }
}
