//! Writes `llama_tiny.json` and `llama_tiny.safetensors`, the reference numbers of a small llama model.
//!
//! ```sh
//! cargo run -p demo --example llama_fixture -- tests/fixtures
//! ```
//!
//! The model here is composed of elementary operations and shares no forward code with the one that the
//! fixture checks; no fused rule is involved. Every coordinate of its gradient is confirmed by a forward
//! pass on dual numbers before anything is written. The optimiser is a loop over plain numbers.
#![forbid(unsafe_code)]

mod adamw;
mod composed;

use std::collections::{BTreeMap, HashMap};
use std::error::Error;
use std::fs;
use std::path::PathBuf;

use autodiff_ops::prelude::*;
use demo::model::{Family, ModelConfig};
use demo::random::{Purpose, RandomStream};
use safetensors::tensor::TensorView as StoredView;
use serde_json::{Value as Json, json};

use self::adamw::{Run, run};
use self::composed::{Batch, gradients, logits};

const SEED: u64 = 1337;
const STEPS: usize = 10;
const MAX_NORM: f64 = 0.5;
const BATCH: usize = 3;
const TIME: usize = 7;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(std::env::args_os().nth(1).ok_or("expected a folder")?);
    let config = ModelConfig {
        vocabulary: 13,
        hidden: 20,
        rope_theta: 100.0,
        ..ModelConfig::usual(Family::Llama, [2, 2, 12, 8])
    };
    let mut random = RandomStream::new(SEED, Purpose::Verification);
    let specs = config.parameters();
    let mut first = Vec::new();
    for spec in &specs {
        // Norms near 1, everything else large enough to be far from linear.
        let (centre, spread) = if spec.shape.len() == 1 {
            (1.0, 0.2)
        } else {
            (0.0, 0.4)
        };
        first.push(Tensor::from_fn(spec.shape.as_slice(), |_| {
            // Exact in f32, so that a run in f32 begins with the same numbers.
            f64::from((centre + spread * random.normal()) as f32)
        })?);
    }
    let mut draw = || Tensor::from_fn([BATCH, TIME], |_| random.below(config.vocabulary));
    let batch = Batch {
        tokens: draw()?,
        targets: draw()?,
    };

    let (loss, first_gradients) = gradients(&config, &first, &batch)?;
    let worst = composed::worst_coordinate(&config, &first, &batch, &first_gradients)?;
    // Two exact methods that differ by rounding alone.
    if worst > 1e-14 {
        return Err(format!("reverse and forward gradients differ by {worst:e}").into());
    }

    let plain = run(&config, &first, &batch, STEPS, None)?;
    let clipped = run(&config, &first, &batch, STEPS, Some([MAX_NORM, 1e-6]))?;
    let no_eps = run(&config, &first, &batch, STEPS, Some([MAX_NORM, 0.0]))?;
    let names: Vec<&str> = specs.iter().map(|spec| spec.name.as_str()).collect();
    let text = json!({
        "generator": "demo/examples/llama_fixture",
        "safetensors": "llama_tiny.safetensors",
        "config": {
            "model": "llama", "vocab": config.vocabulary, "n_layer": config.layers,
            "n_head": config.heads, "n_embd": config.width, "n_ff": config.hidden,
            "block": config.block, "batch": BATCH, "seq": TIME,
            "rms_eps": config.norm_eps, "rope_theta": config.rope_theta,
        },
        "optimizer": {
            "lr": adamw::RATE, "beta1": adamw::BETA1, "beta2": adamw::BETA2,
            "eps": adamw::EPS, "weight_decay": adamw::DECAY,
        },
        "tokens": { "shape": batch.tokens.shape(), "values": batch.tokens.as_slice() },
        "targets": { "shape": batch.targets.shape(), "values": batch.targets.as_slice() },
        "params": entries("name", &names, &first),
        "logits": array(&logits(&config, &composed::leaves(&first)?, &batch.tokens)?.value()),
        "loss": loss,
        "gradients": entries("operand", &names, &first_gradients),
        "grad_global_norm": plain.norms.first(),
        "adamw": numbers(&names, &plain, &[1, 2, 3, STEPS], None),
        "adamw_clipped": numbers(&names, &clipped, &[STEPS], Some(1e-6)),
        "adamw_clipped_no_eps": numbers(&names, &no_eps, &[STEPS], Some(0.0)),
    });
    fs::write(folder.join("llama_tiny.json"), format!("{text}\n"))?;

    let mut tensors = BTreeMap::new();
    let mut keep = |prefix: &str, values: &[Tensor]| {
        for (name, value) in names.iter().zip(values) {
            tensors.insert(format!("{prefix}{name}"), value.clone());
        }
    };
    keep("param.", &first);
    keep("grad.", &first_gradients);
    for (step, state) in (1..).zip(&plain.states) {
        if [1, 2, 3, STEPS].contains(&step) {
            keep(&format!("step{step}."), &state.values);
        }
        if [1, STEPS].contains(&step) {
            keep(&format!("adam_m.step{step}."), &state.first_moments);
            keep(&format!("adam_v.step{step}."), &state.second_moments);
        }
    }
    if let Some(state) = clipped.states.last() {
        keep(&format!("clip.step{STEPS}."), &state.values);
    }
    fs::write(folder.join("llama_tiny.safetensors"), stored(&tensors)?)?;
    println!("loss {loss}, gradients confirmed to {worst:e}");
    Ok(())
}

