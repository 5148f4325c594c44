//! Largest and smallest elements.

use std::cmp::Ordering;

use autodiff_core::prelude::*;

/// The best element so far and how many share its value.
#[derive(Clone, Copy)]
struct Best<T> {
    element: T,
    ties: usize,
}

/// The element of each group that beats all others, `wins` being its order against a loser.
///
/// Ties are averaged: that leaves the value alone and shares out the tangents of dual numbers evenly.
fn best<T: Element>(plan: &Projection, x: &Tensor<T>, wins: Ordering) -> Result<Tensor<T>> {
    let none = Best {
        element: T::zero(),
        ties: 0,
    };
    let best = plan.fold(x, none, |best, x| {
        let taken = Best {
            element: x,
            ties: 1,
        };
        if best.ties == 0 {
            return taken;
        }
        match x.partial_cmp(&best.element) {
            Some(Ordering::Equal) if x.is_finite() => {
                let ties = best.ties + 1;
                let share = (x - best.element) / T::from_f64(ties as f64);
                let element = best.element + share;
                Best { element, ties }
            }
            Some(order) if order == wins => taken,
            Some(_) => best,
            // The first NaN beats everything: it has no order, not even to itself.
            None if best.element.partial_cmp(&best.element).is_some() => taken,
            None => best,
        }
    })?;
    Ok(best.map(|best| best.element))
}

/// Each group's upstream, shared out evenly among the elements that equal the output.
fn shared_among_ties<T: Element>(
    upstream: &Tensor<T>,
    x: &Tensor<T>,
    output: &Tensor<T>,
    plan: &Projection,
) -> Result<Tensor<T>> {
    let ties = plan.reduce_against(x, output, |x, y| if x == y { T::one() } else { T::zero() })?;
    let share = upstream.zip_map(&ties, |u, ties| u / ties)?;
    plan.expand_zip2(
        x,
        output,
        &share,
        |x, y, s| if x == y { s } else { T::zero() },
    )
}

/// The largest element along axes; `x` itself along no axis.
///
/// At a tie: the gradient is split evenly among the equal elements; `-0.0` and `0.0` are equal.
///
/// # Shapes
/// `x: S -> y: S` without `axes`, or with extent 1 there if `keep_dim`.
/// # Errors
/// `AxisOutOfRange`, `DuplicateAxis`; `EmptyReduction` along axes without elements.
/// # VJP
/// `x̄ = ȳ / k` at the `k` elements that equal `y`, else 0, `ȳ` and `y` repeated along `axes`.
/// Source: definition.
#[vjp_rule]
#[gradcheck(x: [m, n], axes = &[0, 1] | &[0] | &[1] | &[], keep_dim = true | false)]
#[gradcheck(x: [m, n, k], axes = &[2, 0] | &[0, 1] | &[1, 2] | &[1], keep_dim = true | false)]
pub fn max<T: Element>(x: &Tensor<T>, axes: &[usize], keep_dim: bool) -> Result<Tensor<T>> {
    /// upstream at the largest elements, split evenly at ties
    #[vjp(x)]
    fn x_vjp(
        upstream: &Tensor<T>,
        x: &Tensor<T>,
        output: &Tensor<T>,
        plan: &Projection,
        _axes: &[usize],
        _keep_dim: bool,
    ) -> Result<Tensor<T>> {
        shared_among_ties(upstream, x, output, plan)
    }
    let plan = Projection::reduction(x.shape(), axes, keep_dim)?;
    plan.divisor()?;
    best(&plan, x, Ordering::Greater)
}

