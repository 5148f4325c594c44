//! The gradient-check cases of a declaration.

use proc_macro2::Ident;
use syn::{Expr, LitStr};

/// One `#[gradcheck(..)]`.
#[derive(Debug)]
pub struct Case {
    /// As written.
    pub text: String,
    /// What it asks for.
    pub kind: CaseKind,
}

/// What a case asks for.
#[derive(Debug)]
pub enum CaseKind {
    /// `skip = ".."`.
    Skipped(LitStr),
    /// One input per parameter, in declaration order.
    Drawn {
        /// The symbols in the order of their first use.
        symbols: Vec<Ident>,
        /// The inputs.
        inputs: Vec<Input>,
    },
}

/// What one parameter gets in a case.
#[derive(Debug)]
pub enum Input {
    /// An operand, or a constant of the element type.
    Tensor(Shape, Vec<Range>),
    /// A variadic operand.
    Tensors(Vec<Shape>, Vec<Range>),
    /// An optional operand that is absent.
    Absent,
    /// A constant of indices.
    Indices(Shape, Vec<Range>),
    /// A constant of conditions.
    Mask(Shape),
    /// The alternatives for an argument.
    Argument(Vec<Expr>),
}

/// A shape of a case.
#[derive(Debug)]
pub struct Shape(pub Vec<Extent>);

/// One entry of a shape.
#[derive(Debug)]
pub enum Extent {
    /// `..`: any number of axes.
    Any,
    /// An extent.
    One(Expr),
}

/// Half-open bounds.
#[derive(Debug)]
pub struct Range {
    /// The smallest value.
    pub low: Expr,
    /// The bound that is not reached.
    pub high: Expr,
}
