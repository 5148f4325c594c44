//! The reverse pass of the worked example as a table.

use std::io::Write;

use autodiff_ops::prelude::*;

use crate::DemoError;
use crate::table::Table;
use crate::worked::WorkedGraph;

/// Reverses the worked example once and writes its nodes and its ledger of edges.
///
/// # Errors
/// [`DemoError::Write`].
pub fn print(out: &mut impl Write) -> Result<(), DemoError> {
    let pass = WorkedGraph::build()?.traced_pass(GraphRetention::Retain)?;
    writeln!(out, "seed: {}", tensor(&pass.seed))?;
    writeln!(out, "\nnodes in creation order\n")?;
    nodes(&pass).print(out)?;
    writeln!(out, "\nedges in the order of the pass\n")?;
    ledger(&pass).print(out)?;
    Ok(())
}

fn nodes(pass: &TensorBackwardPass) -> Table {
    let mut table = Table::new([
        "node",
        "operation",
        "shape",
        "tracked",
        "adjoint",
        "gradient after the pass",
    ]);
    for node in &pass.nodes {
        table.row([
            node.topology_index.to_string(),
            node.operation.to_string(),
            format!("{:?}", node.shape),
            node.tracked.to_string(),
            optional(node.pass_adjoint.as_ref()),
            optional(node.accumulated_gradient.as_ref()),
        ]);
    }
    table
}

/// One entry an edge: the nodes it joins on its first line, and a line for everything known about it.
fn ledger(pass: &TensorBackwardPass) -> Table {
    let mut table = Table::new(["edge", "child", "parent", "operand", "field", "value"]);
    for edge in &pass.edges {
        let mut fields = vec![("rule".to_owned(), edge.saved.rule.to_owned())];
        let saved = edge.saved.fields.iter();
        fields.extend(saved.map(|field| (format!("saved {}", field.name), value(&field.value))));
        fields.extend([
            ("upstream".to_owned(), tensor(&edge.upstream)),
            ("contribution".to_owned(), tensor(&edge.contribution)),
            (
                "adjoint before".to_owned(),
                optional(edge.parent_adjoint_before.as_ref()),
            ),
            (
                "adjoint after".to_owned(),
                optional(edge.parent_adjoint_after.as_ref()),
            ),
        ]);
        let mut ends = [
            edge.reverse_index.to_string(),
            node(pass, edge.child),
            node(pass, edge.parent),
            edge.operand.to_string(),
        ];
        for (field, value) in fields {
            let [index, child, parent, operand] = std::mem::take(&mut ends);
            table.row([index, child, parent, operand, field, value]);
        }
    }
    table
}

fn node(pass: &TensorBackwardPass, index: usize) -> String {
    match pass.nodes.get(index) {
        Some(node) => format!("{index} {}", node.operation),
        None => index.to_string(),
    }
}

fn tensor(tensor: &Tensor) -> String {
    format!("{:?} {:?}", tensor.shape(), tensor.as_slice())
}

fn optional(value: Option<&Tensor>) -> String {
    value.map_or("none".to_owned(), tensor)
}

fn value(value: &SavedValue) -> String {
    match value {
        SavedValue::Tensor(saved) => tensor(saved),
        SavedValue::Tensors(saved) => saved.iter().map(tensor).collect::<Vec<_>>().join(", "),
        SavedValue::Projection(plan) => projection(plan),
        SavedValue::Indices(saved) => format!("{:?} {:?}", saved.shape(), saved.as_slice()),
        SavedValue::Mask(saved) => format!("{:?} {:?}", saved.shape(), saved.as_slice()),
        SavedValue::Usize(number) => number.to_string(),
        SavedValue::Isize(number) => number.to_string(),
        SavedValue::Bool(switch) => switch.to_string(),
        SavedValue::F64(number) => format!("{number:?}"),
        SavedValue::UsizeList(numbers) => format!("{numbers:?}"),
        SavedValue::IsizeList(offsets) => format!("{offsets:?}"),
        SavedValue::F64List(numbers) => format!("{numbers:?}"),
        SavedValue::Text(text) => format!("{text:?}"),
        SavedValue::Absent => "none".to_owned(),
        SavedValue::Other(debug) => debug.clone(),
    }
}

/// Where the plan reads or writes: position `i` of the larger shape stands at `offsets[i]` of the smaller.
fn projection(plan: &Projection) -> String {
    format!(
        "{:?} -> {:?}, reduced axes {:?}, strides {:?}, offsets {:?}",
        plan.input_shape(),
        plan.output_shape(),
        plan.reduced_axes(),
        plan.strides(),
        plan.offsets().collect::<Vec<_>>()
    )
}
