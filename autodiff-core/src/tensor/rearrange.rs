//! Owned rearrangements: reordered axes, parts, joins and selections of a tensor.

use super::base::Tensor;
use super::element::Element;
use super::loops::Loops;
use super::restride::sliced_shape;
use super::shape::{self, Extents, Shape};
use super::storage::Stored;
use super::view::TensorView;
use crate::error::{Result, TensorError};

impl<T: Stored> Tensor<T> {
    /// Two axes exchanged; the elements are shared where their order does not change.
    ///
    /// # Errors
    /// `AxisOutOfRange`.
    pub fn swap_axes(&self, a: usize, b: usize) -> Result<Self> {
        self.owned(&self.view().transpose(a, b)?)
    }

    /// Axes reordered: axis `i` of the result is axis `axes[i]`. The elements are shared where their
    /// order does not change.
    ///
    /// # Errors
    /// `AxisCount`, `AxisOutOfRange`, `DuplicateAxis`.
    pub fn permuted(&self, axes: &[usize]) -> Result<Self> {
        self.owned(&self.view().permute(axes)?)
    }

    /// A view of this tensor as a tensor.
    fn owned(&self, view: &TensorView<'_, T>) -> Result<Self> {
        match view.is_contiguous() && view.len() == self.len() {
            true => self.with_shape(view.shape()),
            false => Ok(view.materialize()?.with_finiteness_of(self)),
        }
    }

    /// Every `steps[i]`-th index of `starts[i]..ends[i]` along each axis.
    ///
    /// # Errors
    /// `AxisCount`, `RangeOutOfBounds`.
    pub fn sliced(&self, starts: &[usize], ends: &[usize], steps: &[usize]) -> Result<Self> {
        self.owned(&self.view().slice(starts, ends, steps)?)
    }

    /// The indices `start..end` of one axis.
    ///
    /// # Errors
    /// `AxisOutOfRange`, `RangeOutOfBounds`.
    pub fn narrowed(&self, axis: usize, start: usize, end: usize) -> Result<Self> {
        shape::check_axis(axis, self.rank())?;
        let mut starts = Extents::from_elem(0, self.rank());
        let mut ends = Extents::from_slice(&self.shape);
        starts[axis] = start;
        ends[axis] = end;
        self.sliced(&starts, &ends, &Extents::from_elem(1, self.rank()))
    }

    /// Tensors joined along an axis on which alone they may differ.
    ///
    /// # Errors
    /// `NothingToJoin`, `AxisOutOfRange`, `PartShape`, `ShapeOverflow`.
    pub fn joined(parts: &[&Self], axis: usize) -> Result<Self> {
        let Some((&first, _)) = parts.split_first() else {
            return Err(TensorError::NothingToJoin.into());
        };
        shape::check_axis(axis, first.rank())?;
        let mut extent = 0_usize;
        for (place, part) in parts.iter().enumerate() {
            let mut expected = first.shape.to_vec();
            if let Some(&own) = part.shape.get(axis) {
                expected[axis] = own;
                extent = extent.checked_add(own).ok_or_else(|| {
                    let shape = part.shape.to_vec();
                    TensorError::ShapeOverflow { shape }
                })?;
            }
            if *expected != *part.shape {
                return Err(TensorError::PartShape {
                    part: place,
                    axis,
                    expected: first.shape.to_vec(),
                    actual: part.shape.to_vec(),
                }
                .into());
            }
        }
        let mut shape = Extents::from_slice(&first.shape);
        shape[axis] = extent;
        let Some(&fill) = parts.iter().find_map(|part| part.as_slice().first()) else {
            return Ok(Self::empty(shape.into()));
        };
        let inner: usize = first.shape[axis + 1..].iter().product();
        Self::written(shape.into(), fill, |out| {
            let mut offset = 0;
            for part in parts {
                let width = part.shape[axis] * inner;
                if width == 0 {
                    continue;
                }
                let rows = part.as_slice().chunks_exact(width);
                for (row, out) in rows.zip(out.chunks_exact_mut(extent * inner)) {
                    out[offset..offset + width].copy_from_slice(row);
                }
                offset += width;
            }
        })
    }

    /// The parts of an axis, in order, with the given extents.
    ///
    /// # Errors
    /// `AxisOutOfRange`, `PartExtents`.
    pub fn parts(&self, extents: &[usize], axis: usize) -> Result<Vec<Self>> {
        shape::check_axis(axis, self.rank())?;
        let actual = extents
            .iter()
            .try_fold(0_usize, |sum, &extent| sum.checked_add(extent));
        if actual != Some(self.shape[axis]) {
            return Err(TensorError::PartExtents {
                axis,
                expected: self.shape[axis],
                actual: actual.unwrap_or(usize::MAX),
            }
            .into());
        }
        let mut start = 0;
        let part = |&extent: &usize| {
            let end = start + extent;
            let part = self.narrowed(axis, start, end);
            start = end;
            part
        };
        extents.iter().map(part).collect()
    }

