//! Elementwise functions over tensors of one shape.

use super::base::Tensor;
use super::parallel::Rows;
use super::storage::{INLINE, Storage, Stored};
use crate::error::{Result, TensorError};

impl<T: Stored> Tensor<T> {
    /// `f` of every element.
    #[must_use]
    pub fn map<U: Stored>(&self, f: impl Fn(T) -> U + Sync) -> Tensor<U> {
        let input = self.as_slice();
        let storage = match input.first() {
            None => Storage::Empty,
            Some(&first) if input.len() <= INLINE => {
                Storage::overwritten(input.len(), f(first), |out| each(out, input, &f))
            }
            Some(&first) => Storage::by_parts(
                input.len(),
                f(first),
                #[inline(always)]
                |start, out| each(out, part(input, start, out.len()), &f),
            ),
        };
        Tensor {
            shape: self.shape.clone(),
            storage,
        }
    }

    /// `f` of runs of elements that together are all of them; it must overwrite all of its second argument,
    /// each element from the one at its place.
    ///
    /// ```
    /// use autodiff_core::{Element, Tensor};
    ///
    /// assert_eq!(Tensor::scalar(0.0).map_slice(f64::exp_slice).as_slice(), [1.0]);
    /// ```
    #[must_use]
    pub fn map_slice(&self, f: impl Fn(&[T], &mut [T]) + Sync) -> Tensor<T> {
        let input = self.as_slice();
        let storage = match input.first() {
            None => Storage::Empty,
            Some(&first) => Storage::by_parts(
                input.len(),
                first,
                #[inline(always)]
                |start, out| f(part(input, start, out.len()), out),
            ),
        };
        Tensor {
            shape: self.shape.clone(),
            storage,
        }
    }

    /// Both results of `f` for every element.
    ///
    /// # Errors
    /// `OutOfMemory`.
    pub fn map_pair<U: Stored, V: Stored>(
        &self,
        f: impl Fn(T) -> (U, V) + Sync,
    ) -> Result<(Tensor<U>, Tensor<V>)> {
        let input = self.as_slice();
        let Some(&first) = input.first() else {
            return Ok((
                Tensor::empty(self.shape.clone()),
                Tensor::empty(self.shape.clone()),
            ));
        };
        let (u, v) = f(first);
        let mut second = Storage::try_blank(input.len(), v)?;
        let beside = Rows {
            values: second.make_mut(),
            width: 1,
        };
        let mut storage = Storage::try_blank(input.len(), u)?;
        storage.overwrite_parts(
            beside,
            #[inline(always)]
            |range, out, places| {
                let pairs = out.iter_mut().zip(places.values);
                for ((first, second), &x) in pairs.zip(&input[range]) {
                    (*first, *second) = f(x);
                }
            },
        );
        Ok((
            Tensor {
                shape: self.shape.clone(),
                storage,
            },
            Tensor {
                shape: self.shape.clone(),
                storage: second,
            },
        ))
    }

    /// `f` of every element, written over the elements where nobody else holds them.
    #[must_use]
    pub fn map_inplace(mut self, f: impl Fn(T) -> T + Sync) -> Self {
        if !self.is_unique() {
            return self.map(f);
        }
        self.storage.overwrite_parts(
            (),
            #[inline(always)]
            |_, places, ()| {
                for place in places {
                    *place = f(*place);
                }
            },
        );
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
        self.zip_same(other, f)
    }

    /// `f` of every pair; the shapes are known to be equal.
    pub(super) fn zip_same<U: Stored, V: Stored>(
        &self,
        other: &Tensor<U>,
        f: impl Fn(T, U) -> V + Sync,
    ) -> Result<Tensor<V>> {
        let (left, right) = (self.as_slice(), other.as_slice());
        if let (Ok(l), Ok(r)) = (
            <&[T; INLINE]>::try_from(left),
            <&[U; INLINE]>::try_from(right),
        ) {
            return Ok(Tensor {
                shape: self.shape.clone(),
                storage: Storage::full_inline([
                    f(l[0], r[0]),
                    f(l[1], r[1]),
                    f(l[2], r[2]),
                    f(l[3], r[3]),
                ]),
            });
        }
        let storage = match (left.first(), right.first()) {
            (Some(&x), Some(&y)) if left.len() < INLINE => {
                Storage::overwritten(left.len(), f(x, y), |out| each2(out, left, right, &f))
            }
            (Some(&x), Some(&y)) => {
                return Tensor::by_parts(
                    self.shape.clone(),
                    f(x, y),
                    #[inline(always)]
                    |start, out| {
                        let len = out.len();
                        each2(out, part(left, start, len), part(right, start, len), &f);
                    },
                );
            }
            _ => Storage::Empty,
        };
        Ok(Tensor {
            shape: self.shape.clone(),
            storage,
        })
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
            return self.zip_same(other, f);
        }
        let y = other.as_slice();
        self.storage.overwrite_parts(
            (),
            #[inline(always)]
            |range, places, ()| {
                for (place, &y) in places.iter_mut().zip(&y[range]) {
                    *place = f(*place, y);
                }
            },
        );
        Ok(self)
    }

    /// `f` of every row along the trailing axes: rows have `width` elements, and `f` must overwrite all
    /// of its second argument.
    ///
    /// # Errors
    /// `RowWidth` where rows of that width do not fill the tensor.
    pub fn map_rows(&self, width: usize, f: impl Fn(&[T], &mut [T]) + Sync) -> Result<Tensor<T>> {
        self.shape.check_rows(width)?;
        let input = self.as_slice();
        let Some(&first) = input.first() else {
            return Ok(self.clone());
        };
        let mut output = Tensor::written(self.shape.clone(), first, |_| {})?;
        output.storage.overwrite_rows(
            width,
            (),
            #[inline(always)]
            |range, out, ()| {
                let rows = input[range.start * width..].chunks_exact(width);
                for (row, places) in rows.zip(out.chunks_exact_mut(width)) {
                    f(row, places);
                }
            },
        );
        Ok(output)
    }

    pub(super) fn check_same_shape<U>(&self, other: &Tensor<U>) -> Result<(), TensorError> {
        self.shape.check_equal(&other.shape)
    }
}

/// `len` elements from `start` on.
#[inline(always)]
fn part<T>(values: &[T], start: usize, len: usize) -> &[T] {
    &values[start..start + len]
}

/// `out[i] = f(x[i])`; the lengths are equal.
#[inline(always)]
pub(super) fn each<T: Copy, U>(out: &mut [U], x: &[T], f: impl Fn(T) -> U) {
    for (place, &x) in out.iter_mut().zip(x) {
        *place = f(x);
    }
}

/// `out[i] = f(x[i], y[i])`; the lengths are equal.
#[inline(always)]
pub(super) fn each2<T: Copy, U: Copy, V>(out: &mut [V], x: &[T], y: &[U], f: impl Fn(T, U) -> V) {
    for ((place, &x), &y) in out.iter_mut().zip(x).zip(y) {
        *place = f(x, y);
    }
}

/// `out[i] = f(x[i], y[i], z[i])`; the lengths are equal.
#[inline(always)]
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
mod tests;
