//! The lines of the worked example.

use std::io::Write;

use autodiff_ops::prelude::*;

use super::graph::seed;
use super::{BIAS, SEED, WorkedGraph, X, evidence, handwritten};
use crate::DemoError;

const NEXT: &str = "
next:
  cargo run -p demo -- trace              the reverse pass above, edge by edge
  cargo run -p demo -- report --out FILE  the same as a page, with pictures
  cargo run -p demo -- rules              every registered rule
  cargo run -p demo -- rules multiply     one rule in full
  cargo run -p demo -- --help             the rest
  cargo test                              check every registered rule
";

/// Runs the worked example and writes what it shows.
///
/// Everything is computed, and compared with the handwritten arrays, before the first line is written.
///
/// # Errors
/// [`DemoError::Disagreement`] where tape and handwritten arrays differ; [`DemoError::Write`].
pub fn print(out: &mut impl Write) -> Result<(), DemoError> {
    let lines = lines()?;
    for line in lines {
        writeln!(out, "{line}")?;
    }
    out.write_all(NEXT.as_bytes())?;
    Ok(())
}

fn lines() -> Result<Vec<String>, DemoError> {
    let graph = WorkedGraph::build()?;
    let mut lines = vec![
        described("parameter x", &graph.x.value()),
        described("parameter bias", &graph.bias.value()),
        described("reshape", &graph.reshaped.value()),
        described("transpose", &graph.transposed.value()),
        described("broadcast", &graph.broadcast.value()),
        described("add", &graph.added.value()),
        described("multiply reused", &graph.multiplied.value()),
        described("mean axis=1 keep_dim=false", &graph.mean.value()),
        described("non-scalar seed", &seed()?),
    ];

    graph.traced_pass(GraphRetention::Retain)?;
    handwritten::run(&X, &BIAS, &SEED).check(&graph)?;
    lines.push(format!("one backward: {}", gradients(&graph)));
    graph.pass(GraphRetention::Retain)?;
    lines.push(format!("repeated backward: {}", gradients(&graph)));
    graph.x.zero_grad()?;
    graph.bias.zero_grad()?;
    lines.push(format!("zero_grad: {}", gradients(&graph)));
    graph.pass(GraphRetention::Release)?;
    lines.push(format!("after zero and release: {}", gradients(&graph)));

    lines.push(evidence::released(&graph)?);
    lines.push(evidence::detach_and_sum()?);
    lines.push(evidence::gradient_check()?);
    lines.push(evidence::typed_errors()?);
    lines.push("chapter 16 handoff: add model-critical tensor VJPs".to_owned());
    Ok(lines)
}

fn described(what: &str, tensor: &Tensor) -> String {
    format!(
        "{what}: shape={:?} values={:?}",
        tensor.shape(),
        tensor.as_slice()
    )
}

fn gradients(graph: &WorkedGraph) -> String {
    format!(
        "x_grad={} bias_grad={}",
        gradient(&graph.x),
        gradient(&graph.bias)
    )
}

/// The stored gradient, or `none` for a node that stores none.
pub(super) fn gradient(value: &TensorValue) -> String {
    value.gradient().map_or("none".to_owned(), |gradient| {
        format!("{:?}", gradient.as_slice())
    })
}
