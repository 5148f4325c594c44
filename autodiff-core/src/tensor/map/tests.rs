//! Elementwise functions over small tensors, written out.

use super::*;

#[test]
fn a_map_keeps_the_shape_and_may_change_the_type() {
    let x = Tensor::from_vec([2, 3], vec![1.0, -2.0, 3.0, -4.0, 5.0, -6.0]).unwrap();
    let signs = x.map(|x| x > 0.0);
    assert_eq!(
        signs,
        Tensor::from_vec([2, 3], vec![true, false, true, false, true, false]).unwrap()
    );
}

#[test]
fn a_map_of_nothing_is_nothing() {
    let x = Tensor::<f64>::zeros([2, 0]).unwrap();
    assert_eq!(x.map(|x| x + 1.0).shape(), [2, 0]);
}

#[test]
fn pairs_of_another_shape_are_refused() {
    let error = Tensor::<f64>::zeros([2])
        .unwrap()
        .zip_map(&Tensor::<f64>::zeros([1, 2]).unwrap(), |x, _| x);
    assert_eq!(
        error.unwrap_err().to_string(),
        "expected two tensors of one shape, got [2] and [1, 2]"
    );
}

#[test]
fn a_unique_buffer_is_reused_and_a_shared_one_is_left_alone() {
    let x = Tensor::full([100], 1.0).unwrap();
    let address = x.as_slice().as_ptr();
    let x = x.map_inplace(|x| x + 1.0);
    assert_eq!(x.as_slice().as_ptr(), address);
    let kept = x.clone();
    let y = x.zip_inplace(&kept, |x, y| x + y).unwrap();
    assert_eq!((kept.as_slice()[0], y.as_slice()[0]), (2.0, 4.0));
}

#[test]
fn rows_are_mapped_one_by_one() {
    let x = Tensor::from_vec([2, 3], vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap();
    let reversed = x.map_rows(3, |row, out| {
        out.iter_mut()
            .zip(row.iter().rev())
            .for_each(|(o, &x)| *o = x)
    });
    assert_eq!(reversed.unwrap().as_slice(), [3.0, 2.0, 1.0, 6.0, 5.0, 4.0]);
}

#[test]
fn both_results_of_a_pair_keep_the_shape() {
    let x = Tensor::from_vec([2, 3], vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap();
    let (halves, is_large) = x.map_pair(|x| (x / 2.0, x > 3.0)).unwrap();
    assert_eq!(halves.as_slice(), [0.5, 1.0, 1.5, 2.0, 2.5, 3.0]);
    assert_eq!(is_large.as_slice(), [false, false, false, true, true, true]);
    let nothing = Tensor::<f64>::zeros([2, 0]).unwrap();
    let (_, second) = nothing.map_pair(|x| (x, x)).unwrap();
    assert_eq!(second.shape(), [2, 0]);
}

#[test]
fn a_pair_that_finds_no_memory_is_a_typed_error() {
    // Elements without size take no memory, so that there can be more of them than results could be.
    let len = 1 << 50;
    let x = Tensor::from_vec([len], vec![(); len]).unwrap();
    let bytes = len * size_of::<f64>();
    let refusal = TensorError::OutOfMemory {
        elements: len,
        bytes,
    };
    assert_eq!(
        x.map_pair(|()| (1.0, ())).unwrap_err(),
        refusal.clone().into()
    );
    assert_eq!(x.map_pair(|()| ((), 1.0)).unwrap_err(), refusal.into());
}
