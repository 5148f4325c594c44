//! What a node goes through: made, read, updated, reversed, released, detached, shown.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test reports by panicking"
)]

mod leaves;
mod passes;
mod reading;
mod showing;
mod updating;
mod without_gradients;

use std::panic::{AssertUnwindSafe, catch_unwind};

use autodiff_ops::prelude::*;
use tests::state::{bits, states};

fn tensor(shape: impl Into<Shape>, values: &[f64]) -> Tensor {
    Tensor::from_vec(shape, values.to_vec()).unwrap()
}

fn parameter(values: &[f64]) -> TensorValue {
    TensorValue::parameter(tensor([values.len()], values)).unwrap()
}

fn gradient(value: &TensorValue) -> Vec<f64> {
    value.gradient_snapshot().unwrap().into_vec()
}

fn pass(output: &TensorValue, seed: &[f64], retention: GraphRetention) -> Result<()> {
    let seed = tensor(output.shape(), seed);
    output.backward_with_seed(&seed.view(), retention)
}
