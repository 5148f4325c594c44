//! Matrix products against sums written out, for every element type and memory order.

use proptest::prelude::*;

use super::*;
use crate::tensor::{Dual, Tensor};

/// Small integers, so that every order of additions is exact.
fn values<T: Element>(len: usize, seed: usize) -> Vec<T> {
    (0..len)
        .map(|i| T::from_f64(((i * 7 + seed * 5) % 11) as f64 - 5.0))
        .collect()
}

fn strides(extents: [usize; 2], transposed: bool, gap: usize) -> [usize; 2] {
    if transposed {
        [1, extents[0] + gap]
    } else {
        [extents[1] + gap, 1]
    }
}

fn check<T: Element>([m, k, n]: [usize; 3], turned: [bool; 3], gap: usize, accumulate: bool) {
    let room = |[rows, columns]: [usize; 2]| (rows + gap) * (columns + gap);
    let (left_values, right_values) = (values::<T>(room([m, k]), 1), values::<T>(room([k, n]), 2));
    let mut out_values = values::<T>(room([m, n]), 3);
    let before = out_values.clone();
    let left = Matrix::new(&left_values, [m, k], strides([m, k], turned[0], gap)).unwrap();
    let right = Matrix::new(&right_values, [k, n], strides([k, n], turned[1], gap)).unwrap();
    let [row, column] = strides([m, n], turned[2], gap);
    let mut out = MatrixMut::new(&mut out_values, [m, n], [row, column]).unwrap();
    match accumulate {
        true => out.add_product(&left, &right).unwrap(),
        false => out.set_product(&left, &right).unwrap(),
    }
    let mut expected = before;
    let at = |matrix: &Matrix<'_, T>, i: usize, j: usize| {
        matrix.values[i * matrix.strides[0] + j * matrix.strides[1]]
    };
    for i in 0..m {
        for j in 0..n {
            let product: T = (0..k)
                .map(|depth| at(&left, i, depth) * at(&right, depth, j))
                .sum();
            let place = &mut expected[i * row + j * column];
            *place = if accumulate {
                *place + product
            } else {
                product
            };
        }
    }
    assert_eq!(
        out_values, expected,
        "{m} {k} {n} {turned:?} gap {gap} accumulate {accumulate}"
    );
}

proptest! {
    #[test]
    fn a_product_is_right_in_every_memory_order_and_writes_nothing_else(
        extents in [0_usize..20, 0_usize..20, 0_usize..20],
        turned in any::<[bool; 3]>(),
        gap in 0_usize..3,
        accumulate in any::<bool>(),
    ) {
        check::<f32>(extents, turned, gap, accumulate);
        check::<f64>(extents, turned, gap, accumulate);
        check::<Dual>(extents, turned, gap, accumulate);
    }
}

#[test]
fn a_dual_product_carries_the_product_rule() {
    let left = [Dual::new(2.0, 1.0), Dual::new(3.0, 0.0)];
    let right = [Dual::new(5.0, 0.0), Dual::new(7.0, 10.0)];
    let mut out = [Dual::default()];
    let left = Matrix::new(&left, [1, 2], [2, 1]).unwrap();
    let right = Matrix::new(&right, [2, 1], [1, 1]).unwrap();
    MatrixMut::row_major(&mut out, [1, 1])
        .unwrap()
        .set_product(&left, &right)
        .unwrap();
    assert!(out[0].bit_eq(Dual::new(2.0 * 5.0 + 3.0 * 7.0, 1.0 * 5.0 + 3.0 * 10.0)));
}

#[test]
fn a_product_over_no_depth_is_zero_or_adds_nothing() {
    for extents in [[2, 0, 3], [0, 2, 3], [2, 3, 0]] {
        check::<f64>(extents, [false; 3], 0, false);
        check::<f64>(extents, [false; 3], 0, true);
    }
}

#[test]
fn matrices_that_leave_their_storage_or_overlap_are_refused() {
    let error = Matrix::new(&[1.0; 5], [2, 3], [3, 1]).unwrap_err();
    assert_eq!(
        error,
        ViewError::TraversalReach { largest: 5, len: 5 }.into()
    );
    let mut values = [1.0; 6];
    let error = MatrixMut::new(&mut values, [2, 3], [1, 1]).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("expected strides that address every entry of a 2 by 3 matrix once")
    );
    assert!(MatrixMut::new(&mut values, [2, 3], [0, 1]).is_err());
    assert!(MatrixMut::new(&mut values, [1, 3], [0, 1]).is_ok());
    assert!(Matrix::new(&values, [3, 2], [0, 1]).is_ok());
    assert!(Matrix::new(&values, [1, 1], [usize::MAX, usize::MAX]).is_ok());
}

#[test]
fn extents_that_do_not_fit_are_refused() {
    let values = [1.0; 6];
    let mut out = [0.0; 4];
    let matrix = Matrix::new(&values, [2, 3], [3, 1]).unwrap();
    let error = MatrixMut::row_major(&mut out, [2, 2])
        .unwrap()
        .set_product(&matrix, &matrix)
        .unwrap_err();
    assert!(error.to_string().ends_with("got [2, 3], [2, 3] and [2, 2]"));
    let turned = matrix.transposed();
    MatrixMut::row_major(&mut out, [2, 2])
        .unwrap()
        .set_product(&matrix, &turned)
        .unwrap();
    assert_eq!(out, [3.0; 4]);
}

#[test]
fn a_view_gives_the_matrices_of_its_batch() {
    let x = Tensor::from_fn([2, 2, 3], |i| i as f64).unwrap();
    let turned = x.view().transpose(1, 2).unwrap();
    let matrix = turned.matrix_at(6).unwrap();
    assert_eq!(
        (matrix.extents(), matrix.values[matrix.strides[0]]),
        ([3, 2], 7.0)
    );
    assert!(turned.matrix_at(7).is_err());
}
