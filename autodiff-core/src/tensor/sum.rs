//! Sums of contiguous runs: vectorised, pairwise, in an order that depends on the length only.
//!
//! Invariant: the error grows with the logarithm of the length, so a million `f32` keep six digits.

use super::element::Element;

/// Independent partial sums, so that additions neither wait for each other nor pile up in one place.
pub(super) const LANES: usize = 64;

/// As many elements as there are partial sums.
pub(super) type Group<T> = [T; LANES];

/// Elements that are summed lane by lane before the pairwise tree takes over.
const BLOCK: usize = 1024;

/// Partial results of a fold.
const COMBINED: usize = 16;

/// Partial sums of runs too short for all lanes.
const FEW: usize = 8;

/// Adds block sums in a balanced tree while they arrive: partial sum `k` covers `2^k` blocks.
pub(super) struct Pairwise<T> {
    partial: [T; usize::BITS as usize],
    blocks: usize,
}

impl<T: Element> Pairwise<T> {
    pub(super) fn new() -> Self {
        Self {
            partial: [T::zero(); usize::BITS as usize],
            blocks: 0,
        }
    }

    #[inline(always)]
    pub(super) fn push(&mut self, block: T) {
        let mut sum = block;
        // Like a carry in binary counting: equal-sized neighbours merge.
        let merged = self.blocks.trailing_ones() as usize;
        for earlier in self.partial.iter().take(merged) {
            sum = *earlier + sum;
        }
        if let Some(place) = self.partial.get_mut(merged) {
            *place = sum;
        }
        self.blocks += 1;
    }

    /// The partial sums from the smallest on; only those that hold something are looked at, since most
    /// sums are short.
    #[inline(always)]
    pub(super) fn total(&self) -> T {
        let mut held = self.blocks;
        let mut total = T::zero();
        let mut first = true;
        while held != 0 {
            if let Some(&earlier) = self.partial.get(held.trailing_zeros() as usize) {
                total = if first { earlier } else { earlier + total };
                first = false;
            }
            held &= held - 1;
        }
        total
    }
}

/// The sum of a run.
#[inline(always)]
pub(super) fn pairwise<T: Element>(values: &[T]) -> T {
    if values.len() <= BLOCK {
        return block_sum(values);
    }
    let mut sum = Pairwise::new();
    for block in values.chunks(BLOCK) {
        sum.push(block_sum(block));
    }
    sum.total()
}

#[inline(always)]
fn block_sum<T: Element>(values: &[T]) -> T {
    let (groups, rest) = values.as_chunks();
    if groups.is_empty() {
        return short_sum(rest);
    }
    T::sum_groups(groups) + short_sum(rest)
}

/// The sum of a run that is too short for all lanes.
#[inline(always)]
fn short_sum<T: Element>(values: &[T]) -> T {
    let (groups, rest) = values.as_chunks();
    let mut lanes = [T::zero(); FEW];
    for group in groups {
        add_group(&mut lanes, group);
    }
    rest.iter()
        .fold(sum_of_lanes(&mut lanes), |sum, &x| sum + x)
}

#[inline(always)]
fn add_group<T: Element, const N: usize>(lanes: &mut [T; N], group: &[T; N]) {
    for (lane, &x) in lanes.iter_mut().zip(group) {
        *lane += x;
    }
}

#[inline(always)]
fn add_product<T: Element, const N: usize>(lanes: &mut [T; N], left: &[T; N], right: &[T; N]) {
    for ((lane, &x), &y) in lanes.iter_mut().zip(left).zip(right) {
        *lane += x * y;
    }
}

/// The sum of all elements of groups.
#[inline(always)]
pub(super) fn sum_of_groups<T: Element>(groups: &[Group<T>]) -> T {
    let mut lanes = [T::zero(); LANES];
    for group in groups {
        add_group(&mut lanes, group);
    }
    sum_of_lanes(&mut lanes)
}

/// The sum of the products of all elements of two runs of groups.
#[inline(always)]
pub(super) fn dot_of_groups<T: Element>(left: &[Group<T>], right: &[Group<T>]) -> T {
    let mut lanes = [T::zero(); LANES];
    for (left, right) in left.iter().zip(right) {
        add_product(&mut lanes, left, right);
    }
    sum_of_lanes(&mut lanes)
}

