//! Batched matrix products of strided views, in as few kernel calls as the strides allow.
//!
//! Invariant: no operand is copied; a transposed or repeated operand is read through its strides.
//! Invariant: the order of additions depends on shapes and strides only, so two runs agree bit for bit.

use std::ops::Range;

use smallvec::SmallVec;

use super::base::Tensor;
use super::element::Element;
use super::kernel::{Matrix, MatrixMut};
use super::loops::{Axis, Loops};
use super::parallel::{Rows, try_in_steps};
use super::projection::broadcast_strides;
use super::shape::{Extents, Shape, repeating_strides};
use super::threads::thread_count;
use super::view::TensorView;
use super::zip::broadcast_shapes;
use crate::error::{Result, TensorError};

impl<T: Element> TensorView<'_, T> {
    /// The matrix products over the last two axes; the axes before them broadcast.
    ///
    /// # Errors
    /// `AxisCount` for a rank below 2, `MatrixExtents`, `IncompatibleBroadcast`, `ShapeOverflow`.
    pub fn product(&self, right: &TensorView<'_, T>) -> Result<Tensor<T>> {
        let (left_batch, _) = split_batch(self.shape())?;
        let (right_batch, _) = split_batch(right.shape())?;
        let batch = broadcast_shapes(left_batch, right_batch)?;
        self.product_onto(right, &batch)
    }

    /// The matrix products over the last two axes, summed over those axes before them that `batch` lacks
    /// or has with extent 1: the reverse map of a product whose operand was repeated.
    ///
    /// # Errors
    /// As [`product`](Self::product); `IncompatibleBroadcast` where `batch` does not broadcast to the
    /// axes of the products.
    pub fn product_onto(&self, right: &TensorView<'_, T>, batch: &[usize]) -> Result<Tensor<T>> {
        let (_, [rows, _]) = split_batch(self.shape())?;
        let (_, [_, columns]) = split_batch(right.shape())?;
        let shape: Shape = batch.iter().copied().chain([rows, columns]).collect();
        let plan = Plan::new(self, right, &shape)?;
        if plan.repeats_output {
            let mut sum = Tensor::zeros(shape)?;
            plan.run(sum.as_mut_slice(), self, right, true)?;
            return Ok(sum);
        }
        let mut outcome = Ok(());
        let product = Tensor::written(shape, T::zero(), |out| {
            outcome = plan.run(out, self, right, false);
        })?;
        outcome.map(|()| product)
    }
}

impl<T: Element> Tensor<T> {
    /// Adds to this tensor the matrix products over the last two axes, summed like those of
    /// [`TensorView::product_onto`].
    ///
    /// # Errors
    /// As [`TensorView::product_onto`], and nothing has been added.
    pub fn add_product(
        &mut self,
        left: &TensorView<'_, T>,
        right: &TensorView<'_, T>,
    ) -> Result<()> {
        let plan = Plan::new(left, right, &self.shape)?;
        plan.run(self.as_mut_slice(), left, right, true)
    }
}

/// Which matrices are multiplied: strides are those of the left, the right and the output.
struct Plan {
    rows: Axis<3>,
    depth: Axis<3>,
    columns: Axis<3>,
    batch: Loops<3>,
    /// Whether some output is written several times or never, so that it has to start from zeros.
    repeats_output: bool,
}

