// Return types.
use autodiff_core::prelude::*;

#[vjp_rule]
#[gradcheck(x: [n])]
pub fn nothing<T: Element>(x: &Tensor<T>) {
    #[vjp(x)]
    fn x_vjp(upstream: Tensor<T>) -> Result<Tensor<T>> {
        Ok(upstream)
    }
    Ok(x.clone())
}

#[vjp_rule]
#[gradcheck(x: [n])]
pub fn bare<T: Element>(x: &Tensor<T>) -> Tensor<T> {
    #[vjp(x)]
    fn x_vjp(upstream: Tensor<T>) -> Result<Tensor<T>> {
        Ok(upstream)
    }
    Ok(x.clone())
}

#[vjp_rule]
#[gradcheck(x: [n])]
pub fn borrowed<T: Element>(x: &Tensor<T>) -> Result<&Tensor<T>> {
    #[vjp(x)]
    fn x_vjp(upstream: Tensor<T>) -> Result<Tensor<T>> {
        Ok(upstream)
    }
    Ok(x.clone())
}

#[vjp_rule]
#[gradcheck(x: [n])]
pub fn other<T: Element>(x: &Tensor<T>) -> Result<Tensor<usize>> {
    #[vjp(x)]
    fn x_vjp(upstream: Tensor<T>) -> Result<Tensor<T>> {
        Ok(upstream)
    }
    Ok(x.clone())
}

const COUNT: usize = 2;

#[vjp_rule]
#[gradcheck(x: [n])]
pub fn array<T: Element>(x: &Tensor<T>) -> Result<[Tensor<T>; COUNT]> {
    #[vjp(x)]
    fn x_vjp(upstream: Tensor<T>) -> Result<Tensor<T>> {
        Ok(upstream)
    }
    Ok(x.clone())
}

fn main() {}
