//! The worked example against values computed by hand.
//!
//! ```text
//! x [2, 3] -> reshape [3, 2] -> transpose [2, 3] -+
//!                                                 add -> multiply by itself -> mean over axis 1
//! bias [3] -> broadcast [2, 3] -------------------+
//! ```

use autodiff_ops::prelude::*;

struct Graph {
    x: TensorValue,
    reshaped: TensorValue,
    transposed: TensorValue,
    bias: TensorValue,
    broadcast: TensorValue,
    added: TensorValue,
    multiplied: TensorValue,
    mean: TensorValue,
}

impl Graph {
    fn build() -> Result<Self> {
        let x = TensorValue::parameter(tensor([2, 3], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0])?)?;
        let reshaped = x.reshape(&[3, 2])?;
        let transposed = reshaped.transpose(0, 1)?;
        let bias = TensorValue::parameter(tensor([3], [1.0, -1.0, 0.0])?)?;
        let broadcast = bias.broadcast_to(&[2, 3])?;
        let added = transposed.add(&broadcast)?;
        let multiplied = added.mul(&added)?;
        let mean = multiplied.mean_axis(1, false)?;
        Ok(Self {
            x,
            reshaped,
            transposed,
            bias,
            broadcast,
            added,
            multiplied,
            mean,
        })
    }

    fn pass(&self, retention: GraphRetention) -> Result<()> {
        self.mean
            .backward_with_seed(&tensor([2], [3.0, 6.0])?.view(), retention)
    }

    fn traced(&self) -> Result<TensorBackwardPass> {
        let seed = tensor([2], [3.0, 6.0])?;
        self.mean
            .backward_with_seed_and_trace(&seed.view(), GraphRetention::Retain)
    }

    fn gradients(&self) -> (Vec<f64>, Vec<f64>) {
        (gradient(&self.x), gradient(&self.bias))
    }
}

fn tensor<const R: usize, const N: usize>(shape: [usize; R], values: [f64; N]) -> Result<Tensor> {
    Ok(Tensor::from_vec(shape, values.to_vec())?)
}

/// The stored gradient, empty for a node that stores none.
fn gradient(value: &TensorValue) -> Vec<f64> {
    value
        .gradient_snapshot()
        .map_or(Vec::new(), |gradient| gradient.as_slice().to_vec())
}

/// One pass: d(mean)/d(sum) is 2·sum/3, weighted by the seed 3 for row 0 and 6 for row 1: 2·sum and 4·sum.
const X_GRADIENT: [f64; 6] = [4.0, 12.0, 4.0, 12.0, 10.0, 24.0];
const BIAS_GRADIENT: [f64; 3] = [16.0, 16.0, 34.0];

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

#[test]
fn a_second_retained_pass_doubles_the_gradients() -> Result<()> {
    let graph = Graph::build()?;
    graph.pass(GraphRetention::Retain)?;
    assert_eq!(
        graph.gradients(),
        (X_GRADIENT.to_vec(), BIAS_GRADIENT.to_vec())
    );
    graph.pass(GraphRetention::Retain)?;
    assert_eq!(
        graph.gradients(),
        (
            vec![8.0, 24.0, 8.0, 24.0, 20.0, 48.0],
            vec![32.0, 32.0, 68.0]
        )
    );
    Ok(())
}

#[test]
fn a_traced_pass_stores_the_gradients_of_an_untraced_one() -> Result<()> {
    let [traced, untraced] = [Graph::build()?, Graph::build()?];
    let pass = traced.traced()?;
    untraced.pass(GraphRetention::Retain)?;
    assert_eq!(traced.gradients(), untraced.gradients());
    assert_eq!(
        pass.nodes[0].accumulated_gradient,
        untraced.x.gradient_snapshot()
    );
    assert_eq!(
        pass.nodes[3].accumulated_gradient,
        untraced.bias.gradient_snapshot()
    );
    Ok(())
}

