//! A declaration as the parser understood it; `expand` reads nothing else.
//!
//! Invariant: the `Unknown` variants stand only in declarations with a mistake, so only the stub sees them.

mod case;

use proc_macro2::{Ident, TokenStream};
use syn::{Attribute, Block, Generics, Item, ItemFn, LitStr, Stmt, Type, Visibility};

pub use case::{Case, CaseKind, Extent, Input, Range, Shape};

/// Everything that one annotated function says.
#[derive(Debug)]
pub struct Declaration {
    /// What stands in the parentheses of `#[vjp_rule(..)]`.
    pub options: Options,
    /// Name, element type, parameters and outputs.
    pub signature: Signature,
    /// The forward computation.
    pub body: Body,
    /// The reverse maps in the order of their functions.
    pub vjps: Vec<Vjp>,
    /// The gradient-check cases.
    pub cases: Vec<Case>,
}

/// The options of the attribute.
#[derive(Debug)]
pub struct Options {
    /// `name = ".."`: what people see.
    pub name: Option<LitStr>,
    /// The path of the core crate.
    pub krate: TokenStream,
}

/// The function's head.
#[derive(Debug)]
pub struct Signature {
    /// All attributes but `#[gradcheck]`.
    pub attributes: Vec<Attribute>,
    /// The visibility of trait and function.
    pub visibility: Visibility,
    /// The operation's name.
    pub ident: Ident,
    /// `T`, or `f64`.
    pub element: ElementType,
    /// The user's own generics and where-clause, re-emitted as written.
    pub generics: Generics,
    /// The parameters in declaration order.
    pub parameters: Vec<Parameter>,
    /// What the operation returns.
    pub outputs: Outputs,
    /// The return type as written.
    pub result: Type,
}

/// The element type of the operands.
#[derive(Clone, Debug)]
pub enum ElementType {
    /// A type parameter: the rule is registered for `f32`, `f64` and `Dual<f64>`.
    Generic(Ident),
    /// The rule is registered for `f64` alone.
    F64,
}

/// One parameter of the operation.
#[derive(Debug)]
pub struct Parameter {
    /// Its name.
    pub ident: Ident,
    /// What it is.
    pub kind: ParameterKind,
    /// Its type as written.
    pub ty: Type,
}

/// What a parameter is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterKind {
    /// `&Tensor<T>`.
    Operand,
    /// `&[&Tensor<T>]`.
    Variadic,
    /// `Option<&Tensor<T>>`.
    Optional,
    /// `#[constant] &Tensor<T>`.
    Constant,
    /// `#[constant] &Tensor<usize>`.
    Indices,
    /// `#[constant] &Tensor<bool>`.
    Mask,
    /// Plain data.
    Argument,
    /// Not understood.
    Unknown,
}

impl ParameterKind {
    /// Whether contributions flow to it.
    pub fn is_differentiable(self) -> bool {
        matches!(self, Self::Operand | Self::Variadic | Self::Optional)
    }
}

/// What an operation returns inside its `Result`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outputs {
    /// `Tensor<T>`.
    One,
    /// `Vec<Tensor<T>>`.
    List,
    /// `[Tensor<T>; N]`.
    Array(usize),
    /// `(Tensor<T>, ..)`.
    Tuple(usize),
    /// Not understood.
    Unknown,
}

impl Outputs {
    /// Whether every output is a node of its own.
    pub fn are_several(self) -> bool {
        matches!(self, Self::List | Self::Array(_) | Self::Tuple(_))
    }
}

/// The function's body, taken apart.
#[derive(Debug)]
pub struct Body {
    /// Nested items that are no reverse maps; the reverse maps may use them too.
    pub items: Vec<Item>,
    /// The statements and the value, as one block.
    pub block: Block,
    /// The names that the top-level `let`s bind, the last of a name only.
    pub locals: Vec<Ident>,
}

impl Body {
    /// The statements before the value, and the value.
    pub fn split(&self) -> Option<(&[Stmt], &Stmt)> {
        let (value, statements) = self.block.stmts.split_last()?;
        match value {
            Stmt::Expr(_, None) => Some((statements, value)),
            Stmt::Macro(call) if call.semi_token.is_none() => Some((statements, value)),
            _ => None,
        }
    }
}

/// One `#[vjp]` function.
#[derive(Debug)]
pub struct Vjp {
    /// The function without the attribute.
    pub function: ItemFn,
    /// The operands, as positions among the operation's parameters.
    pub operands: Vec<usize>,
    /// The rule in words.
    pub words: String,
    /// Whether `upstream` is taken by value.
    pub takes_upstream: bool,
    /// What follows `upstream`.
    pub parameters: Vec<VjpParameter>,
}

impl Vjp {
    /// Whether one call gives the contributions of several operands.
    pub fn is_joint(&self) -> bool {
        self.operands.len() > 1
    }

    /// The saved values.
    pub fn saved(&self) -> impl Iterator<Item = &Saved> {
        self.parameters
            .iter()
            .filter_map(|parameter| match parameter {
                VjpParameter::Saved(saved) => Some(saved.as_ref()),
                _ => None,
            })
    }

    /// Whether a local of the forward body is saved.
    pub fn saves_a_local(&self) -> bool {
        self.saved()
            .any(|saved| matches!(saved.source, Source::Local(_)))
    }
}

/// One parameter of a `#[vjp]` function after `upstream`.
#[derive(Debug)]
pub enum VjpParameter {
    /// `wanted: [bool; N]`.
    Wanted,
    /// `index: usize`.
    Index,
    /// `output_index: usize`.
    OutputIndex,
    /// A saved value.
    Saved(Box<Saved>),
}

/// One saved value.
#[derive(Debug)]
pub struct Saved {
    /// The name of the field.
    pub ident: Ident,
    /// Its type as the reverse map reads it.
    pub ty: Type,
    /// Where it comes from.
    pub source: Source,
    /// How it is stored.
    pub form: Form,
}

/// Where a saved value comes from.
#[derive(Clone, Debug)]
pub enum Source {
    /// A parameter of the operation, by position.
    Parameter(usize),
    /// The output whose edge saves it.
    Output,
    /// A local of the forward body, by its name there.
    Local(Ident),
}

/// How a value is stored, told from the type that the reverse map reads.
#[derive(Clone, Debug)]
pub enum Form {
    /// `U`: stored as it is, passed as a clone.
    Owned,
    /// `&U`: a `U`.
    Borrowed(Type),
    /// `&[U]`: a `Vec<U>`.
    Slice(Type),
    /// `&str`: a `String`.
    Text,
    /// `&[&U]`: a `Vec<U>`.
    References(Type),
    /// `Option<&U>`: an `Option<U>`.
    OptionBorrowed(Type),
    /// `Option<&[U]>`: an `Option<Vec<U>>`.
    OptionSlice(Type),
    /// `Option<&str>`: an `Option<String>`.
    OptionText,
}
