//! Single elements at given indices.

use autodiff_core::prelude::*;

use super::error::{IndexError, check_range};

/// One element of `x` for every entry of `index`, which takes the place of the position along `axis`:
/// `y[.., i, ..] = x[.., index[.., i, ..], ..]`.
///
/// # Shapes
/// `x: S, index: I -> y: I`, where `I` has the rank of `S` and, beside `axis`, no larger extent
/// # Errors
/// `AxisOutOfRange`; `IndexError::Shape`; `IndexError::OutOfRange` with the position of the index.
/// # VJP
/// `x̄` is 0 but for the elements of `ȳ`, added in order at the places they were read from.
/// Source: linearity.
#[vjp_rule]
#[gradcheck(x: [m, n], index: [k, n] in 0..m, axis = 0)]
#[gradcheck(x: [m, n], index: [m, k] in 0..n, axis = 1)]
#[gradcheck(x: [m + 1, n, k + 1], index: [m, 3, k] in 0..n, axis = 1)]
#[gradcheck(x: [m], index: [n] in 0..m, axis = 0)]
#[gradcheck(x: [m, n], index: [m, 0] in 0..n, axis = 1)]
pub fn gather<T: Element>(
    x: &Tensor<T>,
    #[constant] index: &Tensor<usize>,
    axis: usize,
) -> Result<Tensor<T>> {
    /// the elements of upstream, added at the places they were read from
    #[vjp(x)]
    fn x_vjp(
        upstream: &Tensor<T>,
        index: &Tensor<usize>,
        axis: usize,
        input_shape: &[usize],
    ) -> Result<Tensor<T>> {
        let mut sum = Tensor::zeros(input_shape)?;
        let places = places(index, axis, input_shape)?;
        let out = sum.as_mut_slice();
        for (&place, &u) in places.as_slice().iter().zip(upstream.as_slice()) {
            out[place] += u;
        }
        Ok(sum)
    }
    let input_shape = x.shape().to_vec();
    let values = x.as_slice();
    Ok(places(index, axis, &input_shape)?.map(|place| values[place]))
}

/// The flat place in an input of shape `input` that every entry of `index` points to.
fn places(index: &Tensor<usize>, axis: usize, input: &[usize]) -> Result<Tensor<usize>> {
    check_axis(axis, input.len())?;
    let fits = |(place, (index, input)): (usize, (&usize, &usize))| place == axis || index <= input;
    let mut extents = index.shape().iter().zip(input).enumerate();
    if index.rank() != input.len() || !extents.all(fits) {
        return Err(OpError::new(IndexError::Shape {
            input: input.to_vec(),
            index: index.shape().to_vec(),
            axis,
        })
        .into());
    }
    check_range(index, axis, input[axis])?;
    let mut places = index.clone();
    let Some((&row, outer)) = index.shape().split_last() else {
        return Ok(places);
    };
    if index.is_empty() {
        return Ok(places);
    }
    // Along the indexed axis the index itself moves the place, so its position there does not.
    let mut steps = Shape::from(input).strides();
    let along = steps[axis];
    steps[axis] = 0;
    let last = steps[outer.len()];
    let mut starts = vec![0];
    for (&extent, &step) in outer.iter().zip(&steps) {
        starts = starts
            .iter()
            .flat_map(|start| (0..extent).map(move |i| start + i * step))
            .collect();
    }
    for (row, start) in places.as_mut_slice().chunks_exact_mut(row).zip(starts) {
        for (i, place) in row.iter_mut().enumerate() {
            *place = start + i * last + *place * along;
        }
    }
    Ok(places)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::indices;

    fn input() -> Tensor {
        Tensor::from_vec([2, 3], vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap()
    }

    #[test]
    fn every_entry_names_its_own_position_along_the_axis() {
        // y[i, j] = x[i, index[i, j]]
        let y = gather(&input(), &indices(&[2, 2], &[2, 0, 1, 1]), 1).unwrap();
        assert_eq!(y.as_slice(), [3.0, 1.0, 5.0, 5.0]);
        // y[i, j] = x[index[i, j], j], and the last column is left out
        let y = gather(&input(), &indices(&[3, 2], &[1, 0, 0, 1, 1, 1]), 0).unwrap();
        assert_eq!(y.as_slice(), [4.0, 2.0, 1.0, 5.0, 4.0, 5.0]);
    }

    #[test]
    fn a_place_that_is_read_twice_receives_both() {
        let x = TensorValue::parameter(input()).unwrap();
        let y = x.gather(&indices(&[2, 2], &[2, 0, 1, 1]), 1).unwrap();
        let seed = Tensor::from_vec([2, 2], vec![1.0, 2.0, 3.0, 40.0]).unwrap();
        y.backward_with_seed(&seed.view(), GraphRetention::Release)
            .unwrap();
        // x[1, 1] was read by the third and the fourth entry.
        assert_eq!(
            x.gradient_snapshot().unwrap().as_slice(),
            [2.0, 0.0, 1.0, 0.0, 43.0, 0.0]
        );
    }

    #[test]
    fn an_index_that_does_not_fit_is_refused() {
        let text = |shape: &[usize], values: &[usize], axis| {
            let index = indices(shape, values);
            gather(&input(), &index, axis).unwrap_err().to_string()
        };
        assert_eq!(
            text(&[2, 1], &[0, 3], 1),
            "gather: expected an index below 3 on axis 1, got 3 at flat position 1"
        );
        assert_eq!(
            text(&[3, 1], &[0, 0, 0], 1),
            "gather: expected an index of rank 2 within [2, 3] beside axis 1, got shape [3, 1]"
        );
        assert_eq!(
            text(&[2], &[0, 0], 1),
            "gather: expected an index of rank 2 within [2, 3] beside axis 1, got shape [2]"
        );
        assert_eq!(
            text(&[2, 1], &[0, 0], 2),
            "gather: expected an axis below rank 2, got 2"
        );
    }

    #[test]
    fn no_index_reads_nothing() {
        assert_eq!(
            gather(&input(), &indices(&[0, 3], &[]), 0).unwrap().shape(),
            [0, 3]
        );
    }
}
