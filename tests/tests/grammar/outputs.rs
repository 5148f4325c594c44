//! Several outputs: a list, an array, a tuple; each is a node of its own.

use autodiff_core::prelude::*;

use crate::{gradient, parameter, reverse, tensor};

/// `x`, `2 · x`, .., `count · x`.
#[vjp_rule]
#[gradcheck(x: [m], count = 1 | 3)]
pub fn multiples<T: Element>(x: &Tensor<T>, count: usize) -> Result<Vec<Tensor<T>>> {
    /// upstream times the factor of its output
    #[vjp(x)]
    fn x_vjp(upstream: &Tensor<T>, output_index: usize, factors: &[f64]) -> Result<Tensor<T>> {
        let factor = factors.get(output_index).copied().unwrap_or(0.0);
        Ok(upstream.map(|u| u * T::from_f64(factor)))
    }
    let factors: Vec<f64> = (1_u8..).take(count).map(f64::from).collect();
    let outputs = factors
        .iter()
        .map(|factor| x.map(|x| x * T::from_f64(*factor)));
    Ok(outputs.collect())
}

/// `[a + b, a - b]`.
#[vjp_rule]
#[gradcheck(a: [m, n], b: [m, n])]
pub fn sum_and_difference<T: Element>(a: &Tensor<T>, b: &Tensor<T>) -> Result<[Tensor<T>; 2]> {
    /// upstream
    #[vjp(a)]
    fn a_vjp(upstream: Tensor<T>) -> Result<Tensor<T>> {
        Ok(upstream)
    }
    /// upstream, or minus upstream for the difference
    #[vjp(b)]
    fn b_vjp(upstream: Tensor<T>, output_index: usize) -> Result<Tensor<T>> {
        Ok(if output_index == 0 {
            upstream
        } else {
            upstream.map_inplace(|u| -u)
        })
    }
    Ok([a.zip_map(b, |a, b| a + b)?, a.zip_map(b, |a, b| a - b)?])
}

/// `(exp x, exp 2x)`, reversed through the output itself.
#[vjp_rule]
#[gradcheck(x: [m] in -1.0..1.0)]
pub fn exponentials<T: Element>(x: &Tensor<T>) -> Result<(Tensor<T>, Tensor<T>)> {
    /// upstream times the output, and twice that for the second
    #[vjp(x)]
    fn x_vjp(upstream: &Tensor<T>, output: &Tensor<T>, output_index: usize) -> Result<Tensor<T>> {
        let rate = T::from_f64(if output_index == 0 { 1.0 } else { 2.0 });
        upstream.zip_map(output, |u, y| u * y * rate)
    }
    Ok((x.map(T::exp), x.map(|x| (x + x).exp())))
}

#[test]
fn an_output_that_is_not_used_contributes_nothing() -> Result<()> {
    let x = parameter(&[2], &[1.0, 2.0])?;
    let outputs = x.multiples(3)?;
    assert_eq!(outputs.len(), 3);
    for output in outputs.iter().skip(1) {
        reverse(output, &[1.0, 10.0])?;
    }
    // 2 and 3 times the seed.
    assert_eq!(gradient(&x), [5.0, 50.0]);
    Ok(())
}

#[test]
fn an_array_of_outputs_comes_apart_by_a_pattern() -> Result<()> {
    let (a, b) = (parameter(&[1], &[5.0])?, parameter(&[1], &[3.0])?);
    let [sum, difference] = sum_and_difference(&a, &b)?;
    assert_eq!(
        (sum.value().as_slice(), difference.value().as_slice()),
        ([8.0].as_slice(), [2.0].as_slice())
    );
    reverse(&sum, &[1.0])?;
    reverse(&difference, &[10.0])?;
    assert_eq!((gradient(&a), gradient(&b)), (vec![11.0], vec![-9.0]));
    Ok(())
}

#[test]
fn each_output_saves_itself() -> Result<()> {
    let x = parameter(&[1], &[0.0])?;
    let (once, twice) = x.exponentials()?;
    reverse(&once, &[1.0])?;
    reverse(&twice, &[10.0])?;
    assert_eq!(gradient(&x), [21.0]);
    let (plain, _) = exponentials(&tensor(&[1], &[0.0])?)?;
    assert_eq!(plain.as_slice(), [1.0]);
    Ok(())
}
