//! The nodes and the ledger of one pass, each number computed by hand.

use super::*;

#[test]
fn every_node_has_the_shape_and_the_values_of_the_hand_computation() -> Result<()> {
    let graph = Graph::build()?;
    let expected: [(&TensorValue, &str, &[usize], &[f64]); 8] = [
        (
            &graph.x,
            "parameter",
            &[2, 3],
            &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
        ),
        (
            &graph.reshaped,
            "reshape",
            &[3, 2],
            &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
        ),
        (
            &graph.transposed,
            "transpose",
            &[2, 3],
            &[1.0, 3.0, 5.0, 2.0, 4.0, 6.0],
        ),
        (&graph.bias, "parameter", &[3], &[1.0, -1.0, 0.0]),
        (
            &graph.broadcast,
            "broadcast",
            &[2, 3],
            &[1.0, -1.0, 0.0, 1.0, -1.0, 0.0],
        ),
        // 1+1, 3-1, 5+0, 2+1, 4-1, 6+0
        (
            &graph.added,
            "add",
            &[2, 3],
            &[2.0, 2.0, 5.0, 3.0, 3.0, 6.0],
        ),
        // 2·2, 2·2, 5·5, 3·3, 3·3, 6·6
        (
            &graph.multiplied,
            "multiply",
            &[2, 3],
            &[4.0, 4.0, 25.0, 9.0, 9.0, 36.0],
        ),
        // (4+4+25)/3, (9+9+36)/3
        (&graph.mean, "mean", &[2], &[11.0, 18.0]),
    ];
    for (node, operation, shape, values) in expected {
        assert_eq!(node.operation().to_string(), operation);
        assert_eq!(node.shape(), shape, "{operation}");
        assert_eq!(node.value().as_slice(), values, "{operation}");
    }
    Ok(())
}

#[test]
fn there_are_eight_nodes_since_the_sum_used_twice_is_one_node() -> Result<()> {
    let pass = Graph::build()?.traced()?;
    let operations: Vec<String> = pass
        .nodes
        .iter()
        .map(|node| node.operation.to_string())
        .collect();
    assert_eq!(
        operations,
        [
            "parameter",
            "reshape",
            "transpose",
            "parameter",
            "broadcast",
            "add",
            "multiply",
            "mean"
        ]
    );
    let positions: Vec<usize> = pass.nodes.iter().map(|node| node.topology_index).collect();
    assert_eq!(positions, [0, 1, 2, 3, 4, 5, 6, 7]);
    let parameters: Vec<bool> = pass.nodes.iter().map(|node| node.parameter).collect();
    assert_eq!(
        parameters,
        [true, false, false, true, false, false, false, false]
    );
    Ok(())
}

/// Two leaves use nothing, four operations use one operand each, add uses two and multiply uses one node
/// twice: 0 + 0 + 4·1 + 2 + 2 = 8 uses, and an edge is one use.
#[test]
fn there_are_eight_edges_since_every_operand_use_is_one() -> Result<()> {
    let pass = Graph::build()?.traced()?;
    let uses_of = |child: usize| pass.edges.iter().filter(|edge| edge.child == child).count();
    let uses: Vec<usize> = (0..pass.nodes.len()).map(uses_of).collect();
    assert_eq!(uses, [0, 1, 1, 0, 1, 2, 2, 1]);
    assert_eq!(pass.edges.len(), 8);
    Ok(())
}

#[test]
fn the_ledger_runs_from_the_newest_node_to_the_oldest_and_in_operand_order() -> Result<()> {
    let pass = Graph::build()?.traced()?;
    let ledger: Vec<_> = pass
        .edges
        .iter()
        .map(|edge| (edge.child, edge.parent, edge.operand))
        .collect();
    assert_eq!(
        ledger,
        [
            (7, 6, 0),
            (6, 5, 0),
            (6, 5, 1),
            (5, 2, 0),
            (5, 4, 1),
            (4, 3, 0),
            (2, 1, 0),
            (1, 0, 0)
        ]
    );
    let indices: Vec<usize> = pass.edges.iter().map(|edge| edge.reverse_index).collect();
    assert_eq!(indices, [0, 1, 2, 3, 4, 5, 6, 7]);
    Ok(())
}

#[test]
fn every_edge_has_the_upstream_and_the_contribution_of_the_hand_computation() -> Result<()> {
    let pass = Graph::build()?.traced()?;
    // Twice the contribution of one use of the sum: 2·[2, 2, 5, 6, 6, 12].
    let sum_adjoint = [4.0, 4.0, 10.0, 12.0, 12.0, 24.0];
    let expected: [(&[f64], &[f64]); 8] = [
        // mean: 3/3 along row 0, 6/3 along row 1
        (&[3.0, 6.0], &[1.0, 1.0, 1.0, 2.0, 2.0, 2.0]),
        // multiply, first use: 1·2, 1·2, 1·5, 2·3, 2·3, 2·6; the second use is the same
        (
            &[1.0, 1.0, 1.0, 2.0, 2.0, 2.0],
            &[2.0, 2.0, 5.0, 6.0, 6.0, 12.0],
        ),
        (
            &[1.0, 1.0, 1.0, 2.0, 2.0, 2.0],
            &[2.0, 2.0, 5.0, 6.0, 6.0, 12.0],
        ),
        // add passes its upstream on, to both operands
        (&sum_adjoint, &sum_adjoint),
        (&sum_adjoint, &sum_adjoint),
        // broadcast sums the two rows: 4+12, 4+12, 10+24
        (&sum_adjoint, &[16.0, 16.0, 34.0]),
        // transpose: columns of [[4, 4, 10], [12, 12, 24]]
        (&sum_adjoint, &X_GRADIENT),
        // reshape keeps the row-major order
        (&X_GRADIENT, &X_GRADIENT),
    ];
    for (edge, (upstream, contribution)) in pass.edges.iter().zip(expected) {
        let index = edge.reverse_index;
        assert_eq!(
            edge.upstream.as_slice(),
            upstream,
            "upstream of edge {index}"
        );
        assert_eq!(
            edge.contribution.as_slice(),
            contribution,
            "contribution of edge {index}"
        );
        assert_eq!(
            edge.contribution.shape(),
            pass.nodes[edge.parent].shape,
            "edge {index}"
        );
    }
    Ok(())
}

