//! Drawn numbers and indices, in the ranges that a case names.

use super::sample::SampleError;
use super::stream::Stream;
use crate::error::TensorError;
use crate::tensor::{Shape, Tensor};

/// The ranges of a case, or -2 to 2 where it names none.
pub(super) fn float_ranges(
    parameter: &'static str,
    ranges: Vec<(f64, f64)>,
) -> Result<Vec<(f64, f64)>, SampleError> {
    if ranges.is_empty() {
        return Ok(vec![(-2.0, 2.0)]);
    }
    // Equal values would hide almost any fault, so an empty range is not drawn from; of one without a finite
    // width every draw would be its beginning.
    let total: f64 = ranges.iter().map(|(low, high)| high - low).sum();
    match total.is_finite() && ranges.iter().all(|(low, high)| low < high) {
        true => Ok(ranges),
        false => Err(SampleError::Range { parameter, ranges }),
    }
}

/// A tensor of numbers in these ranges.
pub(super) fn floats(
    shape: Vec<usize>,
    ranges: &[(f64, f64)],
    stream: &mut Stream,
) -> Result<Tensor<f64>, TensorError> {
    let entries = Shape::from(&shape).element_count()?;
    let values = (0..entries).map(|_| float_in(ranges, stream)).collect();
    Tensor::from_vec(shape, values)
}

/// A number in one of the ranges, the wider the likelier.
fn float_in(ranges: &[(f64, f64)], stream: &mut Stream) -> f64 {
    let total: f64 = ranges.iter().map(|(low, high)| high - low).sum();
    let mut position = stream.unit() * total;
    for (low, high) in ranges {
        if position < high - low {
            let value = low + position;
            let rounded = f64::from(value as f32);
            // Rounding can leave the range only by one step at its edge.
            return if (*low..*high).contains(&rounded) {
                rounded
            } else {
                value
            };
        }
        position -= high - low;
    }
    ranges.first().map_or(0.0, |(low, _)| *low)
}

/// The index at a position of the ranges laid end to end.
pub(super) fn index_at(ranges: &[(usize, usize)], mut position: usize) -> usize {
    for (low, high) in ranges {
        let width = high.saturating_sub(*low);
        if position < width {
            return low + position;
        }
        position -= width;
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_without_a_finite_width_is_refused() {
        for range in [
            (0.0, f64::INFINITY),
            (-1e308, 1e308),
            (1.0, 1.0),
            (f64::NAN, 1.0),
        ] {
            assert!(float_ranges("x", vec![range]).is_err(), "{range:?}");
        }
        assert!(float_ranges("x", vec![(0.1, 2.0), (-2.0, -0.1)]).is_ok());
    }

    #[test]
    fn numbers_lie_in_their_ranges_and_are_exact_in_f32() {
        let ranges = [(-2.0, -0.1), (0.1, 2.0)];
        let mut stream = Stream::new(3, 0);
        let numbers: Vec<f64> = (0..1000).map(|_| float_in(&ranges, &mut stream)).collect();
        assert!(
            numbers
                .iter()
                .all(|x| (0.1..2.0).contains(&x.abs()) || *x == -2.0)
        );
        assert!(numbers.iter().all(|x| f64::from(*x as f32) == *x));
        assert!(numbers.iter().any(|x| *x < 0.0) && numbers.iter().any(|x| *x > 0.0));
    }

    #[test]
    fn a_case_without_a_range_has_one_and_an_empty_range_is_refused() {
        assert_eq!(float_ranges("x", vec![]), Ok(vec![(-2.0, 2.0)]));
        let ranges = vec![(1.0, 1.0)];
        assert_eq!(
            float_ranges("x", ranges.clone()),
            Err(SampleError::Range {
                parameter: "x",
                ranges
            })
        );
    }

    #[test]
    fn positions_run_through_all_index_ranges() {
        let all: Vec<_> = (0..5)
            .map(|position| index_at(&[(0, 2), (7, 10)], position))
            .collect();
        assert_eq!(all, [0, 1, 7, 8, 9]);
    }
}
