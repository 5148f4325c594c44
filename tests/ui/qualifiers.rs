// A rule is a plain function.
use autodiff_core::prelude::*;

#[vjp_rule]
#[gradcheck(x: [n])]
pub const fn constant<T: Element>(x: &Tensor<T>) -> Result<Tensor<T>> {
    #[vjp(x)]
    fn x_vjp(upstream: Tensor<T>) -> Result<Tensor<T>> {
        Ok(upstream)
    }
    Ok(x.clone())
}

#[vjp_rule]
#[gradcheck(x: [n])]
pub async fn later<T: Element>(x: &Tensor<T>) -> Result<Tensor<T>> {
    #[vjp(x)]
    fn x_vjp(upstream: Tensor<T>) -> Result<Tensor<T>> {
        Ok(upstream)
    }
    Ok(x.clone())
}

#[vjp_rule]
#[gradcheck(x: [n])]
pub unsafe fn risky<T: Element>(x: &Tensor<T>) -> Result<Tensor<T>> {
    #[vjp(x)]
    fn x_vjp(upstream: Tensor<T>) -> Result<Tensor<T>> {
        Ok(upstream)
    }
    Ok(x.clone())
}

#[vjp_rule]
#[gradcheck(x: [n])]
pub extern "C" fn foreign<T: Element>(x: &Tensor<T>) -> Result<Tensor<T>> {
    #[vjp(x)]
    fn x_vjp(upstream: Tensor<T>) -> Result<Tensor<T>> {
        Ok(upstream)
    }
    Ok(x.clone())
}

fn main() {}
