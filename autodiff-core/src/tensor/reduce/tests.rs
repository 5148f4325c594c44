//! Reductions against plain sums in offset order.

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use crate::tensor::testing::{counting, shapes};

/// Integers, so that every order of additions is exact.
fn plain_sum(fit: &Projection, logical: &Tensor) -> Vec<f64> {
    let mut sums = vec![0.0; fit.addressed_shape().iter().product()];
    for (offset, &x) in fit.offsets().zip(logical.as_slice()) {
        sums[offset] += x;
    }
    sums
}

#[test]
fn a_broadcast_row_receives_the_sum_over_the_rows_that_reused_it() {
    let fit = Projection::broadcast(&[3], &[2, 3]).unwrap();
    let upstream = Tensor::from_vec([2, 3], vec![4.0, 4.0, 10.0, 12.0, 12.0, 24.0]).unwrap();
    assert_eq!(
        fit.reduce(&upstream).unwrap().as_slice(),
        [4.0 + 12.0, 4.0 + 12.0, 10.0 + 24.0]
    );
}

#[test]
fn every_blocking_sums_exactly() {
    let shapes: [&[usize]; 9] = [
        &[5000],
        &[1025, 3],
        &[3, 1025],
        &[700, 40],
        &[3, 300, 5],
        &[2, 17, 1500],
        &[40, 2, 30, 3],
        &[7, 5, 3, 2],
        &[300, 1, 1025],
    ];
    for shape in shapes {
        let logical = counting(shape).map(|x| (x * 7.0) % 64.0 - 31.0);
        for subset in 1..1_usize << shape.len() {
            let axes: Vec<_> = (0..shape.len())
                .filter(|axis| (subset >> axis) & 1 == 1)
                .collect();
            let fit = Projection::reduction(shape, &axes, false).unwrap();
            let expected = plain_sum(&fit, &logical);
            assert_eq!(
                fit.reduce(&logical).unwrap().as_slice(),
                expected,
                "{shape:?} over {axes:?}"
            );
            let doubled = fit.reduce_map(&logical, |x| 2.0 * x).unwrap();
            assert_eq!(
                doubled.as_slice(),
                expected.iter().map(|x| 2.0 * x).collect::<Vec<_>>()
            );
            let fused = fit.reduce_zip(&logical, &logical, |x, y| x * y).unwrap();
            assert_eq!(fused.as_slice(), plain_sum(&fit, &logical.map(|x| x * x)));
            assert_eq!(
                fit.fold(&logical, 0.0, |sum, x| sum + x)
                    .unwrap()
                    .as_slice(),
                expected
            );
        }
    }
}

#[test]
fn a_million_singles_keep_six_digits_along_any_axis() {
    for (shape, axes) in [
        ([1000, 1000], vec![0, 1]),
        ([1_000_000, 1], vec![0]),
        ([500_000, 2], vec![0]),
    ] {
        let logical =
            Tensor::from_fn(shape, |i| ((i * 2_654_435_761) % 1000) as f32 / 999.0).unwrap();
        let fit = Projection::reduction(&shape, &axes, false).unwrap();
        let exact = fit
            .fold(&logical, 0.0_f64, |sum, x| sum + f64::from(x))
            .unwrap();
        for (&sum, &exact) in fit
            .reduce(&logical)
            .unwrap()
            .as_slice()
            .iter()
            .zip(exact.as_slice())
        {
            assert!(
                (f64::from(sum) - exact).abs() <= 1e-6 * exact,
                "{sum} against {exact}"
            );
        }
    }
}

#[test]
fn a_sum_over_nothing_is_zero() {
    let fit = Projection::reduction(&[2, 0, 3], &[1], true).unwrap();
    assert_eq!(
        fit.reduce(&Tensor::<f64>::zeros([2, 0, 3]).unwrap())
            .unwrap(),
        Tensor::zeros([2, 1, 3]).unwrap()
    );
}

#[test]
fn a_reduction_of_unit_axes_shares_the_elements() {
    let x = counting(&[1, 8]);
    let fit = Projection::reduction(&[1, 8], &[0], false).unwrap();
    let reduced = fit.reduce(&x).unwrap();
    assert!(reduced.shares_storage_with(&x));
    assert_eq!(reduced.shape(), [8]);
}

#[test]
fn the_other_operand_of_a_fused_sum_may_broadcast() {
    let upstream = counting(&[2, 3]);
    let row = Tensor::from_vec([3], vec![1.0, 10.0, 100.0]).unwrap();
    let fit = Projection::broadcast(&[2, 1], &[2, 3]).unwrap();
    let sum = fit.reduce_zip(&upstream, &row, |u, r| u * r).unwrap();
    assert_eq!(
        sum,
        Tensor::from_vec([2, 1], vec![0.0 + 10.0 + 200.0, 3.0 + 40.0 + 500.0]).unwrap()
    );
}

