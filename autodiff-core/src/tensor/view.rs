//! A borrowed strided view: another shape, order or part of elements that stay where they are.
//!
//! Invariant: the storage begins at the first element of the view, and the largest reachable offset lies
//! within it.

use std::fmt;

use super::base::Tensor;
use super::materialize;
use super::offsets::ProjectedOffsets;
use super::projection::Projection;
use super::restride::{restride, sliced_shape};
use super::shape::{self, Extents, Shape, repeating_strides};
use super::storage::Stored;
use crate::error::{Result, TensorError, ViewError};

/// Borrowed elements seen through a shape and strides.
///
/// ```
/// use autodiff_core::Tensor;
///
/// let x = Tensor::from_vec([2, 3], vec![1, 2, 3, 4, 5, 6])?;
/// let turned = x.view().transpose(0, 1)?;
/// assert_eq!((turned.shape(), turned.strides()), (&[3, 2][..], &[1, 3][..]));
/// assert_eq!(turned.materialize()?.as_slice(), [1, 4, 2, 5, 3, 6]);
/// # Ok::<(), autodiff_core::TensorAutodiffError>(())
/// ```
pub struct TensorView<'a, T = f64> {
    storage: &'a [T],
    shape: Shape,
    strides: Extents,
}

impl<'a, T> TensorView<'a, T> {
    /// A view of contiguous elements; their number is known to fit the shape.
    pub(super) fn contiguous(storage: &'a [T], shape: Shape) -> Self {
        let strides = shape.strides();
        Self {
            storage,
            shape,
            strides,
        }
    }

    /// A view of `storage` by strides.
    ///
    /// # Errors
    /// `TraversalRank`, `TraversalOverflow`, `TraversalReach`.
    pub fn strided(storage: &'a [T], shape: impl Into<Shape>, strides: &[usize]) -> Result<Self> {
        let shape = shape.into();
        let len = shape.element_count()?;
        ProjectedOffsets::new(&shape, strides, len, storage.len())?;
        Ok(Self {
            storage,
            shape,
            strides: Extents::from_slice(strides),
        })
    }

    /// The extents, outermost first.
    #[must_use]
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// How far each axis moves in the storage, in elements.
    #[must_use]
    pub fn strides(&self) -> &[usize] {
        &self.strides
    }

