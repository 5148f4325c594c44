//! The forward graph: boxes for nodes in layers, a line for every operand use.

use std::collections::{HashMap, HashSet};
use std::fmt::Write;

use maud::{Markup, html};

use super::layout::{Extent, Layout, Line, layout, spacing};
use super::lines::{LineWidths, curve, tip};
use super::{Picture, px, shortened, width_of};
use crate::report::pass::{EdgeRecord, NodeRecord, OperandRecord, PassRecord};
use crate::report::tensor::TensorRecord;
use crate::report::text;

/// Graphs of up to so many nodes show values and adjoints in their boxes.
pub(in crate::report) const FULL_UP_TO: usize = 24;

/// Graphs of more nodes than this have boxes and lines that are not each a link of its own.
pub(in crate::report) const DENSE_ABOVE: usize = 1000;

const SIZE: f64 = 12.0;
const LINE_HEIGHT: f64 = 17.0;
const PADDING: f64 = 10.0;
/// The strip of operand numbers at the upper edge of a box.
const PORTS: f64 = 14.0;
/// A box is at most so many characters wide.
const CELLS: usize = 44;

/// What the graph of a pass links to and marks.
pub(in crate::report) struct Links<'a> {
    /// The beginning of the page's names for the entries of this pass.
    pub(in crate::report) prefix: &'a str,
    /// Nodes that an error names.
    pub(in crate::report) faults: &'a HashSet<usize>,
}

/// A node's box before it is placed.
struct NodeBox {
    lines: Vec<String>,
    extent: Extent,
    operands: usize,
}

/// Draws the graph.
pub(in crate::report) fn graph(pass: &PassRecord, links: Option<&Links<'_>>) -> Picture {
    let mut counts = vec![0; pass.nodes.len()];
    for operand in &pass.operands {
        if let Some(count) = counts.get_mut(operand.child) {
            *count = operand.operand.saturating_add(1).max(*count);
        }
    }
    let full = pass.nodes.len() <= FULL_UP_TO;
    let boxes: Vec<NodeBox> = pass
        .nodes
        .iter()
        .zip(counts)
        .map(|(node, operands)| NodeBox::new(node, operands, full))
        .collect();
    let extents: Vec<Extent> = boxes.iter().map(|node| node.extent).collect();
    let line = |operand: &OperandRecord| Line {
        from: operand.parent,
        to: operand.child,
        entry: boxes
            .get(operand.child)
            .map_or(0.0, |child| child.port(operand.operand)),
    };
    let lines: Vec<Line> = pass.operands.iter().map(line).collect();
    let layout = layout(&extents, &lines);
    let content = if pass.nodes.len() > DENSE_ABOVE {
        dense(pass, &boxes, &layout, links)
    } else {
        linked(pass, &boxes, &layout, links)
    };
    Picture {
        width: layout.width,
        height: layout.height,
        label: format!(
            "Forward graph of {} nodes and {} operand uses",
            pass.nodes.len(),
            pass.operands.len()
        ),
        content,
    }
}

impl NodeBox {
    fn new(node: &NodeRecord, operands: usize, full: bool) -> Self {
        let mut lines = vec![title(node)];
        if let Some(name) = &node.name {
            lines.push(text::plain(name));
        }
        lines.push(text::shape(&node.shape));
        let tensors = [("value  ", &node.value), ("adjoint", &node.adjoint)];
        let written = tensors.into_iter().filter_map(|(what, tensor)| {
            let tensor: &TensorRecord = tensor.as_ref()?;
            if full {
                return Some(format!("{what} {}", text::elements(tensor, 8)));
            }
            let norm = tensor.statistics?.norm.0;
            Some(format!("{what} ‖{}‖", text::significant(norm, 3)))
        });
        if full {
            lines.extend(written);
        } else {
            // The forward value of one of many nodes is seldom what is looked for.
            lines.extend(written.filter(|line| line.starts_with("adjoint")));
        }
        for line in &mut lines {
            *line = shortened(line, CELLS);
        }
        let widest = lines
            .iter()
            .map(|line| width_of(line, SIZE))
            .fold(60.0, f64::max);
        let strip = if operands > 1 { PORTS } else { 0.0 };
        Self {
            extent: Extent {
                width: (widest + 2.0 * PADDING).ceil(),
                height: LINE_HEIGHT * lines.len() as f64 + 2.0 * PADDING + strip - 4.0,
            },
            lines,
            operands,
        }
    }

    /// Where a line for an operand enters, from the middle.
    fn port(&self, operand: usize) -> f64 {
        let middle = (self.operands as f64 - 1.0) / 2.0;
        (operand as f64 - middle) * spacing(self.extent.width, self.operands)
    }
}

/// `6 multiply`. Shortened, since it is said once for every use of the node, and a name may be of any length.
pub(in crate::report) fn title(node: &NodeRecord) -> String {
    let name = shortened(&node.operation.name, CELLS);
    format!("{} {}", node.index, text::plain(&name))
}

/// The node of an index with its name, for texts: `19 parameter wte`.
pub(in crate::report) fn node_text(pass: &PassRecord, index: usize) -> String {
    match pass.node(index) {
        Some(node) => match &node.name {
            Some(name) => format!("{} {}", title(node), text::plain(&shortened(name, CELLS))),
            None => title(node),
        },
        None => index.to_string(),
    }
}