/// The lanes, whose number is a power of two, added up by halves.
#[inline(always)]
pub(super) fn sum_of_lanes<T: Element>(lanes: &mut [T]) -> T {
    let mut half = lanes.len() / 2;
    while half > 0 {
        let (low, high) = lanes.split_at_mut(half);
        for (lane, &x) in low.iter_mut().zip(high.iter()) {
            *lane += x;
        }
        half /= 2;
    }
    lanes.first().copied().unwrap_or_default()
}

/// Folds a run lane by lane with a function that is associative and commutative.
#[inline(always)]
pub(super) fn combine<T: Copy>(values: &[T], init: T, f: impl Fn(T, T) -> T) -> T {
    let (groups, rest) = values.as_chunks::<COMBINED>();
    let folded = match groups.split_first() {
        None => init,
        Some((first, groups)) => {
            let mut lanes = *first;
            for group in groups {
                for (lane, &x) in lanes.iter_mut().zip(group) {
                    *lane = f(*lane, x);
                }
            }
            lanes.into_iter().fold(init, &f)
        }
    };
    rest.iter().fold(folded, |folded, &x| f(folded, x))
}

/// The sum of the products of two runs of one length.
#[inline(always)]
pub(super) fn dot<T: Element>(left: &[T], right: &[T]) -> T {
    debug_assert_eq!(left.len(), right.len());
    if left.len() <= BLOCK {
        return block_dot(left, right);
    }
    let mut sum = Pairwise::new();
    for (left, right) in left.chunks(BLOCK).zip(right.chunks(BLOCK)) {
        sum.push(block_dot(left, right));
    }
    sum.total()
}

#[inline(always)]
fn block_dot<T: Element>(left: &[T], right: &[T]) -> T {
    let ((groups, left), (others, right)) = (left.as_chunks(), right.as_chunks());
    if groups.is_empty() {
        return short_dot(left, right);
    }
    T::dot_groups(groups, others) + short_dot(left, right)
}

/// The sum of the products of runs that are too short for all lanes.
#[inline(always)]
fn short_dot<T: Element>(left: &[T], right: &[T]) -> T {
    let ((groups, left), (others, right)) = (left.as_chunks(), right.as_chunks());
    let mut lanes = [T::zero(); FEW];
    for (left, right) in groups.iter().zip(others) {
        add_product(&mut lanes, left, right);
    }
    let rest = left.iter().zip(right);
    rest.fold(sum_of_lanes(&mut lanes), |sum, (&x, &y)| sum + x * y)
}

/// Whether every part of every element is finite.
///
/// `0 x` is zero for a finite `x` and NaN for any other, and a lane that has turned NaN stays NaN.
pub(super) fn all_finite<T: Element>(values: &[T]) -> bool {
    let zero = T::zero();
    let (groups, rest) = values.as_chunks::<COMBINED>();
    let mut lanes = [zero; COMBINED];
    for group in groups {
        for (lane, &x) in lanes.iter_mut().zip(group) {
            *lane += x * zero;
        }
    }
    lanes.iter().all(|lane| lane.is_finite()) && rest.iter().all(|x| x.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tensor::Dual;

    #[test]
    fn a_million_tenths_in_single_precision_are_right_to_1e_6() {
        let sum = pairwise(&vec![0.1_f32; 1_000_000]);
        // The exact sum of a million copies of the f32 nearest to 0.1.
        let exact = 1e6 * f64::from(0.1_f32);
        assert!(
            (f64::from(sum) - exact).abs() <= 1e-6 * exact,
            "{sum} against {exact}"
        );
    }

    #[test]
    fn small_integers_sum_exactly_at_every_length() {
        for len in (0..600).chain([4095, 4096, 4097]) {
            let values: Vec<f64> = (0..len).map(f64::from).collect();
            assert_eq!(pairwise(&values), f64::from(len * (len - 1) / 2).max(0.0));
        }
    }

    #[test]
    fn one_bad_element_at_any_place_is_seen() {
        for len in [1, 5, 16, 17, 40] {
            for place in 0..len {
                for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
                    let mut values = vec![f64::MAX; len];
                    assert!(all_finite(&values));
                    values[place] = bad;
                    assert!(!all_finite(&values), "{bad} at {place} of {len}");
                    let mut duals: Vec<Dual> = vec![Dual::new(1.0, f64::MIN); len];
                    assert!(all_finite(&duals));
                    duals[place].tangent = bad;
                    assert!(!all_finite(&duals));
                }
            }
        }
    }
}
