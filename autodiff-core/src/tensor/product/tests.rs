//! Products of strided batches, against products entry by entry.

use super::*;
use crate::Projection;

fn counted(shape: &[usize]) -> Tensor<f64> {
    Tensor::from_fn(shape, |i| (i % 7) as f64 - 3.0).unwrap()
}

/// The product entry by entry, with the batch walked by position.
fn plainly(left: &Tensor<f64>, right: &Tensor<f64>, shape: &[usize]) -> Tensor<f64> {
    let mut out = Tensor::<f64>::zeros(shape).unwrap();
    let (left_batch, [m, k]) = split_batch(left.shape()).unwrap();
    let (right_batch, [_, n]) = split_batch(right.shape()).unwrap();
    let batch = broadcast_shapes(left_batch, right_batch).unwrap();
    let offsets = |from: &[usize]| {
        let fit = Projection::broadcast(from, &batch).unwrap();
        fit.offsets().collect::<Vec<_>>()
    };
    let (ls, rs) = (offsets(left_batch), offsets(right_batch));
    let os = offsets(&shape[..shape.len() - 2]);
    for ((l, r), o) in ls.into_iter().zip(rs).zip(os) {
        for (i, j) in (0..m).flat_map(|i| (0..n).map(move |j| (i, j))) {
            out.as_mut_slice()[(o * m + i) * n + j] += (0..k)
                .map(|d| {
                    left.as_slice()[(l * m + i) * k + d] * right.as_slice()[(r * k + d) * n + j]
                })
                .sum::<f64>();
        }
    }
    out
}

#[test]
fn every_broadcast_of_the_batch_is_the_product_entry_by_entry() {
    // Small integers: every sum is exact, so equality is exact.
    let batches: [&[usize]; 7] = [&[], &[1], &[3], &[2, 3], &[2, 1], &[1, 3], &[4, 2, 3]];
    for left_batch in batches {
        for right_batch in batches {
            let Ok(batch) = broadcast_shapes(left_batch, right_batch) else {
                continue;
            };
            for [m, k, n] in [
                [2, 3, 4],
                [1, 3, 2],
                [2, 1, 3],
                [3, 2, 1],
                [1, 1, 1],
                [2, 0, 3],
            ] {
                let left = counted(&[left_batch, &[m, k]].concat());
                let right = counted(&[right_batch, &[k, n]].concat());
                let product = left.view().product(&right.view()).unwrap();
                assert_eq!(
                    product,
                    plainly(&left, &right, &[&batch[..], &[m, n]].concat())
                );
                for onto in batches {
                    if Projection::broadcast(onto, &batch).is_err() {
                        continue;
                    }
                    let sum = left.view().product_onto(&right.view(), onto).unwrap();
                    assert_eq!(sum, plainly(&left, &right, &[onto, &[m, n]].concat()));
                }
            }
        }
    }
}

#[test]
fn a_transposed_view_is_read_in_place() {
    let left = counted(&[5, 3, 2]);
    let right = counted(&[5, 4, 3]);
    let turned = left.view().transpose(1, 2).unwrap();
    let other = right.view().transpose(1, 2).unwrap();
    let copied = (turned.materialize().unwrap(), other.materialize().unwrap());
    assert_eq!(
        turned.product(&other).unwrap(),
        copied.0.view().product(&copied.1.view()).unwrap()
    );
    assert_eq!(
        turned.product_onto(&other, &[]).unwrap(),
        plainly(&copied.0, &copied.1, &[2, 4])
    );
}

#[test]
fn a_batch_that_shares_a_factor_is_one_product() {
    let calls = |left: &[usize], right: &[usize], output: &[usize], swapped: bool| {
        let (left, right) = (counted(left), counted(right));
        let rank = left.rank();
        let left = match swapped {
            true => left.view().transpose(rank - 2, rank - 1).unwrap(),
            false => left.view(),
        };
        Plan::new(&left, &right.view(), output).unwrap().batch.len()
    };
    assert_eq!(calls(&[8, 2, 3], &[3, 4], &[8, 2, 4], false), 1);
    assert_eq!(calls(&[5, 8, 2, 3], &[3, 4], &[5, 8, 2, 4], false), 1);
    // Σ_b x_bᵀ ȳ_b, the gradient of a shared weight.
    assert_eq!(calls(&[8, 2, 3], &[8, 2, 4], &[3, 4], true), 1);
    assert_eq!(calls(&[8, 2, 3], &[8, 3, 4], &[8, 2, 4], false), 8);
}

#[test]
fn an_empty_batch_adds_nothing() {
    let (left, right) = (counted(&[0, 2, 3]), counted(&[0, 3, 2]));
    let sum = left.view().product_onto(&right.view(), &[]).unwrap();
    assert_eq!(sum, Tensor::zeros([2, 2]).unwrap());
    let product = left.view().product(&right.view()).unwrap();
    assert_eq!(product.shape(), [0, 2, 2]);
}

#[test]
fn a_product_is_added_to_what_is_there() {
    let mut sum = Tensor::from_vec([1, 2], vec![10.0, 20.0]).unwrap();
    let left = Tensor::from_vec([1, 2], vec![1.0, 2.0]).unwrap();
    let right = Tensor::from_vec([2, 2], vec![3.0, 4.0, 5.0, 6.0]).unwrap();
    sum.add_product(&left.view(), &right.view()).unwrap();
    // [10 + 1·3 + 2·5, 20 + 1·4 + 2·6]
    assert_eq!(sum.as_slice(), [23.0, 36.0]);
}

#[test]
fn factors_that_do_not_fit_are_refused() {
    let text = |left: &[usize], right: &[usize], batch: &[usize]| {
        let (left, right) = (counted(left), counted(right));
        let refusal = left.view().product_onto(&right.view(), batch);
        refusal.unwrap_err().to_string()
    };
    assert_eq!(
        text(&[2, 3], &[2, 3], &[]),
        "expected extents [m, k], [k, n] and [m, n] of a matrix product, got [2, 3], [2, 3] and [2, 3]"
    );
    assert_eq!(
        text(&[4, 2, 3], &[5, 3, 2], &[4]),
        "shapes [4] and [5] do not broadcast"
    );
    assert_eq!(
        text(&[4, 2, 3], &[3, 2], &[3]),
        "shapes [3] and [4] do not broadcast"
    );
    assert_eq!(
        text(&[3], &[3, 2], &[]),
        "expected one entry for each of 2 axes, got 1"
    );
}

#[test]
fn more_products_than_can_be_counted_are_refused() {
    let one = Tensor::scalar(1.0);
    let side = |shape: [usize; 4]| one.view().broadcast_to(&shape).unwrap();
    let (left, right) = (side([1 << 32, 1, 1, 1]), side([1, 1 << 32, 1, 1]));
    let shape = vec![1 << 32, 1 << 32];
    assert_eq!(
        left.product_onto(&right, &[]),
        Err(TensorError::ShapeOverflow { shape }.into())
    );
}
