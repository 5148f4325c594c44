//! A traced pass is the untraced one, bit for bit, and its report adds up.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test reports by panicking"
)]

use autodiff_ops::prelude::*;
use proptest::prelude::*;
use tests::state::{bits, states};

/// One random step: which operation, which earlier values, and a number for its arguments.
type Step = (u8, u8, u8, u8);

/// The parameters, then every step's result.
fn build(values: &[f64; 12], steps: &[Step]) -> Vec<TensorValue> {
    let leaf = |shape: &[usize], from: usize| {
        let count: usize = shape.iter().product();
        let values = values[from..from + count].to_vec();
        TensorValue::parameter(Tensor::from_vec(shape, values).unwrap()).unwrap()
    };
    let mut nodes = vec![
        leaf(&[2, 3], 0),
        leaf(&[3], 6),
        leaf(&[2, 1], 9),
        leaf(&[], 11),
    ];
    for &(operation, first, second, argument) in steps {
        let a = nodes[usize::from(first) % nodes.len()].clone();
        let b = nodes[usize::from(second) % nodes.len()].clone();
        let axis = usize::from(argument >> 1);
        let keep_dim = argument % 2 == 0;
        let built = match operation % 8 {
            0 | 1 => a.add(&b),
            2 => a.mul(&b),
            3 => a.sum_axis(axis % 2, keep_dim),
            4 => a.mean_axis(axis % 2, keep_dim),
            5 => a.broadcast_to(&[2, 3]),
            6 => a
                .transpose(0, 1)
                .and_then(|transposed| transposed.reshape(&a.shape())),
            _ => Ok(a.detach()),
        };
        // Refused steps (an axis too many, an overflow) leave no node: they are part of the property.
        nodes.extend(built);
    }
    nodes
}

proptest! {
    #[test]
    fn a_traced_pass_equals_the_untraced_one_bit_for_bit(
        values in proptest::array::uniform12(-2.0..2.0_f64),
        steps in proptest::collection::vec(any::<Step>(), 1..24),
        seeds in proptest::array::uniform6(-2.0..2.0_f64),
        passes in 1..3_usize,
    ) {
        let (untraced, traced) = (build(&values, &steps), build(&values, &steps));
        let (plain_output, traced_output) = (untraced.last().unwrap(), traced.last().unwrap());
        let count = plain_output.value().len();
        let seed = Tensor::from_vec(plain_output.shape(), seeds[..count].to_vec()).unwrap();
        for pass in 1..=passes {
            let retention = if pass == passes { GraphRetention::Release } else { GraphRetention::Retain };
            let plain = plain_output.backward_with_seed(&seed.view(), retention);
            let report = traced_output.backward_with_seed_and_trace(&seed.view(), retention);
            prop_assert_eq!(plain.err(), report.as_ref().err().cloned());
            let [plain, observed] = [&untraced, &traced].map(|nodes| states(&nodes.iter().collect::<Vec<_>>()));
            prop_assert_eq!(plain, observed);
            if let Ok(report) = report {
                adds_up(&report, &seed, retention, traced_output)?;
            }
        }
    }
}

/// What every report satisfies, whatever the graph.
fn adds_up(
    report: &TensorBackwardPass,
    seed: &Tensor,
    retention: GraphRetention,
    output: &TensorValue,
) -> Result<(), TestCaseError> {
    prop_assert!(report.seed.bit_eq(seed));
    prop_assert_eq!(report.retention, retention);
    let last = report.nodes.last().unwrap();
    prop_assert_eq!(&last.shape, &output.shape());
    prop_assert!(last.pass_adjoint.as_ref().unwrap().bit_eq(seed));
    for (index, node) in report.nodes.iter().enumerate() {
        prop_assert_eq!(node.topology_index, index);
        prop_assert_eq!(node.pass_adjoint.is_some(), node.tracked);
        prop_assert_eq!(node.accumulated_gradient.is_some(), node.parameter);
    }
    let mut sums: Vec<Option<Tensor>> = vec![None; report.nodes.len()];
    for (index, edge) in report.edges.iter().enumerate() {
        prop_assert_eq!(edge.reverse_index, index);
        prop_assert!(edge.parent < edge.child);
        prop_assert!(edge.parent_tracked && report.nodes[edge.parent].tracked);
        prop_assert!(
            edge.upstream
                .bit_eq(report.nodes[edge.child].pass_adjoint.as_ref().unwrap())
        );
        prop_assert!(!edge.saved.rule.is_empty());
        let (before, after) = (
            edge.parent_adjoint_before.as_ref().unwrap(),
            edge.parent_adjoint_after.as_ref().unwrap(),
        );
        match &sums[edge.parent] {
            None => {
                prop_assert_eq!(bits(before), vec![0; before.len()]);
                prop_assert!(after.bit_eq(&edge.contribution));
            }
            Some(sum) => {
                prop_assert!(before.bit_eq(sum));
                let total = before
                    .zip_map(&edge.contribution, |sum, term| sum + term)
                    .unwrap();
                prop_assert!(after.bit_eq(&total));
            }
        }
        sums[edge.parent] = Some(after.clone());
    }
    for (node, sum) in report.nodes.iter().zip(&sums) {
        if let Some(sum) = sum {
            prop_assert!(sum.bit_eq(node.pass_adjoint.as_ref().unwrap()));
        }
    }
    let order: Vec<_> = report
        .edges
        .iter()
        .map(|edge| (std::cmp::Reverse(edge.child), edge.operand))
        .collect();
    prop_assert!(order.is_sorted());
    Ok(())
}

