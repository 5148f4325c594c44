//! Broadcasting and its reversal.

use autodiff_ops::prelude::*;

use super::{constant, gradient, parameter, reverse_sum, tensor};

#[test]
fn t001_each_operand_of_a_broadcast_product_gets_its_own_shape_back() {
    let values: Vec<f64> = (1..=20).map(f64::from).collect();
    let (a, b) = (parameter([1], &[3.0]), parameter([5, 4], &values));
    let product = a.mul(&b).unwrap();
    reverse_sum(&product).unwrap();
    // 1 + 2 + .. + 20 = 210.
    assert_eq!(gradient(&a), tensor([1], &[210.0]));
    assert_eq!(gradient(&b), tensor([5, 4], &[3.0; 20]));

    let column = parameter([4, 1], &[1.0, 2.0, 3.0, 4.0]);
    let row = parameter([1, 4], &[10.0, 20.0, 30.0, 40.0]);
    reverse_sum(&column.mul(&row).unwrap()).unwrap();
    assert_eq!(gradient(&column), tensor([4, 1], &[100.0; 4]));
    assert_eq!(gradient(&row), tensor([1, 4], &[10.0; 4]));
}

#[test]
fn t004_a_rank_0_operand_gets_a_rank_0_gradient_from_products_and_sums_alike() {
    let c = constant([2], &[1.0, 1.0]);
    let v = parameter([], &[0.0]);
    reverse_sum(&c.mul(&v).unwrap()).unwrap();
    assert_eq!(gradient(&v), tensor([], &[2.0]));
    reverse_sum(&c.add(&v).unwrap()).unwrap();
    assert_eq!(gradient(&v), tensor([], &[4.0]));
}

#[test]
fn t007_a_broadcast_row_receives_the_sum_over_the_rows_that_reused_it() {
    let x = parameter([3], &[1.0; 3]);
    reverse_sum(&x.broadcast_to(&[4, 3]).unwrap()).unwrap();
    assert_eq!(gradient(&x), tensor([3], &[4.0; 3]));
}

#[test]
fn c009_a_unit_axis_repeated_no_times_gets_zeros() {
    for shape in [vec![1], vec![1, 1], vec![]] {
        let one = TensorValue::<f64>::parameter(Tensor::ones(&shape).unwrap()).unwrap();
        let none = TensorValue::<f64>::parameter(Tensor::zeros([0]).unwrap()).unwrap();
        for result in [
            one.add(&none),
            none.add(&one),
            one.mul(&none),
            none.mul(&one),
        ] {
            let result = result.unwrap();
            assert_eq!(result.shape().last(), Some(&0));
            reverse_sum(&result).unwrap();
        }
        assert_eq!(gradient(&one), Tensor::zeros(&shape).unwrap());
        assert_eq!(gradient(&none), Tensor::zeros([0]).unwrap());
    }
}

#[test]
fn t049_a_traversal_with_a_zero_extent_visits_nothing() {
    let empty = tensor([2, 0, 3], &[]);
    let view = empty.view();
    let offsets = view
        .projected_offsets(&[2, 0, 3], &[usize::MAX / 2, 7, 1], 0)
        .unwrap();
    assert_eq!(offsets.count(), 0);
    assert!(
        view.transpose(0, 2)
            .unwrap()
            .materialize()
            .unwrap()
            .is_empty()
    );
    let x = TensorValue::parameter(empty).unwrap();
    reverse_sum(&x.transpose(0, 2).unwrap()).unwrap();
    assert_eq!(gradient(&x), tensor([2, 0, 3], &[]));
}