/// The smallest element along axes; `x` itself along no axis.
///
/// At a tie: the gradient is split evenly among the equal elements; `-0.0` and `0.0` are equal.
///
/// # Shapes
/// `x: S -> y: S` without `axes`, or with extent 1 there if `keep_dim`.
/// # Errors
/// `AxisOutOfRange`, `DuplicateAxis`; `EmptyReduction` along axes without elements.
/// # VJP
/// `x̄ = ȳ / k` at the `k` elements that equal `y`, else 0, `ȳ` and `y` repeated along `axes`.
/// Source: definition.
#[vjp_rule]
#[gradcheck(x: [m, n], axes = &[0, 1] | &[0] | &[1] | &[], keep_dim = true | false)]
#[gradcheck(x: [m, n, k], axes = &[2, 0] | &[0, 1] | &[1, 2] | &[1], keep_dim = true | false)]
pub fn min<T: Element>(x: &Tensor<T>, axes: &[usize], keep_dim: bool) -> Result<Tensor<T>> {
    /// upstream at the smallest elements, split evenly at ties
    #[vjp(x)]
    fn x_vjp(
        upstream: &Tensor<T>,
        x: &Tensor<T>,
        output: &Tensor<T>,
        plan: &Projection,
        _axes: &[usize],
        _keep_dim: bool,
    ) -> Result<Tensor<T>> {
        shared_among_ties(upstream, x, output, plan)
    }
    let plan = Projection::reduction(x.shape(), axes, keep_dim)?;
    plan.divisor()?;
    best(&plan, x, Ordering::Less)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{at, pulled, vector};

    #[test]
    fn ties_share_the_upstream_evenly() {
        let x = Tensor::from_vec([2, 3], vec![1.0, 3.0, 3.0, 2.0, 2.0, 2.0]).unwrap();
        let (y, [gradient]) = pulled([&x], &vector(&[1.0, 6.0]), |[x]| x.max(&[1], false)).unwrap();
        assert_eq!(y.as_slice(), [3.0, 2.0]);
        assert_eq!(gradient.as_slice(), [0.0, 0.5, 0.5, 2.0, 2.0, 2.0]);
        let (y, gradient) = at(&[1.0, 1.0, 3.0], |x| x.min(&[0], false)).unwrap();
        assert_eq!((y, gradient), (vec![1.0], vec![0.5, 0.5, 0.0]));
    }

    #[test]
    fn zeros_of_both_signs_are_equal() {
        let (_, gradient) = at(&[-0.0, 0.0, -1.0], |x| x.max(&[0], false)).unwrap();
        assert_eq!(gradient, [0.5, 0.5, 0.0]);
    }

    #[test]
    fn dual_numbers_split_ties_as_the_rule_does() {
        let x = [(1.0, 9.0), (2.0, 3.0), (2.0, 5.0), (2.0, 7.0)];
        let x = Tensor::from_vec([4], x.map(|(x, t)| Dual::new(x, t)).to_vec()).unwrap();
        let y = max(&x, &[0], false).unwrap().as_slice()[0];
        // The third element counts a third, and not a half as it would one after the other.
        assert!((y.tangent - (3.0 + 5.0 + 7.0) / 3.0).abs() < 4.0 * f64::EPSILON);
        assert_eq!(y.value, 2.0);
    }

    #[test]
    fn no_axis_compares_nothing() {
        let found = at(&[1.0, -2.0], |x| x.max(&[], false)).unwrap();
        assert_eq!(found, (vec![1.0, -2.0], vec![1.0, 1.0]));
    }

    #[test]
    fn an_extreme_of_nothing_is_refused() {
        let x = Tensor::<f64>::zeros([2, 0]).unwrap();
        for (name, error) in [("max", max(&x, &[1], false)), ("min", min(&x, &[1], false))] {
            assert_eq!(
                error.unwrap_err().to_string(),
                format!(
                    "{name}: expected elements to combine along axes [1], got none in shape [2, 0]"
                )
            );
        }
        // No row is not an empty row.
        let none = Tensor::<f64>::zeros([0, 3]).unwrap();
        assert_eq!(max(&none, &[1], false).unwrap().shape(), [0]);
    }

    #[test]
    fn a_nan_or_an_infinity_of_a_plain_tensor_wins() {
        for x in [
            [1.0, f64::NAN, 2.0],
            [f64::NAN, 1.0, 2.0],
            [1.0, 2.0, f64::NAN],
        ] {
            assert!(max(&vector(&x), &[0], false).unwrap().as_slice()[0].is_nan());
            assert!(min(&vector(&x), &[0], false).unwrap().as_slice()[0].is_nan());
        }
        let x = vector(&[f64::INFINITY, 1.0, f64::INFINITY]);
        assert_eq!(max(&x, &[0], false).unwrap().as_slice(), [f64::INFINITY]);
    }
}
