// Callers of a faulty rule do not break too: the one mistake is the one message.
use autodiff_core::prelude::*;

#[vjp_rule]
#[gradcheck(lhs: [n], rhs: [n])]
pub fn mul<T: Element>(lhs: &Tensor<T>, rhs: &Tensor<T>) -> Result<Tensor<T>> {
    #[vjp(lhs)]
    fn lhs_vjp(upstream: &Tensor<T>, rhs: &Tensor<T>) -> Result<Tensor<T>> {
        upstream.zip_map(rhs, |u, r| u * r)
    }
    lhs.zip_map(rhs, |l, r| l * r)
}

fn square<T: Element>(x: &TensorValue<T>) -> Result<TensorValue<T>> {
    let plain: Tensor<T> = mul(&*x.value(), &*x.value())?;
    drop(plain);
    x.mul(x)
}

fn main() {
    let x = TensorValue::parameter(Tensor::<f32>::scalar(3.0));
    drop(x.map(|x| square(&x)));
}
