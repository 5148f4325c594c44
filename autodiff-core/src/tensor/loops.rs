//! Coalesced loops over strided operands: contiguous inner runs under an odometer of outer axes.
//!
//! Invariant: runs visit the logical elements in row-major order, each exactly once.
//! Invariant: state is O(rank); a traversal without elements emits no run.

use std::array;
use std::ops::Range;

use smallvec::SmallVec;

use super::shape::Extents;

/// One loop: how often, and how far each operand moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Axis<const K: usize> {
    pub(super) extent: usize,
    pub(super) strides: [usize; K],
}

/// The loops over a logical shape that `K` operands follow by strides.
pub(super) struct Loops<const K: usize> {
    outer: SmallVec<[Axis<K>; 4]>,
    inner: Axis<K>,
    len: usize,
}

impl<const K: usize> Loops<K> {
    /// Axes of extent 1 are dropped, and neighbours that every operand walks evenly are merged.
    pub(super) fn new(shape: &[usize], strides: [&[usize]; K]) -> Self {
        let mut outer: SmallVec<[Axis<K>; 4]> = SmallVec::new();
        if shape.contains(&0) {
            return Self {
                outer,
                inner: Axis {
                    extent: 1,
                    strides: [1; K],
                },
                len: 0,
            };
        }
        for (place, &extent) in shape.iter().enumerate() {
            if extent == 1 {
                continue;
            }
            let steps = array::from_fn(|operand| strides[operand][place]);
            match outer.last_mut() {
                Some(last) if merges(last, extent, &steps) => {
                    last.extent *= extent;
                    last.strides = steps;
                }
                _ => outer.push(Axis {
                    extent,
                    strides: steps,
                }),
            }
        }
        let len = outer.iter().map(|axis| axis.extent).product();
        let inner = outer.pop().unwrap_or(Axis {
            extent: 1,
            strides: [1; K],
        });
        Self { outer, inner, len }
    }

    /// The number of logical elements.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// The strides within a run.
    pub(super) fn inner_strides(&self) -> [usize; K] {
        self.inner.strides
    }

    /// All loops, outermost first.
    pub(super) fn axes(&self) -> impl Iterator<Item = Axis<K>> + '_ {
        self.outer.iter().copied().chain([self.inner])
    }

    /// Calls `body(start, len, offsets)` for every run within a range of the flat logical index.
    #[inline(always)]
    pub(super) fn for_each_run(
        &self,
        range: Range<usize>,
        mut body: impl FnMut(usize, usize, [usize; K]),
    ) {
        let range = range.start..range.end.min(self.len);
        if range.is_empty() {
            return;
        }
        let width = self.inner.extent;
        let mut column = range.start % width;
        let mut row = range.start / width;
        let mut position = Extents::from_elem(0, self.outer.len());
        let mut base = [0; K];
        for (index, axis) in position.iter_mut().zip(&self.outer).rev() {
            *index = row % axis.extent;
            row /= axis.extent;
            advance(&mut base, &axis.strides, *index);
        }
        let mut start = range.start;
        loop {
            let len = (width - column).min(range.end - start);
            body(
                start,
                len,
                array::from_fn(|operand| base[operand] + column * self.inner.strides[operand]),
            );
            start += len;
            if start >= range.end {
                return;
            }
            column = 0;
            for (index, axis) in position.iter_mut().zip(&self.outer).rev() {
                *index += 1;
                advance(&mut base, &axis.strides, 1);
                if *index < axis.extent {
                    break;
                }
                for (offset, stride) in base.iter_mut().zip(&axis.strides) {
                    *offset -= stride * axis.extent;
                }
                *index = 0;
            }
        }
    }
}

fn advance<const K: usize>(base: &mut [usize; K], strides: &[usize; K], steps: usize) {
    for (offset, stride) in base.iter_mut().zip(strides) {
        *offset += stride * steps;
    }
}

fn merges<const K: usize>(outer: &Axis<K>, extent: usize, inner: &[usize; K]) -> bool {
    outer
        .strides
        .iter()
        .zip(inner)
        .all(|(&outer, &inner)| outer == inner.saturating_mul(extent))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(shape: &[usize], strides: &[usize], range: Range<usize>) -> Vec<(usize, usize, usize)> {
        let mut runs = Vec::new();
        Loops::new(shape, [strides]).for_each_run(range, |start, len, [offset]| {
            runs.push((start, len, offset))
        });
        runs
    }

    #[test]
    fn contiguous_axes_merge_into_one_run() {
        assert_eq!(runs(&[2, 1, 3, 4], &[12, 7, 4, 1], 0..24), [(0, 24, 0)]);
    }

    #[test]
    fn a_reused_row_is_one_run_a_row() {
        assert_eq!(runs(&[2, 3], &[0, 1], 0..6), [(0, 3, 0), (3, 3, 0)]);
    }

    #[test]
    fn a_range_may_begin_and_end_inside_a_run() {
        assert_eq!(
            runs(&[3, 2, 2], &[2, 1, 0], 3..9),
            [(3, 1, 1), (4, 2, 2), (6, 2, 3), (8, 1, 4)]
        );
    }

    #[test]
    fn nothing_is_visited_where_an_extent_is_zero() {
        assert_eq!(runs(&[2, 0], &[0, 1], 0..10), []);
    }

    #[test]
    fn a_scalar_is_one_run_of_one() {
        assert_eq!(runs(&[], &[], 0..1), [(0, 1, 0)]);
    }
}
