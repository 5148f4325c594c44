//! Known faults of other frameworks, as claims about this one: one test per row, named by its id.
//!
//! `cases.md` lists the rows that cannot apply, with the reason; [`listed`] checks that every other row is
//! a test.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test reports by panicking"
)]

mod arrange;
mod broadcast;
mod checking;
mod deep;
mod elementwise;
mod every_rule;
#[path = "../faulty/mod.rs"]
mod faulty;
mod listed;
mod nn;
mod passes;
mod reduce;
mod registered;

use autodiff_ops::prelude::*;

fn tensor(shape: impl Into<Shape>, values: &[f64]) -> Tensor {
    Tensor::from_vec(shape, values.to_vec()).unwrap()
}

fn parameter(shape: impl Into<Shape>, values: &[f64]) -> TensorValue {
    TensorValue::parameter(tensor(shape, values)).unwrap()
}

fn constant(shape: impl Into<Shape>, values: &[f64]) -> TensorValue {
    TensorValue::constant(tensor(shape, values)).unwrap()
}

/// One releasing pass from a seed with these values.
fn reverse(output: &TensorValue, seed: &[f64]) -> Result<()> {
    let seed = tensor(output.shape(), seed);
    output.backward_with_seed(&seed.view(), GraphRetention::Release)
}

/// One releasing pass from a seed of ones: the gradient of the sum.
fn reverse_sum(output: &TensorValue) -> Result<()> {
    let seed = Tensor::ones(output.shape())?;
    output.backward_with_seed(&seed.view(), GraphRetention::Release)
}

/// The stored gradient, shape and values.
fn gradient(value: &TensorValue) -> Tensor {
    value.gradient_snapshot().unwrap()
}

/// Within a tolerance relative to the larger of 1 and the expected value.
#[track_caller]
fn close(actual: &Tensor, expected: &Tensor, tolerance: f64) {
    assert_eq!(actual.shape(), expected.shape());
    for (&actual, &expected) in actual.as_slice().iter().zip(expected.as_slice()) {
        let allowed = tolerance * expected.abs().max(1.0);
        assert!(
            (actual - expected).abs() <= allowed,
            "{actual} is not {expected} to {tolerance:e}"
        );
    }
}
