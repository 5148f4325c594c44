//! The spread around the mean.

use autodiff_core::prelude::*;

/// The biased variance over axes: `y = Σ (x - m)² / n` with the mean `m` of the `n` elements; 0 over no
/// axis.
///
/// # Shapes
/// `x: S -> y: S` without `axes`, or with extent 1 there if `keep_dim`.
/// # Errors
/// `AxisOutOfRange`, `DuplicateAxis`; `EmptyReduction` over axes without elements.
/// # VJP
/// `x̄ = 2 ȳ (x - m) / n`, `ȳ` and `m` repeated along `axes`. Source: chain rule; the mean's own share is
/// `Σ (x - m) = 0`.
#[vjp_rule]
#[gradcheck(x: [m, n], axes = &[0, 1] | &[0] | &[1], keep_dim = true | false)]
#[gradcheck(x: [m, n, k], axes = &[2, 0] | &[0, 1] | &[1, 2] | &[1], keep_dim = true | false)]
pub fn variance<T: Element>(x: &Tensor<T>, axes: &[usize], keep_dim: bool) -> Result<Tensor<T>> {
    /// upstream times twice the distance from the mean over the divisor
    #[vjp(x)]
    fn x_vjp(
        upstream: &Tensor<T>,
        x: &Tensor<T>,
        mean: &Tensor<T>,
        plan: &Projection,
        divisor: usize,
        _axes: &[usize],
        _keep_dim: bool,
    ) -> Result<Tensor<T>> {
        let factor = T::from_f64(2.0 / divisor as f64);
        let weights = upstream.map(|u| u * factor);
        plan.expand_zip2(x, mean, &weights, |x, m, w| w * (x - m))
    }
    let plan = Projection::reduction(x.shape(), axes, keep_dim)?;
    let divisor = plan.divisor()?;
    let count = T::from_f64(divisor as f64);
    let mean = plan.reduce(x)?.map_inplace(|total| total / count);
    let squares = plan.reduce_against(x, &mean, |x, m| (x - m) * (x - m))?;
    Ok(squares.map_inplace(|total| total / count))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::at;

    #[test]
    fn the_variance_is_biased_and_its_slope_is_twice_the_distance_from_the_mean_over_n() {
        // The mean is 4, and the distances are -3, -1, 4.
        let (y, gradient) = at(&[1.0, 3.0, 8.0], |x| x.variance(&[0], false)).unwrap();
        // The sums are exact; each of both sides divides once, which rounds by at most 2^-53.
        let places = f64::EPSILON;
        assert!((y[0] - (9.0 + 1.0 + 16.0) / 3.0).abs() <= places * y[0]);
        for (slope, distance) in gradient.iter().zip([-3.0, -1.0, 4.0]) {
            // A factor 2/3 and a product, against one quotient: three roundings.
            let expected = 2.0 * distance / 3.0;
            assert!((slope - expected).abs() <= 1.5 * places * expected.abs());
        }
    }

    #[test]
    fn one_element_has_no_variance() {
        let found = at(&[3.0], |x| x.variance(&[0], false)).unwrap();
        assert_eq!(found, (vec![0.0], vec![0.0]));
        assert_eq!(
            at(&[3.0, -4.0], |x| x.variance(&[], false)).unwrap().0,
            [0.0, 0.0]
        );
    }

    #[test]
    fn a_large_offset_costs_no_digits() {
        // 2^52 + 1, 2^52 + 3: squares have 104 digits and sums with the mean 54, but the distances are
        // exactly -1 and 1.
        let offset = 2.0_f64.powi(52);
        let x = [offset + 1.0, offset + 3.0];
        let found = at(&x, |x| x.variance(&[0], false)).unwrap();
        assert_eq!(found, (vec![1.0], vec![-1.0, 1.0]));
    }

    #[test]
    fn a_variance_of_nothing_is_refused() {
        let error = variance(&Tensor::<f64>::zeros([2, 0]).unwrap(), &[1], true).unwrap_err();
        assert_eq!(
            error.to_string(),
            "variance: expected elements to combine along axes [1], got none in shape [2, 0]"
        );
    }
}
