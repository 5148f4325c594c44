//! Softmax and its logarithm at ordinary and delicate points.

use super::*;
use crate::nn::testing::{assert_close, assert_same_on_threads, gradient, scattered, tensor};

/// Each value comes of a few operations, each rounded by at most 2^-53.
const ROUNDING: f64 = 1e-15;

#[test]
fn equal_entries_share_evenly_and_feel_how_far_upstream_lies_above_its_mean() {
    let x = tensor(&[3], &[2.0, 2.0, 2.0]);
    assert_close(
        &x.softmax(0).unwrap(),
        &Tensor::full([3], 1.0 / 3.0).unwrap(),
        ROUNDING,
    );
    // (1/3) ([1, 2, 3] - 2)
    let contribution = gradient(&x, &tensor(&[3], &[1.0, 2.0, 3.0]), |x| x.softmax(0));
    assert_close(
        &contribution,
        &tensor(&[3], &[-1.0 / 3.0, 0.0, 1.0 / 3.0]),
        ROUNDING,
    );
}

#[test]
fn large_gaps_give_exact_ones_and_zeros() {
    let x = tensor(&[3], &[1e4, 0.0, -1e4]);
    assert_eq!(x.softmax(0).unwrap(), tensor(&[3], &[1.0, 0.0, 0.0]));
    let contribution = gradient(&x, &tensor(&[3], &[1.0, 2.0, 3.0]), |x| x.softmax(0));
    assert_eq!(contribution, tensor(&[3], &[0.0, 0.0, 0.0]));
}

#[test]
fn the_logarithm_stays_finite_where_the_probability_is_zero() {
    let x = tensor(&[3], &[1000.0, -1000.0, 0.0]);
    assert_eq!(
        x.log_softmax(0).unwrap(),
        tensor(&[3], &[0.0, -2000.0, -1000.0])
    );
    // [1, 2, 3] less [1, 0, 0] times their sum 6.
    let contribution = gradient(&x, &tensor(&[3], &[1.0, 2.0, 3.0]), |x| x.log_softmax(0));
    assert_eq!(contribution, tensor(&[3], &[-5.0, 2.0, 3.0]));
}

#[test]
fn a_common_offset_of_any_size_changes_nothing() {
    // Multiples of 1/4, so that the offset rounds nothing.
    let x = tensor(&[4], &[0.25, -1.5, 3.0, 0.0]);
    let moved = x.map(|x| x + 1e12);
    assert_eq!(moved.softmax(0).unwrap(), x.softmax(0).unwrap());
    assert_eq!(moved.log_softmax(0).unwrap(), x.log_softmax(0).unwrap());
}

#[test]
fn every_axis_is_the_last_axis_of_the_swapped_tensor() {
    let x = scattered(&[2, 3, 4], 0);
    for axis in 0..3 {
        let swapped = x.swap_axes(axis, 2).unwrap();
        let expected = swapped.softmax(2).unwrap().swap_axes(axis, 2).unwrap();
        assert_eq!(x.softmax(axis).unwrap(), expected);
        let expected = swapped.log_softmax(2).unwrap().swap_axes(axis, 2).unwrap();
        assert_eq!(x.log_softmax(axis).unwrap(), expected);
    }
}

#[test]
fn an_axis_of_extent_zero_has_an_empty_result() {
    let x = tensor(&[2, 0], &[]);
    assert_eq!(x.softmax(1).unwrap(), x);
    assert_eq!(x.softmax(0).unwrap(), x);
    assert_eq!(x.log_softmax(1).unwrap(), x);
}

#[test]
fn an_axis_that_is_not_there_is_refused() {
    let refusal = tensor(&[2], &[1.0, 2.0]).softmax(1).unwrap_err();
    assert_eq!(
        refusal.to_string(),
        "softmax: expected an axis below rank 1, got 1"
    );
}

#[test]
fn a_plain_minus_infinity_has_probability_zero() {
    let x = tensor(&[3], &[1.0, f64::NEG_INFINITY, 1.0]);
    assert_eq!(x.softmax(0).unwrap(), tensor(&[3], &[0.5, 0.0, 0.5]));
}

