//! Gradients by parameter, over the life of the program, against differences, and what was refused.

use std::collections::HashSet;

use maud::{Markup, html};

use super::memory::bar;
use super::nodes::written;
use super::{Frame, Shown, figure};
use crate::report::document::Document;
use crate::report::draw::{self, node_text};
use crate::report::event::{CheckRecord, RejectionRecord, StateRecord};
use crate::report::failure::{ErrorRecord, FieldValue};
use crate::report::pass::{NodeRecord, PassRecord};
use crate::report::text;

/// Refusals that ended the program: what a page says before anything else.
pub(super) fn stops(document: &Document) -> Markup {
    let stops = document.rejections.iter().filter(|_| was_stopped(document));
    html! {
        @for rejection in stops {
            div class="stop" {
                p { b { "Stopped: " (text::plain(&rejection.title)) } }
                p { (text::plain(&rejection.error.message)) }
                @if let Some(source) = source(document, &rejection.error) { p { "Source: " (source) } }
            }
        }
    }
}

/// Whether no pass came to its end: then what was refused is what ended the program.
fn was_stopped(document: &Document) -> bool {
    document.passes.iter().all(|pass| pass.seed.is_none())
}

/// Where the fault is: the operation and the nodes that the error names.
fn source(document: &Document, error: &ErrorRecord) -> Option<String> {
    let operation = match error.field("operation") {
        Some(FieldValue::Operation(operation)) => Some(text::plain(&operation.path)),
        _ => None,
    };
    let pass = document.passes.last();
    let nodes = nodes_of(error);
    let at = nodes
        .iter()
        .filter_map(|&index| Some(node_text(pass?, index)));
    let at: Vec<String> = at.collect();
    match (operation, at.is_empty()) {
        (Some(operation), true) => Some(format!("operation {operation}")),
        (Some(operation), false) => Some(format!(
            "operation {operation}, from node {}",
            at.join(" to node ")
        )),
        (None, false) => Some(format!("node {}", at.join(", "))),
        (None, true) => None,
    }
}

fn nodes_of(error: &ErrorRecord) -> Vec<usize> {
    let index = |name| match error.field(name) {
        Some(FieldValue::Count(index)) => usize::try_from(*index).ok(),
        _ => None,
    };
    ["node", "child", "parent"]
        .into_iter()
        .filter_map(index)
        .collect()
}

/// The nodes of a refused pass that its error names.
pub(super) fn fault_nodes(document: &Document, number: usize) -> HashSet<usize> {
    let is_last = number + 1 == document.passes.len();
    let stops = document
        .rejections
        .iter()
        .filter(|_| is_last && was_stopped(document));
    stops
        .flat_map(|rejection| nodes_of(&rejection.error))
        .collect()
}

/// Norm and largest entry of the gradient of every parameter.
pub(super) fn parameters(prefix: &str, pass: &PassRecord) -> Markup {
    let nodes: Vec<&NodeRecord> = pass.nodes.iter().filter(|node| node.parameter).collect();
    let norm = |node: &NodeRecord| node.adjoint.as_ref()?.statistics.map(|found| found.norm.0);
    let largest = nodes
        .iter()
        .filter_map(|node| norm(node))
        .fold(0.0, f64::max);
    let dead = nodes.iter().filter(|node| norm(node) == Some(0.0)).count() + pass.unreached.len();
    html! {
        section aria-labelledby={ (prefix) "parameters" } {
            h2 id={ (prefix) "parameters" } { "Gradients by parameter" }
            p class="lede" {
                @match nodes.len() {
                    1 => { "1 parameter was reached. " }
                    count => { (count) " parameters were reached. " }
                }
                @match dead {
                    0 => { "None is dead: each received something." }
                    1 => { "One is dead: it received nothing in this pass." }
                    count => { (count) " are dead: they received nothing in this pass." }
                }
            }
            table {
                thead { tr {
                    th scope="col" { "parameter" } th scope="col" class="n" { "norm" }
                    th scope="col" class="n" { "largest entry" }
                } }
                tbody {
                    @for name in &pass.unreached {
                        tr class="dead" {
                            th scope="row" {
                                (text::plain(&name.name)) " " span class="quiet" { (text::shape(&name.shape)) }
                            }
                            td colspan="2" { b { "✕ dead" } ": not reached by the pass" }
                        }
                    }
                    @for node in nodes {
                        (parameter(prefix, node, largest))
                    }
                }
            }
        }
    }
}

fn parameter(prefix: &str, node: &NodeRecord, largest: f64) -> Markup {
    let found = node.adjoint.as_ref().and_then(|adjoint| adjoint.statistics);
    let name = node.name.as_ref().map_or_else(
        || format!("{} parameter", node.index),
        |name| text::plain(name),
    );
    let is_dead = found.is_some_and(|found| found.norm.0 == 0.0);
    html! {
        tr class=[is_dead.then_some("dead")] {
            th scope="row" {
                a href={ "#" (prefix) "n" (node.index) } { (name) } " "
                span class="quiet" { (text::shape(&node.shape)) }
                @if let Some(found) = found { (bar(found.norm.0, largest)) }
            }
            @match found {
                Some(_) if is_dead => { td colspan="2" { b { "✕ dead" } ": every entry is zero" } }
                Some(found) => {
                    td class="n" { (text::significant(found.norm.0, 4)) }
                    td class="n" {
                        (text::significant(found.largest.0, 4)) " "
                        span class="quiet" { "at " (found.largest_index) }
                    }
                }
                None => { td colspan="2" { "no elements" } }
            }
        }
    }
}

