//! What a projection promises.

use super::*;

#[test]
fn a_broadcast_row_is_read_again_for_every_row() {
    let fit = Projection::broadcast(&[3], &[2, 3]).unwrap();
    assert_eq!(fit.strides(), [0, 1]);
    assert_eq!(fit.offsets().collect::<Vec<_>>(), [0, 1, 2, 0, 1, 2]);
    assert_eq!(fit.reduced_axes(), [0]);
    assert_eq!(
        (fit.input_shape(), fit.output_shape()),
        (&[3][..], &[2, 3][..])
    );
}

#[test]
fn a_reduced_row_shares_one_address() {
    for keep_dim in [false, true] {
        let fit = Projection::reduction(&[2, 3], &[1], keep_dim).unwrap();
        assert_eq!(fit.strides(), [1, 0]);
        assert_eq!(fit.offsets().collect::<Vec<_>>(), [0, 0, 0, 1, 1, 1]);
        assert_eq!(fit.reduced_axes(), [1]);
        assert_eq!(fit.reduced_count(), 3);
        assert_eq!(
            fit.output_shape(),
            if keep_dim { &[2, 1][..] } else { &[2] }
        );
    }
}

#[test]
fn no_axis_reduces_nothing() {
    assert!(
        Projection::reduction(&[2, 3], &[], false)
            .unwrap()
            .is_identity()
    );
}

#[test]
fn axes_are_checked() {
    let text = |axes: &[usize]| {
        Projection::reduction(&[2, 3], axes, false)
            .unwrap_err()
            .to_string()
    };
    assert_eq!(text(&[2]), "expected an axis below rank 2, got 2");
    assert_eq!(text(&[1, 1]), "expected distinct axes, got 1 twice");
}

#[test]
fn a_target_that_would_have_to_grow_is_refused() {
    let error = Projection::broadcast(&[2, 3], &[3]).unwrap_err();
    let expected = TensorAutodiffError::BroadcastTargetMismatch {
        input: vec![2, 3],
        requested: vec![3],
        inferred: vec![2, 3],
    };
    assert_eq!(error, expected);
}

#[test]
fn a_reduction_over_an_empty_axis_reduces_no_element() {
    let fit = Projection::reduction(&[2, 0], &[1], false).unwrap();
    assert_eq!(
        (fit.output_shape(), fit.reduced_count(), fit.offsets().len()),
        (&[2][..], 0, 0)
    );
}

#[test]
fn an_output_that_cannot_be_counted_is_refused() {
    let error = Projection::reduction(&[0, usize::MAX, 2], &[0], false).unwrap_err();
    assert_eq!(
        error,
        TensorError::ShapeOverflow {
            shape: vec![1, usize::MAX, 2]
        }
        .into()
    );
}
