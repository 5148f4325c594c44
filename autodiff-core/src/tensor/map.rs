//! Elementwise functions over tensors of one shape.

use std::array;
use std::convert::Infallible;

use super::base::Tensor;
use super::storage::{INLINE, Storage, Stored};
use crate::error::{Result, TensorError};

impl<T: Stored> Tensor<T> {
    /// `f` of every element.
    #[must_use]
    pub fn map<U: Stored>(&self, f: impl Fn(T) -> U + Sync) -> Tensor<U> {
        let input = self.as_slice();
        let storage = Storage::mapped(input, &f, |out| each(out, input, &f));
        Tensor {
            shape: self.shape.clone(),
            storage,
        }
    }

    /// `f` of a whole run of elements at once: it must overwrite all of its second argument.
    ///
    /// ```
    /// use autodiff_core::{Element, Tensor};
    ///
    /// assert_eq!(Tensor::scalar(0.0).map_slice(f64::exp_slice).as_slice(), [1.0]);
    /// ```
    #[must_use]
    pub fn map_slice(&self, f: impl Fn(&[T], &mut [T]) + Sync) -> Tensor<T> {
        let mut output = self.clone();
        match self.as_slice().first() {
            None => {}
            Some(&first) => {
                let Ok(storage) = Storage::written(self.len(), first, |out| {
                    f(self.as_slice(), out);
                    Ok::<(), Infallible>(())
                });
                output.storage = storage;
            }
        }
        output
    }

    /// `f` of whole runs of two tensors of one shape at once: it must overwrite all of its last argument.
    ///
    /// # Errors
    /// `ShapeMismatch`.
    pub fn zip_slice<U: Stored>(
        &self,
        other: &Tensor<U>,
        f: impl Fn(&[T], &[U], &mut [T]) + Sync,
    ) -> Result<Tensor<T>> {
        self.check_same_shape(other)?;
        Ok(self.map_slice(|input, output| f(input, other.as_slice(), output)))
    }

    /// `f` of every element, written over the elements where nobody else holds them.
    #[must_use]
    pub fn map_inplace(mut self, f: impl Fn(T) -> T + Sync) -> Self {
        if !self.is_unique() {
            return self.map(f);
        }
        for place in self.as_mut_slice() {
            *place = f(*place);
        }
        self
    }

    /// `f` of every pair of elements.
    ///
    /// # Errors
    /// `ShapeMismatch`.
    pub fn zip_map<U: Stored, V: Stored>(
        &self,
        other: &Tensor<U>,
        f: impl Fn(T, U) -> V + Sync,
    ) -> Result<Tensor<V>> {
        self.check_same_shape(other)?;
        Ok(self.zip_same(other, f))
    }

    /// `f` of every pair; the shapes are known to be equal.
    pub(super) fn zip_same<U: Stored, V: Stored>(
        &self,
        other: &Tensor<U>,
        f: impl Fn(T, U) -> V,
    ) -> Tensor<V> {
        let (left, right) = (self.as_slice(), other.as_slice());
        let storage = match (left.first(), right.first()) {
            (Some(&x), Some(&y)) if left.len() > INLINE => {
                let Ok(storage) = Storage::written(left.len(), f(x, y), |out| {
                    each2(out, left, right, &f);
                    Ok::<(), Infallible>(())
                });
                storage
            }
            _ => match (left.first_chunk::<INLINE>(), right.first_chunk::<INLINE>()) {
                (Some(left), Some(right)) => {
                    Storage::full_inline(array::from_fn(|i| f(left[i], right[i])))
                }
                _ => Storage::from_few(left.iter().zip(right).map(|(&x, &y)| f(x, y))),
            },
        };
        Tensor {
            shape: self.shape.clone(),
            storage,
        }
    }

    /// `f` of every pair, written over the left elements where nobody else holds them.
    ///
    /// # Errors
    /// `ShapeMismatch`.
    pub fn zip_inplace<U: Stored>(
        mut self,
        other: &Tensor<U>,
        f: impl Fn(T, U) -> T + Sync,
    ) -> Result<Self> {
        self.check_same_shape(other)?;
        if !self.is_unique() {
            return Ok(self.zip_same(other, f));
        }
        for (place, &y) in self.as_mut_slice().iter_mut().zip(other.as_slice()) {
            *place = f(*place, y);
        }
        Ok(self)
    }

