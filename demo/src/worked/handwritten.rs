//! The same graph by hand: fixed shapes, plain loops over arrays, and nothing of the tape.
//!
//! It is the independent check of the tape: both must agree bit for bit before anything is printed.
//! They can, since every number of the example is exact in binary floating point.

use autodiff_ops::prelude::*;

use super::WorkedGraph;
use crate::DemoError;

/// The values and gradients of the graph.
#[derive(Clone, Debug, PartialEq)]
pub struct Handwritten {
    /// `x` under the shape `[3, 2]`.
    pub reshaped: [[f64; 2]; 3],
    /// Its axes exchanged.
    pub transposed: [[f64; 3]; 2],
    /// `bias` repeated for two rows.
    pub broadcast: [[f64; 3]; 2],
    /// The sum of the last two.
    pub added: [[f64; 3]; 2],
    /// The sum times itself.
    pub multiplied: [[f64; 3]; 2],
    /// The mean of every row.
    pub mean: [f64; 2],
    /// The gradient of `x`.
    pub x_gradient: [[f64; 3]; 2],
    /// The gradient of `bias`.
    pub bias_gradient: [f64; 3],
}

/// Computes the graph forward, then backward from `seed`.
// The indices are the point here: they are what the tape's rules have to get right.
#[allow(clippy::needless_range_loop)]
pub fn run(x: &[[f64; 3]; 2], bias: &[f64; 3], seed: &[f64; 2]) -> Handwritten {
    let mut reshaped = [[0.0; 2]; 3];
    for flat in 0..6 {
        reshaped[flat / 2][flat % 2] = x[flat / 3][flat % 3];
    }
    let mut transposed = [[0.0; 3]; 2];
    let mut broadcast = [[0.0; 3]; 2];
    let mut added = [[0.0; 3]; 2];
    let mut multiplied = [[0.0; 3]; 2];
    let mut mean = [0.0; 2];
    for row in 0..2 {
        for column in 0..3 {
            transposed[row][column] = reshaped[column][row];
            broadcast[row][column] = bias[column];
            added[row][column] = transposed[row][column] + broadcast[row][column];
            multiplied[row][column] = added[row][column] * added[row][column];
            mean[row] += multiplied[row][column];
        }
        mean[row] /= 3.0;
    }

    let mut bias_gradient = [0.0; 3];
    let mut reshaped_adjoint = [[0.0; 2]; 3];
    for row in 0..2 {
        for column in 0..3 {
            let multiplied_adjoint = seed[row] / 3.0;
            let lhs_contribution = multiplied_adjoint * added[row][column];
            let rhs_contribution = multiplied_adjoint * added[row][column];
            let added_adjoint = lhs_contribution + rhs_contribution;
            bias_gradient[column] += added_adjoint;
            reshaped_adjoint[column][row] = added_adjoint;
        }
    }
    let mut x_gradient = [[0.0; 3]; 2];
    for flat in 0..6 {
        x_gradient[flat / 3][flat % 3] = reshaped_adjoint[flat / 2][flat % 2];
    }
    Handwritten {
        reshaped,
        transposed,
        broadcast,
        added,
        multiplied,
        mean,
        x_gradient,
        bias_gradient,
    }
}

impl Handwritten {
    /// Compares with the tape: every value, and the gradients after one pass.
    ///
    /// # Errors
    /// [`DemoError::Disagreement`] for the first quantity that differs in any bit.
    pub fn check(&self, graph: &WorkedGraph) -> Result<(), DemoError> {
        same("reshape", &self.reshaped.concat(), &graph.reshaped.value())?;
        same(
            "transpose",
            &self.transposed.concat(),
            &graph.transposed.value(),
        )?;
        same(
            "broadcast",
            &self.broadcast.concat(),
            &graph.broadcast.value(),
        )?;
        same("add", &self.added.concat(), &graph.added.value())?;
        same(
            "multiply",
            &self.multiplied.concat(),
            &graph.multiplied.value(),
        )?;
        same("mean", &self.mean, &graph.mean.value())?;
        self.check_gradients(&graph.x, &graph.bias)
    }

    fn check_gradients(&self, x: &TensorValue, bias: &TensorValue) -> Result<(), DemoError> {
        for (quantity, handwritten, parameter) in [
            ("gradient of x", self.x_gradient.concat(), x),
            ("gradient of bias", self.bias_gradient.to_vec(), bias),
        ] {
            match parameter.gradient() {
                Some(gradient) => same(quantity, &handwritten, &gradient)?,
                None => {
                    return Err(TensorAutodiffError::NotAParameter {
                        operation: parameter.operation(),
                    }
                    .into());
                }
            }
        }
        Ok(())
    }
}

fn same(quantity: &'static str, handwritten: &[f64], taped: &Tensor) -> Result<(), DemoError> {
    let bits = |values: &[f64]| {
        values
            .iter()
            .map(|value| value.to_bits())
            .collect::<Vec<_>>()
    };
    if bits(handwritten) == bits(taped.as_slice()) {
        return Ok(());
    }
    Err(DemoError::Disagreement {
        quantity,
        handwritten: handwritten.to_vec(),
        taped: taped.as_slice().to_vec(),
    })
}

#[cfg(test)]
mod tests {
    use super::super::{BIAS, SEED, X};
    use super::*;

    #[test]
    fn a_wrong_bit_in_the_handwritten_gradient_is_a_disagreement() -> Result<(), DemoError> {
        let graph = WorkedGraph::build()?;
        graph.pass(GraphRetention::Retain)?;
        let mut handwritten = run(&X, &BIAS, &SEED);
        handwritten.check(&graph)?;
        handwritten.bias_gradient[2] = 34.0_f64.next_up();
        assert!(matches!(
            handwritten.check(&graph),
            Err(DemoError::Disagreement {
                quantity: "gradient of bias",
                ..
            })
        ));
        Ok(())
    }
}
