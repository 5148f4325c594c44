//! Arithmetic on contiguous rows that several operations share.

use autodiff_core::prelude::*;
use autodiff_core::tensor::Rows;

/// Independent running maxima, so that comparisons do not wait for each other.
const LANES: usize = 16;

/// So many lanes at a time, since a comparison takes longer than the machine needs to begin the next one.
const GROUPS: usize = 4;

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

/// Rows of `width` elements, to write.
pub(super) fn whole_rows<T: Element>(values: &mut Tensor<T>, width: usize) -> Rows<'_, T> {
    let values = values.as_mut_slice();
    Rows { values, width }
}

/// One element for each row, to write.
pub(super) fn each_row<T: Element>(values: &mut Tensor<T>) -> Rows<'_, T> {
    whole_rows(values, 1)
}

/// The largest value of a row without a NaN; 0 for an empty row.
#[inline(always)]
pub(super) fn largest<T: Element>(row: &[T]) -> T {
    let first = row.first().copied().unwrap_or_default();
    let mut lanes = [[first; LANES]; GROUPS];
    let (groups, rest) = row.as_chunks::<{ LANES * GROUPS }>();
    for group in groups {
        for (lanes, group) in lanes.iter_mut().zip(group.as_chunks().0) {
            raise(lanes, group);
        }
    }
    let [mut lanes, others @ ..] = lanes;
    let (groups, rest) = rest.as_chunks();
    for group in others.iter().chain(groups) {
        raise(&mut lanes, group);
    }
    lanes
        .iter()
        .chain(rest)
        .fold(first, |top, &x| larger(top, x))
}

#[inline(always)]
fn raise<T: Element>(lanes: &mut [T; LANES], values: &[T; LANES]) {
    for (lane, &x) in lanes.iter_mut().zip(values) {
        *lane = larger(*lane, x);
    }
}

/// Not `max`, in which a NaN wins at some cost: whoever asks for the largest meets the NaN itself.
#[inline(always)]
fn larger<T: Element>(x: T, y: T) -> T {
    if y > x { y } else { x }
}

/// Elements that are compared with the largest at a time.
const SEARCHED: usize = 64;

/// `out = exp(row - row[peak])`; the sum of it without the 1 at the peak, so that the logarithm of the whole
/// is the `ln_1p` of it and loses no digits where the peak outweighs the rest.
#[inline(always)]
pub(super) fn exp_from_peak<T: Element>(row: &[T], peak: usize, out: &mut [T]) -> T {
    exp_from(row, row.get(peak).copied().unwrap_or_default(), out);
    sum_without(peak, out)
}

/// `out = exp(row - shift)`.
#[inline(always)]
pub(super) fn exp_from<T: Element>(row: &[T], shift: T, out: &mut [T]) {
    for (place, &x) in out.iter_mut().zip(row) {
        *place = (x - shift).exp();
    }
}

/// Subtracts from values their mean under weights that sum to 1.
///
/// Where one weight is nearly 1, its value and the mean agree in most digits; what rounding left of the
/// mean is found, and subtracted, by a second look.
#[inline(always)]
pub(super) fn subtract_weighted_mean<T: Element>(values: &mut [T], weights: &[T]) {
    for _ in 0..2 {
        let mean = T::dot_slice(values, weights);
        for place in values.iter_mut() {
            *place -= mean;
        }
    }
}

/// The sum of a row without the element at `apart`.
#[inline(always)]
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
#[inline(always)]
pub(super) fn scale<T: Element>(row: &mut [T], factor: T) {
    for place in row {
        *place *= factor;
    }
}

/// Where the largest value of a row is first; 0 for an empty row.
#[inline(always)]
pub(super) fn peak<T: Element>(row: &[T]) -> usize {
    let largest = largest(row);
    // Whether a group has it is found without a branch for each element.
    for (group, values) in row.chunks(SEARCHED).enumerate() {
        if values
            .iter()
            .fold(false, |found, &x| found | (x == largest))
        {
            let place = values.iter().position(|&x| x == largest);
            return group * SEARCHED + place.unwrap_or_default();
        }
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_is_found_at_every_place_of_every_length() {
        for len in 1..150_usize {
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
    fn of_equal_elements_the_first_is_the_peak() {
        // Both within the elements that are compared at a time, and not.
        for (first, second) in [(1, 2), (70, 100), (3, 100)] {
            let row: Vec<f64> = (0..150)
                .map(|i| if i == first || i == second { 1.0 } else { 0.5 })
                .collect();
            assert_eq!(peak(&row), first);
        }
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
}
