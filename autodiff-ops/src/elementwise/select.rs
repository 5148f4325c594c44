//! Choices between two values, element by element.

use autodiff_core::prelude::*;

/// `upstream` where the first element is greater, half of it at a tie, else 0.
fn where_greater<T: Element>(upstream: T, first: T, second: T) -> T {
    if first > second {
        upstream
    } else if first == second {
        upstream * T::from_f64(0.5)
    } else {
        T::zero()
    }
}

/// The larger of two elements, with trailing-axis broadcasting: `y = max(lhs, rhs)`.
///
/// At a tie: both operands get half of the gradient.
///
/// # Shapes
/// `lhs: A, rhs: B -> y: broadcast(A, B)`
/// # Errors
/// `IncompatibleBroadcast` where two aligned extents differ and neither is 1.
/// # VJP
/// Each operand gets `ȳ` where it is larger, `ȳ / 2` at a tie and 0 elsewhere, summed over the axes
/// along which it was repeated. Source: definition.
#[vjp_rule]
#[gradcheck(lhs: [..] in -2.0..-1.1 | 0.1..0.9, rhs: [..] in -1.0..0.0 | 1.0..2.0)]
#[gradcheck(lhs: [m, 1] in -2.0..-1.1 | 0.1..0.9, rhs: [n] in -1.0..0.0 | 1.0..2.0)]
#[gradcheck(lhs: [] in -2.0..-1.1 | 0.1..0.9, rhs: [m, n] in -1.0..0.0 | 1.0..2.0)]
pub fn maximum<T: Element>(lhs: &Tensor<T>, rhs: &Tensor<T>) -> Result<Tensor<T>> {
    /// upstream where this operand is larger, summed back to its shape
    #[vjp(lhs)]
    fn lhs_vjp(
        upstream: &Tensor<T>,
        lhs: &Tensor<T>,
        rhs: &Tensor<T>,
        lhs_fit: &Projection,
    ) -> Result<Tensor<T>> {
        let (share, ..) = upstream.zip3_broadcast(lhs, rhs, where_greater)?;
        lhs_fit.reduce(&share)
    }
    /// upstream where this operand is larger, summed back to its shape
    #[vjp(rhs)]
    fn rhs_vjp(
        upstream: &Tensor<T>,
        lhs: &Tensor<T>,
        rhs: &Tensor<T>,
        rhs_fit: &Projection,
    ) -> Result<Tensor<T>> {
        let (share, ..) = upstream.zip3_broadcast(rhs, lhs, where_greater)?;
        rhs_fit.reduce(&share)
    }
    let (larger, lhs_fit, rhs_fit) = lhs.zip_broadcast(rhs, |l, r| l.max(r))?;
    Ok(larger)
}

/// The smaller of two elements, with trailing-axis broadcasting: `y = min(lhs, rhs)`.
///
/// At a tie: both operands get half of the gradient.
///
/// # Shapes
/// `lhs: A, rhs: B -> y: broadcast(A, B)`
/// # Errors
/// `IncompatibleBroadcast` where two aligned extents differ and neither is 1.
/// # VJP
/// Each operand gets `ȳ` where it is smaller, `ȳ / 2` at a tie and 0 elsewhere, summed over the axes
/// along which it was repeated. Source: definition.
#[vjp_rule]
#[gradcheck(lhs: [..] in -2.0..-1.1 | 0.1..0.9, rhs: [..] in -1.0..0.0 | 1.0..2.0)]
#[gradcheck(lhs: [m, 1] in -2.0..-1.1 | 0.1..0.9, rhs: [n] in -1.0..0.0 | 1.0..2.0)]
#[gradcheck(lhs: [] in -2.0..-1.1 | 0.1..0.9, rhs: [m, n] in -1.0..0.0 | 1.0..2.0)]
pub fn minimum<T: Element>(lhs: &Tensor<T>, rhs: &Tensor<T>) -> Result<Tensor<T>> {
    /// upstream where this operand is smaller, summed back to its shape
    #[vjp(lhs)]
    fn lhs_vjp(
        upstream: &Tensor<T>,
        lhs: &Tensor<T>,
        rhs: &Tensor<T>,
        lhs_fit: &Projection,
    ) -> Result<Tensor<T>> {
        let (share, ..) = upstream.zip3_broadcast(rhs, lhs, where_greater)?;
        lhs_fit.reduce(&share)
    }
    /// upstream where this operand is smaller, summed back to its shape
    #[vjp(rhs)]
    fn rhs_vjp(
        upstream: &Tensor<T>,
        lhs: &Tensor<T>,
        rhs: &Tensor<T>,
        rhs_fit: &Projection,
    ) -> Result<Tensor<T>> {
        let (share, ..) = upstream.zip3_broadcast(lhs, rhs, where_greater)?;
        rhs_fit.reduce(&share)
    }
    let (smaller, lhs_fit, rhs_fit) = lhs.zip_broadcast(rhs, |l, r| l.min(r))?;
    Ok(smaller)
}

