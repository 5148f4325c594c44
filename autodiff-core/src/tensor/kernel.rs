//! Matrix products over strided operands: `gemm` for the machine's floats, plain loops for the rest.
//!
//! This is the one module that may be `unsafe`: the GEMM crate takes pointers and strides.
//!
//! Invariant: a matrix is built only where its largest offset lies within its slice, and a writable one
//! only where no two entries share an offset; so the pointers that are handed on stay in range, and the
//! output, being a mutable borrow, overlaps no input.
#![allow(unsafe_code)]

use super::element::Element;
use super::offsets::largest_offset;
use super::view::TensorView;
use crate::error::{Result, TensorError, ViewError};

/// A strided matrix to read.
#[derive(Clone, Copy, Debug)]
pub struct Matrix<'a, T> {
    values: &'a [T],
    extents: [usize; 2],
    strides: [usize; 2],
}

/// A strided matrix to write.
#[derive(Debug)]
pub struct MatrixMut<'a, T> {
    values: &'a mut [T],
    extents: [usize; 2],
    strides: [usize; 2],
}

impl<'a, T> Matrix<'a, T> {
    /// The matrix of `[rows, columns]` whose entry `(i, j)` is `values[i strides[0] + j strides[1]]`.
    ///
    /// # Errors
    /// `TraversalOverflow`, `TraversalReach`.
    pub fn new(values: &'a [T], extents: [usize; 2], strides: [usize; 2]) -> Result<Self> {
        check_reach(values.len(), &extents, &strides)?;
        Ok(Self {
            values,
            extents,
            strides: used_strides(extents, strides),
        })
    }

    /// Rows and columns exchanged.
    #[must_use]
    pub fn transposed(self) -> Self {
        let Self {
            values,
            extents: [rows, columns],
            strides: [row, column],
        } = self;
        Self {
            values,
            extents: [columns, rows],
            strides: [column, row],
        }
    }

    /// Rows and columns.
    #[must_use]
    pub fn extents(&self) -> [usize; 2] {
        self.extents
    }
}

impl<'a, T> TensorView<'a, T> {
    /// The last two axes as a matrix at an offset that a traversal of the leading axes has given.
    ///
    /// # Errors
    /// `AxisCount` for a rank below 2; `TraversalReach` where the matrix would leave the storage.
    pub fn matrix_at(&self, offset: usize) -> Result<Matrix<'a, T>> {
        match (self.shape(), self.strides()) {
            ([.., rows, columns], [.., row, column]) => {
                let values = self.storage().get(offset..).unwrap_or_default();
                Matrix::new(values, [*rows, *columns], [*row, *column])
            }
            _ => Err(TensorError::AxisCount {
                expected: 2,
                actual: self.rank(),
            }
            .into()),
        }
    }
}

impl<'a, T: Element> MatrixMut<'a, T> {
    /// The matrix of `[rows, columns]` whose entry `(i, j)` is `values[i strides[0] + j strides[1]]`.
    ///
    /// # Errors
    /// `TraversalOverflow`, `TraversalReach`; `OverlappingEntries` where two entries would share a place.
    pub fn new(values: &'a mut [T], extents: [usize; 2], strides: [usize; 2]) -> Result<Self> {
        check_reach(values.len(), &extents, &strides)?;
        let strides = used_strides(extents, strides);
        let [[rows, columns], [row, column]] = [extents, strides];
        // One axis must step over everything that the other one covers.
        let nested =
            |outer: usize, inner: usize, count: usize| inner > 0 && outer > inner * (count - 1);
        let distinct = match [rows, columns] {
            [0, _] | [_, 0] | [1, 1] => true,
            [1, _] => column > 0,
            [_, 1] => row > 0,
            _ => nested(row, column, columns) || nested(column, row, rows),
        };
        if !distinct {
            let error = ViewError::OverlappingEntries {
                rows,
                columns,
                row_stride: row,
                column_stride: column,
            };
            return Err(error.into());
        }
        Ok(Self {
            values,
            extents,
            strides,
        })
    }

    /// A row-major matrix without gaps.
    ///
    /// # Errors
    /// `TraversalOverflow`, `TraversalReach`.
    pub fn row_major(values: &'a mut [T], extents: [usize; 2]) -> Result<Self> {
        Self::new(values, extents, [extents[1], 1])
    }

    /// Rows and columns.
    #[must_use]
    pub fn extents(&self) -> [usize; 2] {
        self.extents
    }

    /// Overwrites the matrix with `left right`.
    ///
    /// # Errors
    /// `MatrixExtents`.
    pub fn set_product(&mut self, left: &Matrix<'_, T>, right: &Matrix<'_, T>) -> Result<()> {
        self.multiply(left, right, false)
    }

    /// Adds `left right` to the matrix.
    ///
    /// # Errors
    /// `MatrixExtents`.
    pub fn add_product(&mut self, left: &Matrix<'_, T>, right: &Matrix<'_, T>) -> Result<()> {
        self.multiply(left, right, true)
    }

