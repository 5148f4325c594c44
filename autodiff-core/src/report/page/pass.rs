//! The sections of one pass.

use maud::{Markup, html};

use super::{Frame, Shown, figure, gradients, ledger, memory, nodes};
use crate::report::document::Document;
use crate::report::draw::{self, DENSE_ABOVE, FULL_UP_TO, Links};
use crate::report::pass::{PassRecord, RetentionRecord};
use crate::report::text;
use crate::report::words::tensor_line;

/// Graph, ledger, gradients and memory.
pub(super) fn sections(
    document: &Document,
    number: usize,
    pass: &PassRecord,
    shown: &Shown,
) -> Markup {
    let prefix = format!("p{number}-");
    let faults = gradients::fault_nodes(document, number);
    let links = Links {
        prefix: &prefix,
        faults: &faults,
    };
    let picture = draw::graph(pass, Some(&links));
    let frame = if pass.nodes.len() <= FULL_UP_TO {
        Frame::Linked
    } else {
        Frame::Zoomed
    };
    html! {
        section aria-labelledby={ (prefix) "graph" } {
            h2 id={ (prefix) "graph" } { "Forward graph: " (text::plain(&pass.title)) }
            p class="lede" { (summary(pass)) }
            (figure(&format!("{prefix}figure"), &picture, frame, &legend(pass)))
            (nodes::list(&prefix, pass, shown))
        }
        @if !pass.edges.is_empty() {
            (ledger::section(&prefix, pass, shown))
            (gradients::parameters(&prefix, pass))
            (memory::section(&prefix, pass))
        }
    }
}

fn summary(pass: &PassRecord) -> String {
    let mut summary = format!(
        "{} nodes, {} operand uses, {} of them reversed, in {}.",
        pass.nodes.len(),
        pass.operands.len(),
        pass.edges.len(),
        text::plain(&pass.element)
    );
    if let Some(seed) = &pass.seed {
        summary.push_str(&format!(" Seed {}.", tensor_line(seed, 8)));
    }
    match pass.retention {
        Some(RetentionRecord::Retain) => summary.push_str(" The graph was kept."),
        Some(RetentionRecord::Release) => summary.push_str(" The graph was released."),
        None => {
            summary.push_str(" The pass was refused, so there is no adjoint and no contribution.")
        }
    }
    let without = pass
        .nodes
        .iter()
        .filter(|node| node.value.is_none())
        .count();
    if without > 0 {
        summary.push_str(&format!(
            " Nodes without a value: {without}. A value is recorded with the graph, where a handle or \
             keep_values still has it."
        ));
    }
    summary
}

/// What the kinds of frames and lines mean, each with a sample.
fn legend(pass: &PassRecord) -> Markup {
    let frame = |class: &str, double: bool| {
        html! {
            svg class="sample" width="34" height="18" viewBox="0 0 34 18" aria-hidden="true" {
                rect class=(class) x="1" y="1" width="32" height="16" rx="3" {}
                @if double { rect class="rim" x="4" y="4" width="26" height="10" rx="1" {} }
            }
        }
    };
    let line = |class: &str| {
        html! {
            svg class="sample" width="34" height="18" viewBox="0 0 34 18" aria-hidden="true" {
                path class=(class) d="M1 9H33" {}
            }
        }
    };
    let dense = pass.nodes.len() > DENSE_ABOVE;
    html! {
        p { "Every node stands below its operands; a line is one use of an operand." }
        ul role="list" class="legend" {
            @if !dense {
                li { (frame("box", true)) "parameter" }
                li { (frame("box", false)) "result" }
                li { (frame("box dash", false)) "not differentiated" }
            }
            li { (line("line")) "carried a contribution back" }
            @if !dense { li { (line("line zero")) "carried only zeros back" } }
            li { (line("line dash")) "not differentiated" }
        }
        @if pass.nodes.len() > FULL_UP_TO && !dense {
            p { "The thicker a line, the larger the norm of its contribution, by its logarithm." }
        }
    }
}
