//! The sections of one pass.

use maud::{Markup, html};

use super::{Shown, figure, gradients, ledger, memory, nodes};
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
    html! {
        section aria-labelledby={ (prefix) "graph" } {
            h2 id={ (prefix) "graph" } { "Forward graph: " (text::plain(&pass.title)) }
            p class="lede" { (summary(pass)) }
            (figure(&format!("{prefix}figure"), &picture, &caption(pass)))
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
    summary
}

fn caption(pass: &PassRecord) -> Markup {
    html! {
        "From operands down to results, in creation order. "
        @if pass.nodes.len() <= DENSE_ABOVE {
            "A double frame is a parameter, a dashed frame is not differentiated. "
            "A solid line carried a contribution back, a dotted one only zeros, a dashed one is an operand that "
            "is not differentiated. "
        } @else {
            "A solid line carried a contribution back; a dashed one is an operand that is not differentiated. "
        }
        @if pass.nodes.len() > FULL_UP_TO && pass.nodes.len() <= DENSE_ABOVE {
            "The thicker a line, the larger the norm of its contribution, by its logarithm. "
        }
        "Everything that is drawn stands in the list and the ledger below, too."
    }
}
