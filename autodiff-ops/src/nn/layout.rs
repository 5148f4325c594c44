//! Where the rows of an attention's heads lie in a tensor.

use std::ops::Range;

use autodiff_core::prelude::*;
use autodiff_core::tensor::{Matrix, MatrixMut};

/// Where the rows of every head lie: heads come in groups, whose elements are contiguous as a whole.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    first: usize,
    group: usize,
    head: usize,
    row: usize,
    width: usize,
}

impl Layout {
    /// Every head is a matrix of its own.
    pub(super) fn apart(rows: usize, width: usize) -> Self {
        Self {
            first: 0,
            group: rows.saturating_mul(width),
            head: 0,
            row: width,
            width,
        }
    }

    /// The heads of a group share rows of `row` elements, in which theirs begin at `first`.
    pub(super) fn shared(rows: usize, row: usize, first: usize, width: usize) -> Self {
        Self {
            first,
            group: rows.saturating_mul(row),
            head: width,
            row,
            width,
        }
    }

    /// The elements of one group.
    pub(super) fn group(&self) -> usize {
        self.group
    }

    /// Where row `row` of a head begins, counted from the beginning of its group.
    fn within(&self, head: usize, row: usize) -> usize {
        self.first + head * self.head + row * self.row
    }

    /// Some rows of a head of a group.
    pub(super) fn rows<'v, T>(
        &self,
        values: &'v [T],
        [group, head]: [usize; 2],
        rows: &Range<usize>,
    ) -> Result<Matrix<'v, T>> {
        let start = group * self.group + self.within(head, rows.start);
        let values = values.get(start..).unwrap_or_default();
        Matrix::new(values, [rows.len(), self.width], [self.row, 1])
    }

    /// The same for writing, where `values` begin with group `base`.
    pub(super) fn rows_mut<'v, T: Element>(
        &self,
        values: &'v mut [T],
        [base, group, head]: [usize; 3],
        rows: &Range<usize>,
    ) -> Result<MatrixMut<'v, T>> {
        let start = (group - base) * self.group + self.within(head, rows.start);
        let values = values.get_mut(start..).unwrap_or_default();
        MatrixMut::new(values, [rows.len(), self.width], [self.row, 1])
    }
}
