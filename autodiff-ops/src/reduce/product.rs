//! Products.

use autodiff_core::prelude::*;

/// The product over axes; 1 over axes without elements, and `x` itself over no axis.
///
/// At zeros: exact, since no product is divided by a factor, and since a factor of zero decides where the others
/// overflow.
///
/// # Shapes
/// `x: S -> y: S` without `axes`, or with extent 1 there if `keep_dim`.
/// # Errors
/// `AxisOutOfRange`, `DuplicateAxis`.
/// # VJP
/// Each element gets `ȳ` times the product of the others. Source: product rule.
#[vjp_rule]
#[gradcheck(x: [m, n], axes = &[0, 1] | &[0] | &[1] | &[], keep_dim = true | false)]
#[gradcheck(x: [m, n, k], axes = &[2, 0] | &[0, 1] | &[1, 2] | &[1], keep_dim = true | false)]
pub fn prod<T: Element>(x: &Tensor<T>, axes: &[usize], keep_dim: bool) -> Result<Tensor<T>> {
    /// upstream times the product of the other elements
    #[vjp(x)]
    fn x_vjp(
        upstream: &Tensor<T>,
        x: &Tensor<T>,
        plan: &Projection,
        _axes: &[usize],
        _keep_dim: bool,
    ) -> Result<Tensor<T>> {
        // Every group as one row: its axes last.
        let reduced = plan.reduced_axes();
        let kept = (0..x.rank()).filter(|axis| !reduced.contains(axis));
        let order: Vec<usize> = kept.chain(reduced.iter().copied()).collect();
        let rows = x.permuted(&order)?;
        let others = rows.map_rows(plan.reduced_count(), products_of_others)?;
        let mut back = vec![0; order.len()];
        for (place, &axis) in order.iter().enumerate() {
            back[axis] = place;
        }
        plan.expand_zip(&others.permuted(&back)?, upstream, |others, u| {
            // What does not arrive is not scaled, even where the other factors overflow.
            if u.is_zero() { T::zero() } else { others * u }
        })
    }
    let plan = Projection::reduction(x.shape(), axes, keep_dim)?;
    plan.fold(x, T::one(), times)
}

/// The product of two factors, of which a zero decides even where the other one is what overflowed before.
fn times<T: Element>(left: T, right: T) -> T {
    let product = left * right;
    let decides = |zero: T, other: T| zero.is_zero() && !other.offending_part().is_nan();
    match !product.is_finite() && (decides(left, right) || decides(right, left)) {
        true => T::zero(),
        false => product,
    }
}

/// Every place gets the product of all elements of the row but its own.
fn products_of_others<T: Element>(row: &[T], out: &mut [T]) {
    let mut before = T::one();
    for (place, &x) in out.iter_mut().zip(row) {
        *place = before;
        before *= x;
    }
    let mut after = T::one();
    for (place, &x) in out.iter_mut().zip(row).rev() {
        *place *= after;
        after *= x;
    }
    // A factor that is zero decides, whatever overflowed on the way; a product that has become zero does not.
    let zeros = row.iter().filter(|x| x.is_zero()).count();
    for (place, x) in out.iter_mut().zip(row) {
        if zeros > usize::from(x.is_zero()) {
            *place = T::zero();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{at, pulled, vector};

    #[test]
    fn zeros_are_exact() {
        let product = |x: &[f64]| at(x, |x| x.prod(&[0], false)).unwrap();
        assert_eq!(
            product(&[2.0, 0.0, 4.0]),
            (vec![0.0], vec![0.0, 2.0 * 4.0, 0.0])
        );
        assert_eq!(product(&[0.0, 0.0, 4.0]), (vec![0.0], vec![0.0; 3]));
        assert_eq!(product(&[0.0]), (vec![0.0], vec![1.0]));
        assert_eq!(
            product(&[2.0, 3.0, 5.0]),
            (vec![30.0], vec![15.0, 10.0, 6.0])
        );
    }

    #[test]
    fn groups_along_an_outer_axis_are_kept_apart() {
        let x = Tensor::from_vec([3, 2], vec![2.0, 0.0, 3.0, 7.0, 5.0, 11.0]).unwrap();
        let upstream = Tensor::from_vec([1, 2], vec![1.0, 10.0]).unwrap();
        let (y, [gradient]) = pulled([&x], &upstream, |[x]| x.prod(&[0], true)).unwrap();
        assert_eq!(y, Tensor::from_vec([1, 2], vec![30.0, 0.0]).unwrap());
        assert_eq!(gradient.as_slice(), [15.0, 770.0, 10.0, 0.0, 6.0, 0.0]);
    }

    #[test]
    fn a_product_of_nothing_is_one() {
        let x = Tensor::<f64>::zeros([2, 0]).unwrap();
        let (y, [gradient]) =
            pulled([&x], &vector(&[1.0, 1.0]), |[x]| x.prod(&[1], false)).unwrap();
        assert_eq!((y, gradient.shape()), (vector(&[1.0, 1.0]), &[2, 0][..]));
    }

    #[test]
    fn a_product_that_has_become_zero_decides_nothing() {
        let x = vector(&[1e-200, 1e-200, 0.0, 1e200, 1e200]);
        let refused = pulled([&x], &Tensor::scalar(1.0), |[x]| x.prod(&[0], false));
        assert!(matches!(
            refused,
            Err(TensorAutodiffError::NonFiniteVjp { index: 2, .. })
        ));
    }

    #[test]
    fn a_zero_decides_even_where_the_other_factors_overflow() {
        let x = [0.0, 5.0, 1e200, 1e200];
        let mut products = [0.0; 4];
        products_of_others(&x, &mut products);
        assert_eq!(products, [f64::INFINITY, 0.0, 0.0, 0.0]);
    }

    #[test]
    fn of_two_zeros_one_is_always_among_the_others() {
        for x in [[0.0, 0.0, 1e200, 1e200], [1e200, 1e200, 0.0, 0.0]] {
            let expected = (vec![0.0], vec![0.0; 4]);
            assert_eq!(at(&x, |x| x.prod(&[0], false)).unwrap(), expected);
        }
    }

    #[test]
    fn a_zero_decides_wherever_it_stands_and_not_over_what_is_no_number() {
        let product = |x: &[f64]| prod(&vector(x), &[0], false).unwrap().item().unwrap();
        assert_eq!(product(&[1e200, 1e200, 0.0]), 0.0);
        assert_eq!(product(&[0.0, 1e200, 1e200]), 0.0);
        assert_eq!(product(&[1e200, 1e200, -1.0]), f64::NEG_INFINITY);
        assert!(product(&[0.0, f64::NAN]).is_nan());
    }
}
