//! Errors of tensors, of operations and of the values that enter a tape or leave an operation.

use super::*;

#[test]
pub(super) fn tensor_error() {
    let world = World::new();
    let error = world.refuses(&[], || world.x.value().with_shape([3]));
    let source = TensorError::ElementCount {
        shape: vec![3],
        expected: 3,
        actual: 2,
    };
    expect(
        error,
        Error::Tensor(source),
        "shape [3] holds 3 elements, got 2",
    );
}

#[test]
pub(super) fn view_error() {
    let world = World::new();
    let value = world.x.value_snapshot();
    let error = world.refuses(&[], || value.view().reshape(&[3]));
    let source = ViewError::ReshapeCount {
        from: vec![2],
        requested: vec![3],
        expected: 2,
    };
    expect(
        error,
        Error::View(source),
        "expected a shape of 2 elements like [2], got [3]",
    );
}

#[test]
pub(super) fn op_error_outside_an_operation() {
    let world = World::new();
    let call = Call::<f64, Tensor> { inputs: Vec::new() };
    let error = world.refuses(&[], || call.operand(0).cloned());
    let source = CallError {
        position: 0,
        expected: "an operand",
        actual: "nothing",
    };
    expect(
        error,
        Error::Op(OpError::new(source)),
        "input 0: expected an operand, got nothing",
    );
}

#[test]
fn operation_refuses_with_an_error_of_a_tensor_helper() {
    let world = World::new();
    let error = world.refuses(&[], || world.x.sum_axis(1, false));
    let source = OpError::new(TensorError::AxisOutOfRange { axis: 1, rank: 1 });
    let operation = world.loss.operation();
    expect(
        error,
        Error::Operation { operation, source },
        "sum: expected an axis below rank 1, got 1",
    );
}

#[test]
fn operation_refuses_with_its_own_error_in_the_forward_map() {
    let world = World::new();
    let error = world.refuses(&[], || world.product.refusing_forward());
    assert_eq!(
        error.to_string(),
        "refusing_forward: expected a willing forward map, got a refusal"
    );
    let Error::Operation { operation, source } = error else {
        panic!("expected an error of the operation, got {error:?}");
    };
    assert_eq!(operation.name(), "refusing_forward");
    assert_eq!(
        source.downcast_ref::<Refusal>(),
        Some(&Refusal("forward map"))
    );
}

#[test]
pub(super) fn operation_refuses_with_its_own_error_in_the_reverse_map() {
    let world = World::new();
    let output = world
        .product
        .refusing_reverse()
        .unwrap()
        .sum_axis(0, false)
        .unwrap();
    let error = world.refuses(&[&output], || output.backward());
    assert_eq!(
        error.to_string(),
        "refusing_reverse: expected a willing reverse map, got a refusal"
    );
    let Error::Operation { source, .. } = error else {
        panic!("expected an error of the operation, got {error:?}");
    };
    assert_eq!(
        source.downcast_ref::<Refusal>(),
        Some(&Refusal("reverse map"))
    );
}

#[test]
pub(super) fn broadcast_target_mismatch() {
    let world = World::new();
    let error = world.refuses(&[], || world.x.broadcast_to(&[1]));
    expect(
        error,
        Error::BroadcastTargetMismatch {
            input: vec![2],
            requested: vec![1],
            inferred: vec![2],
        },
        "broadcast: cannot broadcast shape [2] to [1], expected a target equal to the broadcast of both, got [2]",
    );
}

#[test]
pub(super) fn non_finite_leaf() {
    let world = World::new();
    let bad = tensor([2, 2], &[1.0, 2.0, f64::NEG_INFINITY, f64::NAN]);
    let operation = world.x.operation();
    let error = world.refuses(&[], || TensorValue::parameter(bad.clone()));
    expect(
        error,
        Error::NonFiniteLeaf {
            operation,
            index: 2,
            value: f64::NEG_INFINITY,
        },
        "parameter has non-finite value -inf at flat index 2",
    );
    let error = World::new().refuses(&[], || TensorValue::constant(bad.clone()));
    assert_eq!(
        error.to_string(),
        "constant has non-finite value -inf at flat index 2"
    );
}

#[test]
fn non_finite_leaf_in_an_update() {
    let world = World::new();
    let error = world.refuses(&[], || {
        TensorValue::update_all([
            (&world.x, tensor([2], &[5.0, 6.0])),
            (&world.w, tensor([2], &[7.0, f64::NAN])),
        ])
    });
    let operation = world.x.operation();
    expect(
        error,
        Error::NonFiniteLeaf {
            operation,
            index: 1,
            value: f64::NAN,
        },
        "parameter has non-finite value NaN at flat index 1",
    );
}

#[test]
pub(super) fn non_finite_forward() {
    let world = World::new();
    let huge = parameter(&[1.0, 1.0, 1.0, f64::MAX]);
    let error = world.refuses(&[&huge], || huge.mul(&huge.add(&huge.detach())?));
    // The sum overflows first: MAX + MAX at index 3.
    assert_eq!(
        error.to_string(),
        "add produced non-finite value inf at flat index 3"
    );
    let error = World::new().refuses(&[&huge], || huge.mul(&huge));
    let operation = world.product.operation();
    expect(
        error,
        Error::NonFiniteForward {
            operation,
            index: 3,
            value: f64::INFINITY,
        },
        "multiply produced non-finite value inf at flat index 3",
    );
}
