//! Values and gradients are read through guards, snapshots and detached leaves.

use super::*;

#[test]
fn a_snapshot_keeps_what_it_was_taken_of() {
    let x = parameter(&[1.0, 2.0]);
    let (value, gradient) = (x.value_snapshot(), x.gradient_snapshot().unwrap());
    x.set_value(tensor([2], &[3.0, 4.0])).unwrap();
    pass(&x, &[1.0, 1.0], GraphRetention::Retain).unwrap();
    assert_eq!(value, tensor([2], &[1.0, 2.0]));
    assert_eq!(gradient, tensor([2], &[0.0, 0.0]));
    assert_eq!(x.value_snapshot(), tensor([2], &[3.0, 4.0]));
}

#[test]
fn a_snapshot_refuses_no_writer_and_its_own_writes_stay_its_own() {
    let x = TensorValue::parameter(tensor([5], &[1.0; 5])).unwrap();
    let mut snapshot = x.value_snapshot();
    snapshot.as_mut_slice()[0] = 9.0;
    x.set_value(tensor([5], &[2.0; 5])).unwrap();
    assert_eq!(x.value_snapshot(), tensor([5], &[2.0; 5]));
}

#[test]
fn a_guard_refuses_writers_until_it_is_dropped() {
    let x = parameter(&[1.0, 2.0]);
    let (first, second) = (x.value(), x.value());
    let update = || x.set_value(tensor([2], &[3.0, 4.0]));
    assert_eq!(update(), Err(TensorAutodiffError::ValueBorrowed));
    drop(first);
    assert_eq!(update(), Err(TensorAutodiffError::ValueBorrowed));
    drop(second);
    assert_eq!(update(), Ok(()));
}

#[test]
fn value_and_gradient_are_guarded_apart() {
    let x = parameter(&[1.0, 2.0]);
    let value = x.value();
    pass(&x, &[1.0, 1.0], GraphRetention::Retain).unwrap();
    x.zero_grad().unwrap();
    drop(value);
    let gradient = x.gradient();
    x.set_value(tensor([2], &[3.0, 4.0])).unwrap();
    assert_eq!(x.zero_grad(), Err(TensorAutodiffError::GradientBorrowed));
    drop(gradient);
}

#[test]
fn reading_never_fails_while_a_guard_lives() {
    let x = parameter(&[1.0, 2.0]);
    let (_value, _gradient) = (x.value(), x.gradient());
    assert_eq!(*x.value(), tensor([2], &[1.0, 2.0]));
    assert_eq!(gradient(&x), [0.0, 0.0]);
    assert_eq!(
        x.mul(&x).unwrap().value_snapshot(),
        tensor([2], &[1.0, 4.0])
    );
}

#[test]
fn a_guard_on_a_result_refuses_no_update_of_its_operands() {
    let x = parameter(&[1.0, 2.0]);
    let y = x.add(&x).unwrap();
    let _guard = y.value();
    x.set_value(tensor([2], &[3.0, 4.0])).unwrap();
    assert_eq!(y.value_snapshot(), tensor([2], &[2.0, 4.0]));
}

#[test]
fn a_guard_outlives_every_handle() {
    let guard = parameter(&[1.0, 2.0]).value();
    assert_eq!(guard.as_slice(), [1.0, 2.0]);
}

#[test]
fn a_detached_leaf_is_a_new_untracked_node_with_the_present_value() {
    let x = parameter(&[1.0, 2.0]);
    let y = x.mul(&x).unwrap();
    for source in [&x, &y] {
        let detached = source.detach();
        assert!(!detached.is_same_node(source));
        assert!(!detached.tracks_gradient() && !detached.is_parameter());
        assert_eq!(detached.operation(), Operation::DETACHED);
        assert_eq!(detached.value_snapshot(), source.value_snapshot());
    }
    let detached = x.detach();
    x.set_value(tensor([2], &[3.0, 4.0])).unwrap();
    assert_eq!(detached.value_snapshot(), tensor([2], &[1.0, 2.0]));
}

#[test]
fn nothing_flows_through_a_detached_leaf() {
    // Σ p·p + 10 · detach(p): p̄ = 2 p = [4, 6], and the second term adds nothing.
    let p = parameter(&[2.0, 3.0]);
    let ten = TensorValue::constant(Tensor::scalar(10.0)).unwrap();
    let detached = p.detach();
    let loss = p
        .mul(&p)
        .unwrap()
        .add(&detached.mul(&ten).unwrap())
        .unwrap();
    let loss = loss.sum_axis(0, false).unwrap();
    assert_eq!(loss.value().item(), Ok(4.0 + 9.0 + 50.0));
    loss.backward().unwrap();
    assert_eq!(gradient(&p), [4.0, 6.0]);
    assert!(detached.gradient().is_none());
}
