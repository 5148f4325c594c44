//! From the addressed to the logical side of a projection: repeating, alone or fused with a function.

use super::base::Tensor;
use super::fill::{Test, test_of};
use super::loops::Loops;
use super::map::each;
use super::projection::Projection;
use super::storage::Stored;
use super::zip::{zip_onto, zip3_onto};
use crate::error::Result;

impl Projection {
    /// Repeats an addressed tensor over the logical shape. The identity shares the elements.
    ///
    /// # Errors
    /// `ShapeMismatch` where the tensor does not have the addressed shape.
    pub fn expand<T: Stored>(&self, addressed: &Tensor<T>) -> Result<Tensor<T>> {
        self.check_addressed(addressed.extents())?;
        if self.is_identity() {
            return Ok(addressed.clone());
        }
        if addressed.len() == self.logical().element_count()? {
            return addressed.with_shape(self.logical());
        }
        // Copies of finite elements are finite.
        let is_finite = addressed.is_soon_found_finite();
        let test = if is_finite { None } else { test_of() };
        let expanded = self.expand_each(test, addressed, |x| x)?;
        if is_finite {
            expanded.storage.know_finite();
        }
        if addressed.len() == 1 {
            expanded.storage.know_repeated();
        }
        Ok(expanded)
    }

    /// Repeats `f` of every addressed element over the logical shape.
    ///
    /// # Errors
    /// `ShapeMismatch` where the tensor does not have the addressed shape.
    pub fn expand_map<T: Stored, U: Stored>(
        &self,
        addressed: &Tensor<T>,
        f: impl Fn(T) -> U + Sync,
    ) -> Result<Tensor<U>> {
        self.check_addressed(addressed.extents())?;
        if self.is_identity() {
            return Ok(addressed.map(f));
        }
        self.expand_each(test_of(), addressed, f)
    }

    fn expand_each<T: Stored, U: Stored>(
        &self,
        test: Option<Test<U>>,
        addressed: &Tensor<T>,
        f: impl Fn(T) -> U + Sync,
    ) -> Result<Tensor<U>> {
        let input = addressed.as_slice();
        let loops = Loops::new(self.logical(), [&self.effective_strides()]);
        let (Some(&first), 1..) = (input.first(), loops.len()) else {
            return Ok(Tensor::empty(self.logical().clone()));
        };
        Tensor::by_parts_with(
            test,
            self.logical().clone(),
            f(first),
            #[inline(always)]
            |first, out| {
                loops.for_each_run(
                    first..first + out.len(),
                    #[inline(always)]
                    |start, len, [offset]| {
                        let out = &mut out[start - first..][..len];
                        match loops.inner_strides() {
                            [0] => out.fill(f(input[offset])),
                            [_] => each(out, &input[offset..offset + len], &f),
                        }
                    },
                );
            },
        )
    }

    /// `f(logical, addressed)` for every logical element and the addressed one that it shares.
    ///
    /// # Errors
    /// `ShapeMismatch` where a tensor does not have the shape of its side.
    pub fn expand_zip<T: Stored, U: Stored, V: Stored>(
        &self,
        logical: &Tensor<T>,
        addressed: &Tensor<U>,
        f: impl Fn(T, U) -> V + Sync,
    ) -> Result<Tensor<V>> {
        self.check_logical(logical.extents())?;
        let addressed = self.aligned(addressed)?;
        zip_onto(self.logical().clone(), logical, &addressed, &f)
    }

    /// `f(logical, first, second)` for every logical element and the two addressed ones of its place.
    ///
    /// # Errors
    /// `ShapeMismatch` where a tensor does not have the shape of its side.
    pub fn expand_zip2<T: Stored, U: Stored, V: Stored, W: Stored>(
        &self,
        logical: &Tensor<T>,
        first: &Tensor<U>,
        second: &Tensor<V>,
        f: impl Fn(T, U, V) -> W + Sync,
    ) -> Result<Tensor<W>> {
        self.check_logical(logical.extents())?;
        let first = self.aligned(first)?;
        let second = self.aligned(second)?;
        zip3_onto(self.logical().clone(), logical, &first, &second, &f)
    }

    /// An addressed tensor with its reduced axes put back as extents of 1, so that it broadcasts to the
    /// logical shape.
    pub(super) fn aligned<T: Stored>(&self, addressed: &Tensor<T>) -> Result<Tensor<T>> {
        self.check_addressed(addressed.extents())?;
        if self.is_identity() {
            return Ok(addressed.clone());
        }
        let logical = self.logical().iter().enumerate();
        let extents = logical.map(|(axis, &extent)| {
            if self.reduced_axes().contains(&axis) {
                1
            } else {
                extent
            }
        });
        addressed.with_shape(extents.collect::<super::shape::Shape>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expansion_repeats_along_every_reduced_axis() {
        let fit = Projection::reduction(&[2, 3, 2], &[1], false).unwrap();
        let addressed = Tensor::from_vec([2, 2], vec![1.0, 2.0, 3.0, 4.0]).unwrap();
        let expanded = fit.expand(&addressed).unwrap();
        assert_eq!(
            expanded.as_slice(),
            [1.0, 2.0, 1.0, 2.0, 1.0, 2.0, 3.0, 4.0, 3.0, 4.0, 3.0, 4.0]
        );
        assert_eq!(
            fit.expand_map(&addressed, |x| -x).unwrap(),
            expanded.map(|x| -x)
        );
    }

    #[test]
    fn a_fused_expansion_is_the_unfused_one() {
        let logical = Tensor::from_fn([2, 3, 2], |i| i as f64).unwrap();
        for axes in [&[0][..], &[1], &[2], &[0, 2], &[0, 1, 2], &[]] {
            let fit = Projection::reduction(&[2, 3, 2], axes, false).unwrap();
            let addressed =
                Tensor::from_fn(fit.addressed_shape(), |i| 10.0 * (i + 1) as f64).unwrap();
            let expanded = fit.expand(&addressed).unwrap();
            let fused = fit.expand_zip(&logical, &addressed, |l, a| l - a).unwrap();
            assert_eq!(fused, logical.zip_map(&expanded, |l, a| l - a).unwrap());
            let fused = fit
                .expand_zip2(&logical, &addressed, &addressed, |l, a, b| l - a * b)
                .unwrap();
            assert_eq!(fused, logical.zip_map(&expanded, |l, a| l - a * a).unwrap());
        }
    }

    #[test]
    fn an_expansion_over_an_empty_axis_is_empty() {
        let fit = Projection::reduction(&[2, 0], &[1], false).unwrap();
        assert_eq!(
            fit.expand(&Tensor::<f64>::ones([2]).unwrap())
                .unwrap()
                .shape(),
            [2, 0]
        );
    }

    #[test]
    fn the_identity_shares_its_elements() {
        let x = Tensor::<f64>::zeros([3, 3]).unwrap();
        assert!(
            Projection::identity([3, 3])
                .expand(&x)
                .unwrap()
                .shares_storage_with(&x)
        );
    }
}
