// A map of one operand returns its contribution, and not a tuple of one.
use autodiff_core::prelude::*;

#[vjp_rule]
#[gradcheck(x: [n])]
pub fn copied<T: Element>(x: &Tensor<T>) -> Result<Tensor<T>> {
    #[vjp(x)]
    fn x_vjp(upstream: &Tensor<T>) -> Result<(Tensor<T>,)> {
        Ok((upstream.clone(),))
    }
    Ok(x.clone())
}

#[vjp_rule]
#[gradcheck(x: [n])]
pub fn bare<T: Element>(x: &Tensor<T>) -> Result<Tensor<T>> {
    // Accepted by construction.
    #[vjp(x)]
    fn x_vjp(upstream: &Tensor<T>) -> Result<Tensor<T>> {
        Ok(upstream.clone())
    }
    Ok(x.clone())
}

fn main() {}
