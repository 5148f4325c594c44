//! Leaves: what makes them, what is refused as one, and what they share.

use super::*;

#[test]
fn a_parameter_begins_with_a_zero_gradient_of_its_exact_shape() {
    for shape in [vec![], vec![3], vec![2, 0], vec![1, 2, 1]] {
        let x = TensorValue::<f64>::parameter(Tensor::ones(&shape).unwrap()).unwrap();
        assert_eq!(x.gradient_snapshot(), Some(Tensor::zeros(&shape).unwrap()));
        assert_eq!(x.operation(), Operation::PARAMETER);
        assert!(x.is_parameter() && x.tracks_gradient() && !x.is_released());
        assert_eq!(x.revision(), 0);
    }
}

#[test]
fn a_constant_has_no_gradient() {
    let c = TensorValue::constant(tensor([2], &[1.0, 2.0])).unwrap();
    assert!(c.gradient_snapshot().is_none() && c.gradient().is_none());
    assert_eq!(c.operation(), Operation::CONSTANT);
    assert!(!c.is_parameter() && !c.tracks_gradient());
}

#[test]
fn the_first_non_finite_value_in_row_major_order_is_named() {
    let values = [1.0, f64::INFINITY, f64::NAN, 2.0];
    for leaf in [TensorValue::parameter, TensorValue::constant] {
        let error = leaf(tensor([2, 2], &values)).unwrap_err();
        assert!(
            matches!(error, TensorAutodiffError::NonFiniteLeaf { index: 1, value, .. } if value == f64::INFINITY)
        );
    }
}

#[test]
fn a_clone_is_the_same_node_and_an_equal_leaf_is_not() {
    let x = parameter(&[1.0]);
    assert!(x.is_same_node(&x.clone()));
    assert!(!x.is_same_node(&parameter(&[1.0])));
    x.clone().set_value(tensor([1], &[5.0])).unwrap();
    assert_eq!(x.value_snapshot(), tensor([1], &[5.0]));
}

#[test]
fn a_leaf_does_not_share_what_its_maker_writes_later() {
    let mut source = tensor([5], &[1.0, 2.0, 3.0, 4.0, 5.0]);
    let x = TensorValue::parameter(source.clone()).unwrap();
    source.as_mut_slice()[0] = 9.0;
    assert_eq!(x.value().as_slice()[0], 1.0);
}

#[test]
fn an_operation_of_constants_is_untracked() {
    let c = TensorValue::constant(tensor([2], &[1.0, 2.0])).unwrap();
    let y = c.mul(&c).unwrap();
    assert!(!y.tracks_gradient());
    assert_eq!(y.operation().name(), "multiply");
    assert_eq!(y.value_snapshot(), tensor([2], &[1.0, 4.0]));
}
