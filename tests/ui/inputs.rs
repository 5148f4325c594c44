// What a case gives to each parameter.
use autodiff_core::prelude::*;

#[vjp_rule]
#[gradcheck(x: [n], axis = 0)]
pub fn missing<T: Element>(
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
#[gradcheck(x: [n], y: [n], bias: none, ids: [n] in 0..3, keep: [n], axis = 0)]
pub fn unknown<T: Element>(
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
#[gradcheck(x: [n], x: [m], bias: none, ids: [n] in 0..3, keep: [n], axis = 0)]
pub fn repeated<T: Element>(
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
#[gradcheck(x = [n], bias: none, ids: [n] in 0..3, keep: [n], axis: 0)]
pub fn signs<T: Element>(
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
#[gradcheck(x: n, bias: none in 0.0..1.0, ids: [n], keep: [n] in 0..2, axis = 0)]
pub fn shapes<T: Element>(
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
#[gradcheck(x: none, bias: [.., n, ..], ids: [n] in 0..=3, keep: [n], axis = 0 |)]
pub fn absent<T: Element>(
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
#[gradcheck(x: [n] in 0.5, bias: [n] in, ids: [n] in 0..3 |, keep: [n], axis = 0)]
pub fn ranges<T: Element>(
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
#[gradcheck(x: [n] in 1..2, bias: [n] in -1.5..-1, ids: [n] in 0..3, keep: [n], axis = 0)]
pub fn integers<T: Element>(
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
#[gradcheck(x, bias: none)]
pub fn values<T: Element>(
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
#[gradcheck(x: , bias: none)]
pub fn empty<T: Element>(
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
#[gradcheck("x: [n]")]
pub fn literal<T: Element>(
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
