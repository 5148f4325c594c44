//! Arithmetic of two tensors with trailing-axis broadcasting.

use autodiff_core::prelude::*;

/// Elementwise sum with trailing-axis broadcasting: `y = lhs + rhs`.
///
/// # Shapes
/// `lhs: A, rhs: B -> y: broadcast(A, B)`
/// # Errors
/// `IncompatibleBroadcast` where two aligned extents differ and neither is 1.
/// # VJP
/// `l̄ = ȳ`, `r̄ = ȳ`, each summed over the axes along which the operand was repeated. Source: linearity.
#[vjp_rule]
#[gradcheck(lhs: [..], rhs: [..])]
#[gradcheck(lhs: [m, 1], rhs: [n])]
#[gradcheck(lhs: [], rhs: [m, n])]
pub fn add<T: Element>(lhs: &Tensor<T>, rhs: &Tensor<T>) -> Result<Tensor<T>> {
    /// upstream, summed back to the operand's shape
    #[vjp(lhs)]
    fn lhs_vjp(upstream: &Tensor<T>, lhs_fit: &Projection) -> Result<Tensor<T>> {
        lhs_fit.reduce(upstream)
    }
    /// upstream, summed back to the operand's shape
    #[vjp(rhs)]
    fn rhs_vjp(upstream: &Tensor<T>, rhs_fit: &Projection) -> Result<Tensor<T>> {
        rhs_fit.reduce(upstream)
    }
    let (total, lhs_fit, rhs_fit) = lhs.zip_broadcast(rhs, |l, r| l + r)?;
    Ok(total)
}

/// Elementwise difference with trailing-axis broadcasting: `y = lhs - rhs`.
///
/// # Shapes
/// `lhs: A, rhs: B -> y: broadcast(A, B)`
/// # Errors
/// `IncompatibleBroadcast` where two aligned extents differ and neither is 1.
/// # VJP
/// `l̄ = ȳ`, `r̄ = -ȳ`, each summed over the axes along which the operand was repeated. Source: linearity.
#[vjp_rule(name = "subtract")]
#[gradcheck(lhs: [..], rhs: [..])]
#[gradcheck(lhs: [m, 1], rhs: [n])]
#[gradcheck(lhs: [], rhs: [m, n])]
pub fn sub<T: Element>(lhs: &Tensor<T>, rhs: &Tensor<T>) -> Result<Tensor<T>> {
    /// upstream, summed back to the operand's shape
    #[vjp(lhs)]
    fn lhs_vjp(upstream: &Tensor<T>, lhs_fit: &Projection) -> Result<Tensor<T>> {
        lhs_fit.reduce(upstream)
    }
    /// minus upstream, summed back to the operand's shape
    #[vjp(rhs)]
    fn rhs_vjp(upstream: Tensor<T>, rhs_fit: &Projection) -> Result<Tensor<T>> {
        let sum = rhs_fit.reduce(&upstream)?;
        // A sum of one term shares upstream's buffer, which is free for reuse from here on.
        drop(upstream);
        Ok(sum.map_inplace(|s| -s))
    }
    let (difference, lhs_fit, rhs_fit) = lhs.zip_broadcast(rhs, |l, r| l - r)?;
    Ok(difference)
}

/// Elementwise product with trailing-axis broadcasting: `y = lhs · rhs`.
///
/// # Shapes
/// `lhs: A, rhs: B -> y: broadcast(A, B)`
/// # Errors
/// `IncompatibleBroadcast` where two aligned extents differ and neither is 1.
/// # VJP
/// `l̄ = ȳ · rhs`, `r̄ = ȳ · lhs`, each summed over the axes along which the operand was repeated.
/// Source: product rule.
#[vjp_rule(name = "multiply")]
#[gradcheck(lhs: [..], rhs: [..])]
#[gradcheck(lhs: [m, 1], rhs: [n])]
#[gradcheck(lhs: [], rhs: [m, n])]
pub fn mul<T: Element>(lhs: &Tensor<T>, rhs: &Tensor<T>) -> Result<Tensor<T>> {
    /// upstream times the other operand, summed back to the operand's shape
    #[vjp(lhs)]
    fn lhs_vjp(upstream: &Tensor<T>, rhs: &Tensor<T>, lhs_fit: &Projection) -> Result<Tensor<T>> {
        lhs_fit.reduce_zip(upstream, rhs, |u, r| u * r)
    }
    /// upstream times the other operand, summed back to the operand's shape
    #[vjp(rhs)]
    fn rhs_vjp(upstream: &Tensor<T>, lhs: &Tensor<T>, rhs_fit: &Projection) -> Result<Tensor<T>> {
        rhs_fit.reduce_zip(upstream, lhs, |u, l| u * l)
    }
    let (product, lhs_fit, rhs_fit) = lhs.zip_broadcast(rhs, |l, r| l * r)?;
    Ok(product)
}

