//! Views against reading them element by element.

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use crate::error::TensorAutodiffError;
use crate::tensor::testing::{counting, elements, permutation, shapes};

#[test]
fn a_transposed_view_is_read_through_its_strides() {
    let x = counting(&[2, 3]);
    let turned = x.view().transpose(0, 1).unwrap();
    assert_eq!(
        (turned.shape(), turned.strides()),
        (&[3, 2][..], &[1, 3][..])
    );
    assert!(!turned.is_contiguous());
    assert_eq!(turned.as_contiguous_slice(), None);
    assert_eq!(
        turned.materialize().unwrap().as_slice(),
        [0.0, 3.0, 1.0, 4.0, 2.0, 5.0]
    );
}

#[test]
fn an_upstream_is_read_through_the_strides_of_a_mean() {
    let upstream = counting(&[2]);
    let offsets = upstream
        .view()
        .projected_offsets(&[2, 3], &[1, 0], 6)
        .unwrap();
    assert_eq!(offsets.collect::<Vec<_>>(), [0, 0, 0, 1, 1, 1]);
}

#[test]
fn a_traversal_may_not_leave_the_view() {
    let x = counting(&[4]);
    let part = x.view().slice(&[1], &[3], &[1]).unwrap();
    let error = part.projected_offsets(&[3], &[1], 3).unwrap_err();
    assert_eq!(
        error,
        ViewError::TraversalReach { largest: 2, len: 2 }.into()
    );
}

#[test]
fn axes_are_checked() {
    let x = counting(&[2, 3]);
    let view = x.view();
    assert_eq!(
        view.transpose(0, 2).unwrap_err(),
        TensorError::AxisOutOfRange { axis: 2, rank: 2 }.into()
    );
    assert_eq!(
        view.permute(&[0]).unwrap_err(),
        TensorError::AxisCount {
            expected: 2,
            actual: 1
        }
        .into()
    );
    assert_eq!(
        view.permute(&[1, 1]).unwrap_err(),
        TensorError::DuplicateAxis { axis: 1 }.into()
    );
    assert_eq!(
        view.get(&[0, 3]).unwrap_err().to_string(),
        "expected an index below 3 on axis 1, got 3"
    );
}

#[test]
fn a_reshape_keeps_the_count_and_needs_strides_to_exist() {
    let x = counting(&[2, 3]);
    let error = x.view().reshape(&[4]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "expected a shape of 6 elements like [2, 3], got [4]"
    );
    let turned = x.view().transpose(0, 1).unwrap();
    let error = turned.reshape(&[6]).unwrap_err();
    assert!(matches!(
        error,
        TensorAutodiffError::View(ViewError::ReshapeStrides { .. })
    ));
    // Splitting an evenly spaced axis and adding unit axes needs no copy.
    let split = counting(&[2, 6]);
    let split = split
        .view()
        .transpose(0, 1)
        .unwrap()
        .reshape(&[2, 1, 3, 2])
        .unwrap();
    assert_eq!(split.strides(), [3, 3, 1, 6]);
}

#[test]
fn ranges_of_a_slice_are_checked() {
    let x = counting(&[4]);
    let refuse = |start, end, step| {
        x.view()
            .slice(&[start], &[end], &[step])
            .unwrap_err()
            .to_string()
    };
    assert!(refuse(0, 5, 1).starts_with("expected a range within 0..4"));
    assert!(refuse(3, 2, 1).ends_with("got 3..2 by 1"));
    assert!(refuse(0, 4, 0).ends_with("got 0..4 by 0"));
    assert_eq!(x.view().slice(&[4], &[4], &[7]).unwrap().shape(), [0]);
}

#[test]
fn a_view_of_storage_that_is_too_short_is_refused() {
    let error = TensorView::strided(&[1.0, 2.0], [2, 2], &[1, 1]).unwrap_err();
    assert_eq!(
        error,
        ViewError::TraversalReach { largest: 2, len: 2 }.into()
    );
}

#[test]
fn a_broadcast_view_repeats_by_a_stride_of_zero() {
    let x = counting(&[3, 1]);
    let wide = x.view().broadcast_to(&[2, 3, 2]).unwrap();
    assert_eq!(wide.strides(), [0, 1, 0]);
    assert_eq!(
        elements(&wide),
        [0.0, 0.0, 1.0, 1.0, 2.0, 2.0, 0.0, 0.0, 1.0, 1.0, 2.0, 2.0]
    );
    assert_eq!(wide.materialize().unwrap().as_slice(), elements(&wide));
}

#[test]
fn a_broadcast_view_that_cannot_be_stored_is_refused() {
    let x = counting(&[1]);
    let wide = x.view().broadcast_to(&[usize::MAX / 2]).unwrap();
    let error = wide.materialize().unwrap_err();
    assert_eq!(
        error,
        TensorError::ShapeOverflow {
            shape: vec![usize::MAX / 2]
        }
        .into()
    );
}

proptest! {
    #[test]
    fn a_copy_of_any_view_is_the_view_read_one_by_one(
        shape in shapes(),
        keys in vec(any::<u32>(), 5),
        cuts in vec((0_usize..3, 1_usize..3), 5),
    ) {
        let x = counting(&shape);
        let starts: Vec<_> = shape.iter().zip(&cuts).map(|(&extent, cut)| cut.0.min(extent)).collect();
        let steps: Vec<_> = cuts[..shape.len()].iter().map(|cut| cut.1).collect();
        let view = x.view().slice(&starts, &shape, &steps).unwrap();
        let view = view.permute(&permutation(shape.len(), &keys)).unwrap();
        let copy = view.materialize().unwrap();
        prop_assert_eq!(copy.as_slice(), elements(&view));
        if let Some(slice) = view.as_contiguous_slice() {
            prop_assert_eq!(slice, copy.as_slice());
        }
    }

    #[test]
    fn a_reshape_that_exists_shows_the_same_elements_in_order(
        shape in shapes(),
        keys in vec(any::<u32>(), 5),
        splits in vec(any::<bool>(), 5),
    ) {
        let x = counting(&shape);
        let view = x.view().permute(&permutation(shape.len(), &keys)).unwrap();
        // Some neighbours merged, some followed by a unit axis.
        let mut target: Vec<usize> = Vec::new();
        for (&extent, &split) in view.shape().iter().zip(&splits) {
            match target.last_mut() {
                Some(last) if !split => *last *= extent,
                _ => target.extend([extent, 1]),
            }
        }
        prop_assume!(!target.is_empty() || view.len() == 1);
        if let Ok(reshaped) = view.reshape(&target) {
            prop_assert_eq!(elements(&reshaped), elements(&view));
        } else {
            prop_assert!(!view.is_contiguous());
        }
    }
}
