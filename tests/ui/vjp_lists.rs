// What a reverse map serves.
use autodiff_core::prelude::*;

#[vjp_rule]
#[gradcheck(lhs: [n], rhs: [n], axis = 0, ids: [n] in 0..3)]
pub fn lists<T: Element>(
    lhs: &Tensor<T>,
    rhs: &Tensor<T>,
    axis: usize,
    #[constant] ids: &Tensor<usize>,
) -> Result<Tensor<T>> {
    #[vjp]
    fn bare(upstream: Tensor<T>) -> Result<Tensor<T>> {
        Ok(upstream)
    }
    #[vjp()]
    fn empty(upstream: Tensor<T>) -> Result<Tensor<T>> {
        Ok(upstream)
    }
    #[vjp = "lhs"]
    fn valued(upstream: Tensor<T>) -> Result<Tensor<T>> {
        Ok(upstream)
    }
    #[vjp("lhs")]
    fn literal(upstream: Tensor<T>) -> Result<Tensor<T>> {
        Ok(upstream)
    }
    #[vjp(lsh)]
    fn misspelt(upstream: Tensor<T>) -> Result<Tensor<T>> {
        Ok(upstream)
    }
    #[vjp(axis)]
    fn argument(upstream: Tensor<T>) -> Result<Tensor<T>> {
        Ok(upstream)
    }
    #[vjp(ids)]
    fn constant(upstream: Tensor<T>) -> Result<Tensor<T>> {
        Ok(upstream)
    }
    #[vjp(lhs, lhs)]
    fn repeated(upstream: Tensor<T>) -> Result<Tensor<T>> {
        Ok(upstream)
    }
    #[vjp(rhs)]
    #[vjp(rhs)]
    fn doubled(upstream: Tensor<T>) -> Result<Tensor<T>> {
        Ok(upstream)
    }
    Ok(lhs.clone())
}

#[vjp_rule]
#[gradcheck(lhs: [n], rhs: [n])]
pub fn coverage<T: Element>(lhs: &Tensor<T>, rhs: &Tensor<T>) -> Result<Tensor<T>> {
    #[vjp(lhs)]
    fn first(upstream: Tensor<T>) -> Result<Tensor<T>> {
        Ok(upstream)
    }
    #[vjp(lhs)]
    fn second(upstream: Tensor<T>) -> Result<Tensor<T>> {
        Ok(upstream)
    }
    Ok(lhs.clone())
}

#[vjp_rule]
#[gradcheck(x: [n])]
pub fn stray<T: Element>(x: &Tensor<T>) -> Result<Tensor<T>> {
    #[vjp(x)]
    fn x_vjp(upstream: Tensor<T>) -> Result<Tensor<T>> {
        #[gradcheck(x: [n])]
        fn inner() {}
        inner();
        Ok(upstream)
    }
    {
        #[vjp(x)]
        fn deep(upstream: Tensor<T>) -> Result<Tensor<T>> {
            Ok(upstream)
        }
    }
    #[vjp(x)]
    const X: usize = 3;
    fn helper(#[constant] x: usize) -> usize {
        x
    }
    Ok(x.clone())
}

#[vjp_rule]
#[gradcheck(x: [n])]
pub fn same<T: Element>(x: &Tensor<T>) -> Result<Tensor<T>> {
    #[vjp(x)]
    fn same(upstream: Tensor<T>) -> Result<Tensor<T>> {
        Ok(upstream)
    }
    Ok(x.clone())
}

fn main() {}
