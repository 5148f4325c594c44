//! A whole decoder against reference numbers: its loss, all gradients, and three runs of ten steps.
#![allow(clippy::unwrap_used, reason = "a test reports by panicking")]

use std::collections::HashMap;

use autodiff_ops::prelude::*;
use serde::Deserialize;

#[derive(Deserialize)]
struct Fixture {
    tokens: Ids,
    targets: Ids,
    params: Vec<Named>,
    logits: Values,
    loss: f64,
    gradients: Vec<Named>,
    grad_global_norm: f64,
    adamw: Run,
    adamw_clipped: Run,
    adamw_clipped_no_eps: Run,
}

#[derive(Deserialize)]
struct Ids {
    shape: Vec<usize>,
    values: Vec<usize>,
}

#[derive(Deserialize)]
struct Values {
    shape: Vec<usize>,
    values: Vec<f64>,
}

#[derive(Deserialize)]
struct Named {
    #[serde(alias = "operand")]
    name: String,
    shape: Vec<usize>,
    values: Vec<f64>,
}

/// Losses and norms after 0, 1, .. steps, and a digest of every parameter after some of them.
#[derive(Deserialize)]
struct Run {
    losses: Vec<f64>,
    grad_norms: Vec<f64>,
    coefs: Option<Vec<f64>>,
    #[serde(default)]
    snapshots: HashMap<usize, Vec<Digest>>,
}

#[derive(Deserialize)]
struct Digest {
    name: String,
    sum: f64,
    sum_sq: f64,
    first: f64,
    last: f64,
}

const LAYERS: usize = 2;
const HEADS: usize = 2;
const EPS: f64 = 1e-5;

struct Model<T: Element> {
    parameters: ParameterSet<T>,
    tokens: Tensor<usize>,
    targets: Tensor<usize>,
}

impl<T: Element> Model<T> {
    fn new(fixture: &Fixture) -> Self {
        let mut parameters = ParameterSet::new();
        for Named {
            name,
            shape,
            values,
        } in &fixture.params
        {
            let value = Tensor::from_fn(shape, |place| T::from_f64(values[place])).unwrap();
            parameters.create(name, value).unwrap();
        }
        let ids = |ids: &Ids| Tensor::from_vec(&ids.shape, ids.values.clone()).unwrap();
        Self {
            parameters,
            tokens: ids(&fixture.tokens),
            targets: ids(&fixture.targets),
        }
    }

    fn get(&self, name: &str) -> &TensorValue<T> {
        self.parameters.get(name).unwrap()
    }

    fn norm(&self, x: &TensorValue<T>, name: &str) -> Result<TensorValue<T>> {
        let [weight, bias] = ["weight", "bias"].map(|part| self.get(&format!("{name}.{part}")));
        x.layer_norm(weight, bias, EPS)
    }

    fn linear(&self, x: &TensorValue<T>, name: &str) -> Result<TensorValue<T>> {
        let [weight, bias] = ["weight", "bias"].map(|part| self.get(&format!("{name}.{part}")));
        x.linear(weight, Some(bias))
    }

    fn logits(&self) -> Result<TensorValue<T>> {
        let [batch, positions] = *self.tokens.shape() else {
            return Err(TensorError::AxisCount {
                expected: 2,
                actual: self.tokens.rank(),
            }
            .into());
        };
        let mut x = self
            .get("wte")
            .embedding(&self.tokens)?
            .add(self.get("wpe"))?;
        let width = x.shape()[2];
        for layer in 0..LAYERS {
            let name = |part: &str| format!("h.{layer}.{part}");
            let mixed = self.linear(&self.norm(&x, &name("ln_1"))?, &name("attn.c_attn"))?;
            let by_head = |part: &TensorValue<T>| {
                part.reshape(&[batch, positions, HEADS, width / HEADS])?
                    .transpose(1, 2)
            };
            let parts = mixed.split(&[width; 3], 2)?;
            let [q, k, v] = [
                by_head(&parts[0])?,
                by_head(&parts[1])?,
                by_head(&parts[2])?,
            ];
            let scale = 1.0 / ((width / HEADS) as f64).sqrt();
            let heads = q.attention(&k, &v, scale, true)?.transpose(1, 2)?;
            let heads = heads.reshape(&[batch, positions, width])?;
            x = x.add(&self.linear(&heads, &name("attn.c_proj"))?)?;
            let wide = self
                .linear(&self.norm(&x, &name("ln_2"))?, &name("mlp.c_fc"))?
                .gelu()?;
            x = x.add(&self.linear(&wide, &name("mlp.c_proj"))?)?;
        }
        self.norm(&x, "ln_f")?
            .linear(self.get("lm_head.weight"), None)
    }

