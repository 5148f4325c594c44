//! The reverse ledger: every evaluated edge, in the order of the pass, with all that went in and came out.

use maud::{Markup, html};

use super::nodes::written;
use super::{Shown, memory};
use crate::report::draw::{DENSE_ABOVE, FULL_UP_TO, edge_label, node_text};
use crate::report::pass::{EdgeRecord, PassRecord};
use crate::report::text;
use crate::report::words::saved_lines;

/// The largest contributions that stand before a long ledger.
const LARGEST: usize = 10;

pub(super) fn section(prefix: &str, pass: &PassRecord, shown: &Shown) -> Markup {
    let long = pass.edges.len() > 2 * FULL_UP_TO;
    html! {
        section aria-labelledby={ (prefix) "ledger" } {
            h2 id={ (prefix) "ledger" } { "Reverse ledger" }
            p class="lede" {
                "Edge by edge, in the order of the pass: each takes the adjoint of its child as upstream and adds "
                "what its rule returns to the adjoint of its parent."
            }
            @if long { (largest(prefix, pass)) }
            @if pass.nodes.len() > DENSE_ABOVE {
                details {
                    summary { "All " (pass.edges.len()) " edges" }
                    ol class="dense" start="0" {
                        @for edge in &pass.edges {
                            li id={ (prefix) "e" (edge.index) } { (short(pass, edge)) }
                        }
                    }
                }
            } @else {
                ol role="list" class="cards ledger" start="0" {
                    @for edge in &pass.edges {
                        li {
                            @if long {
                                details {
                                    summary { (heading(pass, edge)) }
                                    div id={ (prefix) "e" (edge.index) } { (entry(prefix, pass, edge, shown)) }
                                }
                            } @else {
                                div id={ (prefix) "e" (edge.index) } {
                                    p class="head" { (heading(pass, edge)) }
                                    (entry(prefix, pass, edge, shown))
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// One line for an edge of a graph of thousands.
fn short(pass: &PassRecord, edge: &EdgeRecord) -> String {
    let norm = edge
        .contribution
        .statistics
        .map(|found| text::significant(found.norm.0, 4));
    format!(
        "{} → {}, operand {}: norm {}",
        node_text(pass, edge.child),
        node_text(pass, edge.parent),
        edge.operand,
        norm.as_deref().unwrap_or("of nothing")
    )
}

fn heading(pass: &PassRecord, edge: &EdgeRecord) -> Markup {
    html! {
        b { "#" (edge.index) " " bdi { (node_text(pass, edge.child)) } " → " bdi { (node_text(pass, edge.parent)) } }
        " " span class="quiet" {
            "operand " (edge.operand)
            @if let Some(found) = edge.contribution.statistics {
                ", norm " (text::significant(found.norm.0, 4))
            }
        }
    }
}

fn entry(prefix: &str, pass: &PassRecord, edge: &EdgeRecord, shown: &Shown) -> Markup {
    let node = |index: usize| {
        html! { a href={ "#" (prefix) "n" (index) } { (node_text(pass, index)) } }
    };
    html! {
        dl {
            dt { "rule" } dd class="words" { (text::plain(&edge.rule)) }
            dt { "child" } dd { (node(edge.child)) }
            dt { "operand" } dd { (edge.operand) }
            dt { "parent" } dd {
                (node(edge.parent))
                @if let Some(parent) = pass.node(edge.parent) { ", shape " (text::shape(&parent.shape)) }
                @if !edge.parent_tracked { ", not differentiated" }
            }
            dt { "upstream" } dd { (written(&edge.upstream, shown)) }
            @for field in &edge.saved {
                @for (line, (label, value)) in saved_lines(field, shown.elements).into_iter().enumerate() {
                    dt { @if line == 0 { "saved " } (label) }
                    dd { (value) }
                }
            }
            dt { "contribution" } dd { (written(&edge.contribution, shown)) }
            @if let Some(before) = &edge.before { dt { "adjoint before" } dd { (written(before, shown)) } }
            @if let Some(after) = &edge.after { dt { "adjoint after" } dd { (written(after, shown)) } }
            dt { "keeps" } dd { (memory::kept(edge)) }
        }
    }
}

/// Where the largest numbers went back.
fn largest(prefix: &str, pass: &PassRecord) -> Markup {
    let norm = |edge: &&EdgeRecord| {
        edge.contribution
            .statistics
            .map_or(0.0, |found| found.norm.0)
    };
    let mut edges: Vec<&EdgeRecord> = pass.edges.iter().collect();
    edges.sort_by(|left, right| norm(right).total_cmp(&norm(left)));
    let shown = LARGEST.min(edges.len());
    html! {
        h3 { "The " (shown) " largest contributions" }
        ol class="plain" {
            @for edge in edges.into_iter().take(LARGEST) {
                li { a href={ "#" (prefix) "e" (edge.index) } { (edge_label(pass, edge)) } }
            }
        }
    }
}
