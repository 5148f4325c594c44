//! Arithmetic on contiguous rows that several operations share.

use autodiff_core::prelude::*;

/// Independent running maxima, so that comparisons do not wait for each other.
const LANES: usize = 8;

/// Rows that are added before they count as one: the error of a sum over rows then grows with their
/// number divided by this.
const BLOCK: usize = 64;

/// The number of rows along the last axis, and their width; `None` for rank 0.
pub(super) fn rows_and_width(shape: &[usize]) -> Option<(&[usize], usize)> {
    shape.split_last().map(|(&width, rows)| (rows, width))
}

/// The rows of `x` along the last axis, none where a row has no element.
pub(super) fn rows<T>(values: &[T], width: usize) -> std::slice::ChunksExact<'_, T> {
    values.chunks_exact(width.max(1))
}

/// The rows of `x` along the last axis for writing.
pub(super) fn rows_mut<T>(values: &mut [T], width: usize) -> std::slice::ChunksExactMut<'_, T> {
    values.chunks_exact_mut(width.max(1))
}

/// The largest value of a row; 0 for an empty row.
pub(super) fn largest<T: Element>(row: &[T]) -> T {
    let (groups, rest) = row.as_chunks::<LANES>();
    let mut lanes = [rest.first().or(row.first()).copied().unwrap_or_default(); LANES];
    for group in groups {
        for (lane, &x) in lanes.iter_mut().zip(group) {
            *lane = lane.max(x);
        }
    }
    lanes
        .iter()
        .chain(rest)
        .fold(lanes[0], |largest, &x| largest.max(x))
}

/// `out = exp(row - row[peak])`; the sum of it without the 1 at the peak, so that the logarithm of the whole
/// is the `ln_1p` of it and loses no digits where the peak outweighs the rest.
pub(super) fn exp_from_peak<T: Element>(
    row: &[T],
    peak: usize,
    scratch: &mut [T],
    out: &mut [T],
) -> T {
    let shift = row.get(peak).copied().unwrap_or_default();
    for (place, &x) in scratch.iter_mut().zip(row) {
        *place = x - shift;
    }
    T::exp_slice(scratch, out);
    sum_without(peak, out)
}

/// Subtracts from values their mean under weights that sum to 1.
///
/// Where one weight is nearly 1, its value and the mean agree in most digits; what rounding left of the
/// mean is found, and subtracted, by a second look.
pub(super) fn subtract_weighted_mean<T: Element>(values: &mut [T], weights: &[T]) {
    for _ in 0..2 {
        let mean = T::dot_slice(values, weights);
        for place in values.iter_mut() {
            *place -= mean;
        }
    }
}

/// The sum of a row without the element at `apart`.
pub(super) fn sum_without<T: Element>(apart: usize, row: &mut [T]) -> T {
    let Some(place) = row.get_mut(apart) else {
        return T::sum_slice(row);
    };
    let element = std::mem::take(place);
    let sum = T::sum_slice(row);
    if let Some(place) = row.get_mut(apart) {
        *place = element;
    }
    sum
}

/// Multiplies every element of a row.
pub(super) fn scale<T: Element>(row: &mut [T], factor: T) {
    for place in row {
        *place *= factor;
    }
}

/// Where the largest value of a row is first; 0 for an empty row.
pub(super) fn peak<T: Element>(row: &[T]) -> usize {
    let largest = largest(row);
    row.iter().position(|&x| x == largest).unwrap_or_default()
}

/// A sum over rows, element by element.
pub(super) struct RowSum<T> {
    total: Tensor<T>,
    partial: Vec<T>,
    count: usize,
}

impl<T: Element> RowSum<T> {
    /// A sum of no row.
    pub(super) fn new(width: usize) -> Result<Self> {
        Ok(Self {
            total: Tensor::zeros([width])?,
            partial: vec![T::zero(); width],
            count: 0,
        })
    }

    /// Adds the products of two rows.
    pub(super) fn add_product(&mut self, left: &[T], right: &[T]) {
        for ((sum, &x), &y) in self.partial.iter_mut().zip(left).zip(right) {
            *sum += x * y;
        }
        self.end_row();
    }

    /// Adds a row.
    pub(super) fn add(&mut self, row: &[T]) {
        for (sum, &x) in self.partial.iter_mut().zip(row) {
            *sum += x;
        }
        self.end_row();
    }

    fn end_row(&mut self) {
        self.count += 1;
        if self.count.is_multiple_of(BLOCK) {
            self.fold();
        }
    }

    fn fold(&mut self) {
        for (total, partial) in self.total.as_mut_slice().iter_mut().zip(&mut self.partial) {
            *total += std::mem::take(partial);
        }
    }

    /// The sum.
    pub(super) fn total(mut self) -> Tensor<T> {
        self.fold();
        self.total
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_is_found_at_every_place_of_every_length() {
        for len in 1..40_usize {
            for place in 0..len {
                let row: Vec<f64> = (0..len)
                    .map(|i| if i == place { -1.0 } else { -2.0 - i as f64 })
                    .collect();
                assert_eq!(
                    (largest(&row), peak(&row)),
                    (-1.0, place),
                    "{place} of {len}"
                );
            }
        }
        assert_eq!((largest::<f64>(&[]), peak::<f64>(&[])), (0.0, 0));
    }

    #[test]
    fn a_sum_without_one_element_leaves_the_row_as_it_was() {
        let mut row = [1.0, f64::INFINITY, 2.0];
        assert_eq!(sum_without(1, &mut row), 3.0);
        assert_eq!(row, [1.0, f64::INFINITY, 2.0]);
    }

    #[test]
    fn a_value_of_nearly_all_the_weight_keeps_its_distance_from_the_mean() {
        let small = 1e-12;
        let mut values = [3.0, 1.0];
        subtract_weighted_mean(&mut values, &[1.0 - small, small]);
        // 3 - (3 (1 - s) + s) = 2 s, to nearly all digits, and 1 - 3 + 2 s.
        assert!(
            (values[0] - 2.0 * small).abs() < 1e-15 * small,
            "{values:?}"
        );
        assert!((values[1] + 2.0 - 2.0 * small).abs() < 1e-15, "{values:?}");
    }

    #[test]
    fn a_sum_over_many_rows_counts_each_once() {
        let mut sum = RowSum::new(2).unwrap();
        for row in 0..200 {
            sum.add(&[f64::from(row), 1.0]);
        }
        // 0 + 1 + .. + 199 = 199 · 200 / 2
        assert_eq!(sum.total().as_slice(), [19900.0, 200.0]);
    }
}
