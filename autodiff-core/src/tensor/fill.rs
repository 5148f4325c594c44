//! Writing the elements of a tensor part by part, and testing each part while it is still in the cache.
//!
//! A tape tests every result; a second reading of a long one would take as long as many a kernel.
//!
//! Invariant: elements are known to be finite only where every part was tested after it was written.

use std::any::Any;
use std::convert::Infallible;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use super::base::Tensor;
use super::dual::Dual;
use super::element::Element;
use super::parallel::{Parts, Rows, try_for_each_part};
use super::shape::Shape;
use super::storage::{Storage, Stored};
use crate::error::{Result, TensorAutodiffError};

/// What is written before it is tested: little enough for a second-level cache, and enough that reading goes
/// on for long before it is interrupted.
const TESTED_BYTES: usize = 256 << 10;

/// So few elements that they are tested at once.
const FEW: usize = 1024;

/// Whether all elements are finite.
pub(super) type Test<T> = fn(&[T]) -> bool;

static F32: Test<f32> = f32::all_finite;
static F64: Test<f64> = f64::all_finite;
static DUAL: Test<Dual<f64>> = <Dual<f64>>::all_finite;

/// The test of elements that can be tested.
pub(super) fn test_of<T: 'static>() -> Option<Test<T>> {
    let tests: [&'static dyn Any; 3] = [&F32, &F64, &DUAL];
    tests
        .into_iter()
        .find_map(|test| test.downcast_ref().copied())
}

impl<T: Stored> Storage<T> {
    /// `len` elements that `write` overwrites, in parts that begin at its first argument.
    pub(super) fn by_parts(len: usize, fill: T, write: impl Fn(usize, &mut [T]) + Sync) -> Self {
        let mut storage = Self::blank(len, fill);
        storage.overwrite_parts((), write_alone(write));
        storage
    }

    /// Overwrites all elements in parts; what lies `beside` them is divided along.
    pub(super) fn overwrite_parts<P: Parts>(
        &mut self,
        beside: P,
        write: impl Fn(Range<usize>, &mut [T], P) + Sync,
    ) {
        self.overwrite_rows(1, beside, write);
    }

    /// The same in whole rows of a width.
    pub(super) fn overwrite_rows<P: Parts>(
        &mut self,
        width: usize,
        beside: P,
        write: impl Fn(Range<usize>, &mut [T], P) + Sync,
    ) {
        self.overwrite_with(test_of(), [width, 1], beside, write);
    }

    fn overwrite_with<P: Parts>(
        &mut self,
        test: Option<Test<T>>,
        layout: [usize; 2],
        beside: P,
        write: impl Fn(Range<usize>, &mut [T], P) + Sync,
    ) {
        let Ok(()) = self.try_overwrite_rows(
            layout,
            test,
            beside,
            #[inline(always)]
            |range, part, beside| {
                write(range, part, beside);
                Ok::<(), Infallible>(())
            },
        );
    }

    /// Overwrites all elements in whole rows of a width, whose elements stand each for about `cost` elements
    /// that are read or written; with a test, the rows are tested.
    fn try_overwrite_rows<P: Parts, E: Send>(
        &mut self,
        [width, cost]: [usize; 2],
        test: Option<Test<T>>,
        beside: P,
        write: impl Fn(Range<usize>, &mut [T], P) -> Result<(), E> + Sync,
    ) -> Result<(), E> {
        let width = width.max(1);
        let values = self.make_mut();
        let count = values.len().div_ceil(width);
        let at_once = match test {
            Some(_) => (TESTED_BYTES / size_of::<T>() / width).max(1),
            None => count.max(1),
        };
        let finite = AtomicBool::new(test.is_some());
        try_for_each_part(
            (Rows { values, width }, beside),
            count,
            width.saturating_mul(cost),
            #[inline(always)]
            |range, (mut rows, mut beside)| {
                for start in range.clone().step_by(at_once) {
                    let (part, later) = rows.divide(at_once);
                    let (near, far) = beside.divide(at_once);
                    write(start..range.end.min(start + at_once), part.values, near)?;
                    // Relaxed: it is read after all parts are done.
                    if let Some(test) = test
                        && finite.load(Ordering::Relaxed)
                        && !test(part.values)
                    {
                        finite.store(false, Ordering::Relaxed);
                    }
                    (rows, beside) = (later, far);
                }
                Ok(())
            },
        )?;
        if finite.into_inner() {
            self.know_finite();
        }
        Ok(())
    }
}

#[inline(always)]
fn write_alone<T>(
    write: impl Fn(usize, &mut [T]) + Sync,
) -> impl Fn(Range<usize>, &mut [T], ()) + Sync {
    #[inline(always)]
    move |range, part, ()| write(range.start, part)
}

impl<T: Stored> Tensor<T> {
    /// A tensor whose elements `write` overwrites, in parts that begin at its first argument.
    pub(super) fn by_parts(
        shape: Shape,
        fill: T,
        write: impl Fn(usize, &mut [T]) + Sync,
    ) -> Result<Self> {
        Self::by_parts_with(test_of(), shape, fill, write)
    }

