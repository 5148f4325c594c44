//! The reference's forward half: what a call records, and why it is refused.

use std::collections::BTreeMap;

use autodiff_core::Registry;
use autodiff_ops::prelude::{Operation, TensorAutodiffError};

use crate::arrays::{Array, Matrix, Op};
use crate::step::Pick;
use crate::world::{Edge, Flaw, Node, World};

impl World {
    pub fn apply(
        &mut self,
        op: Op,
        picks: [Pick; 2],
        recorded: bool,
        again: bool,
    ) -> Option<Result<(), TensorAutodiffError>> {
        let picked = picks[..op.operands()].iter().map(|pick| self.node(*pick));
        let operands = picked.collect::<Option<Vec<usize>>>()?;
        let inner = operation_of(op);
        // Run again in reverse, it is a node of another name and with the same edges.
        let again = again && op != Op::Halves;
        let operation = if again { registered(RECOMPUTE) } else { inner };
        let released = |node: &usize| self.nodes[*node].released;
        if recorded
            && self.flaw != Flaw::ForgetsReleases
            && let Some(operand) = operands.iter().position(released)
        {
            return Some(Err(TensorAutodiffError::ReleasedOperand {
                operation,
                operand,
            }));
        }
        let arrays: Vec<&Array> = operands
            .iter()
            .map(|node| &self.nodes[*node].array)
            .collect();
        let outputs = match op.run(inner, &arrays) {
            Ok(outputs) => outputs,
            Err(error) => return Some(Err(error)),
        };
        self.fits(outputs.iter().map(|output| output.array.values.len()).sum())?;
        let tracked = recorded && operands.iter().any(|node| self.nodes[*node].tracked);
        let mut made = Vec::new();
        for output in outputs {
            if let Some((index, value)) = output.array.first_non_finite() {
                return Some(Err(TensorAutodiffError::NonFiniteForward {
                    operation: inner,
                    index,
                    value,
                }));
            }
            let mut node = Node::leaf(operation, output.array);
            node.inner = inner;
            if tracked {
                node.tracked = true;
                let pairs = operands.iter().zip(output.jacobians);
                let edge = |(&parent, jacobian): (&usize, Matrix)| {
                    let parameter = self.nodes[parent].parameter.as_ref();
                    Edge {
                        parent,
                        revision: parameter.map_or(0, |parameter| parameter.revision),
                        jacobian,
                    }
                };
                node.edges = pairs.map(edge).collect();
                node.by = self.along_all_paths(&node);
            }
            made.push(node);
        }
        made.iter().all(Node::is_exact).then_some(())?;
        for node in made {
            self.add(node);
        }
        Some(Ok(()))
    }

    /// The chain rule, once for every tracked node before this one.
    fn along_all_paths(&self, node: &Node) -> BTreeMap<usize, Matrix> {
        let mut by: BTreeMap<usize, Matrix> = BTreeMap::new();
        for edge in &node.edges {
            let parent = &self.nodes[edge.parent];
            if !parent.tracked {
                continue;
            }
            add_to(&mut by, edge.parent, edge.jacobian.clone());
            for (&ancestor, further) in &parent.by {
                let scalars = self.nodes[ancestor].array.values.len();
                let along = product(&edge.jacobian, further, scalars);
                add_to(&mut by, ancestor, along);
            }
        }
        by
    }
}

const RECOMPUTE: &str = "block::recompute::recompute";

fn operation_of(op: Op) -> Operation {
    registered(match op {
        Op::Add => "elementwise::arithmetic::add",
        Op::Sub => "elementwise::arithmetic::sub",
        Op::Mul => "elementwise::arithmetic::mul",
        Op::Neg => "elementwise::arithmetic::neg",
        Op::Reciprocal => "elementwise::arithmetic::reciprocal",
        Op::Sqrt => "elementwise::power::sqrt",
        Op::SumAxis { .. } => "reduce::total::sum_axis",
        Op::Transpose => "shape::arrange::transpose",
        Op::Concat => "shape::join::concat",
        Op::Halves => "shape::part::split",
    })
}

/// The name of an operation, which errors and nodes bear.
fn registered(path: &str) -> Operation {
    let registry = Registry::global().unwrap();
    let rule = registry.rule_at(&format!("autodiff_ops::{path}")).unwrap();
    rule.operation
}

/// A product with this many columns, which a factor without rows does not tell.
fn product(left: &Matrix, right: &Matrix, columns: usize) -> Matrix {
    let entry = |row: &Vec<f64>, column: usize| {
        let pairs = row.iter().zip(right);
        // Nothing flows through a zero, whatever lies beyond it.
        pairs
            .filter(|(factor, other)| **factor != 0.0 && other[column] != 0.0)
            .map(|(factor, other)| factor * other[column])
            .sum()
    };
    left.iter()
        .map(|row| (0..columns).map(|column| entry(row, column)).collect())
        .collect()
}

fn add_to(by: &mut BTreeMap<usize, Matrix>, node: usize, matrix: Matrix) {
    match by.get_mut(&node) {
        None => {
            by.insert(node, matrix);
        }
        Some(sum) => {
            for (row, other) in sum.iter_mut().zip(&matrix) {
                for (entry, other) in row.iter_mut().zip(other) {
                    *entry += other;
                }
            }
        }
    }
}
