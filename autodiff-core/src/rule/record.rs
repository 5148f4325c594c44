//! The record of one declared operation, as submitted to `inventory` by its declaration.

use std::any::Any;

use super::{Call, Case, SavedContext};
use crate::error::Result;
use crate::operation::Operation;
use crate::tape::TensorValue;
use crate::tensor::{Dual, Element, Tensor};

/// One declared operation: what it is called, what it takes, how it is reversed and checked.
#[derive(Debug)]
pub struct Rule {
    /// The name people see, the path and the ID.
    pub operation: Operation,
    /// The doc comment of the declaration.
    pub docs: &'static str,
    /// The source file of the declaration.
    pub file: &'static str,
    /// The line of the declaration.
    pub line: u32,
    /// The declaring package and its version.
    pub package: &'static str,
    /// The parameters in declaration order.
    pub parameters: &'static [Parameter],
    /// The reverse maps in declaration order.
    pub vjps: &'static [Vjp],
    /// One output or several.
    pub outputs: Outputs,
    /// What the gradient check draws from.
    pub cases: &'static [Case],
    /// The rule for `f32`, if the declaration is generic.
    pub f32: Option<ElementRule<f32>>,
    /// The rule for `f64`.
    pub f64: Option<ElementRule<f64>>,
    /// The rule for `Dual<f64>`, if the declaration is generic.
    pub dual: Option<ElementRule<Dual<f64>>>,
}

inventory::collect!(Rule);

/// One parameter of a declared operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// What it is.
    pub kind: ParameterKind,
    /// Its type, as declared.
    pub type_text: &'static str,
}

/// What a parameter of an operation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterKind {
    /// One differentiable tensor.
    Operand,
    /// Any number of differentiable tensors.
    Variadic,
    /// A differentiable tensor that may be absent.
    Optional,
    /// A tensor that is never differentiated.
    Constant,
    /// Plain data.
    Argument,
}

/// One reverse map of a declared operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Vjp {
    /// The name of the annotated function.
    pub function: &'static str,
    /// The operands that it gives contributions for.
    pub operands: &'static [&'static str],
    /// Whether one call gives the contributions of all its operands.
    pub joint: bool,
    /// The rule in words: the function's doc comment.
    pub words: &'static str,
    /// What an edge saves for it.
    pub saved: &'static [SavedName],
}

/// One saved value of a reverse map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SavedName {
    /// The operand, argument, output or local that is saved.
    pub name: &'static str,
    /// The type of the field.
    pub type_text: &'static str,
}

/// How many outputs an operation has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outputs {
    /// Exactly one.
    One,
    /// Several, each a node of its own.
    Several,
}

/// The functions of one declaration for one element type.
#[derive(Clone, Copy, Debug)]
pub struct ElementRule<T: Element> {
    /// The reverse maps.
    pub reverse: ReverseFn<T>,
    /// The operation on plain tensors.
    pub plain: CallFn<T, Tensor<T>>,
    /// The operation on the tape.
    pub taped: CallFn<T, TensorValue<T>>,
}

/// Calls an operation with inputs chosen at run time.
pub type CallFn<T, V> = fn(&Call<T, V>) -> Result<Vec<V>>;

/// Applies one reverse map to a saved context.
pub type ReverseFn<T> = fn(&dyn SavedContext<T>, ReverseCall<'_, T>) -> Result<Contributions<T>>;

/// What a reverse map is called with, beside its saved context.
#[derive(Debug)]
pub struct ReverseCall<'a, T> {
    /// Which `#[vjp]` function, in declaration order.
    pub vjp: usize,
    /// Which entry of a variadic operand.
    pub index: usize,
    /// Which output of the operation.
    pub output_index: usize,
    /// For each operand of the function, whether its contribution is wanted.
    pub wanted: &'a [bool],
    /// The cotangent of the output.
    pub upstream: Tensor<T>,
}

/// What a reverse map returns.
#[derive(Clone, Debug)]
pub enum Contributions<T> {
    /// The contribution of one operand use.
    One(Tensor<T>),
    /// The contributions of a joint rule, in the order of its operands.
    Joint(Vec<Option<Tensor<T>>>),
}

impl Rule {
    /// The functions for one element type, if the rule is registered for it.
    pub fn for_element<T: Element>(&self) -> Option<&ElementRule<T>> {
        fn same<A: 'static, B: 'static>(part: &Option<A>) -> Option<&B> {
            (part as &dyn Any).downcast_ref::<Option<B>>()?.as_ref()
        }
        same(&self.f64)
            .or_else(|| same(&self.f32))
            .or_else(|| same(&self.dual))
    }

    /// The element types that the rule is registered for, by name.
    pub fn element_types(&self) -> Vec<&'static str> {
        [
            (self.f32.is_some(), <f32 as Element>::NAME),
            (self.f64.is_some(), <f64 as Element>::NAME),
            (self.dual.is_some(), <Dual<f64> as Element>::NAME),
        ]
        .into_iter()
        .filter_map(|(registered, name)| registered.then_some(name))
        .collect()
    }

    /// What the docs state about kinks and ties: each begins on a line with "At " and goes on to the next one
    /// that does, or to the end of the paragraph.
    pub fn conventions(&self) -> Vec<String> {
        let mut conventions: Vec<String> = Vec::new();
        let mut goes_on = false;
        for line in self.docs.lines().map(str::trim) {
            let ends = line.is_empty() || line.starts_with('#');
            if line.starts_with("At ") {
                conventions.push(line.to_owned());
                goes_on = true;
            } else if let (true, false, Some(last)) = (goes_on, ends, conventions.last_mut()) {
                last.push(' ');
                last.push_str(line);
            } else {
                goes_on = false;
            }
        }
        conventions
    }

    /// Package, file and line of the declaration.
    pub fn location(&self) -> String {
        format!("{} ({}:{})", self.package, self.file, self.line)
    }
}