/// Elementwise quotient with trailing-axis broadcasting: `y = lhs / rhs`.
///
/// # Shapes
/// `lhs: A, rhs: B -> y: broadcast(A, B)`
/// # Errors
/// `IncompatibleBroadcast` where two aligned extents differ and neither is 1. On the tape,
/// `NonFiniteForward` where `rhs = 0`.
/// # VJP
/// `l̄ = ȳ / rhs`, `r̄ = -ȳ y / rhs`, each summed over the axes along which the operand was repeated.
/// Source: quotient rule.
#[vjp_rule(name = "divide")]
#[gradcheck(lhs: [..], rhs: [..] in -3.0..-0.4 | 0.4..3.0)]
#[gradcheck(lhs: [m, 1], rhs: [n] in 0.4..3.0)]
#[gradcheck(lhs: [m, n], rhs: [] in 0.4..3.0)]
pub fn div<T: Element>(lhs: &Tensor<T>, rhs: &Tensor<T>) -> Result<Tensor<T>> {
    /// upstream over the divisor, summed back to the operand's shape
    #[vjp(lhs)]
    fn lhs_vjp(upstream: &Tensor<T>, rhs: &Tensor<T>, lhs_fit: &Projection) -> Result<Tensor<T>> {
        lhs_fit.reduce_zip(upstream, rhs, |u, r| u / r)
    }
    /// minus upstream times the quotient, summed back to the operand's shape, over the divisor
    #[vjp(rhs)]
    fn rhs_vjp(
        upstream: &Tensor<T>,
        rhs: &Tensor<T>,
        output: &Tensor<T>,
        rhs_fit: &Projection,
    ) -> Result<Tensor<T>> {
        // The divisor is the same for all elements that share it, so it can wait for their sum.
        let sum = rhs_fit.reduce_zip(upstream, output, |u, y| u * y)?;
        sum.zip_inplace(rhs, |s, r| -s / r)
    }
    let (quotient, lhs_fit, rhs_fit) = lhs.zip_broadcast(rhs, |l, r| l / r)?;
    Ok(quotient)
}

/// Every element with its sign changed: `y = -x`.
///
/// # Shapes
/// `x: S -> y: S`
/// # VJP
/// `x̄ = -ȳ`. Source: linearity.
#[vjp_rule]
#[gradcheck(x: [..])]
pub fn neg<T: Element>(x: &Tensor<T>) -> Result<Tensor<T>> {
    /// minus upstream
    #[vjp(x)]
    fn x_vjp(upstream: Tensor<T>) -> Result<Tensor<T>> {
        Ok(upstream.map_inplace(|u| -u))
    }
    Ok(x.map(|x| -x))
}

/// The reciprocal of every element: `y = 1 / x`.
///
/// # Shapes
/// `x: S -> y: S`
/// # Errors
/// On the tape, `NonFiniteForward` where `x = 0`.
/// # VJP
/// `x̄ = -ȳ y²`. Source: quotient rule.
#[vjp_rule]
#[gradcheck(x: [..] in -3.0..-0.4 | 0.4..3.0)]
pub fn reciprocal<T: Element>(x: &Tensor<T>) -> Result<Tensor<T>> {
    /// minus upstream times the squared reciprocal
    #[vjp(x)]
    fn x_vjp(upstream: Tensor<T>, output: &Tensor<T>) -> Result<Tensor<T>> {
        // Not `u (y y)`: the square overflows long before the product.
        upstream.zip_inplace(output, |u, y| -(u * y * y))
    }
    Ok(x.map(T::recip))
}

/// A number added to every element: `y = x + value`.
///
/// # Shapes
/// `x: S -> y: S`
/// # VJP
/// `x̄ = ȳ`. Source: linearity.
#[vjp_rule]
#[gradcheck(x: [..], value = -1.5 | 0.0 | 2.0)]
pub fn add_scalar<T: Element>(x: &Tensor<T>, value: f64) -> Result<Tensor<T>> {
    /// upstream
    #[vjp(x)]
    fn x_vjp(upstream: Tensor<T>) -> Result<Tensor<T>> {
        Ok(upstream)
    }
    let value = T::from_f64(value);
    Ok(x.map(|x| x + value))
}