    /// The number of axes.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.shape.len()
    }

    /// The number of elements that the view shows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.shape.element_count().unwrap_or(usize::MAX)
    }

    /// Whether the view shows no element.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.shape.contains(&0)
    }

    /// The elements from the first one of the view on, in the order of the storage.
    #[must_use]
    pub fn storage(&self) -> &'a [T] {
        self.storage
    }

    /// Whether the elements lie in row-major order without gaps.
    #[must_use]
    pub fn is_contiguous(&self) -> bool {
        let dense = self.shape.strides();
        let mut axes = self.shape.iter().zip(&self.strides).zip(&dense);
        self.is_empty() || axes.all(|((&extent, stride), dense)| extent == 1 || stride == dense)
    }

    /// The elements as a slice, where they lie in row-major order without gaps.
    #[must_use]
    pub fn as_contiguous_slice(&self) -> Option<&'a [T]> {
        if self.is_contiguous() {
            self.storage.get(..self.len())
        } else {
            None
        }
    }

    /// The same elements in row-major order under another shape.
    ///
    /// # Errors
    /// `ReshapeCount`; `ReshapeStrides` where the view is not contiguous and no strides express it.
    pub fn reshape(&self, shape: &[usize]) -> Result<Self> {
        let count = shape::element_count(shape)?;
        let (from, requested) = (self.shape.to_vec(), shape.to_vec());
        if count != self.len() {
            return Err(ViewError::ReshapeCount {
                from,
                requested,
                expected: self.len(),
            }
            .into());
        }
        if self.is_contiguous() {
            return Ok(Self::contiguous(self.storage, shape.into()));
        }
        match restride(&self.shape, &self.strides, shape) {
            Some(strides) => Ok(Self {
                storage: self.storage,
                shape: shape.into(),
                strides,
            }),
            None => Err(ViewError::ReshapeStrides {
                from,
                strides: self.strides.to_vec(),
                requested,
            }
            .into()),
        }
    }

    /// Exchanges two axes.
    ///
    /// # Errors
    /// `AxisOutOfRange`.
    pub fn transpose(&self, a: usize, b: usize) -> Result<Self> {
        shape::check_axis(a, self.rank())?;
        shape::check_axis(b, self.rank())?;
        let mut order: Extents = (0..self.rank()).collect();
        order.swap(a, b);
        self.permute(&order)
    }

    /// Reorders the axes: axis `i` of the result is axis `axes[i]` of the view.
    ///
    /// # Errors
    /// `AxisCount`, `AxisOutOfRange`, `DuplicateAxis`.
    pub fn permute(&self, axes: &[usize]) -> Result<Self> {
        shape::check_permutation(axes, self.rank())?;
        Ok(Self {
            storage: self.storage,
            shape: axes.iter().map(|&axis| self.shape[axis]).collect(),
            strides: axes.iter().map(|&axis| self.strides[axis]).collect(),
        })
    }

    /// Every `steps[i]`-th index of `starts[i]..ends[i]` along each axis.
    ///
    /// # Errors
    /// `AxisCount`, `RangeOutOfBounds`.
    pub fn slice(&self, starts: &[usize], ends: &[usize], steps: &[usize]) -> Result<Self> {
        let shape = sliced_shape(&self.shape, starts, ends, steps)?;
        let strides = self
            .strides
            .iter()
            .zip(steps)
            .map(|(&stride, &step)| stride.saturating_mul(step))
            .collect();
        if shape.contains(&0) {
            return Ok(Self {
                storage: &[],
                shape,
                strides,
            });
        }
        let first: usize = self
            .strides
            .iter()
            .zip(starts)
            .map(|(stride, start)| stride * start)
            .sum();
        Ok(Self {
            storage: &self.storage[first..],
            shape,
            strides,
        })
    }

    /// The view repeated to a larger shape, by strides of 0.
    ///
    /// # Errors
    /// `IncompatibleBroadcast`, `BroadcastTargetMismatch`.
    pub fn broadcast_to(&self, shape: &[usize]) -> Result<Self> {
        Projection::broadcast(&self.shape, shape)?;
        Ok(Self {
            storage: self.storage,
            shape: shape.into(),
            strides: repeating_strides(&self.shape, &self.strides, shape),
        })
    }
}

impl<T: Stored> TensorView<'_, T> {
    /// The element at a position.
    ///
    /// # Errors
    /// `AxisCount`, `IndexOutOfRange`.
    pub fn get(&self, position: &[usize]) -> Result<T> {
        if position.len() != self.rank() {
            return Err(TensorError::AxisCount {
                expected: self.rank(),
                actual: position.len(),
            }
            .into());
        }
        for (axis, (&index, &extent)) in position.iter().zip(self.shape.iter()).enumerate() {
            if index >= extent {
                return Err(TensorError::IndexOutOfRange {
                    axis,
                    index,
                    extent,
                }
                .into());
            }
        }
        Ok(self.storage[position
            .iter()
            .zip(&self.strides)
            .map(|(index, stride)| index * stride)
            .sum::<usize>()])
    }

    /// An owned contiguous copy.
    ///
    /// # Errors
    /// `ShapeOverflow` where a broadcast view shows more elements than can be stored.
    pub fn materialize(&self) -> Result<Tensor<T>> {
        materialize::copy(self.storage, &self.shape, &self.strides)
    }
}

impl<T> Clone for TensorView<'_, T> {
    fn clone(&self) -> Self {
        Self {
            storage: self.storage,
            shape: self.shape.clone(),
            strides: Extents::from_slice(&self.strides),
        }
    }
}

impl<T> fmt::Debug for TensorView<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TensorView")
            .field("shape", &self.shape)
            .field("strides", &self.strides)
            .finish()
    }
}

#[cfg(test)]
mod tests;