    /// The loss; the gradients are those of this pass alone.
    fn pass(&self) -> f64 {
        self.parameters.zero_grad().unwrap();
        let loss = self
            .logits()
            .unwrap()
            .cross_entropy(&self.targets, None)
            .unwrap();
        loss.backward().unwrap();
        loss.value().item().unwrap().to_f64()
    }
}

fn fixture() -> Fixture {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/gpt_tiny.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

#[track_caller]
fn assert_close<T: Element>(what: &str, actual: &Tensor<T>, expected: &[f64], tolerance: f64) {
    assert_eq!(actual.len(), expected.len());
    let scale = expected.iter().fold(1.0_f64, |scale, x| scale.max(x.abs()));
    for (place, (x, y)) in actual.as_slice().iter().zip(expected).enumerate() {
        let error = (x.to_f64() - y).abs() / scale;
        assert!(error <= tolerance, "{what} at {place}: {x} is not {y}");
    }
}

fn loss_and_gradients_agree<T: Element>(tolerance: f64) {
    let fixture = fixture();
    let model = Model::<T>::new(&fixture);
    let logits = model.logits().unwrap().value_snapshot();
    assert_eq!(logits.shape(), fixture.logits.shape);
    assert_close("logits", &logits, &fixture.logits.values, tolerance);
    assert_close(
        "loss",
        &Tensor::scalar(model.pass()),
        &[fixture.loss],
        tolerance,
    );
    let gradients = model.parameters.gradients();
    assert_eq!(gradients.iter().len(), 29);
    for ((name, gradient), expected) in gradients.iter().zip(&fixture.gradients) {
        assert_eq!(
            (name, gradient.shape()),
            (expected.name.as_str(), expected.shape.as_slice())
        );
        assert_close(name, gradient, &expected.values, tolerance);
    }
    let norm = Tensor::scalar(gradients.global_norm().unwrap());
    assert_close("norm", &norm, &[fixture.grad_global_norm], tolerance);
}

/// The reference programs agree to about 1e-15; a few hundred roundings leave room below this.
#[test]
fn loss_and_all_gradients_agree_in_double_precision() {
    loss_and_gradients_agree::<f64>(1e-12);
}

/// A few hundred roundings of 2^-24, relative to numbers of about 1.
#[test]
fn loss_and_all_gradients_agree_in_single_precision() {
    loss_and_gradients_agree::<f32>(1e-5);
}

fn run_agrees(run: &Run, clip: Option<[f64; 2]>) {
    let model = Model::<f64>::new(&fixture());
    let options = AdamWOptions {
        beta2: 0.95,
        ..AdamWOptions::default()
    };
    let mut optimiser = AdamW::new(&model.parameters, options, decay_matrices(0.1)).unwrap();
    for step in 0..=10 {
        let loss = Tensor::scalar(model.pass());
        let mut gradients = model.parameters.gradients();
        let norm = Tensor::scalar(gradients.global_norm().unwrap());
        // Parameters drift apart by rounding, and losses follow them to second order.
        assert_close(&format!("loss {step}"), &loss, &[run.losses[step]], 1e-12);
        assert_close(
            &format!("norm {step}"),
            &norm,
            &[run.grad_norms[step]],
            1e-9,
        );
        if let Some(digests) = run.snapshots.get(&step) {
            assert_eq!(digests.len(), 29);
            for Digest {
                name,
                sum,
                sum_sq,
                first,
                last,
            } in digests
            {
                let value = model.get(name).value_snapshot();
                let values = value.as_slice();
                let actual = Tensor::from_vec(
                    [4],
                    vec![
                        values.iter().sum::<f64>(),
                        values.iter().map(|x| x * x).sum(),
                        values[0],
                        values[values.len() - 1],
                    ],
                )
                .unwrap();
                // A step divides the rounding of gradients that are 0 by eps, which moves by up to 1e-11.
                assert_close(name, &actual, &[*sum, *sum_sq, *first, *last], 1e-9);
            }
        }
        if step == 10 {
            break;
        }
        if let Some([max_norm, eps]) = clip {
            gradients = gradients.clipped(max_norm, eps).unwrap();
            let factor = Tensor::scalar(gradients.factor());
            if let Some(coefs) = &run.coefs {
                assert_close(&format!("factor {step}"), &factor, &[coefs[step]], 1e-12);
            }
        }
        optimiser.step(&model.parameters, &gradients, 1e-3).unwrap();
    }
}

#[test]
fn ten_steps_agree() {
    run_agrees(&fixture().adamw, None);
}

#[test]
fn ten_clipped_steps_agree() {
    run_agrees(&fixture().adamw_clipped, Some([1.0, 1e-6]));
}

#[test]
fn ten_exactly_clipped_steps_agree() {
    run_agrees(&fixture().adamw_clipped_no_eps, Some([1.0, 0.0]));
}
