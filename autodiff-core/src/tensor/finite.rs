//! Finding what is not finite, and sums that are tested before they are stored.
//!
//! Invariant: a chunk of a sum is tested before it is stored, so a failure can still name both terms.

use std::ops::Range;

use super::base::Tensor;
use super::element::Element;
use super::map::each2;
use super::parallel::{Rows, first_found, try_for_each_part};
use super::storage::Storage;

/// Elements that are tested before a failure is looked for.
const TESTED: usize = 4096;

/// Elements that are summed and tested at a time, while they are in the first-level cache.
const CHUNK: usize = 512;

/// The first entry of a sum that left the finite numbers; of a dual number, the part that did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct NonFiniteSum {
    /// The flat row-major index.
    pub(crate) index: usize,
    /// What was there before.
    pub(crate) previous: f64,
    /// What was to be added.
    pub(crate) contribution: f64,
}

impl<T: Element> Tensor<T> {
    /// The flat row-major index of the first element that is not finite, and the part that is not.
    #[must_use]
    #[inline(always)]
    pub fn first_non_finite(&self) -> Option<(usize, f64)> {
        match self.storage.inline_places() {
            Some(places) if T::all_finite(places) => None,
            _ => self.look_for_non_finite(),
        }
    }

    fn look_for_non_finite(&self) -> Option<(usize, f64)> {
        if self.storage.is_known_finite() {
            return None;
        }
        let values = self.as_slice();
        if values.len() <= CHUNK && T::all_finite(values) {
            self.storage.know_finite();
            return None;
        }
        let found = first_found(
            values.len(),
            #[inline(always)]
            |range| {
                for (block, chunk) in values[range.clone()].chunks(TESTED).enumerate() {
                    // Only a chunk that failed is searched.
                    if !T::all_finite(chunk) {
                        let place = chunk.iter().position(|x| !x.is_finite())?;
                        let index = range.start + block * TESTED + place;
                        return Some((index, chunk[place].offending_part()));
                    }
                }
                None
            },
        );
        if found.is_none() {
            self.storage.know_finite();
        }
        found
    }

    /// Adds `other`, in the buffer of whichever of the two is held by nobody else. The caller has
    /// checked that the shapes agree.
    ///
    /// # Errors
    /// The first entry whose sum is not finite; others may have been added already.
    pub(crate) fn accumulate(&mut self, mut other: Tensor<T>) -> Result<(), NonFiniteSum> {
        debug_assert_eq!(self.shape(), other.shape());
        if self.is_unique() {
            add_to(self.as_mut_slice(), other.as_slice(), |own, new| (own, new))?;
        } else if other.is_unique() {
            add_to(other.as_mut_slice(), self.as_slice(), |new, own| (own, new))?;
            *self = other;
        } else {
            self.storage = sum_of(self, &other)?;
        }
        self.storage.know_finite();
        Ok(())
    }
}

/// The sum in fresh storage.
fn sum_of<T: Element>(left: &Tensor<T>, right: &Tensor<T>) -> Result<Storage<T>, NonFiniteSum> {
    let (left, right) = (left.as_slice(), right.as_slice());
    Storage::written(left.len(), T::zero(), |out| {
        each_part(
            out,
            #[inline(always)]
            |range, out| {
                let chunks = out
                    .chunks_mut(CHUNK)
                    .zip(left[range.clone()].chunks(CHUNK))
                    .zip(right[range.clone()].chunks(CHUNK));
                for (block, ((out, left), right)) in chunks.enumerate() {
                    each2(out, left, right, |x, y| x + y);
                    if !T::all_finite(out) {
                        return Err(first_bad(range.start + block * CHUNK, out, left, right));
                    }
                }
                Ok(())
            },
        )
    })
}

/// Adds in place; the room for a chunk is no larger than the tensor warrants.
fn add_to<T: Element>(
    target: &mut [T],
    source: &[T],
    in_order: impl Fn(T, T) -> (T, T) + Sync,
) -> Result<(), NonFiniteSum> {
    match target.len() {
        0..=4 => add_chunks::<T, 4>(0, target, source, in_order),
        5..=64 => add_chunks::<T, 64>(0, target, source, in_order),
        _ => each_part(
            target,
            #[inline(always)]
            |range, target| add_chunks::<T, CHUNK>(range.start, target, &source[range], &in_order),
        ),
    }
}

/// `f(range, part)` of parts that together are all of `target`; of several failures, the first one by place.
fn each_part<T: Element>(
    target: &mut [T],
    f: impl Fn(Range<usize>, &mut [T]) -> Result<(), NonFiniteSum> + Sync,
) -> Result<(), NonFiniteSum> {
    let count = target.len();
    let rows = Rows {
        values: target,
        width: 1,
    };
    try_for_each_part(
        rows,
        count,
        2,
        #[inline(always)]
        |range, part| f(range, part.values),
    )
}