    /// The slices at `indices` along an axis, whose extent becomes the shape of `indices`.
    ///
    /// # Errors
    /// `AxisOutOfRange`, `IndexOutOfRange`, `ShapeOverflow`.
    pub fn taken(&self, indices: &Tensor<usize>, axis: usize) -> Result<Self> {
        let shape = self.taken_shape(indices, axis)?;
        let Some((&fill, 1..)) = self.as_slice().first().map(|fill| (fill, indices.len())) else {
            return Ok(Self::empty(shape));
        };
        let inner: usize = self.shape[axis + 1..].iter().product();
        Self::written(shape, fill, |out| {
            let planes = self.as_slice().chunks_exact(self.shape[axis] * inner);
            for (plane, out) in planes.zip(out.chunks_exact_mut(indices.len() * inner)) {
                for (&index, out) in indices.as_slice().iter().zip(out.chunks_exact_mut(inner)) {
                    out.copy_from_slice(&plane[index * inner..][..inner]);
                }
            }
        })
    }

    fn taken_shape(&self, indices: &Tensor<usize>, axis: usize) -> Result<Shape> {
        shape::check_axis(axis, self.rank())?;
        let extent = self.shape[axis];
        if let Some(&index) = indices.as_slice().iter().find(|&&index| index >= extent) {
            return Err(TensorError::IndexOutOfRange {
                axis,
                index,
                extent,
            }
            .into());
        }
        let around = self.shape[..axis]
            .iter()
            .chain(indices.shape())
            .chain(&self.shape[axis + 1..]);
        Ok(around.copied().collect())
    }
}

impl<T: Element> Tensor<T> {
    /// Zeros of `shape` with this tensor at every `steps[i]`-th index from `starts[i]` on: the reverse
    /// map of a slice.
    ///
    /// # Errors
    /// `AxisCount`, `RangeOutOfBounds`; `ShapeMismatch` where the slice has another shape.
    pub fn embedded(
        &self,
        shape: &[usize],
        starts: &[usize],
        ends: &[usize],
        steps: &[usize],
    ) -> Result<Self> {
        let expected = sliced_shape(shape, starts, ends, steps)?;
        if expected != self.shape {
            let (left, right) = (expected.to_vec(), self.shape.to_vec());
            return Err(TensorError::ShapeMismatch { left, right }.into());
        }
        let mut output = Self::zeros(shape)?;
        let dense = shape::row_major_strides(shape);
        let strides: Extents = dense
            .iter()
            .zip(steps)
            .map(|(stride, step)| stride.saturating_mul(*step))
            .collect();
        let loops = Loops::new(&expected, [&strides]);
        if loops.len() == 0 {
            return Ok(output);
        }
        let first: usize = dense
            .iter()
            .zip(starts)
            .map(|(stride, start)| stride * start)
            .sum();
        let (values, out) = (self.as_slice(), &mut output.as_mut_slice()[first..]);
        let [step] = loops.inner_strides();
        loops.for_each_run(0..loops.len(), |start, len, [offset]| {
            let values = &values[start..start + len];
            if step == 1 {
                out[offset..offset + len].copy_from_slice(values);
                return;
            }
            let places = out[offset..].iter_mut().step_by(step.max(1));
            for (place, &x) in places.zip(values) {
                *place = x;
            }
        });
        Ok(output)
    }

    /// Zeros of `shape` with the slices of this tensor added at `indices` along an axis, in order: the
    /// reverse map of [`Tensor::taken`].
    ///
    /// # Errors
    /// `AxisOutOfRange`, `IndexOutOfRange`; `ShapeMismatch` where this is not the shape of such slices.
    pub fn added_at(&self, indices: &Tensor<usize>, axis: usize, shape: &[usize]) -> Result<Self> {
        let mut output = Self::zeros(shape)?;
        let expected = output.taken_shape(indices, axis)?;
        if expected != self.shape {
            let (left, right) = (expected.to_vec(), self.shape.to_vec());
            return Err(TensorError::ShapeMismatch { left, right }.into());
        }
        if self.is_empty() {
            return Ok(output);
        }
        let inner: usize = shape[axis + 1..].iter().product();
        let rows = self.as_slice().chunks_exact(indices.len() * inner);
        for (row, out) in rows.zip(output.as_mut_slice().chunks_exact_mut(shape[axis] * inner)) {
            for (&index, values) in indices.as_slice().iter().zip(row.chunks_exact(inner)) {
                for (place, &x) in out[index * inner..].iter_mut().zip(values) {
                    *place += x;
                }
            }
        }
        Ok(output)
    }
}

#[cfg(test)]
mod tests;
