//! Values are replaced, one or many at once.

use super::*;

#[test]
fn zeroing_gives_positive_zeros() {
    let x = parameter(&[1.0, 2.0]);
    pass(&x, &[-3.0, -0.0], GraphRetention::Retain).unwrap();
    x.zero_grad().unwrap();
    assert_eq!(
        bits(&x.gradient_snapshot().unwrap()),
        [0.0_f64.to_bits(); 2]
    );
}

#[test]
fn an_update_keeps_the_node_and_its_gradient_and_counts_a_revision() {
    let x = parameter(&[1.0, 2.0]);
    let handle = x.clone();
    pass(&x, &[5.0, 6.0], GraphRetention::Retain).unwrap();
    x.set_value(tensor([2], &[3.0, 4.0])).unwrap();
    assert!(handle.is_same_node(&x));
    assert_eq!(gradient(&handle), [5.0, 6.0]);
    assert_eq!(handle.value_snapshot(), tensor([2], &[3.0, 4.0]));
    assert_eq!(
        (handle.revision(), x.operation()),
        (1, Operation::PARAMETER)
    );
}

#[test]
fn one_update_of_all_counts_one_revision_each() {
    let (x, y) = (parameter(&[1.0]), parameter(&[2.0, 3.0]));
    TensorValue::update_all([(&y, tensor([2], &[5.0, 6.0])), (&x, tensor([1], &[4.0]))]).unwrap();
    assert_eq!((x.value_snapshot(), x.revision()), (tensor([1], &[4.0]), 1));
    assert_eq!(
        (y.value_snapshot(), y.revision()),
        (tensor([2], &[5.0, 6.0]), 1)
    );
}

#[test]
fn an_update_of_nothing_is_accepted() {
    TensorValue::<f64>::update_all([]).unwrap();
}

#[test]
fn every_update_is_checked_before_any_is_made() {
    let (x, y) = (parameter(&[1.0]), parameter(&[2.0]));
    let before = states(&[&x, &y]);
    let bad = [
        tensor([2], &[1.0, 2.0]),
        tensor([1], &[f64::NAN]),
        tensor([1], &[f64::NEG_INFINITY]),
    ];
    for value in bad {
        TensorValue::update_all([(&x, tensor([1], &[9.0])), (&y, value)]).unwrap_err();
        assert_eq!(states(&[&x, &y]), before);
    }
}

#[test]
fn results_keep_the_values_they_were_computed_from() {
    let x = parameter(&[1.0, 2.0]);
    let y = x.mul(&x).unwrap();
    x.set_value(tensor([2], &[3.0, 4.0])).unwrap();
    assert_eq!(y.value_snapshot(), tensor([2], &[1.0, 4.0]));
    // A new forward pass sees the new value: x̄ = 2 x.
    pass(&x.mul(&x).unwrap(), &[1.0, 1.0], GraphRetention::Release).unwrap();
    assert_eq!(gradient(&x), [6.0, 8.0]);
}

#[test]
fn an_update_between_two_retained_passes_makes_the_second_stale() {
    let x = parameter(&[1.0, 2.0]);
    let y = x.mul(&x).unwrap();
    pass(&y, &[1.0, 1.0], GraphRetention::Retain).unwrap();
    x.set_value(tensor([2], &[1.0, 2.0])).unwrap();
    let error = pass(&y, &[1.0, 1.0], GraphRetention::Retain).unwrap_err();
    // The same numbers again are a new revision all the same.
    let TensorAutodiffError::StaleOperandValue {
        recorded_revision,
        current_revision,
        ..
    } = error
    else {
        panic!("expected a stale operand, got {error:?}");
    };
    assert_eq!((recorded_revision, current_revision), (0, 1));
    assert_eq!(gradient(&x), [2.0, 4.0]);
}

#[test]
fn an_updated_parameter_is_itself_never_stale() {
    let x = parameter(&[1.0, 2.0]);
    x.set_value(tensor([2], &[3.0, 4.0])).unwrap();
    pass(&x, &[1.0, 1.0], GraphRetention::Retain).unwrap();
    assert_eq!(gradient(&x), [1.0, 1.0]);
}
