//! The owned tensor: contiguous, row-major, shared until written.
//!
//! Invariant: the element count of the shape is the length of the storage.
//! Invariant: no method bears the name of an operation; it would hide the operation's own method.

use std::fmt;

use super::element::Element;
use super::shape::Shape;
use super::storage::{Storage, Stored};
use super::view::TensorView;
use crate::error::{Result, TensorError};

/// An owned tensor of any rank over any plain element type.
///
/// Cloning shares the elements; writing to a shared tensor copies them first.
///
/// ```
/// use autodiff_core::Tensor;
///
/// let x = Tensor::from_vec([2, 3], vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0])?;
/// assert_eq!(x.map(|x| 10.0 * x).as_slice(), [10.0, 20.0, 30.0, 40.0, 50.0, 60.0]);
/// # Ok::<(), autodiff_core::TensorAutodiffError>(())
/// ```
#[derive(Clone)]
pub struct Tensor<T = f64> {
    pub(super) shape: Shape,
    pub(super) storage: Storage<T>,
}

impl<T> Tensor<T> {
    /// The extents, outermost first.
    #[must_use]
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// The extents as they are held.
    pub(crate) fn extents(&self) -> &Shape {
        &self.shape
    }

    /// The number of axes.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.shape.len()
    }

    /// The number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.as_slice().len()
    }

    /// Whether there is no element.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.as_slice().is_empty()
    }

    /// Row-major strides, in elements.
    #[must_use]
    pub fn strides(&self) -> Vec<usize> {
        self.shape.strides().to_vec()
    }

    /// The elements in row-major order.
    #[must_use]
    pub fn as_slice(&self) -> &[T] {
        self.storage.as_slice()
    }

    /// A borrowed view of all of it.
    #[must_use]
    pub fn view(&self) -> TensorView<'_, T> {
        TensorView::contiguous(self.as_slice(), self.shape.clone())
    }

    /// Whether both tensors read the same buffer.
    #[must_use]
    pub fn shares_storage_with(&self, other: &Self) -> bool {
        self.storage.is_same_buffer(&other.storage)
    }
}

impl<T: Stored> Tensor<T> {
    /// A tensor of the given shape over row-major values; many that do not begin at a cache line are copied.
    ///
    /// # Errors
    /// `ElementCount` where the shape holds another number of elements, `ShapeOverflow`, `OutOfMemory`.
    pub fn from_vec(shape: impl Into<Shape>, values: Vec<T>) -> Result<Self, TensorError> {
        let shape = shape.into();
        let expected = shape.element_count()?;
        if values.len() != expected {
            return Err(TensorError::ElementCount {
                shape: shape.to_vec(),
                expected,
                actual: values.len(),
            });
        }
        Ok(Self {
            shape,
            storage: Storage::from_vec(values)?,
        })
    }

    /// A tensor whose elements are all `value`.
    ///
    /// # Errors
    /// `ShapeOverflow`, `OutOfMemory`; so for every tensor of a shape that is asked for.
    pub fn full(shape: impl Into<Shape>, value: T) -> Result<Self> {
        Self::written(shape.into(), value, |out| out.fill(value))
    }

    /// A tensor of rank 0.
    #[must_use]
    pub fn scalar(value: T) -> Self {
        Self {
            shape: Shape::default(),
            storage: Storage::one(value),
        }
    }

    /// A tensor of a shape without elements.
    pub(super) fn empty(shape: Shape) -> Self {
        Self {
            shape,
            storage: Storage::Empty,
        }
    }

    /// A tensor whose element at flat row-major index `i` is `f(i)`.
    ///
    /// # Errors
    /// `ShapeOverflow`.
    pub fn from_fn(shape: impl Into<Shape>, mut f: impl FnMut(usize) -> T) -> Result<Self> {
        let shape = shape.into();
        if allocatable::<T>(&shape)? == 0 {
            return Ok(Self::empty(shape));
        }
        let first = f(0);
        Self::written(shape, first, |out| {
            let mut value = Some(first);
            for (index, place) in out.iter_mut().enumerate() {
                *place = value.take().unwrap_or_else(|| f(index));
            }
        })
    }

    /// A tensor that `write` fills. It must overwrite every element: what the slice holds before is
    /// `fill` or the left-overs of an earlier tensor.
    pub(super) fn written(shape: Shape, fill: T, write: impl FnOnce(&mut [T])) -> Result<Self> {
        let len = allocatable::<T>(&shape)?;
        let storage = Storage::requested(len, fill, |out| {
            write(out);
            Ok::<(), TensorError>(())
        })?;
        Ok(Self { shape, storage })
    }

