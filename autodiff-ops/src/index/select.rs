//! Whole slices at given indices.

use autodiff_core::prelude::*;

use super::error::check_range;

/// The slices of `x` at `index` along `axis`, in the order of `index`; an index may be repeated.
///
/// # Shapes
/// `x: [A.., n, B..], index: I -> y: [A.., I.., B..]`
/// # Errors
/// `AxisOutOfRange`; `IndexError::OutOfRange` with the position of the index.
/// # VJP
/// `x̄` is 0 but for the slices of `ȳ`, added in order at their indices. Source: linearity.
#[vjp_rule]
#[gradcheck(x: [m, n], index: [k] in 0..m, axis = 0)]
#[gradcheck(x: [n, m, k], index: [4] in 0..m, axis = 1)]
#[gradcheck(x: [n, m], index: [a, b] in 0..m, axis = 1)]
#[gradcheck(x: [m], index: [] in 0..m, axis = 0)]
#[gradcheck(x: [m, n], index: [0] in 0..m, axis = 0)]
pub fn index_select<T: Element>(
    x: &Tensor<T>,
    #[constant] index: &Tensor<usize>,
    axis: usize,
) -> Result<Tensor<T>> {
    /// the slices of upstream, added at their indices
    #[vjp(x)]
    fn x_vjp(
        upstream: &Tensor<T>,
        index: &Tensor<usize>,
        axis: usize,
        input_shape: &[usize],
    ) -> Result<Tensor<T>> {
        upstream.added_at(index, axis, input_shape)
    }
    check_axis(axis, x.rank())?;
    let input_shape = x.shape().to_vec();
    check_range(index, axis, input_shape[axis])?;
    x.taken(index, axis)
}

/// The rows of `table` at `ids`; an id may be repeated.
///
/// # Shapes
/// `table: [v, B..], ids: I -> y: [I.., B..]`
/// # Errors
/// `AxisOutOfRange` for a table of rank 0; `IndexError::OutOfRange` with the position of the id.
/// # VJP
/// The table's adjoint is 0 but for the rows of `ȳ`, added in order at their ids. Source: linearity.
#[vjp_rule]
#[gradcheck(table: [v, d], ids: [t] in 0..v)]
#[gradcheck(table: [v, d], ids: [b, t] in 0..v)]
#[gradcheck(table: [v, d], ids: [] in 0..v)]
#[gradcheck(table: [v, d], ids: [b, 0] in 0..v)]
pub fn embedding<T: Element>(
    table: &Tensor<T>,
    #[constant] ids: &Tensor<usize>,
) -> Result<Tensor<T>> {
    /// the rows of upstream, added at their ids
    #[vjp(table)]
    fn table_vjp(
        upstream: &Tensor<T>,
        ids: &Tensor<usize>,
        table_shape: &[usize],
    ) -> Result<Tensor<T>> {
        upstream.added_at(ids, 0, table_shape)
    }
    check_axis(0, table.rank())?;
    let table_shape = table.shape().to_vec();
    check_range(ids, 0, table_shape[0])?;
    table.taken(ids, 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::IndexError;
    use crate::testing::indices;

    fn table() -> Tensor {
        Tensor::from_vec([3, 2], vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap()
    }

    #[test]
    fn a_repeated_id_receives_the_sum_over_its_uses() {
        let table = TensorValue::parameter(table()).unwrap();
        let rows = table.embedding(&indices(&[3], &[2, 0, 2])).unwrap();
        assert_eq!(rows.value().as_slice(), [5.0, 6.0, 1.0, 2.0, 5.0, 6.0]);
        let seed = Tensor::from_vec([3, 2], vec![1.0, 2.0, 10.0, 20.0, 100.0, 200.0]).unwrap();
        rows.backward_with_seed(&seed.view(), GraphRetention::Release)
            .unwrap();
        // Row 0: the second use. Row 1: none. Row 2: the first plus the third use.
        assert_eq!(
            table.gradient_snapshot().unwrap().as_slice(),
            [10.0, 20.0, 0.0, 0.0, 101.0, 202.0]
        );
    }

    #[test]
    fn a_repeated_index_receives_each_of_its_uses() {
        for used in [[1.0, 0.0], [0.0, 1.0]] {
            let x = TensorValue::parameter(Tensor::from_vec([1], vec![1.0]).unwrap()).unwrap();
            let y = x.index_select(&indices(&[2], &[0, 0]), 0).unwrap();
            let seed = Tensor::from_vec([2], used.to_vec()).unwrap();
            y.backward_with_seed(&seed.view(), GraphRetention::Release)
                .unwrap();
            assert_eq!(x.gradient_snapshot().unwrap().as_slice(), [1.0]);
        }
    }

    #[test]
    fn columns_are_selected_along_the_last_axis() {
        let y = table().index_select(&indices(&[3], &[1, 0, 1]), 1).unwrap();
        assert_eq!(y.as_slice(), [2.0, 1.0, 2.0, 4.0, 3.0, 4.0, 6.0, 5.0, 6.0]);
    }

    #[test]
    fn the_ids_give_the_leading_shape() {
        assert_eq!(
            embedding(&table(), &indices(&[2, 2], &[0, 1, 2, 0]))
                .unwrap()
                .shape(),
            [2, 2, 2]
        );
        assert_eq!(
            embedding(&table(), &indices(&[0], &[])).unwrap().shape(),
            [0, 2]
        );
    }

    #[test]
    fn an_id_out_of_range_is_named_with_its_position() {
        let error = embedding(&table(), &indices(&[2, 2], &[0, 1, 3, 9])).unwrap_err();
        assert_eq!(
            error.to_string(),
            "embedding: expected an index below 3 on axis 0, got 3 at flat position 2"
        );
        let TensorAutodiffError::Operation { source, .. } = error else {
            panic!("expected the operation's own error");
        };
        assert_eq!(
            source.downcast_ref(),
            Some(&IndexError::OutOfRange {
                position: 2,
                index: 3,
                axis: 0,
                extent: 3
            })
        );
        assert_eq!(
            index_select(&table(), &indices(&[2], &[1, 2]), 1)
                .unwrap_err()
                .to_string(),
            "index_select: expected an index below 2 on axis 1, got 2 at flat position 1"
        );
        assert_eq!(
            index_select(&table(), &indices(&[1], &[0]), 2)
                .unwrap_err()
                .to_string(),
            "index_select: expected an axis below rank 2, got 2"
        );
    }
}
