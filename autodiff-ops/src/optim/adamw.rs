//! Adam with decoupled weight decay.

use autodiff_core::prelude::*;
use autodiff_core::tensor::{Rows, for_each_part, try_for_each_part};

use super::error::{OptimError, Quantity};
use super::gradients::Gradients;
use super::parameters::ParameterSet;
use super::transaction::{CHUNK, by_name, check_chunk, check_shape, check_step};

/// The constants of [`AdamW`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AdamWOptions {
    /// How much of the running mean of gradients a step keeps, in `0..1`.
    pub beta1: f64,
    /// How much of the running mean of squared gradients a step keeps, in `0..1`.
    pub beta2: f64,
    /// What is added to the root of the second moment.
    pub eps: f64,
}

impl Default for AdamWOptions {
    fn default() -> Self {
        Self {
            beta1: 0.9,
            beta2: 0.999,
            eps: 1e-8,
        }
    }
}

/// The running means of one parameter.
#[derive(Clone, Debug)]
pub struct Moments<T: Element = f64> {
    name: String,
    decay: f64,
    first: Tensor<T>,
    second: Tensor<T>,
}

impl<T: Element> Moments<T> {
    /// The parameter.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The parameter's weight decay.
    #[must_use]
    pub fn decay(&self) -> f64 {
        self.decay
    }

    /// The running mean of gradients, `m`.
    #[must_use]
    pub fn first(&self) -> &Tensor<T> {
        &self.first
    }

    /// The running mean of squared gradients, `v`.
    #[must_use]
    pub fn second(&self) -> &Tensor<T> {
        &self.second
    }
}

/// Adam with decoupled weight decay and bias correction: at step `t = 1, 2, ..`
///
/// `m = β₁ m + (1 - β₁) g`, `v = β₂ v + (1 - β₂) g²`,
/// `p = p (1 - rate decay) - rate (m / (1 - β₁ᵗ)) / (sqrt(v / (1 - β₂ᵗ)) + eps)`.
#[derive(Clone, Debug)]
pub struct AdamW<T: Element = f64> {
    options: AdamWOptions,
    steps: usize,
    moments: Vec<Moments<T>>,
}

impl<T: Element> AdamW<T> {
    /// An optimiser of these parameters, with moments of zero and the decay that `decay(name, shape)`
    /// gives to each: see [`decay_matrices`](super::decay_matrices).
    ///
    /// # Errors
    /// `Option` for a constant outside its domain.
    pub fn new(
        parameters: &ParameterSet<T>,
        options: AdamWOptions,
        decay: impl Fn(&str, &[usize]) -> f64,
    ) -> Result<Self, OptimError> {
        let AdamWOptions { beta1, beta2, eps } = options;
        for (option, beta) in [("beta1", beta1), ("beta2", beta2)] {
            let is_right = (0.0..1.0).contains(&beta);
            OptimError::check(is_right, option, "a number of at least 0 and below 1", beta)?;
        }
        OptimError::check_rate("eps", eps)?;
        let mut moments = Vec::with_capacity(parameters.len());
        for (name, parameter) in parameters.iter() {
            let shape = parameter.shape();
            let decay = decay(name, &shape);
            OptimError::check_rate("decay", decay)?;
            let zeros = Tensor::zeros(shape)?;
            moments.push(Moments {
                name: name.to_owned(),
                decay,
                first: zeros.clone(),
                second: zeros,
            });
        }
        Ok(Self {
            options,
            steps: 0,
            moments,
        })
    }

    /// The constants.
    #[must_use]
    pub fn options(&self) -> AdamWOptions {
        self.options
    }

    /// The steps taken.
    #[must_use]
    pub fn step_count(&self) -> usize {
        self.steps
    }

    /// The moments of all parameters, in their order.
    #[must_use]
    pub fn moments(&self) -> &[Moments<T>] {
        &self.moments
    }

    /// Continues where another optimiser of the same parameters was: `moments` gives the first and the
    /// second moment by name, in any order.
    ///
    /// # Errors
    /// `ParameterMismatch` where a parameter has no moments or moments no parameter, `DuplicateName`,
    /// `ShapeMismatch`, `NonFinite`, `Negative` for a second moment; nothing has been restored then.
    pub fn restore(
        &mut self,
        step_count: usize,
        moments: impl IntoIterator<Item = (String, Tensor<T>, Tensor<T>)>,
    ) -> Result<(), OptimError> {
        let moments = moments
            .into_iter()
            .map(|(name, first, second)| (name, (first, second)));
        let given = by_name(self.moments.iter().map(Moments::name), moments)?;
        let mut restored = Vec::with_capacity(self.moments.len());
        for (present, (first, second)) in self.moments.iter().zip(given) {
            let name = &present.name;
            for (quantity, values) in [
                (Quantity::FirstMoment, &first),
                (Quantity::SecondMoment, &second),
            ] {
                check_shape(name, quantity, present.first.shape(), values)?;
                OptimError::check_finite(name, quantity, values)?;
            }
            OptimError::check_not_negative(name, Quantity::SecondMoment, &second)?;
            restored.push(Moments {
                name: name.clone(),
                decay: present.decay,
                first,
                second,
            });
        }
        self.steps = step_count;
        self.moments = restored;
        Ok(())
    }

