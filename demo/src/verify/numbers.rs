//! One measure of difference for everything that is compared.

use autodiff_ops::prelude::*;

/// A comparison and its outcome.
#[derive(Clone, Debug, PartialEq)]
pub struct Check {
    /// What was compared.
    pub what: String,
    /// How far apart the two sides are.
    pub error: f64,
    /// How far apart they may be.
    pub bound: f64,
}

impl Check {
    /// Whether the two sides agree. An error that is not a number never does.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.error <= self.bound
    }
}

/// `max |a - b| / max(1, max |b|)`; infinite where counts differ or a number is not finite.
///
/// Not purely relative: where terms cancel, rounding is relative to the terms, not to what is left.
#[must_use]
pub fn difference<T: Element>(actual: &[T], expected: &[f64]) -> f64 {
    if actual.len() != expected.len() {
        return f64::INFINITY;
    }
    let pairs = actual.iter().map(|a| a.to_f64()).zip(expected);
    let largest = expected
        .iter()
        .fold(1.0, |largest: f64, b| largest.max(b.abs()));
    pairs.fold(0.0, |worst, (a, b)| {
        worst_of(worst, (a - b).abs() / largest)
    })
}

/// The larger of two errors, where one that is not finite is the largest.
#[must_use]
pub fn worst_of(left: f64, right: f64) -> f64 {
    match left.is_finite() && right.is_finite() {
        true => left.max(right),
        false => f64::INFINITY,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_relative_to_the_largest_number_and_never_to_less_than_1() {
        assert_eq!(difference(&[1.5, 0.0], &[1.0, 4.0]), 4.0 / 4.0);
        assert_eq!(difference(&[0.25], &[0.125]), 0.125);
    }

    #[test]
    fn what_is_not_finite_or_missing_never_holds() {
        for (actual, expected) in [
            (vec![f64::NAN, 0.0], vec![0.0, 0.0]),
            (vec![0.0], vec![f64::NAN]),
            (vec![0.0], vec![0.0, 0.0]),
        ] {
            let error = difference(&actual, &expected);
            let check = Check {
                what: String::new(),
                error,
                bound: 1.0,
            };
            assert!(!check.holds(), "{actual:?} {expected:?}");
        }
    }
}