impl Plan {
    fn new<T: Element>(
        left: &TensorView<'_, T>,
        right: &TensorView<'_, T>,
        output: &[usize],
    ) -> Result<Self> {
        let (left_batch, left_extents) = split_batch(left.shape())?;
        let (right_batch, right_extents) = split_batch(right.shape())?;
        let (output_batch, output_extents) = split_batch(output)?;
        let [[m, k], [depth, n]] = [left_extents, right_extents];
        if k != depth || output_extents != [m, n] {
            return Err(TensorError::MatrixExtents {
                left: left_extents,
                right: right_extents,
                output: output_extents,
            }
            .into());
        }
        let batch = broadcast_shapes(left_batch, right_batch)?;
        if *broadcast_shapes(output_batch, &batch)? != *batch {
            return Err(TensorError::IncompatibleBroadcast {
                left: output_batch.to_vec(),
                right: batch.to_vec(),
            }
            .into());
        }
        let left_strides = repeating_strides(left_batch, left.strides(), &batch);
        let right_strides = repeating_strides(right_batch, right.strides(), &batch);
        let output_strides = broadcast_output(output, &batch);
        let inner = |view: &TensorView<'_, T>, back: usize| view.strides()[view.rank() - back];
        let mut plan = Self {
            rows: axis(m, [inner(left, 2), 0, n]),
            depth: axis(k, [inner(left, 1), inner(right, 2), 0]),
            columns: axis(n, [0, inner(right, 1), 1]),
            batch: Loops::new(&[], [&[], &[], &[]]),
            repeats_output: false,
        };
        let all = Loops::new(&batch, [&left_strides, &right_strides, &output_strides]);
        if all.len() == 0 {
            plan.batch = all;
            plan.repeats_output = true;
            return Ok(plan);
        }
        let mut axes: SmallVec<[Axis<3>; 4]> = all.axes().filter(|axis| axis.extent > 1).collect();
        while axes.last().is_some_and(|axis| plan.absorbs(axis)) {
            axes.pop();
        }
        let shape: Extents = axes.iter().map(|axis| axis.extent).collect();
        let strides = [0, 1, 2]
            .map(|operand| -> Extents { axes.iter().map(|axis| axis.strides[operand]).collect() });
        plan.repeats_output = axes.iter().any(|axis| axis.strides[2] == 0);
        plan.batch = Loops::new(&shape, [&strides[0], &strides[1], &strides[2]]);
        Ok(plan)
    }

    /// Makes a batch axis part of the rows, the columns or the depth, where all strides carry on evenly:
    /// `[b, m, k] [k, n]` is one product of `b m` rows, and `Σ_b [m, k] [k, n]` one of depth `b k`.
    fn absorbs(&mut self, batch: &Axis<3>) -> bool {
        let [left, right, output] = batch.strides;
        let within = match [left == 0, right == 0, output == 0] {
            [false, true, false] => &mut self.rows,
            [true, false, false] => &mut self.columns,
            [false, false, true] => &mut self.depth,
            _ => return false,
        };
        if within.extent == 1 {
            *within = *batch;
            return true;
        }
        let carries_on = within
            .strides
            .iter()
            .zip(&batch.strides)
            .all(|(inner, outer)| inner.checked_mul(within.extent) == Some(*outer));
        if carries_on {
            within.extent *= batch.extent;
        }
        carries_on
    }

    fn run<T: Element>(
        &self,
        out: &mut [T],
        left: &TensorView<'_, T>,
        right: &TensorView<'_, T>,
        accumulate: bool,
    ) -> Result<()> {
        if out.is_empty() {
            return Ok(());
        }
        let (m, k, n) = (self.rows.extent, self.depth.extent, self.columns.extent);
        let is_dense = self.rows.strides[2] == n && self.columns.strides[2] == 1;
        if !is_dense || self.repeats_output || m * n * self.batch.len() != out.len() {
            return self.run_range(0..self.batch.len(), 0, out, left, right, accumulate);
        }
        let threads = thread_count();
        let least = SHARE.div_ceil(n.saturating_mul(k).max(1));
        if self.batch.len() > 1 {
            let step = self.batch.len().div_ceil(threads).max(least.div_ceil(m));
            let matrices = Rows {
                values: out,
                width: m * n,
            };
            return try_in_steps(matrices, self.batch.len(), step, |range, part| {
                let first = range.start * m * n;
                self.run_range(range, first, part.values, left, right, accumulate)
            });
        }
        let step = match threads {
            1 => m,
            // A product of a few rows or columns goes another way, with other roundings.
            _ if k > LARGEST_DEPTH && n <= SMALL => m,
            _ => rows_of_a_share(m, m.div_ceil(threads).max(least)),
        };
        let rows = Rows {
            values: out,
            width: n,
        };
        try_in_steps(rows, m, step, |range, part| {
            let left = from(left.storage(), range.start * self.rows.strides[0]);
            let left = Matrix::new(
                left,
                [range.len(), k],
                [self.rows.strides[0], self.depth.strides[0]],
            )?;
            let right = Matrix::new(
                right.storage(),
                [k, n],
                [self.depth.strides[1], self.columns.strides[1]],
            )?;
            let mut product = MatrixMut::row_major(part.values, [range.len(), n])?;
            product.put_product(&left, &right, accumulate)
        })
    }