#[test]
fn a_tensor_of_another_shape_is_refused() {
    let fit = Projection::broadcast(&[3], &[2, 3]).unwrap();
    let error = fit.reduce(&counting(&[3])).unwrap_err().to_string();
    assert_eq!(
        error,
        "expected two tensors of one shape, got [2, 3] and [3]"
    );
    assert!(fit.expand(&counting(&[2, 3])).is_err());
    assert!(
        fit.reduce_zip(&counting(&[2, 3]), &counting(&[2]), |x, _| x)
            .is_err()
    );
}

proptest! {
    #[test]
    fn reduction_and_expansion_are_adjoint(
        shape in shapes(),
        reduced in vec(any::<bool>(), 5),
        keep_dim in any::<bool>(),
    ) {
        let axes: Vec<_> = (0..shape.len()).filter(|&axis| reduced[axis]).collect();
        let fit = Projection::reduction(&shape, &axes, keep_dim).unwrap();
        let logical = counting(&shape);
        let addressed = counting(fit.addressed_shape());
        let sum = fit.reduce(&logical).unwrap();
        prop_assert_eq!(sum.as_slice(), plain_sum(&fit, &logical));
        // <reduce x, y> = <x, expand y>, exact in small integers.
        let dot = |x: &Tensor, y: &Tensor| x.zip_map(y, |x, y| x * y).unwrap().as_slice().iter().sum::<f64>();
        prop_assert_eq!(dot(&sum, &addressed), dot(&logical, &fit.expand(&addressed).unwrap()));
    }

    #[test]
    fn a_broadcast_is_reversed_over_exactly_the_axes_it_repeated(
        shape in shapes(),
        unit in vec(any::<bool>(), 5),
        dropped in 0_usize..5,
    ) {
        let from: Vec<_> = shape.iter().zip(&unit).map(|(&extent, &unit)| if unit { 1 } else { extent }).collect();
        let from = &from[dropped.min(shape.len())..];
        let fit = Projection::broadcast(from, &shape).unwrap();
        let logical = counting(&shape);
        let sum = fit.reduce(&logical).unwrap();
        prop_assert_eq!(sum.as_slice(), plain_sum(&fit, &logical));
        prop_assert_eq!(sum.shape(), from);
        let addressed = counting(from);
        let expected: Vec<_> = fit.offsets().map(|offset| addressed.as_slice()[offset]).collect();
        let expanded = fit.expand(&addressed).unwrap();
        prop_assert_eq!(expanded.as_slice(), expected);
        let (zipped, ..) = addressed.zip_broadcast(&logical, |x, y| 100.0 * x + y).unwrap();
        prop_assert_eq!(&zipped, &expanded.zip_map(&logical, |x, y| 100.0 * x + y).unwrap());
        let (flipped, ..) = logical.zip_broadcast(&addressed, |y, x| 100.0 * x + y).unwrap();
        prop_assert_eq!(&zipped, &flipped);
    }
}

#[test]
fn a_sum_against_addressed_elements_is_the_sum_against_their_expansion() {
    let logical = Tensor::from_fn([2, 3, 2], |i| i as f64).unwrap();
    for axes in [&[0][..], &[1], &[2], &[0, 2], &[0, 1, 2], &[]] {
        for keep_dim in [false, true] {
            let fit = Projection::reduction(&[2, 3, 2], axes, keep_dim).unwrap();
            let addressed = Tensor::from_fn(fit.addressed_shape(), |i| (i + 1) as f64).unwrap();
            let expanded = fit.expand(&addressed).unwrap();
            let expected = fit.reduce(&logical.zip_map(&expanded, |l, a| l * a).unwrap());
            assert_eq!(
                fit.reduce_against(&logical, &addressed, |l, a| l * a),
                expected
            );
        }
    }
}

#[test]
fn one_number_repeated_sums_to_the_bits_of_as_many_equal_numbers() {
    let shapes: [&[usize]; 5] = [
        &[5000],
        &[1025, 3],
        &[3, 1025],
        &[3, 300, 5],
        &[40, 2, 30, 3],
    ];
    for shape in shapes {
        let whole = Projection::broadcast(&[], shape).unwrap();
        // No binary fraction: every addition rounds.
        let mut repeated = whole.expand(&Tensor::scalar(0.1)).unwrap();
        assert!(repeated.storage.repeated().is_some());
        let equal = Tensor::from_vec(shape, repeated.to_vec()).unwrap();
        for subset in 1..1_usize << shape.len() {
            let axes: Vec<_> = (0..shape.len())
                .filter(|axis| (subset >> axis) & 1 == 1)
                .collect();
            let fit = Projection::reduction(shape, &axes, false).unwrap();
            assert_eq!(
                fit.reduce(&repeated).unwrap(),
                fit.reduce(&equal).unwrap(),
                "{shape:?} over {axes:?}"
            );
        }
        repeated.as_mut_slice()[0] = 1.0;
        assert!(repeated.storage.repeated().is_none());
    }
}
