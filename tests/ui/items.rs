// The attribute stands where it cannot.
use autodiff_core::prelude::*;

#[vjp_rule]
#[gradcheck(x: [n])]
pub struct Mul;

#[vjp_rule(name = "multiply")]
pub mod ops {}

pub struct Scale;

impl Scale {
    #[vjp_rule]
    #[gradcheck(x: [n])]
    pub fn scaled<T: Element>(&self, x: &Tensor<T>) -> Result<Tensor<T>> {
        #[vjp(x)]
        fn x_vjp(upstream: Tensor<T>) -> Result<Tensor<T>> {
            Ok(upstream)
        }
        Ok(x.clone())
    }
}

fn main() {}
