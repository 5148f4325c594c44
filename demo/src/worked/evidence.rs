//! What the worked example shows beside its gradients: release, detachment, differences and refusals.

use std::fmt::Debug;

use autodiff_ops::prelude::*;

use super::graph::{DetachedSum, Largest, seed, wrong_seeds};
use super::print::gradient;
use super::{BIAS, WorkedGraph, X};
use crate::DemoError;

/// A pass over a released graph is refused and changes nothing.
pub(super) fn released(graph: &WorkedGraph) -> Result<String, DemoError> {
    let leaves = [&graph.x, &graph.bias];
    let before = gradient_bits(leaves);
    let refused = graph.pass(GraphRetention::Retain);
    same_gradients(before, gradient_bits(leaves))?;
    match refused {
        Err(TensorAutodiffError::GraphReleased { operation }) => Ok(format!(
            "released graph: operation={operation} gradients unchanged=true"
        )),
        Err(other) => Err(other.into()),
        Ok(()) => Err(DemoError::Accepted {
            what: "a pass over a released graph",
        }),
    }
}

/// What is detached has no gradient.
pub(super) fn detach_and_sum() -> Result<String, DemoError> {
    let DetachedSum { p, detached, total } = DetachedSum::reversed()?;
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
    let largest = Largest::stored()?;

    let leaves = [&graph.x, &graph.bias, &largest.0];
    let before = gradient_bits(leaves);
    let [seed_shape, non_finite_seed] = wrong_seeds()?.map(|seed| {
        graph
            .mean
            .backward_with_seed(&seed.view(), GraphRetention::Retain)
    });
    let overflow = largest.pass_of(f64::MAX);
    same_gradients(before, gradient_bits(leaves))?;

    graph.pass(GraphRetention::Release)?;
    let before = gradient_bits(leaves);
    let graph_released = graph.pass(GraphRetention::Retain);
    same_gradients(before, gradient_bits(leaves))?;
    // The refused sum left the largest finite gradient in place, so its negative brings back zero.
    largest.pass_of(-f64::MAX)?;
    let zero = Some(vec![0.0_f64.to_bits()]);
    same_gradients([zero], gradient_bits([&largest.0]))?;

    let names = [
        refused("seed-shape", seed_shape)?,
        refused("non-finite-seed", non_finite_seed)?,
        refused("graph-released", graph_released)?,
        refused("non-finite-accumulated-gradient", overflow)?,
    ];
    Ok(format!(
        "typed errors: {}; gradients unchanged=true",
        names.join(" | ")
    ))
}

/// The name of a refusal, where it is the expected one.
fn refused(expected: &'static str, outcome: Result<()>) -> Result<&'static str, DemoError> {
    let actual = match &outcome {
        Err(TensorAutodiffError::SeedShapeMismatch { .. }) => "seed-shape",
        Err(TensorAutodiffError::NonFiniteSeed { index: 1, .. }) => "non-finite-seed",
        Err(TensorAutodiffError::GraphReleased { .. }) => "graph-released",
        Err(TensorAutodiffError::NonFiniteAccumulatedGradient { .. }) => {
            "non-finite-accumulated-gradient"
        }
        Err(other) => &other.to_string(),
        Ok(()) => "no error",
    };
    if actual == expected {
        return Ok(expected);
    }
    Err(DemoError::Unexpected {
        what: "a typed error",
        expected: expected.to_owned(),
        actual: actual.to_owned(),
    })
}

/// Refuses gradients that a refusal has changed.
fn same_gradients<const N: usize>(before: [Bits; N], after: [Bits; N]) -> Result<(), DemoError> {
    if after == before {
        return Ok(());
    }
    let values = |all: [Bits; N]| {
        let of_bits = |bits: Vec<u64>| bits.into_iter().map(f64::from_bits).collect::<Vec<_>>();
        format!("{:?}", all.map(|bits| bits.map(of_bits)))
    };
    Err(DemoError::Unexpected {
        what: "gradients after a refusal",
        expected: values(before),
        actual: values(after),
    })
}

/// A stored gradient, if there is one.
type Bits = Option<Vec<u64>>;

/// The gradients as bits, since `-0.0 == 0.0` would hide a change.
fn gradient_bits<const N: usize>(leaves: [&TensorValue; N]) -> [Bits; N] {
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
    let used = |name: &str| pass.nodes.iter().any(|node| node.operation.name() == name);
    checked("sampled coordinates", count, report.coordinates.len())?;
    let used = NAMED.into_iter().filter(|name| used(name)).collect();
    checked("operations of the sampled check", NAMED.to_vec(), used)?;
    Ok(format!("gradcheck: {}; pass=true", NAMED.join(" | ")))
}

fn checked<X: PartialEq + Debug>(
    what: &'static str,
    expected: X,
    actual: X,
) -> Result<(), DemoError> {
    if actual == expected {
        return Ok(());
    }
    Err(DemoError::Unexpected {
        what,
        expected: format!("{expected:?}"),
        actual: format!("{actual:?}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_example_does_not_show_is_an_error() {
        let released = || TensorAutodiffError::GraphReleased {
            operation: Operation::PARAMETER,
        };
        assert_eq!(
            refused("graph-released", Err(released())).unwrap(),
            "graph-released"
        );
        let refusal = |outcome| refused("seed-shape", outcome).unwrap_err().to_string();
        assert_eq!(
            refusal(Err(released())),
            "a typed error: expected seed-shape, got graph-released"
        );
        assert_eq!(
            refusal(Ok(())),
            "a typed error: expected seed-shape, got no error"
        );
        let error = checked("sampled coordinates", 7, 6).unwrap_err();
        assert_eq!(error.to_string(), "sampled coordinates: expected 7, got 6");
        assert_eq!(error.exit_code(), 1);
    }

    #[test]
    fn a_gradient_that_only_changed_its_sign_of_zero_has_changed() {
        let bits = |x: f64| [Some(vec![x.to_bits()])];
        assert!(same_gradients(bits(0.0), bits(0.0)).is_ok());
        let error = same_gradients(bits(0.0), bits(-0.0)).unwrap_err();
        assert_eq!(
            error.to_string(),
            "gradients after a refusal: expected [Some([0.0])], got [Some([-0.0])]"
        );
    }
}
