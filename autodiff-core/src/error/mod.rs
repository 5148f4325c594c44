//! The errors of the project: values with fields, comparable, and not generic over the element type.
//!
//! Invariant: whatever returns one of these has changed nothing.

mod equality;
mod op;
mod registry;
mod tensor;

pub use op::OpError;
pub use registry::RegistryError;
pub use tensor::{TensorError, ViewError};

use crate::operation::Operation;

/// The result of everything fallible here; the error type can still be named by a caller.
pub type Result<T, E = TensorAutodiffError> = std::result::Result<T, E>;

/// What can go wrong between building a leaf and committing a gradient.
///
/// Numbers are `f64` whatever the element type (of a dual number, the part that is not finite) and
/// compare by bits, so a NaN equals its clone. Nodes are named by their position in creation order
/// among the nodes that the failing pass reaches, as in a trace.
#[derive(Clone, Debug, thiserror::Error)]
pub enum TensorAutodiffError {
    /// A tensor helper refused, outside any operation.
    #[error(transparent)]
    Tensor(#[from] TensorError),

    /// A view helper refused, outside any operation.
    #[error(transparent)]
    View(#[from] ViewError),

    /// An operation's own error, before the wrapper named the operation.
    #[error(transparent)]
    Op(#[from] OpError),

    /// An operation refused its operands or arguments.
    #[error("{operation}: {source}")]
    Operation {
        /// The operation that refused.
        operation: Operation,
        /// Why.
        source: OpError,
    },

    /// Broadcasting would have to give a shape other than the requested one.
    #[error(
        "broadcast: cannot broadcast shape {input:?} to {requested:?}, expected a target equal to \
         the broadcast of both, got {inferred:?}"
    )]
    BroadcastTargetMismatch {
        /// The shape to broadcast.
        input: Vec<usize>,
        /// The shape asked for.
        requested: Vec<usize>,
        /// The shape that broadcasting the two gives.
        inferred: Vec<usize>,
    },

    /// A leaf may only hold finite values.
    #[error("{operation} has non-finite value {value} at flat index {index}")]
    NonFiniteLeaf {
        /// `parameter` or `constant`.
        operation: Operation,
        /// The first such index in row-major order.
        index: usize,
        /// The value there.
        value: f64,
    },

    /// An operation's result is not finite.
    #[error("{operation} produced non-finite value {value} at flat index {index}")]
    NonFiniteForward {
        /// The operation.
        operation: Operation,
        /// The first such index in row-major order.
        index: usize,
        /// The value there.
        value: f64,
    },

    /// Nothing that the output depends on is tracked.
    #[error("cannot backpropagate from untracked {operation} output")]
    UntrackedOutput {
        /// What produced the output.
        operation: Operation,
    },

    /// The pass needs edges that an earlier pass released.
    #[error("the {operation} operation tape has been released")]
    GraphReleased {
        /// The released node's operation.
        operation: Operation,
    },

    /// An operand's history is gone, so a result could not be differentiated.
    #[error("cannot build {operation}: operand {operand} reaches a released operation tape")]
    ReleasedOperand {
        /// The operation being built.
        operation: Operation,
        /// The operand use that is released.
        operand: usize,
    },

    /// Only a parameter has a gradient to clear and a value to update.
    #[error("expected a parameter, got a node made by {operation}")]
    NotAParameter {
        /// What made the node.
        operation: Operation,
    },

    /// A seed has exactly the output's shape.
    #[error("backward seed shape {actual:?} does not match output shape {expected:?}")]
    SeedShapeMismatch {
        /// The output's shape.
        expected: Vec<usize>,
        /// The seed's shape.
        actual: Vec<usize>,
    },

    /// A seed is finite.
    #[error("backward seed has non-finite value {value} at flat index {index}")]
    NonFiniteSeed {
        /// The first such index in row-major order.
        index: usize,
        /// The value there.
        value: f64,
    },

    /// A parameter was updated after an operation had used it.
    #[error(
        "operand {operand} of node {child} ({child_operation}) is stale: it used node {parent} \
         ({parent_operation}, shape {shape:?}) at revision {recorded_revision}, \
         which is now at revision {current_revision}; run a new forward pass"
    )]
    StaleOperandValue {
        /// The node that used the value.
        child: usize,
        /// The node whose value moved.
        parent: usize,
        /// Which operand use of the child.
        operand: usize,
        /// The parent's revision at the forward pass.
        recorded_revision: u64,
        /// The parent's revision now.
        current_revision: u64,
        /// What produced the child.
        child_operation: Operation,
        /// What produced the parent.
        parent_operation: Operation,
        /// The parent's shape.
        shape: Vec<usize>,
    },

    /// A reverse rule returned a contribution that is not finite.
    #[error(
        "{operation}: the contribution of operand {operand} (node {child} to node {parent}) has \
         non-finite value {value} at flat index {index}"
    )]
    NonFiniteVjp {
        /// The operation whose rule it is.
        operation: Operation,
        /// The node that was reversed.
        child: usize,
        /// The node that the contribution is for.
        parent: usize,
        /// Which operand use of the child.
        operand: usize,
        /// The first such index in row-major order.
        index: usize,
        /// The value there.
        value: f64,
    },

    /// Finite contributions have a sum that is not.
    #[error(
        "the adjoint of node {node} is not finite at flat index {index}: \
         {previous} plus contribution {contribution}"
    )]
    NonFinitePassAdjoint {
        /// The node.
        node: usize,
        /// The first such index in row-major order.
        index: usize,
        /// The sum before the contribution.
        previous: f64,
        /// The contribution.
        contribution: f64,
    },

    /// A stored gradient and a finite adjoint have a sum that is not finite.
    #[error(
        "the gradient of node {node} would not be finite at flat index {index}: \
         stored {stored:?} plus adjoint {pass_adjoint:?}"
    )]
    NonFiniteAccumulatedGradient {
        /// The parameter's node.
        node: usize,
        /// The first such index in row-major order.
        index: usize,
        /// The stored gradient there.
        stored: f64,
        /// The adjoint there.
        pass_adjoint: f64,
    },

    /// A contribution has exactly its operand's shape.
    #[error(
        "{operation}: contribution of operand {operand}, expected shape {expected:?}, got {actual:?}"
    )]
    ContributionShape {
        /// The operation whose rule it is.
        operation: Operation,
        /// Which operand use.
        operand: usize,
        /// The operand's shape.
        expected: Vec<usize>,
        /// The contribution's shape.
        actual: Vec<usize>,
    },

    /// A joint rule returned nothing for an operand that was wanted.
    #[error("{operation}: contribution of operand {operand}, expected a tensor, got none")]
    MissingContribution {
        /// The operation whose rule it is.
        operation: Operation,
        /// Which operand use.
        operand: usize,
    },

    /// A saved context reached a rule that did not save it.
    #[error("{operation}: expected the saved context of its own rule, got another's")]
    SavedContextMismatch {
        /// The operation whose rule it is.
        operation: Operation,
    },

    /// A read guard on a gradient is alive.
    #[error("cannot mutate a parameter gradient while a read-only gradient borrow is active")]
    GradientBorrowed,

    /// A read guard on a value is alive.
    #[error("cannot mutate a parameter value while a read-only value borrow is active")]
    ValueBorrowed,

    /// A new value has exactly the parameter's shape.
    #[error(
        "update {position}: new value of a parameter, expected shape {expected:?}, got {actual:?}"
    )]
    UpdateShape {
        /// Which of the updates, counted from 0.
        position: usize,
        /// The parameter's shape.
        expected: Vec<usize>,
        /// The new value's shape.
        actual: Vec<usize>,
    },

    /// One set of updates names a parameter twice.
    #[error(
        "update {position}: expected each parameter once, got the parameter of update {first} again"
    )]
    DuplicateUpdate {
        /// The first update of the parameter.
        first: usize,
        /// The second.
        position: usize,
    },

    /// The set of registered rules is at fault.
    #[error(transparent)]
    Registry(#[from] RegistryError),
}

impl TensorAutodiffError {
    /// Names the operation in an error that a tensor helper or the operation itself made.
    #[must_use]
    pub fn in_operation(self, operation: Operation) -> Self {
        let source = match self {
            Self::Tensor(error) => OpError::new(error),
            Self::View(error) => OpError::new(error),
            Self::Op(error) => error,
            named => return named,
        };
        Self::Operation { operation, source }
    }
}
