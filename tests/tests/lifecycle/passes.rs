//! Passes: retained and releasing, and what seeds they take.

use super::*;

#[test]
fn retained_passes_accumulate() {
    let x = parameter(&[1.0, 2.0]);
    let y = x.mul(&x).unwrap();
    for times in 1..=3 {
        pass(&y, &[1.0, 10.0], GraphRetention::Retain).unwrap();
        // 2 x · seed, once a pass.
        assert_eq!(
            gradient(&x),
            [2.0 * f64::from(times), 40.0 * f64::from(times)]
        );
    }
}

#[test]
fn a_release_keeps_primals_and_gradients_and_ends_reversing() {
    let x = parameter(&[1.0, 2.0]);
    let inner = x.mul(&x).unwrap();
    let output = inner.sum_axis(0, false).unwrap();
    let one = Tensor::scalar(1.0);
    output
        .backward_with_seed(&one.view(), GraphRetention::Release)
        .unwrap();
    assert!(output.is_released() && inner.is_released() && !x.is_released());
    assert_eq!(inner.value_snapshot(), tensor([2], &[1.0, 4.0]));
    assert_eq!(gradient(&x), [2.0, 4.0]);
    for node in [&output, &inner] {
        let operation = node.operation();
        let seed = Tensor::zeros(node.shape()).unwrap();
        let again = node.backward_with_seed(&seed.view(), GraphRetention::Retain);
        assert_eq!(again, Err(TensorAutodiffError::GraphReleased { operation }));
    }
    assert_eq!(gradient(&x), [2.0, 4.0]);
}

#[test]
fn a_release_reaches_only_what_the_pass_reached() {
    let x = parameter(&[1.0, 2.0]);
    let (left, right) = (x.mul(&x).unwrap(), x.add(&x).unwrap());
    pass(&left, &[1.0, 1.0], GraphRetention::Release).unwrap();
    assert!(left.is_released() && !right.is_released());
    pass(&right, &[1.0, 1.0], GraphRetention::Release).unwrap();
    assert_eq!(gradient(&x), [2.0 + 2.0, 4.0 + 2.0]);
}

#[test]
fn a_parameter_is_an_output_whose_adjoint_is_the_seed_and_release_leaves_it_alive() {
    let x = parameter(&[1.0, 2.0]);
    pass(&x, &[3.0, 6.0], GraphRetention::Release).unwrap();
    assert_eq!(gradient(&x), [3.0, 6.0]);
    assert!(!x.is_released());
    pass(&x, &[1.0, 1.0], GraphRetention::Release).unwrap();
    pass(&x.mul(&x).unwrap(), &[1.0, 1.0], GraphRetention::Release).unwrap();
    assert_eq!(gradient(&x), [3.0 + 1.0 + 2.0, 6.0 + 1.0 + 4.0]);
}

#[test]
fn backward_is_the_retained_pass_from_a_seed_of_one() {
    let x = parameter(&[1.0, 2.0]);
    let loss = x.mul(&x).unwrap().sum_axis(0, false).unwrap();
    loss.backward().unwrap();
    let trace = loss.backward_with_trace().unwrap();
    assert_eq!(trace.seed, Tensor::scalar(1.0));
    assert_eq!(trace.retention, GraphRetention::Retain);
    assert_eq!(gradient(&x), [2.0 * 2.0, 2.0 * 4.0]);
}

#[test]
fn backward_asks_for_rank_zero_and_not_for_one_element() {
    let x = parameter(&[1.0]);
    let error = x.mul(&x).unwrap().backward().unwrap_err();
    assert_eq!(
        error,
        TensorAutodiffError::SeedShapeMismatch {
            expected: vec![1],
            actual: vec![]
        }
    );
}

#[test]
fn a_seed_may_be_a_strided_view() {
    let x = TensorValue::parameter(tensor([2, 3], &[0.0; 6])).unwrap();
    let y = x.add(&x.detach()).unwrap();
    let seed = tensor([3, 2], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let transposed = seed.view().transpose(0, 1).unwrap();
    y.backward_with_seed(&transposed, GraphRetention::Retain)
        .unwrap();
    assert_eq!(gradient(&x), [1.0, 3.0, 5.0, 2.0, 4.0, 6.0]);
}

#[test]
fn zero_extents_are_reversed() {
    let x = TensorValue::<f64>::parameter(Tensor::zeros([2, 0]).unwrap()).unwrap();
    let y = x.mul(&x).unwrap().sum_axis(1, false).unwrap();
    assert_eq!(y.value_snapshot(), tensor([2], &[0.0, 0.0]));
    pass(&y, &[1.0, 1.0], GraphRetention::Release).unwrap();
    assert_eq!(x.gradient_snapshot(), Some(Tensor::zeros([2, 0]).unwrap()));
}

#[test]
fn an_operation_between_two_graphs_of_different_ages_is_reversed_in_creation_order() {
    let x = parameter(&[3.0]);
    let old = x.mul(&x).unwrap();
    let new = x.add(&x).unwrap();
    // old first, then new, and the other way round: x² · 2x, so x̄ = 6 x².
    for product in [old.mul(&new).unwrap(), new.mul(&old).unwrap()] {
        x.zero_grad().unwrap();
        pass(&product, &[1.0], GraphRetention::Retain).unwrap();
        assert_eq!(gradient(&x), [54.0]);
    }
}
