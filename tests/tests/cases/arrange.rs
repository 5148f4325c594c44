//! Indices, joined tensors and matrix products.

use autodiff_ops::prelude::*;

use super::{close, constant, gradient, parameter, reverse, reverse_sum, tensor};

fn indices(values: &[usize]) -> Tensor<usize> {
    Tensor::from_vec([values.len()], values.to_vec()).unwrap()
}

#[test]
fn c006_every_binary_operation_reduces_to_the_shape_of_a_repeated_operand() {
    type Binary = fn(&TensorValue, &TensorValue) -> Result<TensorValue>;
    let operations: [(&str, Binary); 7] = [
        ("add", |a, b| a.add(b)),
        ("sub", |a, b| a.sub(b)),
        ("mul", |a, b| a.mul(b)),
        ("div", |a, b| a.div(b)),
        ("pow", |a, b| a.pow(b)),
        ("maximum", |a, b| a.maximum(b)),
        ("minimum", |a, b| a.minimum(b)),
    ];
    for (name, operation) in operations {
        let (lhs, rhs) = (
            parameter([2, 2], &[1.5, 2.5, 3.5, 4.5]),
            parameter([1, 2], &[2.0, 3.0]),
        );
        reverse(&operation(&lhs, &rhs).unwrap(), &[1.0, 2.0, 3.0, 4.0]).unwrap();
        // The same operand written out in full: its two rows add up.
        let (full_lhs, full) = (
            parameter([2, 2], &[1.5, 2.5, 3.5, 4.5]),
            parameter([2, 2], &[2.0, 3.0, 2.0, 3.0]),
        );
        reverse(&operation(&full_lhs, &full).unwrap(), &[1.0, 2.0, 3.0, 4.0]).unwrap();
        let [a, b, c, d] = gradient(&full).into_vec()[..] else {
            panic!("expected four entries")
        };
        // An operation may sum before it divides, so the last digit may differ.
        close(&gradient(&rhs), &tensor([1, 2], &[a + c, b + d]), 1e-15);
        assert_eq!(gradient(&lhs), gradient(&full_lhs), "{name}");
    }
}

#[test]
fn c006_a_matrix_product_reduces_over_the_repeated_batch_axis() {
    let a = parameter([2, 1, 2], &[1.0, 2.0, 3.0, 4.0]);
    let b = parameter([1, 2, 1], &[5.0, 6.0]);
    reverse(&a.matmul(&b).unwrap(), &[1.0, 10.0]).unwrap();
    // b̄ = Σ over the batch of aᵀ u.
    assert_eq!(gradient(&b), tensor([1, 2, 1], &[1.0 + 30.0, 2.0 + 40.0]));
    assert_eq!(gradient(&a), tensor([2, 1, 2], &[5.0, 6.0, 50.0, 60.0]));
}

#[test]
fn t018_an_index_that_repeats_receives_from_each_of_its_places() {
    for seed in [[1.0, 0.0], [0.0, 1.0]] {
        let x = parameter([1], &[1.0]);
        reverse(&x.index_select(&indices(&[0, 0]), 0).unwrap(), &seed).unwrap();
        assert_eq!(gradient(&x), tensor([1], &[1.0]));
    }
}

#[test]
fn t019_repeated_rows_are_summed_alike_in_every_run() {
    let rows: Vec<usize> = (0..100).map(|place| (place * place) % 5).collect();
    let upstream: Vec<f64> = (0..200)
        .map(|place| 0.1 + f64::from(place) * 0.37)
        .collect();
    let run = |seed: &[f64]| {
        let table = parameter([5, 2], &[0.0; 10]);
        reverse(&table.index_select(&indices(&rows), 0).unwrap(), seed).unwrap();
        gradient(&table)
    };
    let first = run(&upstream);
    for _ in 0..3 {
        assert!(run(&upstream).bit_eq(&first));
    }
    // From a seed of ones, each row gets as much as it is used.
    for (row, gradient) in run(&[1.0; 200]).as_slice().chunks(2).enumerate() {
        let uses = rows.iter().filter(|&&used| used == row).count() as f64;
        assert_eq!(gradient, [uses, uses]);
    }
}

#[test]
fn c039_an_index_found_by_comparing_values_leaves_the_other_branch_alone() {
    let x = parameter([3], &[1.0, 5.0, 2.0]);
    // The position of the largest value is read off the value: no operation returns it on the tape.
    let largest = x
        .value()
        .as_slice()
        .iter()
        .enumerate()
        .max_by(|a, b| a.1.total_cmp(b.1))
        .unwrap()
        .0;
    let chosen = x.index_select(&indices(&[largest]), 0).unwrap();
    let squares = x.square().unwrap().sum(&[0], true).unwrap();
    reverse(&chosen.add(&squares).unwrap(), &[1.0]).unwrap();
    assert_eq!(gradient(&x), tensor([3], &[2.0, 10.0 + 1.0, 4.0]));
}

#[test]
fn c045_each_joined_operand_gets_the_slice_of_its_own_extent() {
    let (a, b) = (parameter([2, 3], &[0.0; 6]), parameter([2, 2], &[0.0; 4]));
    let joined = concat(&[&a, &b], 1).unwrap();
    assert_eq!(joined.shape(), [2, 5]);
    reverse(
        &joined,
        &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0],
    )
    .unwrap();
    assert_eq!(
        gradient(&a),
        tensor([2, 3], &[1.0, 2.0, 3.0, 6.0, 7.0, 8.0])
    );
    assert_eq!(gradient(&b), tensor([2, 2], &[4.0, 5.0, 9.0, 10.0]));
}

#[test]
fn c048_products_without_elements_are_zeros_with_zero_gradients() {
    let shapes: [([&[usize]; 3], _); 3] = [
        ([&[2, 0], &[0, 3], &[2, 3]], "nothing to sum"),
        ([&[0, 2], &[2, 3], &[0, 3]], "no row"),
        (
            [&[2, 3, 0], &[2, 0, 4], &[2, 3, 4]],
            "nothing to sum in any matrix of the batch",
        ),
    ];
    for ([left, right, output], what) in shapes {
        let [a, b] = [left, right]
            .map(|shape| TensorValue::<f64>::parameter(Tensor::ones(shape).unwrap()).unwrap());
        let product = a.matmul(&b).unwrap();
        assert_eq!(
            product.value_snapshot(),
            Tensor::zeros(output).unwrap(),
            "{what}"
        );
        assert!(product.tracks_gradient());
        reverse_sum(&product).unwrap();
        assert_eq!(gradient(&a), Tensor::zeros(left).unwrap(), "{what}");
        assert_eq!(gradient(&b), Tensor::zeros(right).unwrap(), "{what}");
    }
}

#[test]
fn t021_reading_at_indices_scatters_back_to_the_shape_that_was_read() {
    // Value and index differ in shape from the table; entries that no index names get 0.
    let table = parameter([3, 4], &[0.0; 12]);
    let index = Tensor::from_vec([2, 2], vec![3, 0, 3, 3]).unwrap();
    let read = table.gather(&index, 1).unwrap();
    reverse(&read, &[1.0, 2.0, 10.0, 20.0]).unwrap();
    let expected = [2.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 30.0, 0.0, 0.0, 0.0, 0.0];
    assert_eq!(gradient(&table), tensor([3, 4], &expected));
    let constant_table = constant([3, 4], &[0.0; 12]);
    assert!(!constant_table.gather(&index, 1).unwrap().tracks_gradient());
}