    /// Replaces the values of all parameters by those of the next step.
    ///
    /// # Errors
    /// `NonFinite` naming the parameter whose gradient, moment or new value is not; `ParameterMismatch` and
    /// `ShapeMismatch` where gradients or parameters are not those of this optimiser; `Option` for a
    /// learning rate that is negative or not finite; `Tape` while a value is being read. On every error
    /// parameters and optimiser are as before.
    pub fn step(
        &mut self,
        parameters: &ParameterSet<T>,
        gradients: &Gradients<T>,
        learning_rate: f64,
    ) -> Result<(), OptimError> {
        OptimError::check_rate("learning_rate", learning_rate)?;
        check_step(
            parameters,
            gradients,
            self.moments.iter().map(Moments::name),
        )?;
        let steps = self.steps.saturating_add(1);
        let (options, factor) = (self.options, gradients.factor());
        let update = |decay| Update::new(options, steps, learning_rate, decay, factor);
        let entries = parameters.iter().zip(gradients.iter()).zip(&self.moments);
        let values = entries.map(|(((_, parameter), (_, gradient)), moments)| {
            let value = parameter.value_snapshot();
            let next = update(moments.decay).value(moments, &value, gradient)?;
            Ok((parameter, next))
        });
        update_all(values.collect::<Result<Vec<_>, OptimError>>()?)?;
        // Found finite above, where they gave the values; now that nothing can fail, they are stored.
        for (moments, (_, gradient)) in self.moments.iter_mut().zip(gradients.iter()) {
            update(moments.decay).advance(moments, gradient);
        }
        self.steps = steps;
        Ok(())
    }
}

/// The numbers of one step of one parameter.
struct Update<T> {
    gradient_factor: T,
    keep1: T,
    take1: T,
    keep2: T,
    take2: T,
    keep_value: T,
    rate: T,
    inverse_bias2: T,
    eps: T,
}

impl<T: Element> Update<T> {
    fn new(
        options: AdamWOptions,
        steps: usize,
        learning_rate: f64,
        decay: f64,
        factor: f64,
    ) -> Self {
        let AdamWOptions { beta1, beta2, eps } = options;
        let bias = |beta: f64| 1.0 - beta.powf(steps as f64);
        Self {
            gradient_factor: T::from_f64(factor),
            keep1: T::from_f64(beta1),
            take1: T::from_f64(1.0 - beta1),
            keep2: T::from_f64(beta2),
            take2: T::from_f64(1.0 - beta2),
            keep_value: T::from_f64(1.0 - learning_rate * decay),
            rate: T::from_f64(learning_rate / bias(beta1)),
            inverse_bias2: T::from_f64(1.0 / bias(beta2)),
            eps: T::from_f64(eps),
        }
    }

    /// The new moments of one element.
    #[inline(always)]
    fn moments(&self, first: T, second: T, gradient: T) -> (T, T) {
        let g = self.gradient_factor * gradient;
        (
            self.keep1 * first + self.take1 * g,
            self.keep2 * second + self.take2 * (g * g),
        )
    }

    /// The new value, found finite like the moments that it follows from.
    fn value(
        &self,
        present: &Moments<T>,
        value: &Tensor<T>,
        gradient: &Tensor<T>,
    ) -> Result<Tensor<T>, OptimError> {
        let mut next = Tensor::unwritten(value.shape())?;
        let read = [value, &present.first, &present.second, gradient].map(Tensor::as_slice);
        let rows = Rows {
            values: next.as_mut_slice(),
            width: 1,
        };
        try_for_each_part(
            rows,
            gradient.len(),
            4,
            #[inline(always)]
            |range, part| {
                let (mut m, mut v) = ([T::zero(); CHUNK], [T::zero(); CHUNK]);
                for (index, p) in part.values.chunks_mut(CHUNK).enumerate() {
                    let start = range.start + index * CHUNK;
                    let (m, v) = (&mut m[..p.len()], &mut v[..p.len()]);
                    let [value, first, second, gradient] =
                        read.map(|values| &values[start..start + p.len()]);
                    let moments = m.iter_mut().zip(v.iter_mut());
                    let old = first.iter().zip(second).zip(gradient);
                    for ((m, v), ((&first, &second), &gradient)) in moments.zip(old) {
                        (*m, *v) = self.moments(first, second, gradient);
                    }
                    let moments = m.iter().zip(v.iter());
                    for ((p, &value), (&m, &v)) in p.iter_mut().zip(value).zip(moments) {
                        let root = (v * self.inverse_bias2).sqrt();
                        *p = self.keep_value * value - self.rate * m / (root + self.eps);
                    }
                    let computed = [
                        (Quantity::FirstMoment, &*m),
                        (Quantity::SecondMoment, &*v),
                        (Quantity::Value, &*p),
                    ];
                    let given = [(Quantity::Gradient, gradient)];
                    check_chunk(&present.name, start, given, computed)?;
                }
                Ok::<(), OptimError>(())
            },
        )?;
        Ok(next)
    }

    /// Replaces the moments.
    fn advance(&self, moments: &mut Moments<T>, gradient: &Tensor<T>) {
        let gradient = gradient.as_slice();
        let parts = [&mut moments.first, &mut moments.second].map(|values| Rows {
            values: values.as_mut_slice(),
            width: 1,
        });
        let [first, second] = parts;
        for_each_part(
            (first, second),
            gradient.len(),
            3,
            #[inline(always)]
            |range, (first, second)| {
                let places = first.values.iter_mut().zip(second.values);
                for ((first, second), &gradient) in places.zip(&gradient[range]) {
                    (*first, *second) = self.moments(*first, *second, gradient);
                }
            },
        );
    }
}

#[cfg(test)]
mod tests;
