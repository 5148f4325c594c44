// Saved locals, and the ways out of the body.
use autodiff_core::prelude::*;

#[vjp_rule]
#[gradcheck(x: [n], axis = 0)]
pub fn early<T: Element>(x: &Tensor<T>, axis: usize) -> Result<Tensor<T>> {
    #[vjp(x)]
    fn x_vjp(upstream: Tensor<T>, scale: f64) -> Result<Tensor<T>> {
        Ok(upstream)
    }
    let scale = 2.0;
    if x.is_empty() {
        return Ok(x.clone());
    }
    if axis > 3 {
        // This one is right.
        return Err(OpError::new(TensorError::ShapeOverflow { shape: Vec::new() }).into());
    }
    Ok(x.clone())
}

#[vjp_rule]
#[gradcheck(x: [n])]
pub fn open<T: Element>(x: &Tensor<T>) -> Result<Tensor<T>> {
    #[vjp(x)]
    fn x_vjp(upstream: Tensor<T>, scale: f64) -> Result<Tensor<T>> {
        Ok(upstream)
    }
    let scale = 2.0;
    return Err(OpError::new(TensorError::ShapeOverflow { shape: Vec::new() }).into());
}

#[vjp_rule]
#[gradcheck(x: [n], axis = 0)]
pub fn ambiguous<T: Element>(x: &Tensor<T>, axis: usize) -> Result<Tensor<T>> {
    #[vjp(x)]
    fn x_vjp(upstream: Tensor<T>, axis: usize) -> Result<Tensor<T>> {
        Ok(upstream)
    }
    let axis = axis + 1;
    Ok(x.clone())
}

fn main() {}