#[test]
fn excluded_entries_are_zero_and_the_rest_is_a_softmax_of_its_own() {
    let x = tensor(&[2, 3], &[1.0, 1e300, 1.0, 2.0, -1e300, 2.0]);
    let mask = Tensor::from_vec([3], vec![false, true, false]).unwrap();
    let expected = tensor(&[2, 3], &[0.5, 0.0, 0.5, 0.5, 0.0, 0.5]);
    assert_eq!(x.masked_softmax(&mask, 1).unwrap(), expected);
    let half = 0.5_f64.ln();
    let expected = tensor(&[2, 3], &[half, 0.0, half, half, 0.0, half]);
    assert_close(
        &x.masked_log_softmax(&mask, 1).unwrap(),
        &expected,
        ROUNDING,
    );
}

#[test]
fn no_gradient_flows_to_an_excluded_entry() {
    let x = tensor(&[3], &[0.0, 5.0, 0.0]);
    let mask = Tensor::from_vec([3], vec![false, true, false]).unwrap();
    let upstream = tensor(&[3], &[1.0, 100.0, 3.0]);
    // (1/2) ([1, 3] - 2)
    let contribution = gradient(&x, &upstream, |x| x.masked_softmax(&mask, 0));
    assert_eq!(contribution, tensor(&[3], &[-0.5, 0.0, 0.5]));
    // [1, 3] - (1/2) 4
    let contribution = gradient(&x, &upstream, |x| x.masked_log_softmax(&mask, 0));
    assert_close(&contribution, &tensor(&[3], &[-1.0, 0.0, 1.0]), ROUNDING);
}

#[test]
fn a_row_that_is_wholly_excluded_is_zero_and_passes_nothing() {
    let x = tensor(&[2], &[1.0, 2.0]);
    let mask = Tensor::full([2], true).unwrap();
    let upstream = tensor(&[2], &[3.0, 4.0]);
    let zero = tensor(&[2], &[0.0, 0.0]);
    assert_eq!(x.masked_softmax(&mask, 0).unwrap(), zero);
    assert_eq!(x.masked_log_softmax(&mask, 0).unwrap(), zero);
    assert_eq!(
        gradient(&x, &upstream, |x| x.masked_softmax(&mask, 0)),
        zero
    );
    assert_eq!(
        gradient(&x, &upstream, |x| x.masked_log_softmax(&mask, 0)),
        zero
    );
}

#[test]
fn a_mask_that_excludes_nothing_changes_nothing() {
    let x = scattered(&[3, 4], 1);
    let none = Tensor::full([1], false).unwrap();
    assert_eq!(x.masked_softmax(&none, 0).unwrap(), x.softmax(0).unwrap());
    assert_close(
        &x.masked_log_softmax(&none, 1).unwrap(),
        &x.log_softmax(1).unwrap(),
        ROUNDING,
    );
}

#[test]
fn a_mask_larger_than_what_it_masks_is_refused() {
    let mask = Tensor::full([2, 3], false).unwrap();
    let refusal = scattered(&[3], 0).masked_softmax(&mask, 0).unwrap_err();
    let expected = TensorAutodiffError::BroadcastTargetMismatch {
        input: vec![2, 3],
        requested: vec![3],
        inferred: vec![2, 3],
    };
    assert_eq!(refusal, expected);
}

#[test]
fn rows_of_a_tensor_without_elements_need_no_memory() {
    let none = Tensor::full([1], false).unwrap();
    for shape in [vec![1 << 62, 0], vec![0, 1 << 62, 4]] {
        let x = Tensor::<f64>::zeros(&shape[..]).unwrap();
        for axis in 0..shape.len() {
            assert_eq!(x.softmax(axis).unwrap().shape(), shape);
            assert_eq!(x.log_softmax(axis).unwrap().shape(), shape);
            assert_eq!(x.masked_softmax(&none, axis).unwrap().shape(), shape);
            assert_eq!(x.masked_log_softmax(&none, axis).unwrap().shape(), shape);
        }
    }
}

#[test]
fn rows_that_threads_share_give_the_bits_of_one_thread() {
    let shape = [600, 100];
    let excluded = scattered(&[100], 7).map(|x| x > 0.3);
    for f in [
        &(|x: &TensorValue| x.softmax(1)) as &(dyn Fn(&TensorValue) -> Result<TensorValue> + Sync),
        &|x| x.log_softmax(1),
        &|x| x.masked_softmax(&excluded, 1),
        &|x| x.masked_log_softmax(&excluded, 1),
    ] {
        assert_same_on_threads([scattered(&shape, 0)], &shape, |[x]| f(x));
    }
}
