//! One training step of a model as a document.

use std::path::Path;

use autodiff_core::report::{Document, Graph, Limits, PassRecord, Watch, text};
use autodiff_ops::prelude::*;

use crate::DemoError;
use crate::model::{Family, Model};
use crate::train::data::Batch;
use crate::train::{Dtype, Precision, SettingsError, Start, TrainOptions};

/// The first step of `demo train --arch FAMILY`: its forward and its reverse pass. A step that the tape stops is
/// a document too, with the error and as much of the graph as there is.
pub(super) fn document(family: Family, scale: f64) -> Result<Document, DemoError> {
    let options = TrainOptions {
        arch: Some(family),
        ..TrainOptions::default()
    };
    let start = Start::new(None, &options)?;
    let (trainer, mut batches) = start.begin::<f32>()?;
    let batch = start.batch(&mut batches)?;
    let first = trainer.model.parameters.snapshot();
    let first = first.try_map(|value| scaled(value, scale as f32))?;
    let model = trainer.model.with(first.taped()?);
    let title = format!("One training step of the small {family} model");
    recorded(
        &title,
        &format!("the first step of {family}"),
        &model,
        &batch,
    )
}

/// The step that comes next in the run of a folder, with the numbers that `demo train --resume` has there.
pub(super) fn next_step(folder: &Path) -> Result<Document, DemoError> {
    let start = Start::resumed(folder, &TrainOptions::default())?;
    match start.settings.dtype {
        Dtype::F32 => next_step_of::<f32>(&start),
        Dtype::F64 => next_step_of::<f64>(&start),
    }
}

fn next_step_of<T: Precision>(start: &Start) -> Result<Document, DemoError> {
    let (trainer, mut batches) = start.begin::<T>()?;
    let batch = start.batch(&mut batches)?;
    let (family, step) = (start.model.family, trainer.steps() + 1);
    let title = format!("Training step {step} of a {family} model");
    recorded(
        &title,
        &format!("step {step} of {family}"),
        &trainer.model,
        &batch,
    )
}

/// Refuses a factor that no parameter can be multiplied by.
pub(super) fn check_scale(scale: f64) -> Result<(), SettingsError> {
    let range = match (scale.is_finite(), (scale as f32).is_finite()) {
        (true, true) => return Ok(()),
        (true, false) => "finite in f32",
        (false, _) => "finite",
    };
    Err(SettingsError::Range {
        setting: "scale",
        range,
        value: scale,
    })
}

/// Matrices and embeddings alone: a norm's weight of one is no place to start from.
fn scaled(value: &Tensor<f32>, scale: f32) -> Result<Tensor<f32>, DemoError> {
    Ok(match value.rank() {
        2.. => value.map(|entry| entry * scale),
        _ => value.clone(),
    })
}

fn recorded<T: Element>(
    title: &str,
    step: &str,
    model: &Model<TensorValue<T>>,
    batch: &Batch,
) -> Result<Document, DemoError> {
    let limits = Limits::default();
    let mut document = Document::new(title);
    let nothing = Watch::<T>::new([], limits);
    let loss = match keep_values(|| model.loss(&batch.tokens, &batch.targets)) {
        Ok(loss) => loss,
        Err(DemoError::Autodiff(error)) => {
            document
                .rejections
                .push(nothing.rejection("the forward pass", &error));
            return Ok(document);
        }
        Err(error) => return Err(error),
    };
    let graph = Graph::of(&loss).named(model.parameters.iter());
    let value = text::significant(loss.value().item()?.to_f64(), 4);
    let title = format!("{step}, loss {value}");
    match loss.backward_with_trace() {
        Ok(pass) => document.passes.push(graph.record(&title, &pass, limits)?),
        Err(error) => {
            document
                .passes
                .push(PassRecord::refused(&title, &graph, limits));
            document
                .rejections
                .push(nothing.rejection("the reverse pass", &error));
        }
    }
    Ok(document)
}