    /// Overwrites the matrix with `left right`, or adds it.
    ///
    /// # Errors
    /// `MatrixExtents`.
    pub fn put_product(
        &mut self,
        left: &Matrix<'_, T>,
        right: &Matrix<'_, T>,
        accumulate: bool,
    ) -> Result<()> {
        self.multiply(left, right, accumulate)
    }

    fn multiply(
        &mut self,
        left: &Matrix<'_, T>,
        right: &Matrix<'_, T>,
        accumulate: bool,
    ) -> Result<()> {
        let ([m, k], [depth, n]) = (left.extents, right.extents);
        if k != depth || self.extents != [m, n] {
            let (left, right, output) = (left.extents, right.extents, self.extents);
            return Err(TensorError::MatrixExtents {
                left,
                right,
                output,
            }
            .into());
        }
        if k == 0 && !accumulate {
            self.fill(T::zero());
        }
        if m > 0 && n > 0 && k > 0 {
            T::gemm(self, left, right, accumulate);
        }
        Ok(())
    }

    fn fill(&mut self, value: T) {
        for i in 0..self.extents[0] {
            for j in 0..self.extents[1] {
                self.values[i * self.strides[0] + j * self.strides[1]] = value;
            }
        }
    }
}

fn check_reach(len: usize, extents: &[usize; 2], strides: &[usize; 2]) -> Result<()> {
    match largest_offset(extents, strides)? {
        Some(largest) if largest >= len => Err(ViewError::TraversalReach { largest, len }.into()),
        _ => Ok(()),
    }
}

/// The stride of an axis that is never stepped along is 0, so that every stride fits into `isize`.
fn used_strides(extents: [usize; 2], strides: [usize; 2]) -> [usize; 2] {
    let used = extents.iter().all(|&extent| extent > 0);
    let stride = |axis: usize| {
        if used && extents[axis] > 1 {
            strides[axis]
        } else {
            0
        }
    };
    [stride(0), stride(1)]
}

/// The product by plain loops, the depth in ascending order.
pub(super) fn multiply_portably<T: Element>(
    output: &mut MatrixMut<'_, T>,
    left: &Matrix<'_, T>,
    right: &Matrix<'_, T>,
    accumulate: bool,
) {
    let ([m, k], [_, n]) = (left.extents, right.extents);
    let ([out_row, out_column], [left_row, left_column], [right_row, right_column]) =
        (output.strides, left.strides, right.strides);
    // Rows of the right factor are read `m` times, so they are laid out without gaps first.
    let mut packed = Vec::new();
    let (right_values, right_row) = match right_column {
        1 => (right.values, right_row),
        _ => {
            let entry =
                |index: usize| right.values[index / n * right_row + index % n * right_column];
            packed.extend((0..k * n).map(entry));
            (packed.as_slice(), n)
        }
    };
    let mut row = vec![T::zero(); n];
    for i in 0..m {
        row.fill(T::zero());
        for depth in 0..k {
            let factor = left.values[i * left_row + depth * left_column];
            let start = depth * right_row;
            for (sum, &x) in row.iter_mut().zip(&right_values[start..start + n]) {
                *sum += factor * x;
            }
        }
        for (j, &sum) in row.iter().enumerate() {
            let place = &mut output.values[i * out_row + j * out_column];
            *place = if accumulate { *place + sum } else { sum };
        }
    }
}

macro_rules! gemm_for {
    ($name:ident, $float:ident) => {
        /// The product by the GEMM crate.
        pub(super) fn $name(
            output: &mut MatrixMut<'_, $float>,
            left: &Matrix<'_, $float>,
            right: &Matrix<'_, $float>,
            accumulate: bool,
        ) {
            let ([m, k], [_, n]) = (left.extents, right.extents);
            let [out_row, out_column] = output.strides.map(as_isize);
            let [left_row, left_column] = left.strides.map(as_isize);
            let [right_row, right_column] = right.strides.map(as_isize);
            let out = output.values.as_mut_ptr();
            // SAFETY: every entry of the three matrices lies within its slice and every stride fits into
            // `isize` (checked when they were built, the extents when they were multiplied); entries of
            // `out` are distinct, initialised and borrowed mutably, so nothing else reads or writes them.
            unsafe {
                gemm::gemm(
                    m,
                    n,
                    k,
                    out,
                    out_column,
                    out_row,
                    accumulate,
                    left.values.as_ptr(),
                    left_column,
                    left_row,
                    right.values.as_ptr(),
                    right_column,
                    right_row,
                    1.0,
                    1.0,
                    false,
                    false,
                    false,
                    gemm::Parallelism::None,
                );
            }
        }
    };
}

gemm_for!(multiply_f32, f32);
gemm_for!(multiply_f64, f64);

/// A stride that is stepped along lies within a slice, whose length fits into `isize`.
fn as_isize(stride: usize) -> isize {
    stride as isize
}

#[cfg(test)]
mod tests;
