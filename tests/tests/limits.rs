//! At the limits: what cannot be counted, what cannot be had, and graphs and models that are merely large.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test reports by panicking"
)]

use autodiff_ops::prelude::*;

fn parameter(value: f64) -> TensorValue {
    TensorValue::parameter(Tensor::scalar(value)).unwrap()
}

/// The error of a tensor helper, as itself or within an operation.
fn of_tensor(error: &TensorAutodiffError) -> &TensorError {
    match error {
        TensorAutodiffError::Tensor(error) => error,
        TensorAutodiffError::Operation { source, .. } => source.downcast_ref().unwrap(),
        other => panic!("expected the error of a tensor, got {other:?}"),
    }
}

#[test]
fn a_shape_whose_product_overflows_is_a_typed_error_everywhere() {
    // 2^32 · 2^32 is 2^64, one more than can be counted; with a zero among them the count is 0.
    let vast = [1_usize << 32, 1 << 32];
    let overflow = TensorError::ShapeOverflow {
        shape: vast.to_vec(),
    };
    for error in [
        Tensor::<f64>::zeros(vast).unwrap_err(),
        Tensor::<f64>::full(vast, 1.0).unwrap_err(),
        Tensor::<f64>::from_fn(vast, |_| 0.0).unwrap_err(),
    ] {
        assert_eq!(of_tensor(&error), &overflow);
    }
    assert_eq!(Tensor::from_vec(vast, vec![1.0]).unwrap_err(), overflow);
    assert!(Tensor::<f64>::zeros([1 << 32, 1 << 32, 0]).is_ok());

    let x = TensorValue::parameter(Tensor::scalar(1.0)).unwrap();
    assert_eq!(of_tensor(&x.broadcast_to(&vast).unwrap_err()), &overflow);
    let row = TensorValue::parameter(Tensor::from_vec([2], vec![1.0, 2.0]).unwrap()).unwrap();
    assert!(matches!(
        of_tensor(&row.reshape(&vast).unwrap_err()),
        TensorError::ShapeOverflow { .. } | TensorError::ElementCount { .. }
    ));
    // Two copies apart: the axis of the copies comes before that of the elements.
    let copies = TensorError::ShapeOverflow {
        shape: vec![usize::MAX, 2],
    };
    assert_eq!(of_tensor(&row.repeat(&[usize::MAX]).unwrap_err()), &copies);
    assert_eq!(x.gradient_snapshot(), Some(Tensor::scalar(0.0)));
}

#[test]
fn a_request_that_no_memory_can_hold_is_a_typed_error_and_nothing_changes() {
    // 2^50 elements can be counted and addressed, and are more than any address space maps.
    let absurd = [1_usize << 25, 1 << 25];
    let expected = TensorError::OutOfMemory {
        elements: 1 << 50,
        bytes: 1 << 53,
    };
    for error in [
        Tensor::<f64>::zeros(absurd).unwrap_err(),
        Tensor::<f64>::from_fn(absurd, |_| 0.0).unwrap_err(),
    ] {
        assert_eq!(of_tensor(&error), &expected);
    }
    let x = parameter(3.0);
    let error = x.broadcast_to(&absurd).unwrap_err();
    assert_eq!(of_tensor(&error), &expected);
    assert_eq!(
        error.to_string(),
        "broadcast: expected memory for 1125899906842624 elements (9007199254740992 bytes), got none"
    );
    let [column, row] = [[1_usize << 25, 1], [1, 1 << 25]]
        .map(|shape| TensorValue::parameter(Tensor::<f32>::ones(shape).unwrap()).unwrap());
    for error in [
        column.mul(&row).unwrap_err(),
        column.matmul(&row).unwrap_err(),
    ] {
        assert!(matches!(
            of_tensor(&error),
            TensorError::OutOfMemory { elements, .. } if *elements == 1 << 50
        ));
    }
    // The tape works as before.
    x.mul(&x).unwrap().backward().unwrap();
    assert_eq!(x.gradient_snapshot(), Some(Tensor::scalar(6.0)));
}

#[test]
fn two_billion_elements_are_a_view_that_is_read_where_it_is_looked_at() {
    let one = Tensor::from_vec([1], vec![7.0]).unwrap();
    let view = one.view();
    let len = 1_usize << 31;
    let mut offsets = view
        .projected_offsets(&[1 << 16, 1 << 15], &[0, 0], len)
        .unwrap();
    assert_eq!(offsets.next(), Some(0));
    assert_eq!(offsets.len(), len - 1);
    assert_eq!(offsets.nth(1 << 20), Some(0));
    assert_eq!(offsets.len(), len - 2 - (1 << 20));
    // One step further, and the traversal would leave what it reads.
    let refused = view.projected_offsets(&[1 << 16, 1 << 15], &[0, 1], len);
    assert!(matches!(
        refused,
        Err(TensorAutodiffError::View(ViewError::TraversalReach { .. }))
    ));
}

