// The head of a reverse map.
use autodiff_core::prelude::*;

#[vjp_rule]
#[gradcheck(a: [n], b: [n], c: [n], d: [n], e: [n], f: [n], g: [n])]
pub fn heads<T: Element>(
    a: &Tensor<T>,
    b: &Tensor<T>,
    c: &Tensor<T>,
    d: &Tensor<T>,
    e: &Tensor<T>,
    f: &Tensor<T>,
    g: &Tensor<T>,
) -> Result<Tensor<T>> {
    #[vjp(a)]
    fn nothing_read() -> Result<Tensor<T>> {
        Tensor::zeros([])
    }
    #[vjp(b)]
    fn cotangent_last(a: &Tensor<T>, upstream: &Tensor<T>) -> Result<Tensor<T>> {
        upstream.zip_map(a, |u, a| u * a)
    }
    #[vjp(c)]
    fn wrong_cotangent(upstream: f64) -> Result<Tensor<T>> {
        Tensor::zeros([])
    }
    #[vjp(d)]
    fn own_generics<U: Element>(upstream: &Tensor<T>) -> Result<Tensor<T>> {
        Ok(upstream.clone())
    }
    #[vjp(e)]
    async fn later(upstream: &Tensor<T>) -> Result<Tensor<T>> {
        Ok(upstream.clone())
    }
    #[vjp(f)]
    fn returns_nothing(upstream: &Tensor<T>) {}
    #[vjp(g)]
    fn returns_bare(upstream: &Tensor<T>) -> Tensor<T> {
        upstream.clone()
    }
    Ok(a.clone())
}

fn main() {}
