//! The gradient-check cases of a declaration: what to draw, before anything is drawn.

use super::ArgumentValue;

/// One `#[gradcheck(..)]` line of a declaration.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// The line as written.
    pub text: &'static str,
    /// What it asks for.
    pub kind: CaseKind,
}

/// What a gradient-check case asks for.
#[derive(Clone, Copy, Debug)]
pub enum CaseKind {
    /// The rule is not checked, and every report says so.
    Skipped {
        /// Why.
        reason: &'static str,
    },
    /// Inputs are drawn.
    Drawn {
        /// The symbols that stand for extents.
        symbols: &'static [&'static str],
        /// Whether a `[..]` stands for any shape.
        any_shape: bool,
        /// The arguments with more than one choice.
        choices: &'static [Choice],
        /// What each parameter gets, once symbols and choices are drawn.
        build: fn(&Drawn) -> Vec<InputSpec>,
    },
}

/// An argument with alternatives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The argument.
    pub argument: &'static str,
    /// How many alternatives it has.
    pub count: usize,
}

/// The drawn symbols and choices of one case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Drawn {
    /// The extent of each symbol, in the order of the case's symbols.
    pub extents: Vec<usize>,
    /// The alternative of each choice, in the order of the case's choices.
    pub choices: Vec<usize>,
    /// The shape that every `[..]` of the case stands for.
    pub any_shape: Vec<usize>,
}

impl Drawn {
    /// The extent of a symbol. A symbol that was not drawn has extent 1.
    pub fn extent(&self, symbol: usize) -> usize {
        self.extents.get(symbol).copied().unwrap_or(1)
    }

    /// The alternative of a choice. A choice that was not drawn takes the first.
    pub fn choice(&self, choice: usize) -> usize {
        self.choices.get(choice).copied().unwrap_or(0)
    }

    /// The shape that every `[..]` of the case stands for.
    pub fn any_shape(&self) -> &[usize] {
        &self.any_shape
    }
}

/// What one parameter gets.
#[derive(Clone, Debug, PartialEq)]
pub enum InputSpec {
    /// A tensor of the rule's element type: an operand, a present optional operand or a constant.
    Tensor {
        /// Its shape.
        shape: Vec<usize>,
        /// Where its values lie, half-open.
        ranges: Vec<(f64, f64)>,
    },
    /// The tensors of a variadic operand.
    Tensors {
        /// Their shapes.
        shapes: Vec<Vec<usize>>,
        /// Where their values lie, half-open.
        ranges: Vec<(f64, f64)>,
    },
    /// An absent optional operand.
    Absent,
    /// A constant tensor of indices.
    Indices {
        /// Its shape.
        shape: Vec<usize>,
        /// Where its values lie, half-open.
        ranges: Vec<(usize, usize)>,
    },
    /// A constant tensor of conditions.
    Mask {
        /// Its shape.
        shape: Vec<usize>,
    },
    /// A plain argument.
    Argument(ArgumentValue),
}
