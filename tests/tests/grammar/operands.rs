//! Plain, variadic and optional operands; `upstream` by value.

use autodiff_core::prelude::*;

use crate::{gradient, parameter, reverse, tensor};

/// The sum of the inputs, each times its position counted from 1.
#[vjp_rule]
#[gradcheck(inputs: [[m, n], [m, n], [m, n]])]
#[gradcheck(inputs: [[..]] in -1.0..1.0)]
pub fn weighted_total<T: Element>(inputs: &[&Tensor<T>]) -> Result<Tensor<T>> {
    /// upstream times the position
    #[vjp(inputs)]
    fn inputs_vjp(upstream: &Tensor<T>, index: usize) -> Result<Tensor<T>> {
        Ok(upstream.map(|u| u * weight(index)))
    }
    // A helper in the body is there for the reverse maps too.
    fn weight<T: Element>(index: usize) -> T {
        let weights = [1.0, 2.0, 3.0];
        T::from_f64(weights.get(index).copied().unwrap_or(0.0))
    }
    let [first, rest @ ..] = inputs else {
        return Err(OpError::new(TensorError::ElementCount {
            shape: vec![1],
            expected: 1,
            actual: 0,
        })
        .into());
    };
    let mut total = first.map(|x| x * weight(0));
    for (index, input) in rest.iter().enumerate() {
        total = total.zip_map(input, |t, x| t + x * weight(index + 1))?;
    }
    Ok(total)
}

/// The product of all entries of the variadic operand, which its reverse map reads.
#[vjp_rule]
#[gradcheck(factors: [[n], [n]])]
pub fn product_of<T: Element>(factors: &[&Tensor<T>]) -> Result<Tensor<T>> {
    /// upstream times all other factors
    #[vjp(factors)]
    fn factors_vjp(
        upstream: &Tensor<T>,
        factors: &[&Tensor<T>],
        index: usize,
    ) -> Result<Tensor<T>> {
        let mut contribution = upstream.clone();
        for (position, factor) in factors.iter().enumerate() {
            if position != index {
                contribution = contribution.zip_map(factor, |c, f| c * f)?;
            }
        }
        Ok(contribution)
    }
    let mut product: Option<Tensor<T>> = None;
    for factor in factors {
        product = Some(match product {
            Some(product) => product.zip_map(factor, |p, f| p * f)?,
            None => (*factor).clone(),
        });
    }
    Ok(product.unwrap_or_else(|| Tensor::scalar(T::one())))
}

/// `x`, or `x · factor` where there is a factor.
#[vjp_rule]
#[gradcheck(x: [m, n], factor: none)]
#[gradcheck(x: [m, n], factor: [m, n] in 0.5..1.5)]
pub fn maybe_scaled<T: Element>(x: &Tensor<T>, factor: Option<&Tensor<T>>) -> Result<Tensor<T>> {
    /// upstream times the factor, if there is one
    #[vjp(x)]
    fn x_vjp(upstream: Tensor<T>, factor: Option<&Tensor<T>>) -> Result<Tensor<T>> {
        match factor {
            Some(factor) => upstream.zip_map(factor, |u, f| u * f),
            None => Ok(upstream),
        }
    }
    /// upstream times x
    #[vjp(factor)]
    fn factor_vjp(upstream: &Tensor<T>, x: &Tensor<T>) -> Result<Tensor<T>> {
        upstream.zip_map(x, |u, x| u * x)
    }
    // No local is saved, so a value may be returned early.
    match factor {
        None => return Ok(x.clone()),
        Some(factor) => x.zip_map(factor, |x, f| x * f),
    }
}

/// `-x`, in the buffer of the upstream.
#[vjp_rule]
#[gradcheck(x: [..])]
pub fn negated<T: Element>(x: &Tensor<T>) -> Result<Tensor<T>> {
    /// minus upstream
    #[vjp(x)]
    fn x_vjp(upstream: Tensor<T>) -> Result<Tensor<T>> {
        Ok(upstream.map_inplace(|u| -u))
    }
    Ok(x.map(|x| -x))
}

#[test]
fn each_entry_of_a_variadic_operand_is_an_edge_with_its_own_index() -> Result<()> {
    let (a, b) = (parameter(&[2], &[1.0, 2.0])?, parameter(&[2], &[3.0, 4.0])?);
    let total = weighted_total(&[&a, &b, &a])?;
    // 1·a + 2·b + 3·a
    assert_eq!(total.value().as_slice(), [10.0, 16.0]);
    reverse(&total, &[1.0, 10.0])?;
    assert_eq!(gradient(&a), [4.0, 40.0]);
    assert_eq!(gradient(&b), [2.0, 20.0]);
    Ok(())
}

#[test]
fn a_variadic_operand_can_be_saved_whole() -> Result<()> {
    let (a, b) = (parameter(&[1], &[3.0])?, parameter(&[1], &[5.0])?);
    let product = product_of(&[&a, &b])?;
    reverse(&product, &[1.0])?;
    assert_eq!((gradient(&a), gradient(&b)), (vec![5.0], vec![3.0]));
    Ok(())
}

#[test]
fn an_absent_operand_has_no_edge() -> Result<()> {
    let (x, factor) = (parameter(&[2], &[1.0, 2.0])?, parameter(&[2], &[3.0, 4.0])?);
    let plain = maybe_scaled(&x, None)?;
    assert_eq!(reverse_edges(&plain)?, 1);
    let scaled = x.maybe_scaled(Some(&factor))?;
    assert_eq!(reverse_edges(&scaled)?, 2);
    assert_eq!(gradient(&x), [1.0 + 3.0, 1.0 + 4.0]);
    assert_eq!(gradient(&factor), [1.0, 2.0]);
    Ok(())
}

fn reverse_edges(output: &TensorValue) -> Result<usize> {
    let seed = tensor(&output.shape(), &[1.0, 1.0])?;
    let pass = output.backward_with_seed_and_trace(&seed.view(), GraphRetention::Retain)?;
    Ok(pass.edges.len())
}

#[test]
fn one_name_is_a_function_and_a_method_for_plain_and_taped_values() -> Result<()> {
    let plain = tensor(&[2], &[1.0, -2.0])?;
    let taped = TensorValue::parameter(plain.clone())?;
    let expected = tensor(&[2], &[-1.0, 2.0])?;
    assert_eq!(negated(&plain)?, expected);
    assert_eq!(plain.negated()?, expected);
    assert_eq!(negated(&taped)?.value_snapshot(), expected);
    assert_eq!(taped.negated()?.value_snapshot(), expected);
    Ok(())
}