/// A choice by condition, with trailing-axis broadcasting of all three: `y = a` where the condition
/// holds, else `b`.
///
/// Nothing of the branch that was not taken reaches the output or a gradient, not even a NaN.
///
/// # Shapes
/// `condition: C, a: A, b: B -> y: broadcast(C, A, B)`
/// # Errors
/// `IncompatibleBroadcast` where two aligned extents differ and neither is 1.
/// # VJP
/// `a` gets `ȳ` where the condition holds and `b` where it does not, each summed over the axes along
/// which the operand was repeated. Source: definition.
#[vjp_rule(name = "where")]
#[gradcheck(condition: [..], a: [..], b: [..])]
#[gradcheck(condition: [m, n], a: [n], b: [m, 1])]
#[gradcheck(condition: [m, 1], a: [], b: [n])]
#[gradcheck(condition: [n], a: [m, n], b: [])]
pub fn where_<T: Element>(
    #[constant] condition: &Tensor<bool>,
    a: &Tensor<T>,
    b: &Tensor<T>,
) -> Result<Tensor<T>> {
    /// upstream where the condition holds, summed back to the operand's shape
    #[vjp(a)]
    fn a_vjp(
        upstream: &Tensor<T>,
        condition: &Tensor<bool>,
        a_fit: &Projection,
    ) -> Result<Tensor<T>> {
        a_fit.reduce_zip(
            upstream,
            condition,
            |u, holds| if holds { u } else { T::zero() },
        )
    }
    /// upstream where the condition does not hold, summed back to the operand's shape
    #[vjp(b)]
    fn b_vjp(
        upstream: &Tensor<T>,
        condition: &Tensor<bool>,
        b_fit: &Projection,
    ) -> Result<Tensor<T>> {
        b_fit.reduce_zip(
            upstream,
            condition,
            |u, holds| if holds { T::zero() } else { u },
        )
    }
    let (chosen, _, a_fit, b_fit) =
        condition.zip3_broadcast(a, b, |holds, a, b| if holds { a } else { b })?;
    Ok(chosen)
}

