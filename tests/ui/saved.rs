// What a reverse map saves.
use autodiff_core::prelude::*;

#[vjp_rule]
#[gradcheck(x: [n], parts: [[n]], bias: none, axis = 0, ids: [n] in 0..3)]
pub fn values<T: Element>(
    x: &Tensor<T>,
    parts: &[&Tensor<T>],
    bias: Option<&Tensor<T>>,
    axis: usize,
    #[constant] ids: &Tensor<usize>,
) -> Result<Tensor<T>> {
    #[vjp(x)]
    fn x_vjp(
        upstream: Tensor<T>,
        missing: usize,
        inner: usize,
        index: usize,
        output_index: usize,
        wanted: [bool; 1],
        handle: &TensorValue<T>,
        changed: &mut usize,
        any: impl Clone,
        (a, b): (usize, usize),
    ) -> Result<Tensor<T>> {
        Ok(upstream)
    }
    #[vjp(parts)]
    fn parts_vjp(
        upstream: Tensor<T>,
        index: isize,
        x: f64,
        parts: &[Tensor<T>],
        bias: &Tensor<T>,
        ids: &Tensor<T>,
        output: usize,
        axis: bool,
        axis: usize,
    ) -> Result<Tensor<T>> {
        Ok(upstream)
    }
    #[vjp(bias)]
    fn bias_vjp(upstream: Tensor<T>, #[constant] axis: usize) -> Result<Tensor<T>> {
        Ok(upstream)
    }
    let (handle, changed, any) = (3, 4, 5);
    {
        let inner = 6;
    }
    Ok(x.clone())
}

#[vjp_rule]
#[gradcheck(upstream: [n], output: [n], index: [[n]])]
pub fn reserved<T: Element>(
    upstream: &Tensor<T>,
    output: &Tensor<T>,
    index: &[&Tensor<T>],
    output_index: usize,
    wanted: usize,
) -> Result<Vec<Tensor<T>>> {
    #[vjp(upstream, output)]
    fn both(upstream: Tensor<T>, wanted: [bool; 2]) -> Result<[Option<Tensor<T>>; 2]> {
        Ok([None, None])
    }
    #[vjp(index)]
    fn index_vjp(upstream: Tensor<T>, output_index: u8) -> Result<Tensor<T>> {
        Ok(upstream)
    }
    Ok(Vec::new())
}

fn main() {}
