// Whether a rule is checked at all.
use autodiff_core::prelude::*;

#[vjp_rule]
pub fn none<T: Element>(
    x: &Tensor<T>,
    bias: Option<&Tensor<T>>,
    #[constant] ids: &Tensor<usize>,
    #[constant] keep: &Tensor<bool>,
    axis: usize,
) -> Result<Tensor<T>> {
    #[vjp(x)]
    fn x_vjp(upstream: Tensor<T>) -> Result<Tensor<T>> {
        Ok(upstream)
    }
    #[vjp(bias)]
    fn bias_vjp(upstream: Tensor<T>) -> Result<Tensor<T>> {
        Ok(upstream)
    }
    Ok(x.clone())
}

#[vjp_rule]
#[gradcheck]
#[gradcheck()]
#[gradcheck = "x"]
pub fn bare<T: Element>(
    x: &Tensor<T>,
    bias: Option<&Tensor<T>>,
    #[constant] ids: &Tensor<usize>,
    #[constant] keep: &Tensor<bool>,
    axis: usize,
) -> Result<Tensor<T>> {
    #[vjp(x)]
    fn x_vjp(upstream: Tensor<T>) -> Result<Tensor<T>> {
        Ok(upstream)
    }
    #[vjp(bias)]
    fn bias_vjp(upstream: Tensor<T>) -> Result<Tensor<T>> {
        Ok(upstream)
    }
    Ok(x.clone())
}

#[vjp_rule]
#[gradcheck(skip)]
pub fn unreasoned<T: Element>(
    x: &Tensor<T>,
    bias: Option<&Tensor<T>>,
    #[constant] ids: &Tensor<usize>,
    #[constant] keep: &Tensor<bool>,
    axis: usize,
) -> Result<Tensor<T>> {
    #[vjp(x)]
    fn x_vjp(upstream: Tensor<T>) -> Result<Tensor<T>> {
        Ok(upstream)
    }
    #[vjp(bias)]
    fn bias_vjp(upstream: Tensor<T>) -> Result<Tensor<T>> {
        Ok(upstream)
    }
    Ok(x.clone())
}

#[vjp_rule]
#[gradcheck(skip = "")]
pub fn unspoken<T: Element>(
    x: &Tensor<T>,
    bias: Option<&Tensor<T>>,
    #[constant] ids: &Tensor<usize>,
    #[constant] keep: &Tensor<bool>,
    axis: usize,
) -> Result<Tensor<T>> {
    #[vjp(x)]
    fn x_vjp(upstream: Tensor<T>) -> Result<Tensor<T>> {
        Ok(upstream)
    }
    #[vjp(bias)]
    fn bias_vjp(upstream: Tensor<T>) -> Result<Tensor<T>> {
        Ok(upstream)
    }
    Ok(x.clone())
}

#[vjp_rule]
#[gradcheck(skip = 3)]
pub fn number<T: Element>(
    x: &Tensor<T>,
    bias: Option<&Tensor<T>>,
    #[constant] ids: &Tensor<usize>,
    #[constant] keep: &Tensor<bool>,
    axis: usize,
) -> Result<Tensor<T>> {
    #[vjp(x)]
    fn x_vjp(upstream: Tensor<T>) -> Result<Tensor<T>> {
        Ok(upstream)
    }
    #[vjp(bias)]
    fn bias_vjp(upstream: Tensor<T>) -> Result<Tensor<T>> {
        Ok(upstream)
    }
    Ok(x.clone())
}

#[vjp_rule]
#[gradcheck(skip = "slow")]
#[gradcheck(x: [n], bias: none, ids: [n] in 0..3, keep: [n], axis = 0)]
pub fn both<T: Element>(
    x: &Tensor<T>,
    bias: Option<&Tensor<T>>,
    #[constant] ids: &Tensor<usize>,
    #[constant] keep: &Tensor<bool>,
    axis: usize,
) -> Result<Tensor<T>> {
    #[vjp(x)]
    fn x_vjp(upstream: Tensor<T>) -> Result<Tensor<T>> {
        Ok(upstream)
    }
    #[vjp(bias)]
    fn bias_vjp(upstream: Tensor<T>) -> Result<Tensor<T>> {
        Ok(upstream)
    }
    Ok(x.clone())
}

#[vjp_rule]
#[gradcheck(skip = "slow", x: [n])]
pub fn mixed<T: Element>(
    x: &Tensor<T>,
    bias: Option<&Tensor<T>>,
    #[constant] ids: &Tensor<usize>,
    #[constant] keep: &Tensor<bool>,
    axis: usize,
) -> Result<Tensor<T>> {
    #[vjp(x)]
    fn x_vjp(upstream: Tensor<T>) -> Result<Tensor<T>> {
        Ok(upstream)
    }
    #[vjp(bias)]
    fn bias_vjp(upstream: Tensor<T>) -> Result<Tensor<T>> {
        Ok(upstream)
    }
    Ok(x.clone())
}

fn main() {}
