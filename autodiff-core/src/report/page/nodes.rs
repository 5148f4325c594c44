//! The nodes of a pass as a list: everything that their boxes show, and their operands by name.

use std::collections::BTreeMap;

use maud::{Markup, html};

use super::Shown;
use crate::report::draw::{DENSE_ABOVE, FULL_UP_TO, title};
use crate::report::pass::{NodeRecord, OperandRecord, PassRecord};
use crate::report::tensor::TensorRecord;
use crate::report::text;
use crate::report::words::tensor_line;

/// Every node, in creation order; behind a heading where they are many.
pub(super) fn list(prefix: &str, pass: &PassRecord, shown: &Shown) -> Markup {
    let mut operands: BTreeMap<usize, Vec<&OperandRecord>> = BTreeMap::new();
    for operand in &pass.operands {
        operands.entry(operand.child).or_default().push(operand);
    }
    let heading = format!("All {} nodes as a list", pass.nodes.len());
    let of = |node: &NodeRecord| operands.get(&node.index).map_or(&[][..], Vec::as_slice);
    let items = html! {
        @if pass.nodes.len() > DENSE_ABOVE {
            ol class="dense" start="0" {
                @for node in &pass.nodes {
                    li id={ (prefix) "n" (node.index) } { (short(node, of(node))) }
                }
            }
        } @else {
            ol role="list" class="cards nodes" start="0" {
                @for node in &pass.nodes { (item(prefix, pass, node, of(node), shown)) }
            }
        }
    };
    html! {
        @if pass.nodes.len() <= FULL_UP_TO {
            h3 { (heading) }
            (items)
        } @else {
            details { summary { (heading) } (items) }
        }
    }
}

/// One line for a node of thousands.
fn short(node: &NodeRecord, operands: &[&OperandRecord]) -> String {
    let mut line = format!("{} {}{}", title(node), text::shape(&node.shape), kind(node));
    for (label, tensor) in [("value", &node.value), ("adjoint", &node.adjoint)] {
        let statistics = tensor.as_ref().and_then(|tensor| tensor.statistics);
        if let Some(found) = statistics {
            line.push_str(&format!(
                ", {label} norm {}",
                text::significant(found.norm.0, 4)
            ));
        }
    }
    if !operands.is_empty() {
        let parents = text::list(operands.iter(), |operand| operand.parent.to_string());
        line.push_str(&format!(", of {parents}"));
    }
    line
}

fn item(
    prefix: &str,
    pass: &PassRecord,
    node: &NodeRecord,
    operands: &[&OperandRecord],
    shown: &Shown,
) -> Markup {
    let tensors = [
        ("value", &node.value),
        ("adjoint", &node.adjoint),
        ("gradient", &node.gradient),
    ];
    html! {
        li id={ (prefix) "n" (node.index) } {
            p class="head" {
                b { (node.index) " " bdi { (text::plain(&node.operation.name)) } }
                @if let Some(name) = &node.name { " " code { (text::plain(name)) } }
                " " span class="quiet" { (text::shape(&node.shape)) (kind(node)) }
            }
            dl {
                @for (label, tensor) in tensors {
                    @if let Some(tensor) = tensor { dt { (label) } dd { (written(tensor, shown)) } }
                }
                @if !operands.is_empty() {
                    dt { "operands" }
                    dd {
                        @for (position, operand) in operands.iter().enumerate() {
                            @if position > 0 { ", " }
                            (operand.operand) ": "
                            a href={ "#" (prefix) "n" (operand.parent) } {
                                @match pass.node(operand.parent) {
                                    Some(parent) => { (title(parent)) }
                                    None => { (operand.parent) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The elements of a small tensor, what those of a large one have in common.
pub(super) fn written(tensor: &TensorRecord, shown: &Shown) -> String {
    let few = tensor.count().is_some_and(|count| count <= shown.elements);
    match tensor.statistics {
        Some(found) if !few => {
            let [min, max, mean, norm] = [found.min, found.max, found.mean, found.norm]
                .map(|number| text::significant(number.0, 4));
            format!("norm {norm}, {min} to {max}, mean {mean}")
        }
        _ => tensor_line(tensor, shown.elements),
    }
}

fn kind(node: &NodeRecord) -> &'static str {
    match (node.parameter, node.tracked) {
        (true, _) => ", parameter",
        (false, true) => "",
        (false, false) => ", not differentiated",
    }
}