#[test]
fn the_two_uses_of_one_node_contribute_one_after_the_other() -> Result<()> {
    let pass = Graph::build()?.traced()?;
    let [first, second] = [&pass.edges[1], &pass.edges[2]];
    let one_use = tensor([2, 3], [2.0, 2.0, 5.0, 6.0, 6.0, 12.0])?;
    let both_uses = tensor([2, 3], [4.0, 4.0, 10.0, 12.0, 12.0, 24.0])?;
    assert_eq!(first.parent_adjoint_before, Some(tensor([2, 3], [0.0; 6])?));
    assert_eq!(first.parent_adjoint_after, Some(one_use.clone()));
    assert_eq!(second.parent_adjoint_before, Some(one_use));
    assert_eq!(second.parent_adjoint_after, Some(both_uses.clone()));
    assert_eq!(pass.nodes[5].pass_adjoint, Some(both_uses));
    Ok(())
}

#[test]
fn the_bias_receives_the_sum_over_the_rows_that_reused_it() -> Result<()> {
    let graph = Graph::build()?;
    graph.pass(GraphRetention::Retain)?;
    assert_eq!(gradient(&graph.bias), [4.0 + 12.0, 4.0 + 12.0, 10.0 + 24.0]);
    Ok(())
}

/// The plan that an edge saved under `name`, as strides and offsets.
fn saved_plan(edge: &TensorBackwardEdge, name: &str) -> Option<(Vec<usize>, Vec<usize>)> {
    match edge.saved.get(name) {
        Some(SavedValue::Projection(plan)) => Some((plan.strides(), plan.offsets().collect())),
        _ => None,
    }
}

#[test]
fn mean_reads_its_upstream_through_a_zero_stride_along_the_reduced_axis() -> Result<()> {
    let pass = Graph::build()?.traced()?;
    assert_eq!(
        saved_plan(&pass.edges[0], "plan"),
        Some((vec![1, 0], vec![0, 0, 0, 1, 1, 1]))
    );
    Ok(())
}

#[test]
fn broadcast_reversal_writes_through_a_zero_stride_along_the_missing_axis() -> Result<()> {
    let pass = Graph::build()?.traced()?;
    assert_eq!(
        saved_plan(&pass.edges[5], "fit"),
        Some((vec![0, 1], vec![0, 1, 2, 0, 1, 2]))
    );
    Ok(())
}

#[test]
fn every_edge_saves_what_its_rule_needs_under_its_name() -> Result<()> {
    let pass = Graph::build()?.traced()?;
    let names: Vec<Vec<&str>> = pass
        .edges
        .iter()
        .map(|edge| edge.saved.fields.iter().map(|field| field.name).collect())
        .collect();
    let expected: [&[&str]; 8] = [
        &["plan", "divisor", "axis", "keep_dim"],
        &["rhs", "lhs_fit"],
        &["lhs", "rhs_fit"],
        &["lhs_fit"],
        &["rhs_fit"],
        &["fit"],
        &["a", "b", "input_shape", "output_shape"],
        &["input_shape", "shape"],
    ];
    assert_eq!(names, expected);
    assert_eq!(
        pass.edges[0].saved.get("divisor"),
        Some(&SavedValue::Usize(3))
    );
    assert_eq!(pass.edges[0].saved.get("axis"), Some(&SavedValue::Usize(1)));
    assert_eq!(
        pass.edges[0].saved.get("keep_dim"),
        Some(&SavedValue::Bool(false))
    );
    let sum = tensor([2, 3], [2.0, 2.0, 5.0, 3.0, 3.0, 6.0])?;
    assert_eq!(
        pass.edges[1].saved.get("rhs"),
        Some(&SavedValue::Tensor(sum.clone()))
    );
    assert_eq!(
        pass.edges[2].saved.get("lhs"),
        Some(&SavedValue::Tensor(sum))
    );
    Ok(())
}

#[test]
fn the_sum_over_axis_0_hands_its_seed_to_every_row() -> Result<()> {
    let x = TensorValue::parameter(tensor([2, 3], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0])?)?;
    let total = x.sum_axis(0, false)?;
    // 1+4, 2+5, 3+6
    assert_eq!(total.value().as_slice(), [5.0, 7.0, 9.0]);
    let seed = tensor([3], [10.0, 20.0, 30.0])?;
    let pass = total.backward_with_seed_and_trace(&seed.view(), GraphRetention::Retain)?;
    assert_eq!(
        saved_plan(&pass.edges[0], "plan"),
        Some((vec![0, 1], vec![0, 1, 2, 0, 1, 2]))
    );
    assert_eq!(gradient(&x), [10.0, 20.0, 30.0, 10.0, 20.0, 30.0]);
    Ok(())
}
