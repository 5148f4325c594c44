//! Elementwise functions over tensors that broadcast: trailing axes align, extent 1 is repeated.

use std::ops::Range;

use super::base::Tensor;
use super::loops::Loops;
use super::map::{each, each2, each3};
use super::projection::{Projection, broadcast_strides};
use super::shape::{Extents, Shape, element_count};
use super::storage::Stored;
use crate::error::{Result, TensorError};

/// The shape that two shapes broadcast to, trailing axes aligned.
///
/// # Errors
/// `IncompatibleBroadcast` where two extents differ and neither is 1, `ShapeOverflow` where the result holds more
/// elements than can be counted.
pub fn broadcast_shapes(left: &[usize], right: &[usize]) -> Result<Shape, TensorError> {
    let rank = left.len().max(right.len());
    let mut shape = Extents::from_elem(0, rank);
    for (axis, place) in shape.iter_mut().enumerate() {
        *place = match (
            trailing_extent(left, rank, axis),
            trailing_extent(right, rank, axis),
        ) {
            (1, extent) | (extent, 1) => extent,
            (extent, other) if extent == other => extent,
            _ => {
                return Err(TensorError::IncompatibleBroadcast {
                    left: left.to_vec(),
                    right: right.to_vec(),
                });
            }
        };
    }
    element_count(&shape)?;
    Ok(shape.into())
}

/// The extent at `axis` once the shape is padded in front with 1 to `rank` axes.
fn trailing_extent(shape: &[usize], rank: usize, axis: usize) -> usize {
    match axis.checked_sub(rank - shape.len()) {
        Some(axis) => shape[axis],
        None => 1,
    }
}

impl<T: Stored> Tensor<T> {
    /// `f` of every pair of elements after broadcasting, with the projection of each side, by which a
    /// reverse map reduces back to it.
    ///
    /// # Errors
    /// `IncompatibleBroadcast`, `ShapeOverflow`.
    pub fn zip_broadcast<U: Stored, V: Stored>(
        &self,
        other: &Tensor<U>,
        f: impl Fn(T, U) -> V + Sync,
    ) -> Result<(Tensor<V>, Projection, Projection)> {
        if self.shape == other.shape {
            let fit = Projection::identity(self.shape.clone());
            return Ok((self.zip_same(other, f)?, fit.clone(), fit));
        }
        let shape = broadcast_shapes(&self.shape, &other.shape)?;
        let left_fit = Projection::onto(&self.shape, &shape);
        let right_fit = Projection::onto(&other.shape, &shape);
        let output = zip_onto(shape, self, other, &f)?;
        Ok((output, left_fit, right_fit))
    }

    /// `f` of every triple of elements after broadcasting, with the projection of each operand.
    ///
    /// # Errors
    /// `IncompatibleBroadcast`, `ShapeOverflow`.
    pub fn zip3_broadcast<U: Stored, V: Stored, W: Stored>(
        &self,
        second: &Tensor<U>,
        third: &Tensor<V>,
        f: impl Fn(T, U, V) -> W + Sync,
    ) -> Result<(Tensor<W>, Projection, Projection, Projection)> {
        let shape = broadcast_shapes(&broadcast_shapes(&self.shape, &second.shape)?, &third.shape)?;
        let fits = [&self.shape, &second.shape, &third.shape]
            .map(|from| Projection::broadcast(from, &shape));
        let [first_fit, second_fit, third_fit] = fits;
        let output = zip3_onto(shape, self, second, third, &f)?;
        Ok((output, first_fit?, second_fit?, third_fit?))
    }
}

/// `f` of every pair on `shape`, to which both operands are known to broadcast.
pub(super) fn zip_onto<T: Stored, U: Stored, V: Stored>(
    shape: Shape,
    left: &Tensor<T>,
    right: &Tensor<U>,
    f: &(impl Fn(T, U) -> V + Sync),
) -> Result<Tensor<V>> {
    let (x, y) = (left.as_slice(), right.as_slice());
    let (Some(&x0), Some(&y0)) = (x.first(), y.first()) else {
        return Ok(Tensor::empty(shape));
    };
    let loops = pair_loops(&shape, left, right);
    Tensor::by_parts(
        shape,
        f(x0, y0),
        #[inline(always)]
        |start, out| {
            zip_range(out, start..start + out.len(), &loops, x, y, f);
        },
    )
}

/// The loops of two operands over a shape that both broadcast to.
pub(super) fn pair_loops<T, U>(shape: &[usize], left: &Tensor<T>, right: &Tensor<U>) -> Loops<2> {
    let left = broadcast_strides(&left.shape, shape);
    let right = broadcast_strides(&right.shape, shape);
    Loops::new(shape, [&left, &right])
}

/// The part of a broadcast zip that falls into a range of the flat logical index.
#[inline(always)]
pub(super) fn zip_range<T: Copy, U: Copy, V>(
    out: &mut [V],
    range: Range<usize>,
    loops: &Loops<2>,
    x: &[T],
    y: &[U],
    f: &impl Fn(T, U) -> V,
) {
    let first = range.start;
    let steps = loops.inner_strides();
    loops.for_each_run(
        range,
        #[inline(always)]
        |start, len, [i, j]| {
            let out = &mut out[start - first..][..len];
            // Within a run of contiguous operands, each either moves by one or stays.
            match steps {
                [0, 0] => {
                    let (x, y) = (x[i], y[j]);
                    out.iter_mut().for_each(|place| *place = f(x, y));
                }
                [_, 0] => {
                    let y = y[j];
                    each(out, &x[i..i + len], |x| f(x, y));
                }
                [0, _] => {
                    let x = x[i];
                    each(out, &y[j..j + len], |y| f(x, y));
                }
                [_, _] => each2(out, &x[i..i + len], &y[j..j + len], f),
            }
        },
    );
}

