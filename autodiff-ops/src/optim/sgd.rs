//! Gradient descent with momentum.

use autodiff_core::prelude::*;

use super::error::{OptimError, Quantity};
use super::gradients::Gradients;
use super::parameters::ParameterSet;
use super::transaction::{by_name, check_chunk, check_shape, check_step, chunks};

/// The constants of [`Sgd`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SgdOptions {
    /// How much of the velocity a step keeps, at least 0.
    pub momentum: f64,
}

/// Gradient descent with momentum: `u = momentum u + (g + decay p)`, `p = p - rate u`.
#[derive(Clone, Debug)]
pub struct Sgd<T: Element = f64> {
    options: SgdOptions,
    steps: usize,
    velocities: Vec<Velocity<T>>,
}

#[derive(Clone, Debug)]
struct Velocity<T: Element> {
    name: String,
    decay: f64,
    values: Tensor<T>,
}

impl<T: Element> Sgd<T> {
    /// An optimiser of these parameters, with velocities of zero and the decay that `decay(name, shape)`
    /// gives to each: see [`decay_matrices`](super::decay_matrices).
    ///
    /// # Errors
    /// `Option` for a constant that is negative or not finite.
    pub fn new(
        parameters: &ParameterSet<T>,
        options: SgdOptions,
        decay: impl Fn(&str, &[usize]) -> f64,
    ) -> Result<Self, OptimError> {
        OptimError::check_rate("momentum", options.momentum)?;
        let mut velocities = Vec::with_capacity(parameters.len());
        for (name, parameter) in parameters.iter() {
            let shape = parameter.shape();
            let decay = decay(name, &shape);
            OptimError::check_rate("decay", decay)?;
            velocities.push(Velocity {
                name: name.to_owned(),
                decay,
                values: Tensor::zeros(shape)?,
            });
        }
        Ok(Self {
            options,
            steps: 0,
            velocities,
        })
    }

    /// The constants.
    #[must_use]
    pub fn options(&self) -> SgdOptions {
        self.options
    }

    /// The steps taken.
    #[must_use]
    pub fn step_count(&self) -> usize {
        self.steps
    }

    /// Names and velocities, in the order of the parameters.
    pub fn velocities(&self) -> impl ExactSizeIterator<Item = (&str, &Tensor<T>)> {
        self.velocities
            .iter()
            .map(|velocity| (velocity.name.as_str(), &velocity.values))
    }

    /// Continues where another optimiser of the same parameters was: `velocities` by name, in any order.
    ///
    /// # Errors
    /// `ParameterMismatch` where a parameter has no velocity or a velocity no parameter, `DuplicateName`,
    /// `ShapeMismatch`, `NonFinite`; nothing has been restored then.
    pub fn restore(
        &mut self,
        step_count: usize,
        velocities: impl IntoIterator<Item = (String, Tensor<T>)>,
    ) -> Result<(), OptimError> {
        let names = self
            .velocities
            .iter()
            .map(|velocity| velocity.name.as_str());
        let given = by_name(names, velocities)?;
        let mut restored = Vec::with_capacity(self.velocities.len());
        for (present, values) in self.velocities.iter().zip(given) {
            let name = &present.name;
            check_shape(name, Quantity::Velocity, present.values.shape(), &values)?;
            OptimError::check_finite(name, Quantity::Velocity, &values)?;
            restored.push(Velocity {
                name: name.clone(),
                decay: present.decay,
                values,
            });
        }
        self.steps = step_count;
        self.velocities = restored;
        Ok(())
    }

    /// Replaces the values of all parameters by those of the next step.
    ///
    /// # Errors
    /// `NonFinite` naming the parameter whose gradient, velocity or new value is not; `ParameterMismatch`
    /// and `ShapeMismatch` where gradients or parameters are not those of this optimiser; `Option` for a
    /// learning rate that is negative or not finite; `Tape` while a value is being read. On every error
    /// parameters and optimiser are as before.
    pub fn step(
        &mut self,
        parameters: &ParameterSet<T>,
        gradients: &Gradients<T>,
        learning_rate: f64,
    ) -> Result<(), OptimError> {
        OptimError::check_rate("learning_rate", learning_rate)?;
        let names = self
            .velocities
            .iter()
            .map(|velocity| velocity.name.as_str());
        check_step(parameters, gradients, names)?;
        let mut values = Vec::with_capacity(self.velocities.len());
        let mut velocities = Vec::with_capacity(self.velocities.len());
        let entries = parameters
            .iter()
            .zip(gradients.iter())
            .zip(&self.velocities);
        for (((_, parameter), (_, gradient)), present) in entries {
            let update = Update {
                gradient_factor: T::from_f64(gradients.factor()),
                momentum: T::from_f64(self.options.momentum),
                decay: T::from_f64(present.decay),
                rate: T::from_f64(learning_rate),
            };
            let (value, next) = update.of(present, &parameter.value_snapshot(), gradient)?;
            values.push((parameter, value));
            velocities.push(next);
        }
        update_all(values)?;
        self.steps = self.steps.saturating_add(1);
        self.velocities = velocities;
        Ok(())
    }
}

/// The numbers of one step of one parameter.
struct Update<T> {
    gradient_factor: T,
    momentum: T,
    decay: T,
    rate: T,
}

impl<T: Element> Update<T> {
    /// The new value and velocity.
    fn of(
        &self,
        present: &Velocity<T>,
        value: &Tensor<T>,
        gradient: &Tensor<T>,
    ) -> Result<(Tensor<T>, Velocity<T>), OptimError> {
        let mut next_value = Tensor::unwritten(value.shape())?;
        let mut velocity = Tensor::unwritten(value.shape())?;
        let (p, u) = (next_value.as_mut_slice(), velocity.as_mut_slice());
        for range in chunks(gradient.len()) {
            let start = range.start;
            let [value, velocity, gradient] =
                [value, &present.values, gradient].map(|tensor| &tensor.as_slice()[range.clone()]);
            let (p, u) = (&mut p[range.clone()], &mut u[range]);
            let old = value.iter().zip(velocity).zip(gradient);
            for (((&value, &velocity), &gradient), (p, u)) in
                old.zip(p.iter_mut().zip(u.iter_mut()))
            {
                *u = self.momentum * velocity
                    + (self.gradient_factor * gradient + self.decay * value);
                *p = value - self.rate * *u;
            }
            let computed = [(Quantity::Velocity, &*u), (Quantity::Value, &*p)];
            check_chunk(
                &present.name,
                start,
                [(Quantity::Gradient, gradient)],
                computed,
            )?;
        }
        let next = Velocity {
            name: present.name.clone(),
            decay: present.decay,
            values: velocity,
        };
        Ok((next_value, next))
    }
}

#[cfg(test)]
mod tests;