/// One number in place of every masked element: `y = value` where the mask holds, else `x`.
///
/// # Shapes
/// `x: S, mask: M -> y: S`, where `M` broadcasts to `S`.
/// # Errors
/// `IncompatibleBroadcast` where two aligned extents differ and neither is 1, `BroadcastTargetMismatch`
/// where `x` itself would have to be repeated. On the tape, `NonFiniteForward` where `value` is not finite
/// and the mask holds anywhere.
/// # VJP
/// `x̄ = 0` where the mask holds, else `ȳ`. Source: definition.
#[vjp_rule]
#[gradcheck(x: [..], mask: [..], value = 0.0 | -1.5)]
#[gradcheck(x: [k, m, n], mask: [m, 1], value = 2.0)]
#[gradcheck(x: [m, n], mask: [], value = 2.0)]
pub fn masked_fill<T: Element>(
    x: &Tensor<T>,
    #[constant] mask: &Tensor<bool>,
    value: f64,
) -> Result<Tensor<T>> {
    /// upstream where the mask does not hold
    #[vjp(x)]
    fn x_vjp(upstream: &Tensor<T>, mask: &Tensor<bool>, _value: f64) -> Result<Tensor<T>> {
        let (kept, ..) =
            upstream.zip_broadcast(mask, |u, masked| if masked { T::zero() } else { u })?;
        Ok(kept)
    }
    Projection::broadcast(mask.shape(), x.shape())?;
    let fill = T::from_f64(value);
    let (filled, ..) = x.zip_broadcast(mask, |x, masked| if masked { fill } else { x })?;
    Ok(filled)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{pulled, vector};

    #[test]
    fn a_tie_is_split_evenly() {
        let (a, b) = (vector(&[1.0, 0.0, 2.0]), vector(&[1.0, -0.0, 3.0]));
        let upstream = vector(&[1.0, 10.0, 100.0]);
        let (y, [by_a, by_b]) = pulled([&a, &b], &upstream, |[a, b]| a.maximum(b)).unwrap();
        assert_eq!(y.as_slice(), [1.0, 0.0, 3.0]);
        assert_eq!(by_a.as_slice(), [0.5, 5.0, 0.0]);
        assert_eq!(by_b.as_slice(), [0.5, 5.0, 100.0]);
        let (y, [by_a, by_b]) = pulled([&a, &b], &upstream, |[a, b]| a.minimum(b)).unwrap();
        assert_eq!(y.as_slice(), [1.0, 0.0, 2.0]);
        assert_eq!(by_a.as_slice(), [0.5, 5.0, 100.0]);
        assert_eq!(by_b.as_slice(), [0.5, 5.0, 0.0]);
    }

    #[test]
    fn the_larger_of_a_node_and_itself_is_the_node() {
        let x = vector(&[1.0, -2.0]);
        let upstream = vector(&[3.0, 5.0]);
        let (_, [gradient]) = pulled([&x], &upstream, |[x]| x.maximum(x)).unwrap();
        assert_eq!(gradient, upstream);
    }

    #[test]
    fn nothing_of_the_other_branch_reaches_a_choice() {
        let condition = Tensor::from_vec([2], vec![true, false]).unwrap();
        let (a, b) = (vector(&[1.0, f64::NAN]), vector(&[f64::INFINITY, 2.0]));
        assert_eq!(where_(&condition, &a, &b).unwrap().as_slice(), [1.0, 2.0]);
        let (a, b) = (vector(&[1.0, 7.0]), Tensor::scalar(2.0));
        let upstream = vector(&[3.0, 5.0]);
        let (_, [by_a, by_b]) =
            pulled([&a, &b], &upstream, |[a, b]| where_(&condition, a, b)).unwrap();
        assert_eq!(
            (by_a.as_slice(), by_b.as_slice()),
            (&[3.0, 0.0][..], &[5.0][..])
        );
    }

    #[test]
    fn a_mask_broadcasts_to_the_input_and_not_the_other_way() {
        let x = Tensor::from_vec([2, 2], vec![1.0, 2.0, 3.0, 4.0]).unwrap();
        let mask = Tensor::from_vec([2, 1], vec![true, false]).unwrap();
        let upstream = Tensor::from_vec([2, 2], vec![1.0, 10.0, 100.0, 1000.0]).unwrap();
        let (y, [gradient]) = pulled([&x], &upstream, |[x]| x.masked_fill(&mask, -9.0)).unwrap();
        assert_eq!(y.as_slice(), [-9.0, -9.0, 3.0, 4.0]);
        assert_eq!(gradient.as_slice(), [0.0, 0.0, 100.0, 1000.0]);
        let error = masked_fill(&vector(&[1.0, 2.0]), &mask, 0.0).unwrap_err();
        assert_eq!(
            error,
            TensorAutodiffError::BroadcastTargetMismatch {
                input: vec![2, 1],
                requested: vec![2],
                inferred: vec![2, 2],
            }
        );
    }
}
