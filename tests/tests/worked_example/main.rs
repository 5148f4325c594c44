//! The worked example against values computed by hand.
//!
//! ```text
//! x [2, 3] -> reshape [3, 2] -> transpose [2, 3] -+
//!                                                 add -> multiply by itself -> mean over axis 1
//! bias [3] -> broadcast [2, 3] -------------------+
//! ```

mod ledger;
mod passes;

use autodiff_ops::prelude::*;

struct Graph {
    x: TensorValue,
    reshaped: TensorValue,
    transposed: TensorValue,
    bias: TensorValue,
    broadcast: TensorValue,
    added: TensorValue,
    multiplied: TensorValue,
    mean: TensorValue,
}

impl Graph {
    fn build() -> Result<Self> {
        let x = TensorValue::parameter(tensor([2, 3], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0])?)?;
        let reshaped = x.reshape(&[3, 2])?;
        let transposed = reshaped.transpose(0, 1)?;
        let bias = TensorValue::parameter(tensor([3], [1.0, -1.0, 0.0])?)?;
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

    fn pass(&self, retention: GraphRetention) -> Result<()> {
        self.mean
            .backward_with_seed(&tensor([2], [3.0, 6.0])?.view(), retention)
    }

    fn traced(&self) -> Result<TensorBackwardPass> {
        let seed = tensor([2], [3.0, 6.0])?;
        self.mean
            .backward_with_seed_and_trace(&seed.view(), GraphRetention::Retain)
    }

    fn gradients(&self) -> (Vec<f64>, Vec<f64>) {
        (gradient(&self.x), gradient(&self.bias))
    }
}

fn tensor<const R: usize, const N: usize>(shape: [usize; R], values: [f64; N]) -> Result<Tensor> {
    Ok(Tensor::from_vec(shape, values.to_vec())?)
}

/// The stored gradient, empty for a node that stores none.
fn gradient(value: &TensorValue) -> Vec<f64> {
    value
        .gradient_snapshot()
        .map_or(Vec::new(), |gradient| gradient.as_slice().to_vec())
}

/// One pass: d(mean)/d(sum) is 2·sum/3, weighted by the seed 3 for row 0 and 6 for row 1: 2·sum and 4·sum.
const X_GRADIENT: [f64; 6] = [4.0, 12.0, 4.0, 12.0, 10.0, 24.0];
const BIAS_GRADIENT: [f64; 3] = [16.0, 16.0, 34.0];