#[test]
fn two_billion_elements_of_a_view_are_read_to_the_last_without_being_made() {
    let shape = [1_usize << 16, 1 << 15];
    // One row, read 2^16 times by a product with a column. Each place of the result is the sum
    // of i (i mod 2), whole numbers below 2^53, so that no order of the terms can round.
    let row = Tensor::from_fn([1, shape[1]], |i| i as f64).unwrap();
    let column = Tensor::from_fn([shape[1], 1], |i| (i % 2) as f64).unwrap();
    let view = row.view();
    let view = view.broadcast_to(&shape).unwrap();
    assert_eq!(view.len(), 1 << 31);
    let sums = view.product(&column.view()).unwrap();
    assert_eq!(sums.shape(), [1 << 16, 1]);
    // The odd numbers below 2^15 are 2^14, and their sum is its square.
    let expected = (1_u64 << 28) as f64;
    assert!(sums.as_slice().iter().all(|&sum| sum == expected));
}

#[test]
fn rank_64_is_reversed_like_any_other_rank() {
    let rank = 64;
    let mut shape = vec![1; rank];
    (shape[7], shape[40], shape[63]) = (2, 3, 2);
    let x =
        TensorValue::parameter(Tensor::from_fn(shape.as_slice(), |i| i as f64).unwrap()).unwrap();
    let row = TensorValue::parameter(Tensor::from_vec([2], vec![1.0, 10.0]).unwrap()).unwrap();
    let product = x.mul(&row).unwrap().transpose(7, 63).unwrap();
    let axes: Vec<usize> = (0..rank).collect();
    let total = product.sum(&axes, false).unwrap();
    total.backward().unwrap();
    // The last axis alternates 1 and 10; the row receives the sums of the even and the odd places.
    let expected: Vec<f64> = (0..12)
        .map(|i| if i % 2 == 0 { 1.0 } else { 10.0 })
        .collect();
    assert_eq!(x.gradient_snapshot().unwrap().into_vec(), expected);
    assert_eq!(row.gradient_snapshot().unwrap().into_vec(), [30.0, 36.0]);
    assert_eq!(x.gradient_snapshot().unwrap().rank(), rank);
}

/// So many operations that anything quadratic in them would not end.
const NODES: usize = 1_000_000;

#[test]
fn a_million_nodes_may_all_use_one_and_all_meet_in_one() {
    let x = parameter(0.5);
    let one = TensorValue::constant(Tensor::scalar(1.0)).unwrap();
    // Fan-out: every node of the first layer uses x; fan-in: they are summed pairwise, layer by layer.
    let mut layer: Vec<TensorValue> = (0..NODES / 2).map(|_| x.add(&one).unwrap()).collect();
    while layer.len() > 1 {
        let pairs = layer.chunks(2).map(|pair| match pair {
            [left, right] => left.add(right).unwrap(),
            rest => rest[0].clone(),
        });
        layer = pairs.collect();
    }
    let total = layer.pop().unwrap();
    let uses = (NODES / 2) as f64;
    assert_eq!(total.value().item().unwrap(), 1.5 * uses);
    let seed = Tensor::scalar(1.0);
    total
        .backward_with_seed(&seed.view(), GraphRetention::Release)
        .unwrap();
    assert_eq!(x.gradient_snapshot(), Some(Tensor::scalar(uses)));
}

#[test]
fn one_operation_may_have_a_hundred_thousand_operands() {
    let x = TensorValue::parameter(Tensor::from_vec([1], vec![2.0]).unwrap()).unwrap();
    let many = vec![&x; 100_000];
    let joined = concat(&many, 0).unwrap();
    joined.sum(&[0], false).unwrap().backward().unwrap();
    assert_eq!(x.gradient_snapshot().unwrap().into_vec(), [100_000.0]);
}

#[test]
fn ten_thousand_parameters_are_reversed_and_updated_at_once() {
    let parameters: Vec<TensorValue> = (0..10_000).map(|i| parameter(f64::from(i))).collect();
    let mut sum = parameters[0].clone();
    for parameter in &parameters[1..] {
        sum = sum.add(&parameter.mul(parameter).unwrap()).unwrap();
    }
    let seed = Tensor::scalar(1.0);
    sum.backward_with_seed(&seed.view(), GraphRetention::Release)
        .unwrap();
    for (i, parameter) in parameters.iter().enumerate().skip(1) {
        assert_eq!(
            parameter.gradient_snapshot(),
            Some(Tensor::scalar(2.0 * i as f64))
        );
    }
    // One set of updates, of which the last is refused: none is made.
    let mut updates: Vec<Tensor> = parameters.iter().map(|_| Tensor::scalar(0.0)).collect();
    updates[9_999] = Tensor::scalar(f64::NAN);
    assert!(update_all(parameters.iter().zip(updates.clone())).is_err());
    assert!(parameters.iter().all(|parameter| parameter.revision() == 0));
    updates[9_999] = Tensor::scalar(0.0);
    update_all(parameters.iter().zip(updates)).unwrap();
    assert!(parameters.iter().all(|parameter| parameter.revision() == 1));
}
