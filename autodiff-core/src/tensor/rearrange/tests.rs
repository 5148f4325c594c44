//! Rearrangements against reading one by one, and their reverse maps.

use proptest::prelude::*;

use super::*;
use crate::tensor::testing::{counting, elements, positions};

fn dot(x: &Tensor, y: &Tensor) -> f64 {
    x.zip_map(y, |x, y| x * y).unwrap().as_slice().iter().sum()
}

#[test]
fn axes_are_exchanged_and_shared_where_nothing_moves() {
    let x = counting(&[2, 3]);
    assert_eq!(
        x.swap_axes(0, 1).unwrap().as_slice(),
        [0.0, 3.0, 1.0, 4.0, 2.0, 5.0]
    );
    let row = counting(&[1, 8]);
    assert!(row.swap_axes(0, 1).unwrap().shares_storage_with(&row));
    assert!(x.swap_axes(0, 2).is_err());
}

#[test]
fn joined_parts_come_apart_again() {
    for axis in 0..3 {
        let x = counting(&[4, 5, 6]);
        let extent = x.shape()[axis];
        let parts = x.parts(&[1, 0, extent - 1], axis).unwrap();
        assert_eq!(
            parts
                .iter()
                .map(|part| part.shape()[axis])
                .collect::<Vec<_>>(),
            [1, 0, extent - 1]
        );
        assert_eq!(
            Tensor::joined(&parts.iter().collect::<Vec<_>>(), axis).unwrap(),
            x
        );
    }
}

#[test]
fn joins_that_do_not_fit_are_refused() {
    assert_eq!(
        Tensor::<f64>::joined(&[], 0).unwrap_err(),
        TensorError::NothingToJoin.into()
    );
    let error = Tensor::joined(&[&counting(&[2, 3]), &counting(&[2, 4])], 0).unwrap_err();
    assert_eq!(
        error,
        TensorError::PartShape {
            part: 1,
            axis: 0,
            expected: vec![2, 3],
            actual: vec![2, 4]
        }
        .into()
    );
    assert!(Tensor::joined(&[&counting(&[2, 3]), &counting(&[2])], 1).is_err());
    assert!(Tensor::joined(&[&counting(&[])], 0).is_err());
    let error = counting(&[4]).parts(&[1, 2], 0).unwrap_err().to_string();
    assert_eq!(error, "expected parts that add up to 4 on axis 0, got 3");
}

#[test]
fn joins_of_empty_tensors_keep_their_shape() {
    let empty = counting(&[2, 0]);
    assert_eq!(
        Tensor::joined(&[&empty, &empty], 1).unwrap().shape(),
        [2, 0]
    );
    assert_eq!(
        Tensor::joined(&[&empty, &empty], 0).unwrap().shape(),
        [4, 0]
    );
    assert_eq!(
        Tensor::joined(&[&empty, &counting(&[2, 3])], 1).unwrap(),
        counting(&[2, 3])
    );
}

#[test]
fn slices_are_taken_by_index_and_added_back() {
    let x = counting(&[2, 3, 2]);
    let indices = Tensor::from_vec([2, 2], vec![2, 0, 2, 1]).unwrap();
    let taken = x.taken(&indices, 1).unwrap();
    assert_eq!(taken.shape(), [2, 2, 2, 2]);
    assert_eq!(
        taken.as_slice()[..8],
        [4.0, 5.0, 0.0, 1.0, 4.0, 5.0, 2.0, 3.0]
    );
    let upstream = counting(&[2, 2, 2, 2]);
    let back = upstream.added_at(&indices, 1, &[2, 3, 2]).unwrap();
    assert_eq!(
        back.as_slice()[..6],
        [2.0, 3.0, 6.0, 7.0, 0.0 + 4.0, 1.0 + 5.0]
    );
    assert_eq!(dot(&taken, &upstream), dot(&x, &back));
    let error = x
        .taken(&Tensor::from_vec([1], vec![3]).unwrap(), 1)
        .unwrap_err()
        .to_string();
    assert_eq!(error, "expected an index below 3 on axis 1, got 3");
}

#[test]
fn nothing_is_taken_from_nothing() {
    let none = Tensor::from_vec([0], Vec::new()).unwrap();
    assert_eq!(counting(&[2, 3]).taken(&none, 1).unwrap().shape(), [2, 0]);
    assert_eq!(counting(&[0, 3]).taken(&none, 0).unwrap().shape(), [0, 3]);
    let back = counting(&[2, 0]).added_at(&none, 1, &[2, 3]).unwrap();
    assert_eq!(back, Tensor::zeros([2, 3]).unwrap());
}

proptest! {
    #[test]
    fn a_slice_and_its_embedding_are_adjoint(
        axes in proptest::collection::vec((0_usize..3, 0_usize..5, 1_usize..4, 0_usize..3), 0..4),
    ) {
        let starts: Vec<_> = axes.iter().map(|axis| axis.0).collect();
        let ends: Vec<_> = axes.iter().map(|axis| axis.0 + axis.1).collect();
        let steps: Vec<_> = axes.iter().map(|axis| axis.2).collect();
        let shape: Vec<_> = axes.iter().map(|axis| axis.0 + axis.1 + axis.3).collect();
        let x = counting(&shape);
        let part = x.sliced(&starts, &ends, &steps).unwrap();
        prop_assert_eq!(part.as_slice(), elements(&x.view().slice(&starts, &ends, &steps).unwrap()));
        let upstream = counting(part.shape()).map(|x| x + 1.0);
        let back = upstream.embedded(&shape, &starts, &ends, &steps).unwrap();
        prop_assert_eq!(dot(&part, &upstream), dot(&x, &back));
        prop_assert_eq!(back.as_slice().iter().filter(|x| **x != 0.0).count(), part.len());
    }

    #[test]
    fn a_permutation_moves_every_element_to_its_permuted_position(
        shape in crate::tensor::testing::shapes(),
        keys in proptest::collection::vec(any::<u32>(), 5),
    ) {
        let axes = crate::tensor::testing::permutation(shape.len(), &keys);
        let x = counting(&shape);
        let permuted = x.permuted(&axes).unwrap();
        for position in positions(permuted.shape()) {
            let mut source = vec![0; shape.len()];
            for (&axis, &index) in axes.iter().zip(&position) {
                source[axis] = index;
            }
            prop_assert_eq!(permuted.get(&position).unwrap(), x.get(&source).unwrap());
        }
    }
}

#[test]
fn extents_whose_sum_overflows_are_refused() {
    let wide = Tensor::<f64>::zeros([0, usize::MAX]).unwrap();
    let shape = vec![0, usize::MAX];
    assert_eq!(
        Tensor::joined(&[&wide, &wide], 1),
        Err(TensorError::ShapeOverflow { shape }.into())
    );
    assert_eq!(
        wide.parts(&[usize::MAX, 1], 1),
        Err(TensorError::PartExtents {
            axis: 1,
            expected: usize::MAX,
            actual: usize::MAX
        }
        .into())
    );
}