fn array(tensor: &Tensor) -> Json {
    json!({ "shape": tensor.shape(), "values": tensor.as_slice() })
}

fn entries(key: &str, names: &[&str], values: &[Tensor]) -> Json {
    let entry = |(name, value): (&&str, &Tensor)| json!({ key: name, "shape": value.shape(), "values": value.as_slice() });
    names.iter().zip(values).map(entry).collect()
}

fn numbers(names: &[&str], run: &Run, snapshots: &[usize], clip_eps: Option<f64>) -> Json {
    let summary = |(name, value): (&&str, &Tensor)| {
        let values = value.as_slice();
        json!({
            "name": name,
            "sum": values.iter().sum::<f64>(),
            "sum_sq": values.iter().map(|x| x * x).sum::<f64>(),
            "first": values.first(),
            "last": values.last(),
        })
    };
    let snapshots: HashMap<String, Json> = (1..)
        .zip(&run.states)
        .filter(|(step, _)| snapshots.contains(step))
        .map(|(step, state)| {
            let summaries = names.iter().zip(&state.values).map(summary).collect();
            (step.to_string(), summaries)
        })
        .collect();
    let mut numbers = json!({
        "losses": run.losses, "grad_norms": run.norms, "snapshots": json!(snapshots),
    });
    if let (Some(eps), Some(numbers)) = (clip_eps, numbers.as_object_mut()) {
        numbers.insert("max_norm".to_owned(), json!(MAX_NORM));
        numbers.insert("clip_eps".to_owned(), json!(eps));
        numbers.insert("coefs".to_owned(), json!(run.coefficients));
    }
    numbers
}

fn stored(tensors: &BTreeMap<String, Tensor>) -> Result<Vec<u8>, Box<dyn Error>> {
    let bytes: Vec<(&String, &Tensor, Vec<u8>)> = tensors
        .iter()
        .map(|(name, tensor)| {
            let bytes = tensor.as_slice().iter().flat_map(|x| x.to_le_bytes());
            (name, tensor, bytes.collect())
        })
        .collect();
    let views = bytes
        .iter()
        .map(|(name, tensor, bytes)| {
            let shape = tensor.shape().to_vec();
            Ok((
                name,
                StoredView::new(safetensors::Dtype::F64, shape, bytes)?,
            ))
        })
        .collect::<Result<Vec<_>, safetensors::SafeTensorError>>()?;
    Ok(safetensors::serialize(views, None)?)
}
