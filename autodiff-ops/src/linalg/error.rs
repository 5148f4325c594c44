//! Why a matrix product was refused.

/// Operands that cannot be multiplied.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProductError {
    /// A scalar where a vector or a matrix was expected.
    #[error("operand {operand}: expected a vector or matrices, got a scalar")]
    Scalar {
        /// Which operand.
        operand: usize,
    },
    /// The last axis on the left and the one but last on the right differ.
    #[error(
        "expected as many columns on the left as rows on the right, got shapes {left:?} and {right:?}"
    )]
    InnerExtents {
        /// The shape on the left.
        left: Vec<usize>,
        /// The shape on the right.
        right: Vec<usize>,
    },
    /// A weight that is not a matrix.
    #[error("expected a weight [in, out], got shape {shape:?}")]
    WeightShape {
        /// The shape of the weight.
        shape: Vec<usize>,
    },
    /// A bias that is not one number for each output.
    #[error("expected a bias of shape [{outputs}], got {shape:?}")]
    BiasShape {
        /// The columns of the weight.
        outputs: usize,
        /// The shape of the bias.
        shape: Vec<usize>,
    },
}
