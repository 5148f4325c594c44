// The shapes of a variadic operand.
use autodiff_core::prelude::*;

#[vjp_rule]
#[gradcheck(parts: [n])]
#[gradcheck(parts: none)]
pub fn joined<T: Element>(parts: &[&Tensor<T>]) -> Result<Tensor<T>> {
    #[vjp(parts)]
    fn parts_vjp(upstream: Tensor<T>) -> Result<Tensor<T>> {
        Ok(upstream)
    }
    Tensor::joined(parts, 0)
}

fn main() {}
