//! The checked cursor: offsets of a strided traversal, proven in range once and then walked.
//!
//! Invariant: rank, element count, overflow and the largest reachable offset are checked before the first
//! offset is emitted; a traversal without elements emits none.

use super::shape::{self, Extents};
use super::view::TensorView;
use crate::error::{Result, ViewError};

/// Offsets of a strided traversal in row-major order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectedOffsets {
    extents: Extents,
    strides: Extents,
    position: Extents,
    offset: usize,
    remaining: usize,
}

impl ProjectedOffsets {
    /// Checks a traversal of `shape` by `strides` that is to visit `len` elements of a storage of
    /// `storage_len` elements.
    pub(super) fn new(
        shape: &[usize],
        strides: &[usize],
        len: usize,
        storage_len: usize,
    ) -> Result<Self, ViewError> {
        if shape.len() != strides.len() {
            return Err(ViewError::TraversalRank {
                rank: shape.len(),
                strides: strides.len(),
            });
        }
        let expected = shape::element_count(shape).map_err(|_| overflow(shape, strides))?;
        if expected != len {
            return Err(ViewError::TraversalCount {
                shape: shape.to_vec(),
                expected,
                actual: len,
            });
        }
        if let Some(largest) = largest_offset(shape, strides)?
            && largest >= storage_len
        {
            return Err(ViewError::TraversalReach {
                largest,
                len: storage_len,
            });
        }
        Ok(Self::proven(shape, Extents::from_slice(strides)))
    }

    /// A traversal that is already known to stay in range.
    pub(super) fn proven(shape: &[usize], strides: Extents) -> Self {
        Self {
            extents: Extents::from_slice(shape),
            strides,
            position: Extents::from_elem(0, shape.len()),
            offset: 0,
            remaining: shape::element_count(shape).unwrap_or(0),
        }
    }
}

/// The largest offset that a traversal reaches, if it reaches any.
pub(super) fn largest_offset(
    shape: &[usize],
    strides: &[usize],
) -> Result<Option<usize>, ViewError> {
    if shape.contains(&0) {
        return Ok(None);
    }
    shape
        .iter()
        .zip(strides)
        .try_fold(0_usize, |largest, (&extent, &stride)| {
            largest.checked_add(stride.checked_mul(extent - 1)?)
        })
        .map(Some)
        .ok_or_else(|| overflow(shape, strides))
}

fn overflow(shape: &[usize], strides: &[usize]) -> ViewError {
    ViewError::TraversalOverflow {
        shape: shape.to_vec(),
        strides: strides.to_vec(),
    }
}

impl<T> TensorView<'_, T> {
    /// The checked cursor: the offsets, from the first element of the view, that a traversal of `shape`
    /// by `strides` visits in row-major order; `len` is their expected number.
    ///
    /// # Errors
    /// `TraversalRank`, `TraversalCount`, `TraversalOverflow`, `TraversalReach`.
    pub fn projected_offsets(
        &self,
        shape: &[usize],
        strides: &[usize],
        len: usize,
    ) -> Result<ProjectedOffsets> {
        Ok(ProjectedOffsets::new(shape, strides, len, self.reach())?)
    }

    /// One past the largest offset that the view itself reaches.
    fn reach(&self) -> usize {
        match largest_offset(self.shape(), self.strides()) {
            Ok(Some(largest)) => largest + 1,
            _ => 0,
        }
    }
}

impl Iterator for ProjectedOffsets {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        self.remaining = self.remaining.checked_sub(1)?;
        let offset = self.offset;
        if self.remaining > 0 {
            let axes = self
                .position
                .iter_mut()
                .zip(&self.extents)
                .zip(&self.strides)
                .rev();
            for ((index, &extent), &stride) in axes {
                *index += 1;
                if *index < extent {
                    self.offset += stride;
                    break;
                }
                self.offset -= stride * (extent - 1);
                *index = 0;
            }
        }
        Some(offset)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.remaining, Some(self.remaining))
    }
}

impl ExactSizeIterator for ProjectedOffsets {}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_traversal_is_refused_before_it_starts() {
        let refuse = |shape: &[usize], strides: &[usize], len| {
            ProjectedOffsets::new(shape, strides, len, 6)
                .unwrap_err()
                .to_string()
        };
        assert_eq!(
            refuse(&[2, 3], &[1], 6),
            "expected one stride for each of 2 axes, got 1"
        );
        assert_eq!(
            refuse(&[2, 3], &[3, 1], 5),
            "a traversal of shape [2, 3] visits 6 elements, got 5"
        );
        assert_eq!(
            refuse(&[2, 3], &[4, 1], 6),
            "a traversal reaches offset 6, expected an offset below 6"
        );
        assert!(refuse(&[3], &[usize::MAX], 3).contains("cannot be counted"));
        assert!(refuse(&[usize::MAX, 2], &[0, 0], 6).contains("cannot be counted"));
    }

    #[test]
    fn an_empty_traversal_emits_nothing_and_reads_nothing() {
        assert_eq!(
            ProjectedOffsets::new(&[3, 0], &[9, usize::MAX], 0, 0)
                .unwrap()
                .next(),
            None
        );
    }

    #[test]
    fn rank_zero_emits_one_offset() {
        assert_eq!(
            ProjectedOffsets::new(&[], &[], 1, 1)
                .unwrap()
                .collect::<Vec<_>>(),
            [0]
        );
    }

    proptest! {
        #[test]
        fn offsets_are_the_dot_products_of_positions_and_strides(
            extents in proptest::collection::vec(0_usize..4, 0..5),
            strides in proptest::collection::vec(0_usize..5, 5),
        ) {
            let strides = &strides[..extents.len()];
            let len = extents.iter().product();
            let offsets: Vec<_> = ProjectedOffsets::new(&extents, strides, len, 100).unwrap().collect();
            let expected: Vec<_> = (0..len).map(|flat| {
                let mut rest = flat;
                extents.iter().zip(strides).rev().map(|(extent, stride)| {
                    let index = rest % extent;
                    rest /= extent;
                    index * stride
                }).sum::<usize>()
            }).collect();
            prop_assert_eq!(offsets, expected);
        }
    }
}
