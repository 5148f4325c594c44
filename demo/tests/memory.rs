//! A run needs at least the memory that it is refused for, and not much more.

use std::sync::atomic::AtomicBool;

use autodiff_core::tensor::release_buffers;
use autodiff_ops::prelude::*;
use demo::corpus::Corpus;
use demo::model::{Family, Step};
use demo::tokenizer::Tokenizer;
use demo::train::{Dtype, TrainOptions};
use peak_alloc::PeakAlloc;

#[global_allocator]
static HEAP: PeakAlloc = PeakAlloc;

/// The part of the memory in use that the bound may leave out: adjoints beside the largest one, and what they
/// leave to be used again.
const LEFT_OUT: f64 = 0.45;

// One test, since the memory is that of the whole process.
#[test]
fn the_bound_is_below_what_a_step_takes_and_not_far_below() -> Result<(), Box<dyn std::error::Error>>
{
    let corpus = Corpus::carried();
    let vocabulary = Tokenizer::of(&corpus.text).vocabulary().len();
    for (family, dtype, recompute, layers) in [
        (Family::Gpt, Dtype::F32, false, 2),
        (Family::Gpt, Dtype::F32, true, 8),
        (Family::Gpt, Dtype::F64, false, 6),
        (Family::Llama, Dtype::F32, false, 2),
        (Family::Llama, Dtype::F64, true, 8),
    ] {
        let options = TrainOptions {
            arch: Some(family),
            dtype: Some(dtype),
            recompute,
            layers: Some(layers),
            batch: Some(200),
            steps: Some(1),
            threads: 1,
            save_every: 1,
            ..TrainOptions::default()
        };
        let (model, settings) = options.new_run(&corpus, vocabulary)?;
        let bound = model.least_bytes(&Step {
            batch: settings.batch,
            element_bytes: match dtype {
                Dtype::F32 => size_of::<f32>(),
                Dtype::F64 => size_of::<f64>(),
            },
            layers: options.layers_kept(),
        }) as f64;
        release_buffers();
        let before = HEAP.current_usage();
        HEAP.reset_peak_usage();
        demo::train::run(&mut Vec::new(), &options, &AtomicBool::new(false))?;
        let taken = (HEAP.peak_usage() - before) as f64;
        println!(
            "{family} {dtype} {recompute}: {bound} of {taken}, {}",
            bound / taken
        );
        assert!(bound <= taken, "{bound} of {taken}");
        assert!(bound >= (1.0 - LEFT_OUT) * taken, "{bound} of {taken}");
    }
    Ok(())
}
