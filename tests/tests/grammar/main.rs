//! The grammar of `#[vjp_rule]`, exercised end to end by rules that only this test declares.
//!
//! Every lint is an error here, so generated code that a user's lints would see does not compile.
#![deny(warnings, missing_docs, clippy::all, clippy::pedantic)]

// A second name for the core crate, as a downstream crate may choose one.
extern crate autodiff_core as engine;

mod arguments;
mod constants;
mod hygiene;
mod joint;
mod operands;
mod outputs;
mod record;
mod saved;

use autodiff_core::prelude::*;

fn tensor(shape: &[usize], values: &[f64]) -> Result<Tensor> {
    Ok(Tensor::from_vec(shape, values.to_vec())?)
}

fn parameter(shape: &[usize], values: &[f64]) -> Result<TensorValue> {
    TensorValue::parameter(tensor(shape, values)?)
}

fn reverse(output: &TensorValue, seed: &[f64]) -> Result<()> {
    let seed = tensor(&output.shape(), seed)?;
    output.backward_with_seed(&seed.view(), GraphRetention::Retain)
}

fn gradient(parameter: &TensorValue) -> Vec<f64> {
    parameter
        .gradient_snapshot()
        .map_or_else(Vec::new, Tensor::into_vec)
}