/// Every box and every line a link of its own, to what the page says about it.
fn linked(
    pass: &PassRecord,
    boxes: &[NodeBox],
    layout: &Layout,
    links: Option<&Links<'_>>,
) -> Markup {
    let evaluated = evaluated(pass);
    let widths = LineWidths::new(pass);
    html! {
        @for (operand, points) in pass.operands.iter().zip(&layout.lines) {
            @let edge = evaluated.get(&(operand.child, operand.operand)).copied();
            @let drawn = html! {
                path class=(class_of(edge)) d=(curve(points)) style=[edge.and_then(|edge| widths.of(edge))] {}
                path class="tip" d=(tip(points)) {}
            };
            @match (links, edge) {
                (Some(links), Some(edge)) => {
                    @let label = edge_label(pass, edge);
                    a class="edge" href={ "#" (links.prefix) "e" (edge.index) } data-edge=(edge.index) aria-label=(label) {
                        title { (label) }
                        path class="reach" d=(curve(points)) {}
                        (drawn)
                    }
                }
                _ => { g class="edge" { (drawn) } }
            }
        }
        @for ((node, own), corner) in pass.nodes.iter().zip(boxes).zip(&layout.corners) {
            @let fault = links.is_some_and(|links| links.faults.contains(&node.index));
            @let class = if fault { "node fault" } else { "node" };
            @match links {
                Some(links) => {
                    a class=(class) href={ "#" (links.prefix) "n" (node.index) } {
                        (node_box(node, own, *corner))
                    }
                }
                None => { g class=(class) { (node_box(node, own, *corner)) } }
            }
        }
    }
}

fn node_box(node: &NodeRecord, own: &NodeBox, (x, y): (f64, f64)) -> Markup {
    let Extent { width, height } = own.extent;
    let strip = if own.operands > 1 { PORTS } else { 0.0 };
    let gap = spacing(width, own.operands);
    html! {
        rect class={ "box" @if !node.tracked { " dash" } } x=(px(x)) y=(px(y)) width=(px(width)) height=(px(height)) rx="4" {}
        @if node.parameter {
            rect class="rim" x=(px(x + 3.0)) y=(px(y + 3.0)) width=(px(width - 6.0)) height=(px(height - 6.0)) rx="2" {}
        }
        // As many as can be told apart; the list of operands has them all.
        @if own.operands > 1 && gap >= 14.0 {
            @for operand in 0..own.operands {
                text class="port" x=(px(x + width / 2.0 + own.port(operand))) y=(px(y + PORTS)) {
                    @if gap >= 66.0 { "operand " } (operand)
                }
            }
        }
        @for (number, line) in own.lines.iter().enumerate() {
            text class=[(number == 0).then_some("b")] x=(px(x + PADDING)) xml:space="preserve"
                y=(px(y + strip + PADDING + LINE_HEIGHT * number as f64 + SIZE - 2.0)) { (line) }
        }
    }
}

/// All boxes as one path, all lines as two, and a link around the text of every node.
fn dense(
    pass: &PassRecord,
    boxes: &[NodeBox],
    layout: &Layout,
    links: Option<&Links<'_>>,
) -> Markup {
    let evaluated = evaluated(pass);
    let (mut solid, mut dashed, mut frames) = (String::new(), String::new(), String::new());
    for (operand, points) in pass.operands.iter().zip(&layout.lines) {
        let is_evaluated = evaluated.contains_key(&(operand.child, operand.operand));
        let path = if is_evaluated {
            &mut solid
        } else {
            &mut dashed
        };
        path.push_str(&curve(points));
    }
    for (own, (x, y)) in boxes.iter().zip(&layout.corners) {
        let Extent { width, height } = own.extent;
        // Writing to a string cannot fail.
        let _ = write!(
            frames,
            "M{} {}h{}v{}h-{}z",
            px(*x),
            px(*y),
            px(width),
            px(height),
            px(width)
        );
    }
    html! {
        path class="line" d=(solid) {}
        path class="line dash" d=(dashed) {}
        path class="box" d=(frames) {}
        @for ((node, own), (x, y)) in pass.nodes.iter().zip(boxes).zip(&layout.corners) {
            @let strip = if own.operands > 1 { PORTS } else { 0.0 };
            @let title = html! {
                text x=(px(x + PADDING)) y=(px(y + strip + PADDING + SIZE - 2.0)) { (title(node)) }
            };
            @match links {
                Some(links) => { a href={ "#" (links.prefix) "n" (node.index) } { (title) } }
                None => { (title) }
            }
        }
    }
}

fn evaluated(pass: &PassRecord) -> HashMap<(usize, usize), &EdgeRecord> {
    pass.edges
        .iter()
        .map(|edge| ((edge.child, edge.operand), edge))
        .collect()
}

fn class_of(edge: Option<&EdgeRecord>) -> &'static str {
    match edge.map(|edge| edge.contribution.statistics) {
        None => "line dash",
        Some(Some(statistics)) if statistics.norm.0 != 0.0 => "line",
        Some(_) => "line zero",
    }
}

/// `operand 1 of 6 multiply from 5 add: contribution of norm 17.3, largest 12 at 5`.
pub(in crate::report) fn edge_label(pass: &PassRecord, edge: &EdgeRecord) -> String {
    let end = |index| node_text(pass, index);
    let contribution = match edge.contribution.statistics {
        Some(found) => format!(
            "contribution of norm {}, largest {} at {}",
            text::significant(found.norm.0, 4),
            text::number(found.largest.0),
            found.largest_index
        ),
        None => "contribution without elements".to_owned(),
    };
    format!(
        "ledger row {}: operand {} of {} from {}: {contribution}",
        edge.index,
        edge.operand,
        end(edge.child),
        end(edge.parent)
    )
}
