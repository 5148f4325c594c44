// Joint rules.
use autodiff_core::prelude::*;

#[vjp_rule]
#[gradcheck(a: [n], b: [n])]
pub fn unasked<T: Element>(a: &Tensor<T>, b: &Tensor<T>) -> Result<Tensor<T>> {
    #[vjp(a, b)]
    fn both(upstream: &Tensor<T>) -> Result<[Option<Tensor<T>>; 2]> {
        Ok([None, None])
    }
    Ok(a.clone())
}

#[vjp_rule]
#[gradcheck(a: [n], b: [n])]
pub fn miscounted<T: Element>(a: &Tensor<T>, b: &Tensor<T>) -> Result<Tensor<T>> {
    #[vjp(a, b)]
    fn both(upstream: &Tensor<T>, wanted: [bool; 3]) -> Result<[Option<Tensor<T>>; 3]> {
        Ok([None, None, None])
    }
    Ok(a.clone())
}

#[vjp_rule]
#[gradcheck(a: [n], b: [n])]
pub fn bare<T: Element>(a: &Tensor<T>, b: &Tensor<T>) -> Result<Tensor<T>> {
    #[vjp(a, b)]
    fn both(upstream: &Tensor<T>, wanted: [bool; 2]) -> Result<(Tensor<T>, Tensor<T>)> {
        Ok((upstream.clone(), upstream.clone()))
    }
    Ok(a.clone())
}

#[vjp_rule]
#[gradcheck(a: [n], parts: [[n]])]
pub fn variadic<T: Element>(a: &Tensor<T>, parts: &[&Tensor<T>]) -> Result<Tensor<T>> {
    #[vjp(a, parts)]
    fn both(upstream: &Tensor<T>, wanted: [bool; 2]) -> Result<[Option<Tensor<T>>; 2]> {
        Ok([None, None])
    }
    Ok(a.clone())
}

fn main() {}
