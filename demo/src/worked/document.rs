//! The worked example as a document: one pass step by step, the life of its gradients, and what is refused.

use autodiff_core::report::{Document, Graph, Limits, RejectionRecord, Watch};
use autodiff_ops::prelude::*;

use super::WorkedGraph;
use super::evidence::sampled_check;
use crate::DemoError;

/// Runs the worked example and records it.
///
/// # Errors
/// [`DemoError::Accepted`] where something that must be refused is not.
pub fn document() -> Result<Document, DemoError> {
    let limits = Limits::default();
    let mut document = Document::new("The worked example");
    let graph = keep_values(WorkedGraph::build)?;
    let leaves = [("x", &graph.x), ("bias", &graph.bias)];
    let recorded = Graph::of(&graph.mean).named(leaves);
    let watch = Watch::new(leaves, limits);

    let pass = graph.traced_pass(GraphRetention::Retain)?;
    document
        .passes
        .push(recorded.record("the first pass", &pass, limits)?);
    document.events.push(watch.event("After the first pass"));
    graph.pass(GraphRetention::Retain)?;
    document.events.push(watch.event("After a second pass"));
    graph.x.zero_grad()?;
    graph.bias.zero_grad()?;
    document.events.push(watch.event("After zero_grad"));
    graph.pass(GraphRetention::Release)?;
    let with_output = [leaves.as_slice(), &[("mean", &graph.mean)]].concat();
    let with_output = Watch::new(with_output, limits);
    document
        .events
        .push(with_output.event("After a pass that releases the graph"));
    document.rejections.push(refused(
        "A pass over the released graph",
        &with_output,
        graph.pass(GraphRetention::Retain),
    )?);

    detached(&mut document, limits)?;
    document.checks.push((&sampled_check()?).into());
    refused_seeds(&mut document, limits)?;
    refused_sum(&mut document, limits)?;
    Ok(document)
}

fn refused(
    title: &'static str,
    watch: &Watch,
    outcome: Result<()>,
) -> Result<RejectionRecord, DemoError> {
    match outcome {
        Err(error) => Ok(watch.rejection(title, &error)),
        Ok(()) => Err(DemoError::Accepted { what: title }),
    }
}

/// The sum of `p · p + detach(p) · 10`: only the first term has a gradient.
fn detached(document: &mut Document, limits: Limits) -> Result<(), DemoError> {
    let p = TensorValue::parameter(Tensor::from_vec([2], vec![2.0, 3.0])?)?;
    let detached = p.detach();
    let ten = TensorValue::constant(Tensor::from_vec([1], vec![10.0])?)?;
    let total = p.mul(&p)?.add(&detached.mul(&ten)?)?.sum_axis(0, false)?;
    let named = [("p", &p), ("detach(p)", &detached)];
    let watch = Watch::new(named, limits);
    total.backward()?;
    document
        .events
        .push(watch.event("After a pass over p · p + detach(p) · 10"));
    Ok(())
}

fn refused_seeds(document: &mut Document, limits: Limits) -> Result<(), DemoError> {
    let graph = keep_values(WorkedGraph::build)?;
    graph.pass(GraphRetention::Retain)?;
    let watch = Watch::new([("x", &graph.x), ("bias", &graph.bias)], limits);
    for (title, seed) in [
        ("A seed of another shape", vec![1.0]),
        ("A seed with a NaN", vec![3.0, f64::NAN]),
    ] {
        let seed = Tensor::from_vec([seed.len()], seed)?;
        let outcome = graph
            .mean
            .backward_with_seed(&seed.view(), GraphRetention::Retain);
        document.rejections.push(refused(title, &watch, outcome)?);
    }
    Ok(())
}

/// A stored gradient and an adjoint that are finite, with a sum that is not.
fn refused_sum(document: &mut Document, limits: Limits) -> Result<(), DemoError> {
    let largest = TensorValue::parameter(Tensor::from_vec([1], vec![0.0])?)?;
    let seed = Tensor::from_vec([1], vec![f64::MAX])?;
    let pass = || largest.backward_with_seed(&seed.view(), GraphRetention::Retain);
    pass()?;
    let watch = Watch::new([("largest", &largest)], limits);
    let rejection = refused(
        "A second pass that would store an infinite gradient",
        &watch,
        pass(),
    )?;
    document.rejections.push(rejection);
    Ok(())
}