#[test]
fn an_untracked_operand_is_listed_as_a_node_and_has_no_edge() {
    let x = TensorValue::parameter(Tensor::scalar(2.0)).unwrap();
    let c = TensorValue::constant(Tensor::scalar(5.0)).unwrap();
    let report = c.mul(&x).unwrap().backward_with_trace().unwrap();
    let nodes: Vec<_> = report
        .nodes
        .iter()
        .map(|node| (node.operation.name(), node.tracked))
        .collect();
    assert_eq!(
        nodes,
        [("parameter", true), ("constant", false), ("multiply", true)]
    );
    let edges: Vec<_> = report
        .edges
        .iter()
        .map(|edge| (edge.child, edge.parent, edge.operand))
        .collect();
    assert_eq!(edges, [(2, 0, 1)]);
    assert_eq!(report.nodes[1].pass_adjoint, None);
}

#[test]
fn a_report_equals_its_clone_and_names_what_an_edge_saved() {
    let x = TensorValue::parameter(Tensor::from_vec([2, 3], vec![1.0; 6]).unwrap()).unwrap();
    let loss = x
        .mul(&x)
        .unwrap()
        .sum_axis(1, false)
        .unwrap()
        .sum_axis(0, false)
        .unwrap();
    let report = loss.backward_with_trace().unwrap();
    assert_eq!(report, report.clone());
    let names: Vec<Vec<_>> = report
        .edges
        .iter()
        .map(|edge| edge.saved.fields.iter().map(|field| field.name).collect())
        .collect();
    let sum = ["plan", "axis", "keep_dim"].to_vec();
    assert_eq!(
        names,
        [
            sum.clone(),
            sum,
            ["rhs", "lhs_fit"].to_vec(),
            ["lhs", "rhs_fit"].to_vec()
        ]
    );
}

#[test]
fn every_entry_of_a_variadic_operand_receives_the_part_at_its_place() {
    let leaf = |values: &[f64]| {
        TensorValue::parameter(Tensor::from_vec([values.len()], values.to_vec()).unwrap()).unwrap()
    };
    let (a, b) = (leaf(&[1.0, 2.0]), leaf(&[3.0]));
    let joined = concat(&[&a, &b, &a], 0).unwrap();
    let seed = Tensor::from_vec([5], vec![1.0, 2.0, 4.0, 8.0, 16.0]).unwrap();
    let pass = joined
        .backward_with_seed_and_trace(&seed.view(), GraphRetention::Release)
        .unwrap();
    let parts = pass.edges.iter().map(|edge| edge.contribution.as_slice());
    assert_eq!(
        parts.collect::<Vec<_>>(),
        [&[1.0, 2.0][..], &[4.0], &[8.0, 16.0]]
    );
    assert_eq!(a.gradient_snapshot().unwrap().into_vec(), [9.0, 18.0]);
    assert_eq!(b.gradient_snapshot().unwrap().into_vec(), [4.0]);
}

#[test]
fn a_joint_rule_is_asked_for_the_tracked_operands_and_no_others() {
    let tensor =
        |shape: [usize; 2], values: &[f64]| Tensor::from_vec(shape, values.to_vec()).unwrap();
    let x = TensorValue::constant(tensor([1, 2], &[3.0, 5.0])).unwrap();
    let weight = TensorValue::parameter(tensor([2, 1], &[7.0, 11.0])).unwrap();
    let bias = TensorValue::constant(Tensor::from_vec([1], vec![1.0]).unwrap()).unwrap();
    let pass = x
        .linear(&weight, Some(&bias))
        .unwrap()
        .backward_with_seed_and_trace(&tensor([1, 1], &[1.0]).view(), GraphRetention::Release)
        .unwrap();
    assert_eq!(pass.edges.len(), 1);
    assert_eq!(
        weight.gradient_snapshot(),
        Some(tensor([2, 1], &[3.0, 5.0]))
    );
}