/// Every element times a number: `y = value · x`.
///
/// # Shapes
/// `x: S -> y: S`
/// # VJP
/// `x̄ = value · ȳ`. Source: linearity.
#[vjp_rule]
#[gradcheck(x: [..], value = -1.5 | 0.0 | 2.0)]
pub fn mul_scalar<T: Element>(x: &Tensor<T>, value: f64) -> Result<Tensor<T>> {
    /// upstream times the number
    #[vjp(x)]
    fn x_vjp(upstream: Tensor<T>, value: f64) -> Result<Tensor<T>> {
        let factor = T::from_f64(value);
        Ok(upstream.map_inplace(|u| u * factor))
    }
    let factor = T::from_f64(value);
    Ok(x.map(|x| x * factor))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{at, pulled, vector};

    #[test]
    fn a_repeated_subtrahend_receives_minus_the_sum_over_the_rows_that_reused_it() {
        let lhs = Tensor::from_vec([2, 2], vec![1.0, 2.0, 3.0, 4.0]).unwrap();
        let upstream = Tensor::from_vec([2, 2], vec![1.0, 10.0, 100.0, 1000.0]).unwrap();
        let rhs = vector(&[5.0, 7.0]);
        let (y, [l, r]) = pulled([&lhs, &rhs], &upstream, |[l, r]| l.sub(r)).unwrap();
        assert_eq!(y.as_slice(), [1.0 - 5.0, 2.0 - 7.0, 3.0 - 5.0, 4.0 - 7.0]);
        assert_eq!(l, upstream);
        assert_eq!(r.as_slice(), [-(1.0 + 100.0), -(10.0 + 1000.0)]);
    }

    #[test]
    fn a_divisor_receives_minus_upstream_times_the_quotient_over_itself() {
        let (lhs, rhs) = (vector(&[6.0, 1.0]), Tensor::scalar(2.0));
        let upstream = vector(&[1.0, 10.0]);
        let (_, [l, r]) = pulled([&lhs, &rhs], &upstream, |[l, r]| l.div(r)).unwrap();
        assert_eq!(l.as_slice(), [1.0 / 2.0, 10.0 / 2.0]);
        assert_eq!(r.as_slice(), [-(1.0 * 3.0 + 10.0 * 0.5) / 2.0]);
    }

    #[test]
    fn a_quotient_of_a_node_by_itself_has_gradient_zero() {
        let (y, gradient) = at(&[3.0, -0.7], |x| x.div(x)).unwrap();
        assert_eq!((y, gradient), (vec![1.0, 1.0], vec![0.0, 0.0]));
    }

    #[test]
    fn division_by_zero_names_the_operation_and_the_index() {
        let error = at(&[2.0, 0.0], |x| x.reciprocal()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "reciprocal produced non-finite value inf at flat index 1"
        );
        let zero = TensorValue::constant(Tensor::scalar(0.0)).unwrap();
        let error = at(&[0.0, 1.0], |x| x.div(&zero)).unwrap_err();
        let text = error.to_string();
        assert!(
            text.starts_with("divide produced non-finite value")
                && text.ends_with("at flat index 0"),
            "{text}"
        );
    }

    #[test]
    fn a_gradient_that_is_finite_does_not_overflow_on_the_way() {
        // y = 1e200 and y² overflows, but -u y² = -1e-300 · 1e400 = -1e100.
        let x = vector(&[1e-200]);
        let upstream = vector(&[1e-300]);
        let (_, [gradient]) = pulled([&x], &upstream, |[x]| x.reciprocal()).unwrap();
        assert!((gradient.as_slice()[0] / -1e100 - 1.0).abs() < 4.0 * f64::EPSILON);
        // 1 / rhs overflows, but the quotient of 0 does not move with rhs.
        let (lhs, rhs) = (
            TensorValue::constant(vector(&[0.0])).unwrap(),
            vector(&[1e-310]),
        );
        let (_, [gradient]) = pulled([&rhs], &vector(&[1.0]), |[rhs]| lhs.div(rhs)).unwrap();
        assert_eq!(gradient.as_slice(), [0.0]);
    }

    #[test]
    fn a_number_shifts_or_scales_and_is_not_differentiated() {
        let (y, gradient) = at(&[1.0, -2.0], |x| x.add_scalar(0.5)?.mul_scalar(-3.0)).unwrap();
        assert_eq!(y, [-3.0 * (1.0 + 0.5), -3.0 * (-2.0 + 0.5)]);
        assert_eq!(gradient, [-3.0, -3.0]);
    }
}
