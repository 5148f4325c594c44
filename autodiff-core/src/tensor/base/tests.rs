//! Construction, sharing and comparison.

use super::*;
use crate::tensor::Dual;

fn assert_send_sync<T: Send + Sync>() {}

#[test]
fn tensors_cross_threads() {
    assert_send_sync::<Tensor<f32>>();
    assert_send_sync::<Tensor<Dual>>();
    assert_send_sync::<TensorView<'_, usize>>();
}

#[test]
fn the_values_must_fill_the_shape() {
    let error = Tensor::from_vec(vec![2, 3], vec![1.0; 5]).unwrap_err();
    assert_eq!(
        error,
        TensorError::ElementCount {
            shape: vec![2, 3],
            expected: 6,
            actual: 5
        }
    );
    assert_eq!(error.to_string(), "shape [2, 3] holds 6 elements, got 5");
    assert!(Tensor::from_vec([usize::MAX, 2], vec![1.0]).is_err());
    assert_eq!(
        Tensor::from_vec([0, usize::MAX, 2], Vec::<f64>::new())
            .unwrap()
            .len(),
        0
    );
}

#[test]
fn a_shape_whose_bytes_cannot_be_addressed_is_refused() {
    let shape = [usize::MAX / 2];
    assert_eq!(
        Tensor::full(shape, 0.0).unwrap_err(),
        TensorError::ShapeOverflow {
            shape: shape.to_vec()
        }
        .into()
    );
    assert!(Tensor::from_fn(shape, |_| 0.0).is_err());
}

#[test]
fn shapes_come_from_vectors_slices_and_arrays() {
    let shape = vec![2];
    for x in [
        Tensor::from_vec(shape.clone(), vec![1, 2]),
        Tensor::from_vec(shape.as_slice(), vec![1, 2]),
        Tensor::from_vec(&shape, vec![1, 2]),
        Tensor::from_vec([2], vec![1, 2]),
        Tensor::from_vec(Shape::from([2]), vec![1, 2]),
    ] {
        assert_eq!(x.unwrap().shape(), [2]);
    }
}

#[test]
fn every_size_around_the_inline_limit_behaves_alike() {
    for len in 0..8 {
        let values: Vec<f64> = (0..len).map(|i| i as f64).collect();
        let mut x = Tensor::from_vec([len], values.clone()).unwrap();
        let kept = x.clone();
        assert_eq!(
            (x.len(), x.is_empty(), x.to_vec()),
            (len, len == 0, values.clone())
        );
        for place in x.as_mut_slice() {
            *place += 1.0;
        }
        assert_eq!(kept.into_vec(), values);
        assert_eq!(x, Tensor::from_fn([len], |i| i as f64 + 1.0).unwrap());
        assert_eq!(x.map(|x| x - 1.0).as_slice(), values);
        assert_eq!(
            x.zip_map(&x, |x, y| x - y).unwrap(),
            Tensor::zeros([len]).unwrap()
        );
    }
}

#[test]
fn elements_that_nobody_else_holds_come_out_in_their_own_buffer() {
    for len in [5, 1023, 1024, 5000, 100_000] {
        let x = Tensor::from_fn([len], |i| i as f32).unwrap();
        let place = x.as_slice().as_ptr() as usize;
        let values = x.into_vec();
        // Not further on than a cache line, which is where they may have begun.
        assert!(place - (values.as_ptr() as usize) < 64, "{len}");
        assert!(values.iter().enumerate().all(|(i, &x)| x == i as f32));
        assert_eq!(values.len(), len);
    }
}

#[test]
fn a_clone_shares_until_either_is_written() {
    let mut x = Tensor::full([64], 1.0).unwrap();
    let snapshot = x.clone();
    assert!(x.shares_storage_with(&snapshot) && !x.is_unique());
    x.as_mut_slice()[0] = 2.0;
    assert!(!x.shares_storage_with(&snapshot) && x.is_unique());
    assert_eq!((x.as_slice()[0], snapshot.as_slice()[0]), (2.0, 1.0));
}

#[test]
fn a_shape_change_shares_the_elements() {
    let x = Tensor::full([8, 2], 1.0).unwrap();
    let y = x.with_shape([4, 4]).unwrap();
    assert!(y.shares_storage_with(&x));
    assert!(x.with_shape([5]).is_err());
}

#[test]
fn one_element_is_asked_for_by_name_or_by_position() {
    assert_eq!(Tensor::scalar(3.0).item(), Ok(3.0));
    assert_eq!(Tensor::full([1, 1], 3.0).unwrap().get(&[0, 0]), Ok(3.0));
    let error = Tensor::full([2], 3.0)
        .unwrap()
        .item()
        .unwrap_err()
        .to_string();
    assert_eq!(error, "expected a tensor of one element, got shape [2]");
}

#[test]
fn a_cast_keeps_values_and_drops_tangents() {
    let x = Tensor::from_vec([2], vec![Dual::new(1.5, 7.0), Dual::new(-2.0, 1.0)]).unwrap();
    assert_eq!(x.cast::<f32>().as_slice(), [1.5, -2.0]);
    assert!(x.cast::<Dual>().bit_eq(&x.map(|x| Dual::constant(x.value))));
}

#[test]
fn bits_tell_zeros_apart_and_match_a_nan() {
    let (zero, negative) = (Tensor::scalar(0.0), Tensor::scalar(-0.0));
    assert!(zero == negative && !zero.bit_eq(&negative));
    let nan = Tensor::scalar(f64::NAN);
    assert!(nan != nan.clone() && nan.bit_eq(&nan.clone()));
}

#[test]
fn a_tensor_prints_shape_and_values() {
    let text = format!("{:?}", Tensor::from_vec([2], vec![1.0, 2.0]).unwrap());
    assert_eq!(text, "Tensor { shape: [2], values: [1.0, 2.0] }");
}