    /// `f` of every triple of elements.
    ///
    /// # Errors
    /// `ShapeMismatch`.
    pub fn zip3_map<U: Stored, V: Stored, W: Stored>(
        &self,
        second: &Tensor<U>,
        third: &Tensor<V>,
        f: impl Fn(T, U, V) -> W + Sync,
    ) -> Result<Tensor<W>> {
        self.check_same_shape(second)?;
        self.check_same_shape(third)?;
        let (x, y, z) = (self.as_slice(), second.as_slice(), third.as_slice());
        let (Some(&x0), Some(&y0), Some(&z0)) = (x.first(), y.first(), z.first()) else {
            return Ok(Tensor {
                shape: self.shape.clone(),
                storage: Storage::Empty,
            });
        };
        Tensor::written(self.shape.clone(), f(x0, y0, z0), |out| {
            each3(out, x, y, z, &f)
        })
    }

    /// `f` of every row along the trailing axes: rows have `width` elements, and `f` must overwrite all
    /// of its second argument.
    ///
    /// # Errors
    /// `PartExtents` where rows of that width do not fill the tensor.
    pub fn map_rows(&self, width: usize, f: impl Fn(&[T], &mut [T]) + Sync) -> Result<Tensor<T>> {
        let len = self.len();
        if len == 0 {
            return Ok(self.clone());
        }
        if width == 0 || !len.is_multiple_of(width) {
            let axis = self.rank().saturating_sub(1);
            return Err(TensorError::PartExtents {
                axis,
                expected: len,
                actual: width,
            }
            .into());
        }
        Ok(self.map_slice(|input, output| {
            for (row, places) in input
                .chunks_exact(width)
                .zip(output.chunks_exact_mut(width))
            {
                f(row, places);
            }
        }))
    }

    pub(super) fn check_same_shape<U>(&self, other: &Tensor<U>) -> Result<(), TensorError> {
        if self.shape == other.shape {
            return Ok(());
        }
        Err(TensorError::ShapeMismatch {
            left: self.shape.to_vec(),
            right: other.shape.to_vec(),
        })
    }
}

/// `out[i] = f(x[i])`; the lengths are equal.
pub(super) fn each<T: Copy, U>(out: &mut [U], x: &[T], f: impl Fn(T) -> U) {
    for (place, &x) in out.iter_mut().zip(x) {
        *place = f(x);
    }
}

/// `out[i] = f(x[i], y[i])`; the lengths are equal.
pub(super) fn each2<T: Copy, U: Copy, V>(out: &mut [V], x: &[T], y: &[U], f: impl Fn(T, U) -> V) {
    for ((place, &x), &y) in out.iter_mut().zip(x).zip(y) {
        *place = f(x, y);
    }
}

/// `out[i] = f(x[i], y[i], z[i])`; the lengths are equal.
pub(super) fn each3<T: Copy, U: Copy, V: Copy, W>(
    out: &mut [W],
    x: &[T],
    y: &[U],
    z: &[V],
    f: impl Fn(T, U, V) -> W,
) {
    for (((place, &x), &y), &z) in out.iter_mut().zip(x).zip(y).zip(z) {
        *place = f(x, y, z);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_map_keeps_the_shape_and_may_change_the_type() {
        let x = Tensor::from_vec([2, 3], vec![1.0, -2.0, 3.0, -4.0, 5.0, -6.0]).unwrap();
        let signs = x.map(|x| x > 0.0);
        assert_eq!(
            signs,
            Tensor::from_vec([2, 3], vec![true, false, true, false, true, false]).unwrap()
        );
    }

    #[test]
    fn a_map_of_nothing_is_nothing() {
        let x = Tensor::<f64>::zeros([2, 0]).unwrap();
        assert_eq!(x.map(|x| x + 1.0).shape(), [2, 0]);
    }

    #[test]
    fn pairs_of_another_shape_are_refused() {
        let error = Tensor::<f64>::zeros([2])
            .unwrap()
            .zip_map(&Tensor::<f64>::zeros([1, 2]).unwrap(), |x, _| x);
        assert_eq!(
            error.unwrap_err().to_string(),
            "expected two tensors of one shape, got [2] and [1, 2]"
        );
    }

    #[test]
    fn a_unique_buffer_is_reused_and_a_shared_one_is_left_alone() {
        let x = Tensor::full([100], 1.0).unwrap();
        let address = x.as_slice().as_ptr();
        let x = x.map_inplace(|x| x + 1.0);
        assert_eq!(x.as_slice().as_ptr(), address);
        let kept = x.clone();
        let y = x.zip_inplace(&kept, |x, y| x + y).unwrap();
        assert_eq!((kept.as_slice()[0], y.as_slice()[0]), (2.0, 4.0));
    }

    #[test]
    fn rows_are_mapped_one_by_one() {
        let x = Tensor::from_vec([2, 3], vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap();
        let reversed = x.map_rows(3, |row, out| {
            out.iter_mut()
                .zip(row.iter().rev())
                .for_each(|(o, &x)| *o = x)
        });
        assert_eq!(reversed.unwrap().as_slice(), [3.0, 2.0, 1.0, 6.0, 5.0, 4.0]);
    }
}
