// A reverse map returns another number of contributions than it has operands.
use autodiff_core::prelude::*;

#[vjp_rule]
#[gradcheck(a: [n], b: [n])]
pub fn product<T: Element>(a: &Tensor<T>, b: &Tensor<T>) -> Result<Tensor<T>> {
    #[vjp(a, b)]
    fn both_vjp(upstream: &Tensor<T>, wanted: [bool; 2]) -> Result<[Option<Tensor<T>>; 3]> {
        Ok([None, None, None])
    }
    a.zip_map(b, |a, b| a * b)
}

fn main() {}
