//! Joint rules: one reverse map for several operands.

use autodiff_core::prelude::*;

use crate::{gradient, parameter, reverse, tensor};

/// `x · y + z`, reversed at once.
#[vjp_rule(name = "multiply_add")]
#[gradcheck(x: [m, n], y: [m, n], z: [m, n])]
#[gradcheck(x: [n], y: [n], z: none)]
pub fn fused<T: Element>(x: &Tensor<T>, y: &Tensor<T>, z: Option<&Tensor<T>>) -> Result<Tensor<T>> {
    /// upstream times the other factor; upstream itself for z
    #[vjp(x, y, z)]
    fn all_vjp(
        upstream: Tensor<T>,
        wanted: [bool; 3],
        x: &Tensor<T>,
        y: &Tensor<T>,
    ) -> Result<[Option<Tensor<T>>; 3]> {
        let [for_x, for_y, for_z] = wanted;
        let times = |factor: &Tensor<T>| upstream.zip_map(factor, |u, f| u * f);
        Ok([
            for_x.then(|| times(y)).transpose()?,
            for_y.then(|| times(x)).transpose()?,
            for_z.then(|| upstream.clone()),
        ])
    }
    let product = x.zip_map(y, |x, y| x * y)?;
    match z {
        Some(z) => product.zip_map(z, |p, z| p + z),
        None => Ok(product),
    }
}

/// `a · b`, with a rule that forgets what was wanted.
#[vjp_rule]
#[gradcheck(skip = "forgets its second contribution on purpose")]
pub fn forgetful<T: Element>(a: &Tensor<T>, b: &Tensor<T>) -> Result<Tensor<T>> {
    /// upstream times b, and nothing for b
    #[vjp(a, b)]
    fn both_vjp(
        upstream: &Tensor<T>,
        wanted: [bool; 2],
        b: &Tensor<T>,
    ) -> Result<[Option<Tensor<T>>; 2]> {
        let [for_a, _] = wanted;
        Ok([
            for_a
                .then(|| upstream.zip_map(b, |u, b| u * b))
                .transpose()?,
            None,
        ])
    }
    a.zip_map(b, |a, b| a * b)
}

#[test]
fn a_joint_rule_contributes_to_every_tracked_operand() -> Result<()> {
    let (x, y) = (parameter(&[1], &[3.0])?, parameter(&[1], &[5.0])?);
    let z = TensorValue::constant(tensor(&[1], &[7.0])?)?;
    let output = fused(&x, &y, Some(&z))?;
    assert_eq!(output.operation().to_string(), "multiply_add");
    assert_eq!(output.value().as_slice(), [22.0]);
    reverse(&output, &[2.0])?;
    assert_eq!((gradient(&x), gradient(&y)), (vec![10.0], vec![6.0]));
    Ok(())
}

#[test]
fn a_wanted_contribution_that_is_missing_is_a_typed_error() -> Result<()> {
    let (a, b) = (parameter(&[1], &[3.0])?, parameter(&[1], &[5.0])?);
    let output = forgetful(&a, &b)?;
    let operation = output.operation();
    let expected = TensorAutodiffError::MissingContribution {
        operation,
        operand: 1,
    };
    assert_eq!(reverse(&output, &[1.0]), Err(expected));
    let output = forgetful(&a, &b.detach())?;
    reverse(&output, &[1.0])?;
    assert_eq!(gradient(&a), [5.0]);
    Ok(())
}
