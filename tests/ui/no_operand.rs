// A rule has an operand.
use autodiff_core::prelude::*;

#[vjp_rule]
#[gradcheck(count = 3)]
pub fn ones<T: Element>(count: usize) -> Result<Tensor<T>> {
    Tensor::ones([count])
}

fn main() {}
