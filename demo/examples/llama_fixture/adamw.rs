//! Training steps as loops over plain numbers.

use std::error::Error;

use autodiff_ops::prelude::*;
use demo::model::ModelConfig;

use super::composed::{Batch, gradients};

pub const RATE: f64 = 1e-3;
pub const BETA1: f64 = 0.9;
pub const BETA2: f64 = 0.95;
pub const EPS: f64 = 1e-8;
pub const DECAY: f64 = 0.1;

/// The numbers of a run.
#[derive(Default)]
pub struct Run {
    /// After as many steps as the place says.
    pub losses: Vec<f64>,
    /// Of all gradients there, before clipping.
    pub norms: Vec<f64>,
    /// What each step multiplied the gradients by.
    pub coefficients: Vec<f64>,
    /// After each step.
    pub states: Vec<State>,
}

/// Parameters and moments.
#[derive(Clone)]
pub struct State {
    /// The parameters.
    pub values: Vec<Tensor>,
    /// The first moments.
    pub first_moments: Vec<Tensor>,
    /// The second moments.
    pub second_moments: Vec<Tensor>,
}

/// Takes `steps` steps on one batch; `clip` is the largest norm and what is added to the norm.
pub fn run(
    config: &ModelConfig,
    first: &[Tensor],
    batch: &Batch,
    steps: usize,
    clip: Option<[f64; 2]>,
) -> Result<Run, Box<dyn Error>> {
    let zeros = first
        .iter()
        .map(|value| value.map(|_| 0.0))
        .collect::<Vec<_>>();
    let mut state = State {
        values: first.to_vec(),
        first_moments: zeros.clone(),
        second_moments: zeros,
    };
    let mut run = Run::default();
    for step in 1.. {
        let (loss, gradients) = gradients(config, &state.values, batch)?;
        let squares = gradients.iter().flat_map(|g| g.as_slice()).map(|g| g * g);
        let norm = squares.sum::<f64>().sqrt();
        run.losses.push(loss);
        run.norms.push(norm);
        if step > steps {
            break;
        }
        let coefficient = clip.map_or(1.0, |[largest, eps]| (largest / (norm + eps)).min(1.0));
        run.coefficients.push(coefficient);
        take(&mut state, &gradients, coefficient, step as i32);
        run.states.push(state.clone());
    }
    Ok(run)
}

fn take(state: &mut State, gradients: &[Tensor], coefficient: f64, step: i32) {
    for (place, gradient) in gradients.iter().enumerate() {
        let decay = if gradient.rank() >= 2 { DECAY } else { 0.0 };
        let p = state.values[place].as_mut_slice();
        let m = state.first_moments[place].as_mut_slice();
        let v = state.second_moments[place].as_mut_slice();
        for (index, g) in gradient.as_slice().iter().enumerate() {
            let g = coefficient * g;
            m[index] = BETA1 * m[index] + (1.0 - BETA1) * g;
            v[index] = BETA2 * v[index] + (1.0 - BETA2) * g * g;
            let corrected_m = m[index] / (1.0 - BETA1.powi(step));
            let corrected_v = v[index] / (1.0 - BETA2.powi(step));
            p[index] =
                p[index] * (1.0 - RATE * decay) - RATE * corrected_m / (corrected_v.sqrt() + EPS);
        }
    }
}
