//! What further passes, updates and releases leave of the same graph, and what it refuses.

use super::*;

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
