//! The record of recomputation, written by hand, since a block is no plain argument.
//!
//! What is registered and checked is the operation with the blocks of [`checked_block`]. They use each
//! input once and in order, so that the edges are those that the check expects of its operands; what
//! several uses of one input come to is compared, bit for bit, with the same block on the tape itself.

use autodiff_core::functional::reverse_block;
use autodiff_core::prelude::*;
use autodiff_core::rule::{
    Call, CallError, Case, CaseKind, Contributions, Drawn, ElementRule, InputSpec, Outputs,
    Parameter, ReverseCall, SavedContext, SavedName, Vjp,
};
use autodiff_core::{Identity, Operation};

use super::Recompute;
use super::recompute::recompute;
use crate::elementwise::{mul, sin, tanh};
use crate::linalg::matmul;

/// The path of the public function, as of every other operation.
const PATH: &str = "autodiff_ops::block::recompute::recompute";

pub(super) const OPERATION: Operation = Operation::new(&Identity::new("recompute", PATH));

fn reverse<T: Element>(
    saved: &dyn SavedContext<T>,
    call: ReverseCall<'_, T>,
) -> Result<Contributions<T>> {
    reverse_block(OPERATION, saved, call)
}

/// What the gradient check runs: by the number of inputs, a block within a block, a product, a layer.
fn checked_block<V: Recompute + matmul + mul + sin + tanh>(inputs: &[V]) -> Result<V> {
    match inputs {
        [_] => recompute(
            |inner: &[V]| inner.iter().map(V::tanh).next().unwrap_or_else(miscounted),
            inputs,
        )?
        .sin(),
        [x, y] => x.mul(&y.tanh()?),
        [x, y, z] => x.mul(&y.matmul(z)?.tanh()?),
        _ => miscounted(),
    }
}

fn miscounted<V>() -> Result<V> {
    Err(OpError::new(CallError {
        position: 0,
        expected: "one to three operands",
        actual: "another number of operands",
    })
    .into())
}

fn call<V: Recompute + matmul + mul + sin + tanh>(
    call: &Call<<V as Value>::Element, V>,
) -> Result<Vec<V>> {
    let inputs: Vec<V> = call.operands(0)?.into_iter().cloned().collect();
    Ok(vec![recompute(checked_block, &inputs)?])
}

const fn functions<T: Element>() -> Option<ElementRule<T>> {
    Some(ElementRule {
        reverse: reverse::<T>,
        plain: call::<Tensor<T>>,
        taped: call::<TensorValue<T>>,
    })
}

/// A case of inputs of these shapes, which the extents are drawn for.
macro_rules! case {
    ($text:literal, $symbols:expr, |$extent:ident| $shapes:expr) => {
        Case {
            text: $text,
            kind: CaseKind::Drawn {
                symbols: &$symbols,
                any_shape: false,
                choices: &[],
                build: {
                    fn build(drawn: &Drawn) -> Vec<InputSpec> {
                        let $extent = |symbol| drawn.extent(symbol);
                        vec![InputSpec::Tensors {
                            shapes: $shapes,
                            ranges: Vec::new(),
                        }]
                    }
                    build
                },
            },
        }
    };
}

autodiff_core::__private::inventory::submit! {
    Rule {
        operation: OPERATION,
        docs: include_str!("recompute.md"),
        file: file!(),
        line: line!(),
        package: concat!(env!("CARGO_PKG_NAME"), " ", env!("CARGO_PKG_VERSION")),
        parameters: &[Parameter {
            name: "inputs",
            kind: ParameterKind::Variadic,
            type_text: "&[&Tensor<T>]",
        }],
        vjps: &[Vjp {
            function: "reverse",
            operands: &["inputs"],
            joint: true,
            words: "what a reverse pass over the block, run again on the saved inputs, contributes to this use",
            saved: &[
                SavedName { name: "inputs", type_text: "Vec<Tensor<T>>" },
                SavedName { name: "block", type_text: "Fn(&[V]) -> Result<V>" },
            ],
        }],
        outputs: Outputs::One,
        cases: &[
            case!("inputs: [[m, n]]; sin of a block of tanh x", ["m", "n"], |extent| {
                vec![vec![extent(0), extent(1)]]
            }),
            case!("inputs: [[m, n], [n]]; x · tanh y", ["m", "n"], |extent| {
                vec![vec![extent(0), extent(1)], vec![extent(1)]]
            }),
            case!("inputs: [[m, n], [m, k], [k, n]]; x · tanh(y z)", ["m", "k", "n"], |extent| {
                vec![
                    vec![extent(0), extent(2)],
                    vec![extent(0), extent(1)],
                    vec![extent(1), extent(2)],
                ]
            }),
        ],
        f32: functions::<f32>(),
        f64: functions::<f64>(),
        dual: functions::<Dual>(),
    }
}

#[cfg(test)]
#[test]
fn gradcheck_recompute() {
    autodiff_core::__private::check_rule(PATH);
}
