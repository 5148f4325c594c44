//! The graph of the worked example, on the tape.

use autodiff_ops::prelude::*;

/// The value of the parameter `x`.
pub const X: [[f64; 3]; 2] = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]];
/// The value of the parameter `bias`.
pub const BIAS: [f64; 3] = [1.0, -1.0, 0.0];
/// The seed of every pass.
pub const SEED: [f64; 2] = [3.0, 6.0];

/// Every node of the graph, in creation order.
#[derive(Clone, Debug)]
pub struct WorkedGraph<T: Element = f64> {
    /// The parameter of shape `[2, 3]`.
    pub x: TensorValue<T>,
    /// `x` under the shape `[3, 2]`.
    pub reshaped: TensorValue<T>,
    /// The axes of that exchanged: shape `[2, 3]`.
    pub transposed: TensorValue<T>,
    /// The parameter of shape `[3]`.
    pub bias: TensorValue<T>,
    /// `bias` repeated for two rows.
    pub broadcast: TensorValue<T>,
    /// The transposed `x` plus the repeated `bias`.
    pub added: TensorValue<T>,
    /// The sum times itself: one node in both operands.
    pub multiplied: TensorValue<T>,
    /// The mean of every row.
    pub mean: TensorValue<T>,
}

impl WorkedGraph {
    /// The graph over [`X`] and [`BIAS`].
    ///
    /// # Errors
    /// None with these values; the operations are fallible.
    pub fn build() -> Result<Self> {
        let x = TensorValue::parameter(Tensor::from_vec([2, 3], X.concat())?)?;
        Self::over(x, || {
            TensorValue::parameter(Tensor::from_vec([3], BIAS.to_vec())?)
        })
    }

    /// Reverses the graph from [`SEED`] and reports every step.
    ///
    /// # Errors
    /// [`TensorAutodiffError::GraphReleased`] after a pass that released the graph.
    pub fn traced_pass(&self, retention: GraphRetention) -> Result<TensorBackwardPass> {
        self.mean
            .backward_with_seed_and_trace(&seed()?.view(), retention)
    }

    /// Reverses the graph from [`SEED`].
    ///
    /// # Errors
    /// [`TensorAutodiffError::GraphReleased`] after a pass that released the graph.
    pub fn pass(&self, retention: GraphRetention) -> Result<()> {
        self.mean.backward_with_seed(&seed()?.view(), retention)
    }
}

impl<T: Element> WorkedGraph<T> {
    /// The graph over given leaves; `bias` is called for when it is needed, so that it is the fourth node.
    ///
    /// # Errors
    /// What the operations return where the leaves have other shapes than `[2, 3]` and `[3]`.
    pub fn over(x: TensorValue<T>, bias: impl FnOnce() -> Result<TensorValue<T>>) -> Result<Self> {
        let reshaped = x.reshape(&[3, 2])?;
        let transposed = reshaped.transpose(0, 1)?;
        let bias = bias()?;
        let broadcast = bias.broadcast_to(&[2, 3])?;
        let added = transposed.add(&broadcast)?;
        let multiplied = added.mul(&added)?;
        let mean = multiplied.mean_axis(1, false)?;
        Ok(Self {
            x,
            reshaped,
            transposed,
            bias,
            broadcast,
            added,
            multiplied,
            mean,
        })
    }
}

/// [`SEED`] as a tensor.
pub(super) fn seed() -> Result<Tensor> {
    Ok(Tensor::from_vec([2], SEED.to_vec())?)
}

/// Seeds that no pass may begin with: one of another shape, and one with a NaN at index 1.
pub(super) fn wrong_seeds() -> Result<[Tensor; 2]> {
    let short = Tensor::from_vec([1], vec![1.0])?;
    let not_a_number = Tensor::from_vec([2], vec![3.0, f64::NAN])?;
    Ok([short, not_a_number])
}

/// The sum of `p · p + detach(p) · 10`: only the first term has a gradient.
pub(super) struct DetachedSum {
    pub(super) p: TensorValue,
    pub(super) detached: TensorValue,
    pub(super) total: TensorValue,
}

impl DetachedSum {
    /// The sum at `p = [2, 3]`, reversed once.
    pub(super) fn reversed() -> Result<Self> {
        let p = TensorValue::parameter(Tensor::from_vec([2], vec![2.0, 3.0])?)?;
        let detached = p.detach();
        let ten = TensorValue::constant(Tensor::from_vec([1], vec![10.0])?)?;
        let total = p.mul(&p)?.add(&detached.mul(&ten)?)?.sum_axis(0, false)?;
        total.backward()?;
        Ok(Self { p, detached, total })
    }
}

/// A parameter that stores the largest finite gradient, so that a second pass of it would store an infinite one.
pub(super) struct Largest(pub(super) TensorValue);

impl Largest {
    pub(super) fn stored() -> Result<Self> {
        let largest = Self(TensorValue::parameter(Tensor::from_vec([1], vec![0.0])?)?);
        largest.pass_of(f64::MAX)?;
        Ok(largest)
    }

    /// Adds `value` to the stored gradient.
    pub(super) fn pass_of(&self, value: f64) -> Result<()> {
        let seed = Tensor::from_vec([1], vec![value])?;
        self.0
            .backward_with_seed(&seed.view(), GraphRetention::Retain)
    }
}
