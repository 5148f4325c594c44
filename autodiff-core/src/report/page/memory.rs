//! Where the saved bytes are: by operation.

use std::collections::BTreeMap;

use maud::{Markup, html};

use crate::report::pass::{EdgeRecord, PassRecord};
use crate::report::text;

#[derive(Clone, Copy, Default)]
struct Share {
    edges: usize,
    bytes: usize,
    own_bytes: usize,
}

/// What the edges of each operation keep alive.
pub(super) fn section(prefix: &str, pass: &PassRecord) -> Markup {
    let mut shares: BTreeMap<&str, Share> = BTreeMap::new();
    for edge in &pass.edges {
        let operation = pass
            .node(edge.child)
            .map_or("", |child| child.operation.path.as_str());
        let share = shares.entry(operation).or_default();
        share.edges += 1;
        for field in &edge.saved {
            share.bytes = share.bytes.saturating_add(field.bytes);
            share.own_bytes = share.own_bytes.saturating_add(field.own_bytes);
        }
    }
    let total = shares.values().fold(0_usize, |total, share| {
        total.saturating_add(share.own_bytes)
    });
    let mut shares: Vec<(&str, Share)> = shares.into_iter().collect();
    shares.sort_by_key(|(_, share)| std::cmp::Reverse(share.own_bytes));
    html! {
        section aria-labelledby={ (prefix) "memory" } {
            h2 id={ (prefix) "memory" } { "Saved bytes by operation" }
            p class="lede" {
                "The edges keep " (text::bytes(total)) " alive for their rules, parameters that they read among it. "
                "Storage that several share counts once, for the first of them; in the last column, for each."
            }
            table {
                thead { tr {
                    th scope="col" { "operation" } th scope="col" class="n" { "edges" }
                    th scope="col" class="n" { "kept" } th scope="col" class="n" { "named" }
                } }
                tbody {
                    @for (path, share) in shares {
                        tr {
                            th scope="row" {
                                (text::plain(path.rsplit("::").next().unwrap_or(path)))
                                (bar(share.own_bytes as f64, total as f64))
                            }
                            td class="n" { (share.edges) }
                            td class="n" { (text::bytes(share.own_bytes)) }
                            td class="n" { (text::bytes(share.bytes)) }
                        }
                    }
                }
            }
        }
    }
}

/// A bar under a label; the number beside it says the same.
pub(super) fn bar(part: f64, whole: f64) -> Markup {
    let percent = if whole > 0.0 {
        (100.0 * part / whole).clamp(0.0, 100.0)
    } else {
        0.0
    };
    html! {
        span class="bar" aria-hidden="true" { span style=(format!("width:{percent:.1}%")) {} }
    }
}

/// What one edge keeps alive.
pub(super) fn kept(edge: &EdgeRecord) -> String {
    let sum = |part: fn(&crate::report::SavedRecord) -> usize| {
        edge.saved
            .iter()
            .fold(0_usize, |sum, field| sum.saturating_add(part(field)))
    };
    let [bytes, own] = [sum(|field| field.bytes), sum(|field| field.own_bytes)];
    format!(
        "{}, {} of them not kept by an earlier edge",
        text::bytes(bytes),
        text::bytes(own)
    )
}
