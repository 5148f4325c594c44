//! The worked example as a document: one pass step by step, the life of its gradients, and what is refused.

use autodiff_core::report::{Document, Graph, Limits, RejectionRecord, Watch};
use autodiff_ops::prelude::*;

use super::WorkedGraph;
use super::evidence::sampled_check;
use super::graph::{DetachedSum, Largest, wrong_seeds};
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

fn detached(document: &mut Document, limits: Limits) -> Result<(), DemoError> {
    let DetachedSum { p, detached, .. } = DetachedSum::reversed()?;
    let watch = Watch::new([("p", &p), ("detach(p)", &detached)], limits);
    document
        .events
        .push(watch.event("After a pass over p · p + detach(p) · 10"));
    Ok(())
}

fn refused_seeds(document: &mut Document, limits: Limits) -> Result<(), DemoError> {
    let graph = keep_values(WorkedGraph::build)?;
    graph.pass(GraphRetention::Retain)?;
    let watch = Watch::new([("x", &graph.x), ("bias", &graph.bias)], limits);
    let titles = ["A seed of another shape", "A seed with a NaN"];
    for (title, seed) in titles.into_iter().zip(wrong_seeds()?) {
        let outcome = graph
            .mean
            .backward_with_seed(&seed.view(), GraphRetention::Retain);
        document.rejections.push(refused(title, &watch, outcome)?);
    }
    Ok(())
}

/// A stored gradient and an adjoint that are finite, with a sum that is not.
fn refused_sum(document: &mut Document, limits: Limits) -> Result<(), DemoError> {
    let largest = Largest::stored()?;
    let watch = Watch::new([("largest", &largest.0)], limits);
    let rejection = refused(
        "A second pass that would store an infinite gradient",
        &watch,
        largest.pass_of(f64::MAX),
    )?;
    document.rejections.push(rejection);
    Ok(())
}
