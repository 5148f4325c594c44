//! What the worked example shows beside its gradients: release, detachment, differences and refusals.

use autodiff_ops::prelude::*;

use super::graph::seed;
use super::print::gradient;
use super::{BIAS, WorkedGraph, X};
use crate::DemoError;

/// A pass over a released graph is refused and changes nothing.
pub(super) fn released(graph: &WorkedGraph) -> Result<String, DemoError> {
    let before = gradient_bits([&graph.x, &graph.bias]);
    let refused = graph.pass(GraphRetention::Retain);
    let unchanged = gradient_bits([&graph.x, &graph.bias]) == before;
    match refused {
        Err(TensorAutodiffError::GraphReleased { operation }) => Ok(format!(
            "released graph: operation={operation} gradients unchanged={unchanged}"
        )),
        Err(other) => Err(other.into()),
        Ok(()) => Err(DemoError::Accepted {
            what: "a pass over a released graph",
        }),
    }
}

/// The sum of `p · p + detach(p) · 10`: only the first term has a gradient.
pub(super) fn detach_and_sum() -> Result<String, DemoError> {
    let p = TensorValue::parameter(Tensor::from_vec([2], vec![2.0, 3.0])?)?;
    let detached = p.detach();
    let ten = TensorValue::constant(Tensor::from_vec([1], vec![10.0])?)?;
    let total = p.mul(&p)?.add(&detached.mul(&ten)?)?.sum_axis(0, false)?;
    total.backward()?;
    Ok(format!(
        "detach and sum: value={:?} p_grad={} detached_grad={}",
        total.value().item()?,
        gradient(&p),
        gradient(&detached)
    ))
}

/// What is refused, each by its own error, none of which changes a gradient.
pub(super) fn typed_errors() -> Result<String, DemoError> {
    let graph = WorkedGraph::build()?;
    graph.pass(GraphRetention::Retain)?;
    let largest = TensorValue::parameter(Tensor::from_vec([1], vec![0.0])?)?;
    let pass_of = |value: f64| -> Result<()> {
        let seed = Tensor::from_vec([1], vec![value])?;
        largest.backward_with_seed(&seed.view(), GraphRetention::Retain)
    };
    pass_of(f64::MAX)?;

    let leaves = [&graph.x, &graph.bias, &largest];
    let before = gradient_bits(leaves);
    let short = Tensor::from_vec([1], vec![1.0])?;
    let not_a_number = Tensor::from_vec([2], vec![3.0, f64::NAN])?;
    let seed_shape = graph
        .mean
        .backward_with_seed(&short.view(), GraphRetention::Retain);
    let non_finite_seed = graph
        .mean
        .backward_with_seed(&not_a_number.view(), GraphRetention::Retain);
    let overflow = pass_of(f64::MAX);
    let mut unchanged = gradient_bits(leaves) == before;

    graph.pass(GraphRetention::Release)?;
    let before = gradient_bits(leaves);
    let graph_released = graph.pass(GraphRetention::Retain);
    unchanged &= gradient_bits(leaves) == before;
    // The refused sum left the largest finite gradient in place, so its negative brings back zero.
    pass_of(-f64::MAX)?;
    unchanged &= gradient_bits([&largest]) == [Some(vec![0.0_f64.to_bits()])];

    let names =
        [seed_shape, non_finite_seed, graph_released, overflow].map(|refused| name(&refused));
    Ok(format!(
        "typed errors: {}; gradients unchanged={unchanged}",
        names.join(" | ")
    ))
}

fn name(outcome: &Result<()>) -> &'static str {
    match outcome {
        Err(TensorAutodiffError::SeedShapeMismatch { .. }) => "seed-shape",
        Err(TensorAutodiffError::NonFiniteSeed { index: 1, .. }) => "non-finite-seed",
        Err(TensorAutodiffError::GraphReleased { .. }) => "graph-released",
        Err(TensorAutodiffError::NonFiniteAccumulatedGradient { .. }) => {
            "non-finite-accumulated-gradient"
        }
        Err(_) => "another error",
        Ok(()) => "accepted",
    }
}

/// The gradients as bits, since `-0.0 == 0.0` would hide a change.
fn gradient_bits<const N: usize>(leaves: [&TensorValue; N]) -> [Option<Vec<u64>>; N] {
    leaves.map(|leaf| {
        let gradient = leaf.gradient()?;
        Some(
            gradient
                .as_slice()
                .iter()
                .map(|value| value.to_bits())
                .collect(),
        )
    })
}

/// The mean weighted by the seed, summed: its gradients are those of a pass from the seed, and it uses
/// every operation that the line names.
fn weighted_sum(x: &TensorValue, bias: &TensorValue) -> Result<TensorValue> {
    let graph = WorkedGraph::over(x.clone(), || Ok(bias.clone()))?;
    let weights = TensorValue::constant(seed()?)?;
    graph.mean.mul(&weights)?.sum_axis(0, false)
}

/// Central differences at some coordinates of both parameters against the gradients of the tape.
pub(super) fn sampled_check() -> Result<GradcheckReport, DemoError> {
    let inputs = [
        Tensor::from_vec([2, 3], X.concat())?,
        Tensor::from_vec([3], BIAS.to_vec())?,
    ];
    let options = GradcheckOptions::default()
        .name("weighted sum")
        .sample(SAMPLED.map(<[usize]>::to_vec));
    // The check calls its function with one leaf per input.
    Ok(gradcheck(
        |leaves| weighted_sum(&leaves[0], &leaves[1]),
        &inputs,
        options,
    )?)
}

/// The flat indices that are checked, in `x` and in `bias`.
const SAMPLED: [&[usize]; 2] = [&[0, 1, 3, 5], &[0, 1, 2]];

/// The line of the sampled check.
pub(super) fn gradient_check() -> Result<String, DemoError> {
    const NAMED: [&str; 7] = [
        "add",
        "multiply",
        "reshape",
        "transpose",
        "broadcast",
        "sum",
        "mean",
    ];
    let report = sampled_check()?;
    let count: usize = SAMPLED.iter().map(|indices| indices.len()).sum();

    let x = TensorValue::parameter(Tensor::from_vec([2, 3], X.concat())?)?;
    let bias = TensorValue::parameter(Tensor::from_vec([3], BIAS.to_vec())?)?;
    let pass = weighted_sum(&x, &bias)?.backward_with_trace()?;
    let used = |name: &&str| pass.nodes.iter().any(|node| node.operation.name() == *name);
    let passed = report.coordinates.len() == count && NAMED.iter().all(used);
    Ok(format!("gradcheck: {}; pass={passed}", NAMED.join(" | ")))
}