/// `f` of every triple on `shape`, to which all operands are known to broadcast.
pub(super) fn zip3_onto<T: Stored, U: Stored, V: Stored, W: Stored>(
    shape: Shape,
    first: &Tensor<T>,
    second: &Tensor<U>,
    third: &Tensor<V>,
    f: &(impl Fn(T, U, V) -> W + Sync),
) -> Result<Tensor<W>> {
    let strides =
        [&first.shape, &second.shape, &third.shape].map(|from| broadcast_strides(from, &shape));
    let (x, y, z) = (first.as_slice(), second.as_slice(), third.as_slice());
    let (Some(&x0), Some(&y0), Some(&z0)) = (x.first(), y.first(), z.first()) else {
        return Ok(Tensor::empty(shape));
    };
    let [sx, sy, sz] = &strides;
    let loops = Loops::new(&shape, [sx, sy, sz]);
    Tensor::by_parts(
        shape,
        f(x0, y0, z0),
        #[inline(always)]
        |first, out| {
            loops.for_each_run(
                first..first + out.len(),
                #[inline(always)]
                |start, len, [i, j, k]| {
                    let out = &mut out[start - first..][..len];
                    match loops.inner_strides() {
                        [0, 0, 0] => out
                            .iter_mut()
                            .for_each(|place| *place = f(x[i], y[j], z[k])),
                        [0, 0, _] => {
                            let (x, y) = (x[i], y[j]);
                            each(out, &z[k..k + len], |z| f(x, y, z));
                        }
                        [0, _, 0] => {
                            let (x, z) = (x[i], z[k]);
                            each(out, &y[j..j + len], |y| f(x, y, z));
                        }
                        [_, 0, 0] => {
                            let (y, z) = (y[j], z[k]);
                            each(out, &x[i..i + len], |x| f(x, y, z));
                        }
                        [0, _, _] => {
                            let x = x[i];
                            each2(out, &y[j..j + len], &z[k..k + len], |y, z| f(x, y, z));
                        }
                        [_, 0, _] => {
                            let y = y[j];
                            each2(out, &x[i..i + len], &z[k..k + len], |x, z| f(x, y, z));
                        }
                        [_, _, 0] => {
                            let z = z[k];
                            each2(out, &x[i..i + len], &y[j..j + len], |x, y| f(x, y, z));
                        }
                        [_, _, _] => each3(out, &x[i..i + len], &y[j..j + len], &z[k..k + len], f),
                    }
                },
            );
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_and_a_column_broadcast_to_a_matrix() {
        let row = Tensor::from_vec([3], vec![1.0, 2.0, 3.0]).unwrap();
        let column = Tensor::from_vec([2, 1], vec![10.0, 20.0]).unwrap();
        let (sum, row_fit, column_fit) = row.zip_broadcast(&column, |x, y| x + y).unwrap();
        assert_eq!(
            sum,
            Tensor::from_vec([2, 3], vec![11.0, 12.0, 13.0, 21.0, 22.0, 23.0]).unwrap()
        );
        assert_eq!(row_fit.reduced_axes(), [0]);
        assert_eq!(column_fit.reduced_axes(), [1]);
    }

    #[test]
    fn an_extent_of_one_against_zero_is_zero() {
        let (empty, fit, _) = Tensor::<f64>::ones([1])
            .unwrap()
            .zip_broadcast(&Tensor::<f64>::ones([0]).unwrap(), |x, _| x)
            .unwrap();
        assert_eq!(empty.shape(), [0]);
        assert_eq!(fit.reduce(&empty).unwrap(), Tensor::zeros([1]).unwrap());
    }

    #[test]
    fn extents_that_differ_and_are_not_one_are_refused() {
        assert_eq!(
            broadcast_shapes(&[2, 3], &[4, 2]).unwrap_err().to_string(),
            "shapes [2, 3] and [4, 2] do not broadcast"
        );
    }

    #[test]
    fn more_elements_than_can_be_counted_are_refused() {
        let shape = vec![1 << 32, 1 << 32];
        assert_eq!(
            broadcast_shapes(&[1 << 32, 1], &[1, 1 << 32]),
            Err(TensorError::ShapeOverflow { shape })
        );
    }

    #[test]
    fn three_operands_broadcast_together_in_every_inner_pattern() {
        let shapes: [&[usize]; 3] = [&[2, 3], &[2, 1], &[3]];
        for [a, b, c] in [
            [0, 1, 2],
            [1, 0, 2],
            [1, 2, 0],
            [1, 1, 2],
            [1, 2, 1],
            [2, 1, 1],
            [1, 1, 1],
            [0, 2, 1],
        ] {
            let tensor = |which: usize, scale: f64| {
                Tensor::from_fn(shapes[which], |i| scale * (i + 1) as f64).unwrap()
            };
            let (x, y, z) = (tensor(a, 1.0), tensor(b, 10.0), tensor(c, 100.0));
            let (sum, fx, fy, fz) = x.zip3_broadcast(&y, &z, |x, y, z| x + y + z).unwrap();
            let partial = fx
                .expand(&x)
                .unwrap()
                .zip_map(&fy.expand(&y).unwrap(), |x, y| x + y)
                .unwrap();
            let expected = partial
                .zip_map(&fz.expand(&z).unwrap(), |x, y| x + y)
                .unwrap();
            assert_eq!(sum, expected);
        }
    }
}
