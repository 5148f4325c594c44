//! Contributions summed over the wrong entries, or not at all.

use autodiff_core::gradcheck::Check;
use autodiff_core::prelude::*;
use libtest_mimic::Trial;

use crate::caught;

pub fn trials() -> Vec<Trial> {
    use Check::{Jacobian, Shape};
    let path = |name: &str| -> &'static str {
        Box::leak(format!("{}::{name}", module_path!()).into_boxed_str())
    };
    vec![
        caught(
            "t001_a_missing_sum_over_a_broadcast_axis",
            path("missing_unbroadcast"),
            &[Shape],
        ),
        caught(
            "the_first_row_in_place_of_the_sum_of_rows",
            path("first_row"),
            &[Jacobian],
        ),
        caught("a_sum_over_the_wrong_axis", path("wrong_axis"), &[Jacobian]),
        caught(
            "overwriting_in_place_of_accumulating",
            path("overwriting"),
            &[Jacobian],
        ),
    ]
}

/// `x + row`, whose rule for the row forgets that the row was repeated.
#[vjp_rule]
#[gradcheck(x: [m, n], row: [n])]
pub fn missing_unbroadcast<T: Element>(x: &Tensor<T>, row: &Tensor<T>) -> Result<Tensor<T>> {
    /// upstream
    #[vjp(x)]
    fn x_vjp(upstream: &Tensor<T>) -> Result<Tensor<T>> {
        Ok(upstream.clone())
    }
    /// upstream
    #[vjp(row)]
    fn row_vjp(upstream: &Tensor<T>) -> Result<Tensor<T>> {
        Ok(upstream.clone())
    }
    Ok(x.zip_broadcast(row, |x, row| x + row)?.0)
}

/// `x + row`, whose rule for the row keeps the first of the rows to be summed: right for one row.
#[vjp_rule]
#[gradcheck(x: [m, n], row: [n])]
pub fn first_row<T: Element>(x: &Tensor<T>, row: &Tensor<T>) -> Result<Tensor<T>> {
    /// upstream
    #[vjp(x)]
    fn x_vjp(upstream: &Tensor<T>) -> Result<Tensor<T>> {
        Ok(upstream.clone())
    }
    /// the upstream of the first row
    #[vjp(row)]
    fn row_vjp(upstream: &Tensor<T>, row: &Tensor<T>) -> Result<Tensor<T>> {
        let rows = upstream.as_slice();
        Tensor::from_fn(row.shape(), |at| rows.get(at).copied().unwrap_or(T::zero()))
    }
    Ok(x.zip_broadcast(row, |x, row| x + row)?.0)
}

/// The row sums of a square matrix, whose rule gives each column what its row should have.
#[vjp_rule]
#[gradcheck(x: [n, n])]
pub fn wrong_axis<T: Element>(x: &Tensor<T>) -> Result<Tensor<T>> {
    /// upstream, repeated along the other axis
    #[vjp(x)]
    fn x_vjp(upstream: &Tensor<T>, plan: &Projection) -> Result<Tensor<T>> {
        let square = plan.input_shape();
        Projection::reduction(square, &[0], false)?.expand(upstream)
    }
    let plan = Projection::reduction(x.shape(), &[1], false)?;
    plan.reduce(x)
}

/// The entries of `x` at some indices, whose rule writes where it should add: right while no index
/// comes twice.
#[vjp_rule]
#[gradcheck(x: [n], indices: [m] in 0..n)]
pub fn overwriting<T: Element>(
    x: &Tensor<T>,
    #[constant] indices: &Tensor<usize>,
) -> Result<Tensor<T>> {
    /// each entry of upstream written to its index
    #[vjp(x)]
    fn x_vjp(upstream: &Tensor<T>, x: &Tensor<T>, indices: &Tensor<usize>) -> Result<Tensor<T>> {
        let mut contribution = x.map(|_| T::zero());
        for (index, value) in indices.as_slice().iter().zip(upstream.as_slice()) {
            if let Some(entry) = contribution.as_mut_slice().get_mut(*index) {
                *entry = *value;
            }
        }
        Ok(contribution)
    }
    Tensor::from_fn(indices.shape(), |at| {
        let index = indices.as_slice().get(at);
        let entry = index.and_then(|index| x.as_slice().get(*index));
        entry.copied().unwrap_or(T::zero())
    })
}