    /// The same with a test, or without one.
    pub(super) fn by_parts_with(
        test: Option<Test<T>>,
        shape: Shape,
        fill: T,
        write: impl Fn(usize, &mut [T]) + Sync,
    ) -> Result<Self> {
        let mut tensor = Self::written(shape, fill, |_| {})?;
        tensor
            .storage
            .overwrite_with(test, [1, 1], (), write_alone(write));
        Ok(tensor)
    }

    /// Whether all elements are known to be finite, or so few that it is found out at once.
    pub(super) fn is_soon_found_finite(&self) -> bool {
        self.storage.is_known_finite()
            || self.len() <= FEW && test_of().is_some_and(|test| test(self.as_slice()))
    }
}

impl<T: Element> Tensor<T> {
    /// A tensor written in whole rows of `width` elements, each of which stands for about `cost` elements that
    /// are read or written.
    ///
    /// `write(rows, values, beside)` must overwrite all of `values`, which are those rows; before, they hold what
    /// is left of earlier tensors. What lies `beside` them is divided by rows in the same way.
    /// Threads share the rows, and the values are tested while they are in the cache, so that a tape need not
    /// read them again.
    ///
    /// ```
    /// use autodiff_core::Tensor;
    ///
    /// let x: Tensor = Tensor::by_rows([2, 3], 3, 1, (), |rows, values, ()| {
    ///     for (row, values) in rows.zip(values.chunks_exact_mut(3)) {
    ///         values.fill(row as f64);
    ///     }
    ///     Ok::<(), autodiff_core::TensorAutodiffError>(())
    /// })?;
    /// assert_eq!(x.as_slice(), [0.0, 0.0, 0.0, 1.0, 1.0, 1.0]);
    /// # Ok::<(), autodiff_core::TensorAutodiffError>(())
    /// ```
    ///
    /// # Errors
    /// `RowWidth` where rows of that width do not fill the tensor, `ShapeOverflow`, `OutOfMemory`; of the rows that
    /// failed, the first one's error.
    pub fn by_rows<P: Parts, E: Into<TensorAutodiffError> + Send>(
        shape: impl Into<Shape>,
        width: usize,
        cost: usize,
        beside: P,
        write: impl Fn(Range<usize>, &mut [T], P) -> Result<(), E> + Sync,
    ) -> Result<Self> {
        let shape = shape.into();
        shape.check_rows(width)?;
        let mut tensor = Self::unwritten(shape)?;
        let written = tensor
            .storage
            .try_overwrite_rows([width, cost], test_of(), beside, write);
        written.map_err(Into::into)?;
        Ok(tensor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tensor::with_threads;

    #[test]
    fn what_was_written_is_known_to_be_finite_only_where_all_of_it_is() {
        for threads in [1, 2] {
            for len in [5, 4096, 4097, 100_000] {
                let written = |bad: Option<usize>| {
                    let x = Tensor::from_fn([len], |i| i as f64).unwrap();
                    let place = bad.map(|bad| bad as f64);
                    with_threads(threads, || {
                        x.map(|x| if Some(x) == place { f64::NAN } else { x })
                    })
                    .unwrap()
                };
                assert!(written(None).storage.is_known_finite());
                for bad in [0, len / 2, len - 1] {
                    let x = written(Some(bad));
                    assert!(!x.storage.is_known_finite(), "{bad} of {len}");
                    assert_eq!(x.first_non_finite().unwrap().0, bad);
                }
            }
        }
    }

    #[test]
    fn elements_that_cannot_be_infinite_are_written_without_a_test() {
        let x = Tensor::from_fn([5000], |i| i).unwrap().map(|i| i % 2 == 0);
        assert_eq!((x.as_slice()[4998], x.as_slice()[4999]), (true, false));
        assert!(!x.storage.is_known_finite());
    }

    #[test]
    fn rows_come_with_what_lies_beside_them() {
        let mut sums = vec![0.0; 3000];
        let beside = Rows {
            values: &mut sums,
            width: 1,
        };
        let x = Tensor::by_rows([3000, 7], 7, 1, beside, |rows, values, sums| {
            for ((row, values), sum) in rows.zip(values.chunks_exact_mut(7)).zip(sums.values) {
                values.fill(row as f64);
                *sum = 7.0 * row as f64;
            }
            Ok::<(), TensorAutodiffError>(())
        })
        .unwrap();
        let expected: Vec<f64> = x.as_slice().chunks(7).map(|row| row.iter().sum()).collect();
        assert_eq!(sums, expected);
    }

    #[test]
    fn the_first_row_that_fails_names_the_error() {
        let refused = |row: usize| {
            TensorAutodiffError::from(crate::TensorError::AxisCount {
                expected: 0,
                actual: row,
            })
        };
        let outcome = with_threads(2, || {
            Tensor::<f64>::by_rows([100_000], 1, 1, (), |rows, values, ()| {
                values.fill(0.0);
                match rows.into_iter().find(|row| row % 50_000 == 49_999) {
                    Some(row) => Err(refused(row)),
                    None => Ok(()),
                }
            })
        })
        .unwrap();
        assert_eq!(outcome.unwrap_err(), refused(49_999));
    }
}