    /// The elements for writing; shared elements are copied first.
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        self.storage.make_mut()
    }

    /// The elements in row-major order, in the buffer that they are in where nobody else holds them.
    #[must_use]
    pub fn into_vec(self) -> Vec<T> {
        self.storage.into_vec()
    }

    /// A copy of the elements in row-major order.
    #[must_use]
    pub fn to_vec(&self) -> Vec<T> {
        self.as_slice().to_vec()
    }

    /// The only element.
    ///
    /// # Errors
    /// `NotOneElement`.
    pub fn item(&self) -> Result<T> {
        match self.as_slice() {
            [value] => Ok(*value),
            _ => Err(TensorError::NotOneElement {
                shape: self.shape.to_vec(),
            }
            .into()),
        }
    }

    /// The element at a position.
    ///
    /// # Errors
    /// `AxisCount`, `IndexOutOfRange`.
    pub fn get(&self, position: &[usize]) -> Result<T> {
        self.view().get(position)
    }

    /// The same, known to be finite where all of `source` is, of whose elements these are copies.
    pub(super) fn with_finiteness_of(self, source: &Self) -> Self {
        if source.storage.is_known_finite() {
            self.storage.know_finite();
        }
        self
    }

    /// Whether no other tensor holds these elements, so that a write copies nothing.
    #[must_use]
    pub fn is_unique(&self) -> bool {
        self.storage.is_unique()
    }

    /// The same elements in another shape, without a copy.
    ///
    /// # Errors
    /// `ElementCount`, `ShapeOverflow`.
    pub fn with_shape(&self, shape: impl Into<Shape>) -> Result<Self> {
        let shape = shape.into();
        let expected = shape.element_count()?;
        if self.len() != expected {
            return Err(TensorError::ElementCount {
                shape: shape.to_vec(),
                expected,
                actual: self.len(),
            }
            .into());
        }
        Ok(Self {
            shape,
            storage: self.storage.clone(),
        })
    }
}

impl<T: Element> Tensor<T> {
    /// A tensor of zeros.
    ///
    /// # Errors
    /// `ShapeOverflow`.
    pub fn zeros(shape: impl Into<Shape>) -> Result<Self> {
        Self::full(shape, T::zero())
    }

    /// Zeros of the shape of a tensor that exists, so that their number is known to fit.
    pub(crate) fn zeros_of(shape: &Shape) -> Self {
        let len = shape.element_count().unwrap_or_default();
        Self {
            shape: shape.clone(),
            storage: Storage::overwritten(len, T::zero(), |out| out.fill(T::zero())),
        }
    }

    /// A tensor to be written: what its elements hold is left over from earlier tensors, so every one
    /// must be overwritten before it is read; see [`overwritten`](Self::overwritten).
    ///
    /// # Errors
    /// `ShapeOverflow`.
    pub fn unwritten(shape: impl Into<Shape>) -> Result<Self> {
        Self::overwritten(shape, |_| Ok(()))
    }

    /// A tensor of ones.
    ///
    /// # Errors
    /// `ShapeOverflow`.
    pub fn ones(shape: impl Into<Shape>) -> Result<Self> {
        Self::full(shape, T::one())
    }

    /// A tensor that `write` fills, in a recycled buffer where there is one. It must overwrite every element:
    /// before, they are unspecified (NaN in a debug build, so that a forgotten one is found).
    ///
    /// # Errors
    /// `ShapeOverflow`, and whatever `write` returns.
    pub fn overwritten(
        shape: impl Into<Shape>,
        write: impl FnOnce(&mut [T]) -> Result<()>,
    ) -> Result<Self> {
        let shape = shape.into();
        let len = allocatable::<T>(&shape)?;
        let storage = Storage::requested(len, T::zero(), |out| {
            if cfg!(debug_assertions) {
                out.fill(T::from_f64(f64::NAN));
            }
            write(out)
        })?;
        Ok(Self { shape, storage })
    }

    /// The values as another element type; tangents are dropped, and new ones are zero.
    #[must_use]
    pub fn cast<U: Element>(&self) -> Tensor<U> {
        self.map(|x| U::from_f64(x.to_f64()))
    }

    /// Whether shapes and all bits agree.
    #[must_use]
    pub fn bit_eq(&self, other: &Self) -> bool {
        self.shape == other.shape
            && self
                .as_slice()
                .iter()
                .zip(other.as_slice())
                .all(|(&left, &right)| left.bit_eq(right))
    }
}

/// The element count of a shape whose bytes can be addressed.
fn allocatable<T>(shape: &Shape) -> Result<usize, TensorError> {
    let len = shape.element_count()?;
    match len.checked_mul(size_of::<T>()) {
        Some(bytes) if isize::try_from(bytes).is_ok() => Ok(len),
        _ => Err(TensorError::ShapeOverflow {
            shape: shape.to_vec(),
        }),
    }
}

impl<T: PartialEq> PartialEq for Tensor<T> {
    fn eq(&self, other: &Self) -> bool {
        self.shape == other.shape && self.as_slice() == other.as_slice()
    }
}

impl<T: fmt::Debug> fmt::Debug for Tensor<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tensor")
            .field("shape", &self.shape)
            .field("values", &self.as_slice())
            .finish()
    }
}

#[cfg(test)]
mod tests;