#[test]
fn zeroing_stores_positive_zeros() -> Result<()> {
    let graph = Graph::build()?;
    graph.pass(GraphRetention::Retain)?;
    graph.x.zero_grad()?;
    graph.bias.zero_grad()?;
    let (x, bias) = graph.gradients();
    assert!(
        x.iter()
            .chain(&bias)
            .all(|value| value.to_bits() == 0.0_f64.to_bits())
    );
    assert_eq!((x.len(), bias.len()), (6, 3));
    Ok(())
}

#[test]
fn a_releasing_pass_keeps_primals_and_gradients_and_is_the_last() -> Result<()> {
    let graph = Graph::build()?;
    graph.pass(GraphRetention::Release)?;
    assert_eq!(
        graph.gradients(),
        (X_GRADIENT.to_vec(), BIAS_GRADIENT.to_vec())
    );
    assert_eq!(graph.mean.value().as_slice(), [11.0, 18.0]);
    assert!(graph.mean.is_released() && graph.reshaped.is_released());
    assert!(!graph.x.is_released() && !graph.bias.is_released());
    let released = TensorAutodiffError::GraphReleased {
        operation: graph.mean.operation(),
    };
    assert_eq!(graph.pass(GraphRetention::Retain), Err(released.clone()));
    assert_eq!(
        released.to_string(),
        "the mean operation tape has been released"
    );
    assert_eq!(
        graph.gradients(),
        (X_GRADIENT.to_vec(), BIAS_GRADIENT.to_vec())
    );
    Ok(())
}

#[test]
fn a_released_result_cannot_be_used_again_unless_nothing_is_recorded() -> Result<()> {
    let graph = Graph::build()?;
    graph.pass(GraphRetention::Release)?;
    let Err(error) = graph.bias.add(&graph.added) else {
        return unexpected();
    };
    assert_eq!(
        error.to_string(),
        "cannot build add: operand 1 reaches a released operation tape"
    );
    let unrecorded = no_grad(|| graph.bias.add(&graph.added))?;
    // 2+1, 2-1, 5+0, 3+1, 3-1, 6+0
    assert_eq!(
        unrecorded.value().as_slice(),
        [3.0, 1.0, 5.0, 4.0, 2.0, 6.0]
    );
    assert!(!unrecorded.tracks_gradient());
    Ok(())
}

/// What a test returns where an error was due and none came.
fn unexpected() -> Result<()> {
    Err(TensorAutodiffError::ValueBorrowed)
}

#[test]
fn an_update_between_two_retained_passes_makes_the_second_stale() -> Result<()> {
    let graph = Graph::build()?;
    graph.pass(GraphRetention::Retain)?;
    graph.bias.set_value(tensor([3], [0.0, 0.0, 0.0])?)?;
    let Err(error) = graph.pass(GraphRetention::Retain) else {
        return unexpected();
    };
    assert!(
        matches!(
            error,
            TensorAutodiffError::StaleOperandValue {
                child: 4,
                parent: 3,
                operand: 0,
                recorded_revision: 0,
                current_revision: 1,
                ..
            }
        ),
        "{error:?}"
    );
    assert!(
        error.to_string().contains("run a new forward pass"),
        "{error}"
    );
    assert_eq!(
        graph.gradients(),
        (X_GRADIENT.to_vec(), BIAS_GRADIENT.to_vec())
    );
    // The results still hold what they were computed from.
    assert_eq!(graph.mean.value().as_slice(), [11.0, 18.0]);
    Ok(())
}

#[test]
fn a_guard_reads_and_holds_off_writers_until_it_is_dropped() -> Result<()> {
    let graph = Graph::build()?;
    let value = graph.bias.value();
    assert_eq!(
        graph.bias.set_value(tensor([3], [0.0; 3])?),
        Err(TensorAutodiffError::ValueBorrowed)
    );
    assert_eq!(value.as_slice(), [1.0, -1.0, 0.0]);
    drop(value);
    let stored = graph.bias.gradient();
    assert_eq!(
        graph.pass(GraphRetention::Retain),
        Err(TensorAutodiffError::GradientBorrowed)
    );
    assert_eq!(
        graph.bias.zero_grad(),
        Err(TensorAutodiffError::GradientBorrowed)
    );
    assert_eq!(graph.gradients(), (vec![0.0; 6], vec![0.0; 3]));
    drop(stored);
    graph.pass(GraphRetention::Retain)?;
    assert_eq!(
        graph.gradients(),
        (X_GRADIENT.to_vec(), BIAS_GRADIENT.to_vec())
    );
    Ok(())
}

