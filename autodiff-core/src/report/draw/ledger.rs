//! The ledger of a pass as a picture: a block of lines for every edge, in the order of the pass.

use maud::html;

use super::graph::title;
use super::{Picture, px, shortened, width_of};
use crate::report::pass::{EdgeRecord, PassRecord};
use crate::report::tensor::TensorRecord;
use crate::report::text;
use crate::report::words::saved_lines;

const SIZE: f64 = 12.0;
const LINE_HEIGHT: f64 = 17.0;
const PADDING: f64 = 12.0;
const LABELS: f64 = 122.0;
/// A line is at most so many characters long.
const CELLS: usize = 92;

/// Draws the ledger.
pub(in crate::report) fn ledger(pass: &PassRecord) -> Picture {
    let blocks: Vec<(String, Vec<(String, String)>)> = pass
        .edges
        .iter()
        .map(|edge| (heading(pass, edge), rows(edge)))
        .collect();
    let mut y = PADDING;
    let mut placed = Vec::with_capacity(blocks.len());
    let mut widest: f64 = 320.0;
    for (heading, rows) in &blocks {
        let height = LINE_HEIGHT * (rows.len() as f64 + 1.0) + PADDING;
        placed.push((y, height));
        y += height + PADDING / 2.0;
        widest = widest.max(width_of(heading, SIZE) + 2.0 * PADDING);
        for (_, row) in rows {
            widest = widest.max(LABELS + width_of(row, SIZE));
        }
    }
    let width = widest + 3.0 * PADDING;
    let content = html! {
        @for ((heading, rows), (y, height)) in blocks.iter().zip(placed) {
            rect class="shade" x=(px(PADDING)) y=(px(y)) width=(px(width - 2.0 * PADDING)) height=(px(height)) rx="4" {}
            text class="b" x=(px(2.0 * PADDING)) y=(px(y + LINE_HEIGHT)) { (heading) }
            @for (number, (label, value)) in rows.iter().enumerate() {
                @let line = px(y + LINE_HEIGHT * (number as f64 + 2.0));
                text class="s" x=(px(2.0 * PADDING)) y=(line) { (label) }
                text x=(px(2.0 * PADDING + LABELS - PADDING)) y=(line) { (value) }
            }
        }
    };
    Picture {
        width,
        height: y + PADDING / 2.0,
        label: format!("Reverse ledger of {} edges", pass.edges.len()),
        content,
    }
}

fn heading(pass: &PassRecord, edge: &EdgeRecord) -> String {
    let end = |index| pass.node(index).map_or_else(|| format!("{index}"), title);
    let parent = pass.node(edge.parent);
    let line = format!(
        "#{}  {} → {}, operand {}, parent shape {}",
        edge.index,
        end(edge.child),
        end(edge.parent),
        edge.operand,
        parent.map_or_else(String::new, |parent| text::shape(&parent.shape))
    );
    shortened(&line, CELLS)
}

fn rows(edge: &EdgeRecord) -> Vec<(String, String)> {
    let tensor = |tensor: &TensorRecord| {
        format!(
            "{} {}",
            text::shape(&tensor.shape),
            text::elements(tensor, 8)
        )
    };
    let mut rows = vec![
        ("rule".to_owned(), text::plain(&edge.rule)),
        ("upstream".to_owned(), tensor(&edge.upstream)),
    ];
    for field in &edge.saved {
        rows.extend(saved_lines(field, 8));
    }
    rows.push(("contribution".to_owned(), tensor(&edge.contribution)));
    if let Some(after) = &edge.after {
        rows.push(("adjoint now".to_owned(), tensor(after)));
    }
    for (label, value) in &mut rows {
        *label = shortened(label, 15);
        *value = shortened(value, CELLS - 14);
    }
    rows
}
