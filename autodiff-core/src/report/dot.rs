//! A pass as text for graphviz.

use std::collections::HashMap;
use std::fmt::Write;

use super::pass::PassRecord;
use super::text;

/// The graph of a pass in graphviz's language: solid lines are edges that the pass evaluated, with the norm
/// of their contribution; dashed ones operands that it did not differentiate.
///
/// Text from outside is quoted: nothing in a name ends its string.
pub fn dot(pass: &PassRecord) -> String {
    let mut dot = String::from(
        "digraph pass {\n  rankdir=TB;\n  node [shape=box, fontname=\"monospace\"];\n",
    );
    for node in &pass.nodes {
        let name = node.name.as_deref().unwrap_or(&node.operation.name);
        let label =
            [format!("{} {name}", node.index), text::shape(&node.shape)].map(|line| quoted(&line));
        let style = match (node.parameter, node.tracked) {
            (true, _) => ", peripheries=2",
            (false, true) => "",
            (false, false) => ", style=dashed",
        };
        // Writing to a string cannot fail.
        let _ = writeln!(
            dot,
            "  n{} [label=\"{}\"{style}];",
            node.index,
            label.join("\\n")
        );
    }
    let evaluated: HashMap<(usize, usize), _> = pass
        .edges
        .iter()
        .map(|edge| ((edge.child, edge.operand), edge))
        .collect();
    for operand in &pass.operands {
        let edge = evaluated.get(&(operand.child, operand.operand));
        let norm = edge.and_then(|edge| edge.contribution.statistics);
        let label = match norm {
            Some(statistics) => {
                format!(
                    "{}: {}",
                    operand.operand,
                    text::significant(statistics.norm.0, 4)
                )
            }
            None => operand.operand.to_string(),
        };
        let style = if edge.is_some() { "solid" } else { "dashed" };
        let _ = writeln!(
            dot,
            "  n{} -> n{} [label=\"{label}\", style={style}];",
            operand.parent, operand.child
        );
    }
    dot.push_str("}\n");
    dot
}

/// A text within double quotes.
fn quoted(text: &str) -> String {
    text::plain(text).replace('\\', "\\\\").replace('"', "\\\"")
}
