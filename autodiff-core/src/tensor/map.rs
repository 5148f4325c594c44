//! Elementwise functions over tensors of one shape.

use super::base::Tensor;
use super::parallel::{Rows, for_each_part, for_parts, for_rows};
use super::storage::{INLINE, Storage, Stored};
use crate::error::{Result, TensorError};

impl<T: Stored> Tensor<T> {
    /// `f` of every element.
    #[must_use]
    pub fn map<U: Stored>(&self, f: impl Fn(T) -> U + Sync) -> Tensor<U> {
        let input = self.as_slice();
        let storage = match input.first() {
            None => Storage::Empty,
            Some(&first) => Storage::overwritten(input.len(), f(first), |out| {
                if out.len() <= INLINE {
                    return each(out, input, &f);
                }
                for_parts(
                    out,
                    #[inline(always)]
                    |start, out| each(out, part(input, start, out.len()), &f),
                );
            }),
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
        let mut output = self.clone();
        match self.as_slice().first() {
            None => {}
            Some(&first) => {
                let input = self.as_slice();
                output.storage = Storage::overwritten(self.len(), first, |out| {
                    for_parts(
                        out,
                        #[inline(always)]
                        |start, out| f(part(input, start, out.len()), out),
                    );
                });
            }
        }
        output
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
                Tensor {
                    shape: self.shape.clone(),
                    storage: Storage::Empty,
                },
                Tensor {
                    shape: self.shape.clone(),
                    storage: Storage::Empty,
                },
            ));
        };
        let (u, v) = f(first);
        // Both are overwritten below, after both have been had.
        let mut second = Storage::requested(input.len(), v, |_| Ok::<_, TensorError>(()))?;
        let places = second.make_mut();
        let storage = Storage::requested(input.len(), u, |out| {
            let (out, places) = (
                Rows {
                    values: out,
                    width: 1,
                },
                Rows {
                    values: places,
                    width: 1,
                },
            );
            for_each_part(
                (out, places),
                input.len(),
                2,
                #[inline(always)]
                |range, (out, places)| {
                    let pairs = out.values.iter_mut().zip(places.values);
                    for ((first, second), &x) in pairs.zip(&input[range]) {
                        (*first, *second) = f(x);
                    }
                },
            );
            Ok::<_, TensorError>(())
        })?;
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
        for_parts(
            self.as_mut_slice(),
            #[inline(always)]
            |_, places| {
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
        Ok(self.zip_same(other, f))
    }

    /// `f` of every pair; the shapes are known to be equal.
    pub(super) fn zip_same<U: Stored, V: Stored>(
        &self,
        other: &Tensor<U>,
        f: impl Fn(T, U) -> V + Sync,
    ) -> Tensor<V> {
        let (left, right) = (self.as_slice(), other.as_slice());
        if let (Ok(l), Ok(r)) = (
            <&[T; INLINE]>::try_from(left),
            <&[U; INLINE]>::try_from(right),
        ) {
            return Tensor {
                shape: self.shape.clone(),
                storage: Storage::full_inline([
                    f(l[0], r[0]),
                    f(l[1], r[1]),
                    f(l[2], r[2]),
                    f(l[3], r[3]),
                ]),
            };
        }
        let storage = match (left.first(), right.first()) {
            (Some(&x), Some(&y)) => Storage::overwritten(left.len(), f(x, y), |out| {
                if out.len() < INLINE {
                    return each2(out, left, right, &f);
                }
                for_parts(
                    out,
                    #[inline(always)]
                    |start, out| {
                        let len = out.len();
                        each2(out, part(left, start, len), part(right, start, len), &f);
                    },
                );
            }),
            _ => Storage::Empty,
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
        let y = other.as_slice();
        for_parts(
            self.as_mut_slice(),
            #[inline(always)]
            |start, places| {
                for (place, &y) in places.iter_mut().zip(&y[start..]) {
                    *place = f(*place, y);
                }
            },
        );
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
            for_parts(
                out,
                #[inline(always)]
                |start, out| {
                    let len = out.len();
                    let (y, z) = (part(y, start, len), part(z, start, len));
                    each3(out, part(x, start, len), y, z, &f);
                },
            );
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
        let input = self.as_slice();
        let mut output = self.clone();
        if let Some(&first) = input.first() {
            output = Tensor::written(self.shape.clone(), first, |out| {
                for_rows(
                    out,
                    width,
                    1,
                    #[inline(always)]
                    |first, out| {
                        let rows = input[first * width..].chunks_exact(width);
                        for (row, places) in rows.zip(out.chunks_exact_mut(width)) {
                            f(row, places);
                        }
                    },
                );
            })?;
        }
        Ok(output)
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