#[test]
fn a_snapshot_is_a_value_of_its_own() -> Result<()> {
    let graph = Graph::build()?;
    let value = graph.bias.value_snapshot();
    let stored = graph.bias.gradient_snapshot();
    graph.pass(GraphRetention::Retain)?;
    graph.bias.set_value(tensor([3], [7.0, 8.0, 9.0])?)?;
    assert_eq!(value, tensor([3], [1.0, -1.0, 0.0])?);
    assert_eq!(stored, Some(tensor([3], [0.0; 3])?));
    assert_eq!(graph.bias.value().as_slice(), [7.0, 8.0, 9.0]);
    Ok(())
}

#[test]
fn a_detached_node_is_another_node_without_a_gradient() -> Result<()> {
    let p = TensorValue::parameter(tensor([2], [2.0, 3.0])?)?;
    let detached = p.detach();
    assert!(!detached.is_same_node(&p) && p.clone().is_same_node(&p));
    let ten = TensorValue::constant(tensor([1], [10.0])?)?;
    let total = p.mul(&p)?.add(&detached.mul(&ten)?)?.sum_axis(0, false)?;
    // 2·2 + 2·10 + 3·3 + 3·10
    assert_eq!(total.value().as_slice(), [63.0]);
    total.backward()?;
    // Twice the value, and nothing from the term of the detached node.
    assert_eq!(gradient(&p), [4.0, 6.0]);
    assert!(detached.gradient().is_none() && !detached.tracks_gradient());
    // It keeps the value it was made from.
    p.set_value(tensor([2], [5.0, 5.0])?)?;
    assert_eq!(detached.value().as_slice(), [2.0, 3.0]);
    Ok(())
}

#[test]
fn a_seed_of_another_shape_is_refused() -> Result<()> {
    let graph = Graph::build()?;
    let refused = graph
        .mean
        .backward_with_seed(&tensor([1], [1.0])?.view(), GraphRetention::Release);
    let expected = TensorAutodiffError::SeedShapeMismatch {
        expected: vec![2],
        actual: vec![1],
    };
    assert_eq!(
        expected.to_string(),
        "backward seed shape [1] does not match output shape [2]"
    );
    assert_eq!(refused, Err(expected));
    assert_eq!(graph.gradients(), (vec![0.0; 6], vec![0.0; 3]));
    assert!(!graph.mean.is_released());
    Ok(())
}

#[test]
fn a_seed_that_is_not_finite_is_refused_with_its_index() -> Result<()> {
    let graph = Graph::build()?;
    let seed = tensor([2], [3.0, f64::NAN])?;
    let refused = graph
        .mean
        .backward_with_seed(&seed.view(), GraphRetention::Release);
    assert_eq!(
        refused,
        Err(TensorAutodiffError::NonFiniteSeed {
            index: 1,
            value: f64::NAN
        })
    );
    assert_eq!(graph.gradients(), (vec![0.0; 6], vec![0.0; 3]));
    assert!(!graph.mean.is_released());
    Ok(())
}

#[test]
fn a_gradient_that_would_overflow_is_refused_and_stays_usable() -> Result<()> {
    let p = TensorValue::parameter(tensor([1], [0.5])?)?;
    let pass_of =
        |value| p.backward_with_seed(&tensor([1], [value])?.view(), GraphRetention::Retain);
    pass_of(f64::MAX)?;
    assert_eq!(
        pass_of(f64::MAX),
        Err(TensorAutodiffError::NonFiniteAccumulatedGradient {
            node: 0,
            index: 0,
            stored: f64::MAX,
            pass_adjoint: f64::MAX,
        })
    );
    assert_eq!(gradient(&p), [f64::MAX]);
    // MAX - MAX: accepted, since the refused pass left the state as it was.
    pass_of(-f64::MAX)?;
    assert_eq!(gradient(&p), [0.0]);
    Ok(())
}