/// Adds chunk by chunk: a chunk is summed aside and tested, then stored. `in_order` puts the earlier
/// term before the later one; the first element has the flat index `start`.
#[inline(always)]
fn add_chunks<T: Element, const N: usize>(
    start: usize,
    target: &mut [T],
    source: &[T],
    in_order: impl Fn(T, T) -> (T, T),
) -> Result<(), NonFiniteSum> {
    let add = |(x, y): (T, T)| x + y;
    let mut sums = [T::zero(); N];
    for (block, (target, source)) in target.chunks_mut(N).zip(source.chunks(N)).enumerate() {
        let sums = &mut sums[..target.len()];
        each2(sums, target, source, |x, y| add(in_order(x, y)));
        if !T::all_finite(sums) {
            let (own, new): (Vec<T>, Vec<T>) = target
                .iter()
                .zip(source)
                .map(|(&x, &y)| in_order(x, y))
                .unzip();
            return Err(first_bad(start + block * N, sums, &own, &new));
        }
        target.copy_from_slice(sums);
    }
    Ok(())
}

/// Names the first bad entry of a chunk that begins at flat index `start`.
fn first_bad<T: Element>(start: usize, sums: &[T], own: &[T], new: &[T]) -> NonFiniteSum {
    let place = sums.iter().position(|x| !x.is_finite()).unwrap_or(0);
    let term = |terms: &[T]| terms.get(place).copied().unwrap_or_default();
    let [previous, contribution] = T::offending_parts(term(own), term(new));
    NonFiniteSum {
        index: start + place,
        previous,
        contribution,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tensor::Dual;

    #[test]
    fn the_first_bad_element_is_found_in_any_chunk() {
        for place in [0, 511, 512, 1500] {
            let mut x = Tensor::full([1501], 1.0).unwrap();
            x.as_mut_slice()[place] = f64::INFINITY;
            x.as_mut_slice()[1500] = f64::INFINITY;
            assert_eq!(x.first_non_finite(), Some((place, f64::INFINITY)));
        }
        assert_eq!(
            Tensor::<f64>::zeros([1501]).unwrap().first_non_finite(),
            None
        );
    }

    #[test]
    fn a_sum_lands_in_the_unique_buffer_of_either_term() {
        let mut own = Tensor::full([600], 1.0).unwrap();
        let address = own.as_slice().as_ptr();
        own.accumulate(Tensor::full([600], 2.0).unwrap()).unwrap();
        assert_eq!(
            (own.as_slice().as_ptr(), own.as_slice()[599]),
            (address, 3.0)
        );

        let shared = own.clone();
        let other = Tensor::full([600], 5.0).unwrap();
        let address = other.as_slice().as_ptr();
        own.accumulate(other).unwrap();
        assert_eq!(
            (own.as_slice().as_ptr(), own.as_slice()[599]),
            (address, 8.0)
        );
        assert_eq!(shared.as_slice()[599], 3.0);
    }

    #[test]
    fn a_sum_of_two_shared_terms_changes_neither_buffer() {
        let mut own = Tensor::full([600], 1.0).unwrap();
        let kept = own.clone();
        own.accumulate(kept.clone()).unwrap();
        assert_eq!((own.as_slice()[0], kept.as_slice()[0]), (2.0, 1.0));
    }

    #[test]
    fn a_refused_sum_names_index_and_both_terms() {
        let expected = NonFiniteSum {
            index: 700,
            previous: f64::MAX,
            contribution: 0.75 * f64::MAX,
        };
        let holding =
            |value: f64| Tensor::from_fn([1000], |i| if i == 700 { value } else { 1.0 }).unwrap();
        for [keep_own, keep_other] in [[false, false], [true, false], [true, true]] {
            let (mut own, other) = (holding(f64::MAX), holding(0.75 * f64::MAX));
            let kept = (
                keep_own.then(|| own.clone()),
                keep_other.then(|| other.clone()),
            );
            assert_eq!(own.accumulate(other), Err(expected));
            // The chunk that failed was not stored.
            assert_eq!(own.as_slice()[700], f64::MAX);
            assert!(kept.0.is_none_or(|kept| kept == holding(f64::MAX)));
        }
    }

    #[test]
    fn a_dual_sum_names_the_part_that_overflowed() {
        let mut own = Tensor::scalar(Dual::new(1.0, f64::MAX));
        let expected = NonFiniteSum {
            index: 0,
            previous: f64::MAX,
            contribution: f64::MAX,
        };
        assert_eq!(own.accumulate(own.clone()), Err(expected));
    }
}
