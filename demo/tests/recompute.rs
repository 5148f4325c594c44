//! What recomputation costs and saves for a deep decoder: memory, time and not one bit.
//!
//! `cargo test --release -p demo --test recompute -- --nocapture` prints the figures.

use std::time::{Duration, Instant};

use autodiff_core::tensor::release_buffers;
use autodiff_ops::prelude::*;
use demo::model::{Family, Initial, Layers, Model, ModelConfig};
use peak_alloc::PeakAlloc;

#[global_allocator]
static HEAP: PeakAlloc = PeakAlloc;

const LAYERS: usize = 24;
const HEADS: usize = 4;
const WIDTH: usize = 128;
const BLOCK: usize = 64;
const BATCH: usize = 12;
const VOCABULARY: usize = 65;

/// The largest part of the memory that a pass may take.
const MOST_MEMORY: f64 = 0.35;

/// One more forward pass beside one forward and one reverse pass of about twice its cost.
const MOST_TIME: f64 = 1.40;

/// Passes of both ways by turns; the fastest of each counts, since whatever else runs only slows.
const ROUNDS: usize = if cfg!(debug_assertions) { 1 } else { 24 };

/// Everything but the numbers themselves is that of `demo train`.
fn model() -> Result<Model<TensorValue<f32>>, Box<dyn std::error::Error>> {
    let config = ModelConfig {
        vocabulary: VOCABULARY,
        ..ModelConfig::usual(Family::Gpt, [LAYERS, HEADS, WIDTH, BLOCK])
    };
    let mut parameters = Vec::new();
    for (number, spec) in config.parameters().into_iter().enumerate() {
        let shape = spec.shape.as_slice();
        let value = match spec.initial {
            Initial::Zeros => Tensor::zeros(shape)?,
            Initial::Ones => Tensor::ones(shape)?,
            // Any spread of values about zero will do; the sine of whole numbers has one.
            Initial::Normal { .. } => {
                Tensor::from_fn(shape, |index| 0.05 * ((index + 17 * number) as f32).sin())?
            }
        };
        parameters.push((spec.name, TensorValue::parameter(value)?));
    }
    Ok(Model {
        config,
        parameters: parameters.into_iter().collect(),
    })
}

/// One pass; the gradients of the pass before it are cleared.
fn pass(
    model: &Model<TensorValue<f32>>,
    layers: Layers,
) -> Result<Duration, Box<dyn std::error::Error>> {
    let tokens = Tensor::from_fn([BATCH, BLOCK], |index| (index * 31) % VOCABULARY)?;
    let targets = Tensor::from_fn([BATCH, BLOCK], |index| (index * 31 + 7) % VOCABULARY)?;
    for parameter in model.parameters.values() {
        parameter.zero_grad()?;
    }
    let begun = Instant::now();
    model.loss_of(&tokens, &targets, layers)?.backward()?;
    Ok(begun.elapsed())
}

/// The most memory that is in use at once during a pass, parameters and gradients included.
fn peak(
    model: &Model<TensorValue<f32>>,
    layers: Layers,
) -> Result<usize, Box<dyn std::error::Error>> {
    // What earlier passes left to be used again is no need of this one.
    release_buffers();
    HEAP.reset_peak_usage();
    pass(model, layers)?;
    Ok(HEAP.peak_usage())
}

fn gradients(model: &Model<TensorValue<f32>>) -> Vec<Tensor<f32>> {
    let values = model.parameters.values().iter();
    values.filter_map(TensorValue::gradient_snapshot).collect()
}

// One test, since the memory is that of the whole process.
#[test]
fn a_deep_decoder_takes_a_third_of_the_memory_for_a_third_more_time_and_keeps_every_bit()
-> Result<(), Box<dyn std::error::Error>> {
    let model = model()?;
    pass(&model, Layers::Kept)?;
    let expected = gradients(&model);
    pass(&model, Layers::Recomputed)?;
    let actual = gradients(&model);
    assert_eq!(actual.len(), model.config.parameters().len());
    for (left, right) in expected.iter().zip(&actual) {
        assert!(left.bit_eq(right));
        assert!(left.as_slice().iter().any(|slope| *slope != 0.0));
    }
    drop((expected, actual));

    let kept = peak(&model, Layers::Kept)?;
    let recomputed = peak(&model, Layers::Recomputed)?;
    let memory = recomputed as f64 / kept as f64;
    println!(
        "{LAYERS} layers of width {WIDTH}: peak {} KiB kept, {} KiB recomputed, {:.1} %",
        kept >> 10,
        recomputed >> 10,
        100.0 * memory
    );
    assert!(memory < MOST_MEMORY, "{memory}");

    let (mut kept, mut recomputed) = (Duration::MAX, Duration::MAX);
    for _ in 0..ROUNDS {
        kept = kept.min(pass(&model, Layers::Kept)?);
        recomputed = recomputed.min(pass(&model, Layers::Recomputed)?);
    }
    let time = recomputed.as_secs_f64() / kept.as_secs_f64();
    println!(
        "fastest pass {:.1} ms kept, {:.1} ms recomputed, {:.1} % more",
        1e3 * kept.as_secs_f64(),
        1e3 * recomputed.as_secs_f64(),
        100.0 * (time - 1.0)
    );
    // Only optimised code says something of the time.
    assert!(cfg!(debug_assertions) || time < MOST_TIME, "{time}");
    Ok(())
}