/// The states after each event.
pub(super) fn life(document: &Document, shown: &Shown) -> Markup {
    html! {
        @if !document.events.is_empty() {
            section aria-labelledby="life" {
                h2 id="life" { "Life of the gradients" }
                p class="lede" { "What the handles showed after each event, in order." }
                div class="beside" {
                    @if let Some(picture) = draw::lifecycle(document) {
                        (figure("life-figure", &picture, Frame::Still, &html! { "Gradients after each event, to one scale." }))
                    }
                    ol role="list" class="cards" {
                        @for event in &document.events {
                            li {
                                p class="head" { b { (text::plain(&event.title)) } }
                                (states(&event.states, shown))
                            }
                        }
                    }
                }
            }
        }
    }
}

fn states(states: &[StateRecord], shown: &Shown) -> Markup {
    html! {
        dl {
            @for state in states {
                dt { (text::plain(&state.name)) }
                dd {
                    @match &state.gradient {
                        Some(gradient) => { "gradient " (written(gradient, shown)) }
                        None => { "no gradient, value " (written(&state.value, shown)) }
                    }
                    @if state.released { ", released" }
                    @if !state.tracked { ", not differentiated" }
                    @if state.revision > 0 { ", revision " (state.revision) }
                }
            }
        }
    }
}

/// Derivatives against central differences.
pub(super) fn checks(document: &Document) -> Markup {
    html! {
        @if !document.checks.is_empty() {
            section aria-labelledby="checks" {
                h2 id="checks" { "Sampled checks" }
                p class="lede" { "Derivatives of the tape against central differences." }
                @for check in &document.checks { (check_table(check)) }
            }
        }
    }
}

fn check_table(check: &CheckRecord) -> Markup {
    html! {
        table {
            caption {
                (text::plain(&check.function)) ", seed " (check.seed) ": " (check.coordinates.len())
                " compared, " (check.unreliable) " left out where differences cannot be trusted"
            }
            thead { tr {
                th scope="col" { "input" } th scope="col" class="n" { "tape" }
                th scope="col" class="n" { "differences" } th scope="col" class="n" { "apart" }
            } }
            tbody {
                @for at in &check.coordinates {
                    tr {
                        th scope="row" {
                            (at.input) " at " (at.index)
                            @if let Some(output) = at.output_index { " " span class="quiet" { "output " (output) } }
                        }
                        td class="n" { (text::number(at.analytic.0)) }
                        td class="n" { (text::number(at.numeric.0)) }
                        td class="n" {
                            (text::significant((at.analytic.0 - at.numeric.0).abs(), 2)) " "
                            span class="quiet" { "of " (text::significant(at.tolerance.0, 2)) }
                        }
                    }
                }
            }
        }
    }
}

/// What was refused, with the fields of each error and what it left as it was.
pub(super) fn rejections(document: &Document, shown: &Shown) -> Markup {
    html! {
        @if !document.rejections.is_empty() {
            section aria-labelledby="rejections" {
                h2 id="rejections" { "Refusals" }
                p class="lede" { "What was tried, the typed error that came back, and the state before and after." }
                ol role="list" class="cards" {
                    @for rejection in &document.rejections { li { (rejected(rejection, shown)) } }
                }
            }
        }
    }
}

fn rejected(rejection: &RejectionRecord, shown: &Shown) -> Markup {
    let watched = !rejection.before.is_empty();
    html! {
        p class="head" {
            b { (text::plain(&rejection.title)) } " "
            span class="quiet" { code { (text::plain(&rejection.error.kind)) } }
        }
        p class="words" { (text::plain(&rejection.error.message)) }
        dl {
            @for field in &rejection.error.fields {
                dt { (text::plain(&field.name)) }
                dd { (field_text(&field.value)) }
            }
        }
        @if watched {
            p class=(if rejection.unchanged { "well" } else { "ill" }) {
                b { @if rejection.unchanged { "✓ nothing changed" } @else { "✕ something changed" } }
                ", compared bit for bit"
            }
            h3 class="small" { "before" }
            (states(&rejection.before, shown))
            h3 class="small" { "after" }
            (states(&rejection.after, shown))
        }
    }
}

fn field_text(value: &FieldValue) -> String {
    match value {
        FieldValue::Operation(operation) => text::plain(&operation.name),
        FieldValue::Count(count) => count.to_string(),
        FieldValue::Number(number) => text::number(number.0),
        FieldValue::Shape(shape) => text::shape(shape),
        FieldValue::Text(words) => text::plain(words),
    }
}
