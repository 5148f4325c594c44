// Options of the attribute.
use autodiff_core::prelude::*;

#[vjp_rule(nam = "copy")]
#[gradcheck(x: [n])]
pub fn unknown<T: Element>(x: &Tensor<T>) -> Result<Tensor<T>> {
    #[vjp(x)]
    fn x_vjp(upstream: Tensor<T>) -> Result<Tensor<T>> {
        Ok(upstream)
    }
    Ok(x.clone())
}

#[vjp_rule(name)]
#[gradcheck(x: [n])]
pub fn missing<T: Element>(x: &Tensor<T>) -> Result<Tensor<T>> {
    #[vjp(x)]
    fn x_vjp(upstream: Tensor<T>) -> Result<Tensor<T>> {
        Ok(upstream)
    }
    Ok(x.clone())
}

#[vjp_rule(name = "a", name = "b")]
#[gradcheck(x: [n])]
pub fn twice<T: Element>(x: &Tensor<T>) -> Result<Tensor<T>> {
    #[vjp(x)]
    fn x_vjp(upstream: Tensor<T>) -> Result<Tensor<T>> {
        Ok(upstream)
    }
    Ok(x.clone())
}

#[vjp_rule(name = 3, crate = "core")]
#[gradcheck(x: [n])]
pub fn kinds<T: Element>(x: &Tensor<T>) -> Result<Tensor<T>> {
    #[vjp(x)]
    fn x_vjp(upstream: Tensor<T>) -> Result<Tensor<T>> {
        Ok(upstream)
    }
    Ok(x.clone())
}

#[vjp_rule(name = " ", crate)]
#[gradcheck(x: [n])]
pub fn empty<T: Element>(x: &Tensor<T>) -> Result<Tensor<T>> {
    #[vjp(x)]
    fn x_vjp(upstream: Tensor<T>) -> Result<Tensor<T>> {
        Ok(upstream)
    }
    Ok(x.clone())
}

#[vjp_rule("copy")]
#[gradcheck(x: [n])]
pub fn literal<T: Element>(x: &Tensor<T>) -> Result<Tensor<T>> {
    #[vjp(x)]
    fn x_vjp(upstream: Tensor<T>) -> Result<Tensor<T>> {
        Ok(upstream)
    }
    Ok(x.clone())
}

#[vjp_rule(name = "a" crate = core)]
#[gradcheck(x: [n])]
pub fn comma<T: Element>(x: &Tensor<T>) -> Result<Tensor<T>> {
    #[vjp(x)]
    fn x_vjp(upstream: Tensor<T>) -> Result<Tensor<T>> {
        Ok(upstream)
    }
    Ok(x.clone())
}

fn main() {}
