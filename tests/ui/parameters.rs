// Types of parameters, each with what to write instead.
use autodiff_core::prelude::*;

#[vjp_rule]
#[gradcheck(x: [n], owned: [n], changed: [n], list: [[n]], vector: [[n]], absent: none)]
pub fn operands<T: Element>(
    x: &Tensor<T>,
    owned: Tensor<T>,
    changed: &mut Tensor<T>,
    list: &[Tensor<T>],
    vector: Vec<&Tensor<T>>,
    absent: Option<Tensor<T>>,
    taped: &TensorValue<T>,
    single: &Tensor<f32>,
    ids: &Tensor<usize>,
    mask: &Tensor<bool>,
) -> Result<Tensor<T>> {
    #[vjp(x)]
    fn x_vjp(upstream: Tensor<T>) -> Result<Tensor<T>> {
        Ok(upstream)
    }
    Ok(x.clone())
}

#[vjp_rule]
#[gradcheck(x: [n])]
pub fn arguments<T: Element>(
    x: &Tensor<T>,
    rate: T,
    small: f32,
    axes: Vec<usize>,
    mode: String,
    signed: i32,
    any: impl Fn(f64) -> f64,
) -> Result<Tensor<T>> {
    #[vjp(x)]
    fn x_vjp(upstream: Tensor<T>) -> Result<Tensor<T>> {
        Ok(upstream)
    }
    Ok(x.clone())
}

#[vjp_rule]
#[gradcheck(x: [n])]
pub fn constants<T: Element>(
    x: &Tensor<T>,
    #[constant] axis: usize,
    #[constant] many: &[&Tensor<T>],
    #[constant] other: &Tensor<u8>,
    #[constant(true)] listed: &Tensor<T>,
    #[constant]
    #[constant]
    twice: &Tensor<T>,
    #[allow(unused)] allowed: usize,
) -> Result<Tensor<T>> {
    #[vjp(x)]
    fn x_vjp(upstream: Tensor<T>) -> Result<Tensor<T>> {
        Ok(upstream)
    }
    Ok(x.clone())
}

#[vjp_rule]
#[gradcheck(x: [n])]
pub fn patterns<T: Element>(
    x: &Tensor<T>,
    mut axis: usize,
    (a, b): (usize, usize),
    x: usize,
) -> Result<Tensor<T>> {
    #[vjp(x)]
    fn x_vjp(upstream: Tensor<T>) -> Result<Tensor<T>> {
        Ok(upstream)
    }
    Ok(x.clone())
}

fn main() {}