    /// The products of a range of the batch, into a part of the output that begins at element `first`.
    fn run_range<T: Element>(
        &self,
        range: Range<usize>,
        first: usize,
        out: &mut [T],
        left: &TensorView<'_, T>,
        right: &TensorView<'_, T>,
        accumulate: bool,
    ) -> Result<()> {
        let (m, k, n) = (self.rows.extent, self.depth.extent, self.columns.extent);
        let [left_step, right_step, out_step] = self.batch.inner_strides();
        let mut outcome = Ok(());
        self.batch.for_each_run(range, |_, len, [l, r, o]| {
            for index in 0..len {
                if outcome.is_err() {
                    return;
                }
                outcome = (|| {
                    let left = Matrix::new(
                        from(left.storage(), l + index * left_step),
                        [m, k],
                        [self.rows.strides[0], self.depth.strides[0]],
                    )?;
                    let right = Matrix::new(
                        from(right.storage(), r + index * right_step),
                        [k, n],
                        [self.depth.strides[1], self.columns.strides[1]],
                    )?;
                    let offset = o + index * out_step - first;
                    let mut product = MatrixMut::new(
                        out.get_mut(offset..).unwrap_or_default(),
                        [m, n],
                        [self.rows.strides[2], self.columns.strides[2]],
                    )?;
                    product.put_product(&left, &right, accumulate)
                })();
            }
        });
        outcome
    }
}

/// Multiplications that are worth a thread's attention.
const SHARE: usize = 256 << 10;

/// Up to this depth all products are summed in one go, and up to so few rows and columns deeper ones are
/// cut elsewhere than larger ones.
const LARGEST_DEPTH: usize = 512;
const SMALL: usize = 64;

/// About `share` of `rows`, so that no share has fewer than eight: those of a few rows go another way, with
/// other roundings.
fn rows_of_a_share(rows: usize, share: usize) -> usize {
    let mut share = share.next_multiple_of(8);
    while share < rows && (1..8).contains(&(rows % share)) {
        share += 8;
    }
    share
}

fn from<T>(values: &[T], offset: usize) -> &[T] {
    values.get(offset..).unwrap_or_default()
}

fn axis(extent: usize, strides: [usize; 3]) -> Axis<3> {
    Axis { extent, strides }
}

/// The axes before the last two, and the last two.
fn split_batch(shape: &[usize]) -> Result<(&[usize], [usize; 2]), TensorError> {
    match shape {
        [batch @ .., rows, columns] => Ok((batch, [*rows, *columns])),
        _ => Err(TensorError::AxisCount {
            expected: 2,
            actual: shape.len(),
        }),
    }
}

/// The strides of the batch axes of a row-major output, 0 where it is repeated.
fn broadcast_output(output: &[usize], batch: &[usize]) -> Extents {
    let whole: Extents = batch
        .iter()
        .chain(&output[output.len() - 2..])
        .copied()
        .collect();
    let mut strides = broadcast_strides(output, &whole);
    strides.truncate(batch.len());
    strides
}

#[cfg(test)]
mod tests;
