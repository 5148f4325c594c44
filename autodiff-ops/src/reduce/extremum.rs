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
