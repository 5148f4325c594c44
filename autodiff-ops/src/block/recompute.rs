//! Recomputation: less memory for more time.

use autodiff_core::functional::record_block;
use autodiff_core::prelude::*;

use super::record::OPERATION;

/// What [`recompute`](fn@recompute) works on: plain tensors, and values on the tape.
pub trait Recompute: Value + Clone + 'static {
    /// See [`recompute`](fn@recompute).
    ///
    /// # Errors
    /// As there.
    fn recompute<F>(block: F, inputs: &[Self]) -> Result<Self>
    where
        F: Fn(&[Self]) -> Result<Self> + Send + Sync + 'static;
}

impl<T: Element> Recompute for Tensor<T> {
    fn recompute<F>(block: F, inputs: &[Self]) -> Result<Self>
    where
        F: Fn(&[Self]) -> Result<Self> + Send + Sync + 'static,
    {
        block(inputs)
    }
}

impl<T: Element> Recompute for TensorValue<T> {
    fn recompute<F>(block: F, inputs: &[Self]) -> Result<Self>
    where
        F: Fn(&[Self]) -> Result<Self> + Send + Sync + 'static,
    {
        record_block(OPERATION, block, inputs)
    }
}

#[doc = include_str!("recompute.md")]
/// ```
/// use autodiff_ops::prelude::*;
///
/// # fn main() -> Result<()> {
/// let x = TensorValue::parameter(Tensor::from_vec([2], vec![1.0, 2.0])?)?;
/// let y = recompute(|xs| xs[0].mul(&xs[0])?.sum_axis(0, false), &[x.clone()])?;
/// y.backward()?;
/// assert_eq!(x.gradient_snapshot(), Some(Tensor::from_vec([2], vec![2.0, 4.0])?));
/// # Ok(())
/// # }
/// ```
pub fn recompute<V: Recompute>(
    block: impl Fn(&[V]) -> Result<V> + Send + Sync + 'static,
    inputs: &[V],
) -> Result<V> {
    V::recompute(block, inputs)
}
