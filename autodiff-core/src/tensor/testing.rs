//! What the unit tests of this layer share: slow, obvious counterparts of its kernels.

use proptest::collection::vec;
use proptest::prelude::*;

use super::{Tensor, TensorView};

/// Every position of a shape in row-major order.
pub(super) fn positions(shape: &[usize]) -> Vec<Vec<usize>> {
    let mut positions = vec![Vec::new()];
    for &extent in shape {
        positions = positions
            .into_iter()
            .flat_map(|position: Vec<usize>| {
                (0..extent).map(move |index| [position.as_slice(), &[index]].concat())
            })
            .collect();
    }
    positions
}

/// The elements of a view, read one by one.
pub(super) fn elements(view: &TensorView<'_, f64>) -> Vec<f64> {
    positions(view.shape())
        .iter()
        .map(|position| view.get(position).unwrap())
        .collect()
}

/// 0, 1, 2, .. in the given shape.
pub(super) fn counting(shape: &[usize]) -> Tensor {
    Tensor::from_fn(shape, |i| i as f64).unwrap()
}

/// Shapes of any small rank, with extents of 0 and 1 among them.
pub(super) fn shapes() -> impl Strategy<Value = Vec<usize>> {
    vec(
        prop_oneof![1 => Just(0_usize), 3 => Just(1), 8 => 2_usize..6],
        0..5,
    )
}

/// A permutation of `rank` axes, made of random numbers.
pub(super) fn permutation(rank: usize, keys: &[u32]) -> Vec<usize> {
    let mut axes: Vec<usize> = (0..rank).collect();
    axes.sort_by_key(|&axis| keys.get(axis).copied().unwrap_or_default());
    axes
}
