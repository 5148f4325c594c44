//! `#[constant]` operands of indices, conditions and the element type.

use autodiff_core::prelude::*;

use crate::{gradient, parameter, reverse, tensor};

/// The entries of `x` at `ids`.
#[vjp_rule]
#[gradcheck(x: [n], ids: [k] in 0..n)]
pub fn picked<T: Element>(x: &Tensor<T>, #[constant] ids: &Tensor<usize>) -> Result<Tensor<T>> {
    /// upstream added at each index
    #[vjp(x)]
    fn x_vjp(upstream: &Tensor<T>, ids: &Tensor<usize>, extent: usize) -> Result<Tensor<T>> {
        upstream.added_at(ids, 0, &[extent])
    }
    let extent = x.len();
    x.taken(ids, 0)
}

/// `x · weight` where `keep` holds, else 0.
#[vjp_rule]
#[gradcheck(keep: [m, n], x: [m, n], weight: [m, n] in 1.0..2.0)]
pub fn kept<T: Element>(
    #[constant] keep: &Tensor<bool>,
    x: &Tensor<T>,
    #[constant] weight: &Tensor<T>,
) -> Result<Tensor<T>> {
    /// upstream times the weight where it was kept
    #[vjp(x)]
    fn x_vjp(upstream: &Tensor<T>, keep: &Tensor<bool>, weight: &Tensor<T>) -> Result<Tensor<T>> {
        kept(keep, upstream, weight)
    }
    let chosen = keep.zip_map(x, |keep, x| if keep { x } else { T::zero() })?;
    chosen.zip_map(weight, |x, w| x * w)
}

#[test]
fn a_repeated_index_receives_the_sum() -> Result<()> {
    let x = parameter(&[3], &[1.0, 2.0, 3.0])?;
    let ids = Tensor::from_vec([4], vec![2, 0, 2, 2])?;
    let y = x.picked(&ids)?;
    assert_eq!(y.value().as_slice(), [3.0, 1.0, 3.0, 3.0]);
    reverse(&y, &[1.0, 10.0, 100.0, 1000.0])?;
    assert_eq!(gradient(&x), [10.0, 0.0, 1101.0]);
    Ok(())
}

#[test]
fn a_rule_whose_first_parameter_is_constant_is_a_function_only() -> Result<()> {
    let keep = Tensor::from_vec([2], vec![true, false])?;
    let weight = tensor(&[2], &[5.0, 7.0])?;
    let x = parameter(&[2], &[1.0, 2.0])?;
    let y = kept(&keep, &x, &weight)?;
    assert_eq!(y.value().as_slice(), [5.0, 0.0]);
    reverse(&y, &[1.0, 1.0])?;
    assert_eq!(gradient(&x), [5.0, 0.0]);
    Ok(())
}
