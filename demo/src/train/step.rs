//! One step: a pass over a batch, clipping, AdamW.

use autodiff_ops::prelude::*;

use super::checkpoint::State;
use super::data::Batch;
use crate::DemoError;
use crate::model::{Layers, Model, ModelConfig, Parameters};

/// A model on the tape with its optimiser.
#[derive(Debug)]
pub struct Trainer<T: Element> {
    /// The model.
    pub model: Model<TensorValue<T>>,
    /// The model's parameters once more, as the optimiser knows them.
    parameters: ParameterSet<T>,
    optimiser: AdamW<T>,
    layers: Layers,
}

/// What a pass and an update found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepReport {
    /// The loss before the step.
    pub loss: f64,
    /// The norm of all gradients together, before clipping.
    pub gradient_norm: f64,
    /// What the gradients were multiplied by.
    pub clip_coefficient: f64,
}

/// How the gradients of a pass change the parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Update {
    /// The learning rate.
    pub learning_rate: f64,
    /// The largest norm of all gradients together.
    pub clip: Option<Clip>,
}

/// Gradients are multiplied by `min(1, max_norm / (norm + eps))`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clip {
    /// The largest norm.
    pub max_norm: f64,
    /// What is added to the norm.
    pub eps: f64,
}

impl<T: Element> Trainer<T> {
    /// A model that has taken no step; `decay` is given each parameter's name and shape.
    ///
    /// # Errors
    /// [`DemoError::Autodiff`] where a value is not finite.
    pub fn new(
        config: ModelConfig,
        first: &Parameters<Tensor<T>>,
        options: AdamWOptions,
        decay: impl Fn(&str, &[usize]) -> f64,
    ) -> Result<Self, DemoError> {
        let mut parameters = ParameterSet::new();
        let taped = first
            .iter()
            .map(|(name, value)| Ok((name.to_owned(), parameters.create(name, value.clone())?)))
            .collect::<Result<_, DemoError>>()?;
        let optimiser = AdamW::new(&parameters, options, decay)?;
        let model = Model {
            config,
            parameters: taped,
        };
        Ok(Self {
            model,
            parameters,
            optimiser,
            layers: Layers::Kept,
        })
    }

    /// The same trainer with another choice of what the tape keeps; the numbers do not depend on it.
    #[must_use]
    pub fn layers(self, layers: Layers) -> Self {
        Self { layers, ..self }
    }

    /// A model that has taken `steps` steps.
    ///
    /// # Errors
    /// As for [`new`](Self::new), and [`DemoError::Optim`] where a moment does not fit.
    pub fn restored(
        config: ModelConfig,
        state: State<T>,
        options: AdamWOptions,
        decay: impl Fn(&str, &[usize]) -> f64,
        steps: usize,
    ) -> Result<Self, DemoError> {
        let mut trainer = Self::new(config, &state.parameters, options, decay)?;
        let moments = state
            .first_moments
            .iter()
            .zip(state.second_moments.values());
        let moments =
            moments.map(|((name, first), second)| (name.to_owned(), first.clone(), second.clone()));
        trainer.optimiser.restore(steps, moments)?;
        Ok(trainer)
    }

    /// Everything that has to be stored.
    #[must_use]
    pub fn state(&self) -> State<T> {
        let moments = self.optimiser.moments().iter();
        let named = |of: fn(&Moments<T>) -> &Tensor<T>| {
            let pair = |moments: &Moments<T>| (moments.name().to_owned(), of(moments).clone());
            moments.clone().map(pair).collect()
        };
        State {
            parameters: self.model.parameters.snapshot(),
            first_moments: named(Moments::first),
            second_moments: named(Moments::second),
        }
    }

    /// The number of steps taken.
    #[must_use]
    pub fn steps(&self) -> usize {
        self.optimiser.step_count()
    }

    /// What a step over `batch` would find; the parameters stay as they are.
    ///
    /// # Errors
    /// [`DemoError::Autodiff`] or [`DemoError::Optim`], in particular where the loss or a gradient is not
    /// finite.
    pub fn measure(&self, batch: &Batch, update: Update) -> Result<StepReport, DemoError> {
        Ok(self.pass(batch, update)?.0)
    }

    /// Takes a step over `batch`.
    ///
    /// # Errors
    /// As for [`measure`](Self::measure), and where an updated value is not finite; then none has changed.
    pub fn step(&mut self, batch: &Batch, update: Update) -> Result<StepReport, DemoError> {
        let (report, gradients) = self.pass(batch, update)?;
        self.optimiser
            .step(&self.parameters, &gradients, update.learning_rate)?;
        Ok(report)
    }

    /// Runs a pass; the gradients are those of this batch alone.
    fn pass(&self, batch: &Batch, update: Update) -> Result<(StepReport, Gradients<T>), DemoError> {
        self.parameters.zero_grad()?;
        let loss = self
            .model
            .loss_of(&batch.tokens, &batch.targets, self.layers)?;
        loss.backward()?;
        let gradients = self.parameters.gradients();
        let gradient_norm = gradients.global_norm()?;
        let gradients = match update.clip {
            Some(Clip { max_norm, eps }) => gradients.clipped(max_norm, eps)?,
            None => gradients,
        };
        let report = StepReport {
            loss: loss.value().item()?.to_f64(),
            gradient_norm,
            clip_coefficient: gradients.factor(),
        };
        Ok((report, gradients))
    }
}
