// Attributes without arguments, or with a value where a list belongs.
use autodiff_core::prelude::*;

#[vjp_rule]
#[gradcheck]
pub fn bare<T: Element>(x: &Tensor<T>, axis: usize) -> Result<Tensor<T>> {
    #[vjp]
    fn x_vjp(upstream: &Tensor<T>) -> Result<Tensor<T>> {
        Ok(upstream.clone())
    }
    Ok(x.clone())
}

#[vjp_rule(name)]
#[gradcheck = "x"]
pub fn valued<T: Element>(x: &Tensor<T>, axis: usize) -> Result<Tensor<T>> {
    #[vjp = "x"]
    fn x_vjp(upstream: &Tensor<T>) -> Result<Tensor<T>> {
        Ok(upstream.clone())
    }
    Ok(x.clone())
}

fn main() {}
