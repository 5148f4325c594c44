//! Equality of errors: field by field, numbers by their bits.

use super::{OpError, RegistryError, TensorAutodiffError, TensorError, ViewError};
use crate::operation::Operation;

/// Everything that one error says, in a form that compares exactly.
#[derive(Default, PartialEq)]
struct Fields<'a> {
    operations: [Option<Operation>; 2],
    positions: [usize; 4],
    revisions: [u64; 2],
    bits: [u64; 2],
    shapes: [&'a [usize]; 3],
    source: Source<'a>,
}

#[derive(Default, PartialEq)]
enum Source<'a> {
    #[default]
    None,
    Tensor(&'a TensorError),
    View(&'a ViewError),
    Op(&'a OpError),
    Registry(&'a RegistryError),
}

impl PartialEq for TensorAutodiffError {
    fn eq(&self, other: &Self) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
            && fields(self) == fields(other)
    }
}

fn fields(error: &TensorAutodiffError) -> Fields<'_> {
    use TensorAutodiffError as E;
    let none = Fields::default();
    let of = |operation: &Operation| [Some(*operation), None];
    match error {
        E::Tensor(source) => Fields {
            source: Source::Tensor(source),
            ..none
        },
        E::View(source) => Fields {
            source: Source::View(source),
            ..none
        },
        E::Op(source) => Fields {
            source: Source::Op(source),
            ..none
        },
        E::Registry(source) => Fields {
            source: Source::Registry(source),
            ..none
        },
        E::Operation { operation, source } => Fields {
            operations: of(operation),
            source: Source::Op(source),
            ..none
        },
        E::BroadcastTargetMismatch {
            input,
            requested,
            inferred,
        } => Fields {
            shapes: [input, requested, inferred],
            ..none
        },
        E::NonFiniteLeaf {
            operation,
            index,
            value,
        }
        | E::NonFiniteForward {
            operation,
            index,
            value,
        } => Fields {
            operations: of(operation),
            positions: [*index, 0, 0, 0],
            bits: [value.to_bits(), 0],
            ..none
        },
        E::UntrackedOutput { operation }
        | E::GraphReleased { operation }
        | E::NotAParameter { operation }
        | E::SavedContextMismatch { operation } => Fields {
            operations: of(operation),
            ..none
        },
        E::ReleasedOperand { operation, operand }
        | E::MissingContribution { operation, operand } => Fields {
            operations: of(operation),
            positions: [*operand, 0, 0, 0],
            ..none
        },
        E::SeedShapeMismatch { expected, actual } => Fields {
            shapes: [expected, actual, &[]],
            ..none
        },
        E::NonFiniteSeed { index, value } => Fields {
            positions: [*index, 0, 0, 0],
            bits: [value.to_bits(), 0],
            ..none
        },
        E::StaleOperandValue {
            child,
            parent,
            operand,
            recorded_revision,
            current_revision,
            child_operation,
            parent_operation,
            shape,
        } => Fields {
            operations: [Some(*child_operation), Some(*parent_operation)],
            positions: [*child, *parent, *operand, 0],
            revisions: [*recorded_revision, *current_revision],
            shapes: [shape, &[], &[]],
            ..none
        },
        E::NonFiniteVjp {
            operation,
            child,
            parent,
            operand,
            index,
            value,
        } => Fields {
            operations: of(operation),
            positions: [*child, *parent, *operand, *index],
            bits: [value.to_bits(), 0],
            ..none
        },
        E::NonFinitePassAdjoint {
            node,
            index,
            previous: first,
            contribution: second,
        }
        | E::NonFiniteAccumulatedGradient {
            node,
            index,
            stored: first,
            pass_adjoint: second,
        } => Fields {
            positions: [*node, *index, 0, 0],
            bits: [first.to_bits(), second.to_bits()],
            ..none
        },
        E::ContributionShape {
            operation,
            operand,
            expected,
            actual,
        } => Fields {
            operations: of(operation),
            positions: [*operand, 0, 0, 0],
            shapes: [expected, actual, &[]],
            ..none
        },
        E::UpdateShape {
            position,
            expected,
            actual,
        } => Fields {
            positions: [*position, 0, 0, 0],
            shapes: [expected, actual, &[]],
            ..none
        },
        E::DuplicateUpdate { first, position } => Fields {
            positions: [*first, *position, 0, 0],
            ..none
        },
        E::GradientBorrowed | E::ValueBorrowed => none,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seed(value: f64) -> TensorAutodiffError {
        TensorAutodiffError::NonFiniteSeed { index: 1, value }
    }

    #[test]
    fn an_error_with_a_nan_equals_its_clone() {
        assert_eq!(seed(f64::NAN), seed(f64::NAN).clone());
    }

    #[test]
    fn numbers_compare_by_bits() {
        assert_ne!(seed(0.0), seed(-0.0));
        assert_ne!(seed(f64::INFINITY), seed(f64::NEG_INFINITY));
    }

    #[test]
    fn different_errors_with_equal_fields_differ() {
        let operation = Operation::PARAMETER;
        assert_ne!(
            TensorAutodiffError::GraphReleased { operation },
            TensorAutodiffError::UntrackedOutput { operation }
        );
    }
}
