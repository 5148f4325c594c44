//! What the tables time: each made once for a size, then run with a clock.

use autodiff_ops::prelude::*;

use super::Parts;
use crate::DemoError;
use crate::bench::Clock;
use crate::bench::inputs::uniform;
use crate::bench::language_model::parameters_of;
use crate::model::{Family, Layers, ModelConfig, Parameters, gpt_layer};

const HEADS: usize = 4;
const WIDTH: usize = 128;

/// A computation of one size.
pub(super) trait Subject {
    /// An upper estimate of the memory that a size needs.
    fn bytes(size: usize) -> usize;

    /// Forward, backward and the end of the graph, each timed.
    fn run(&mut self, clock: Clock) -> Result<Parts, DemoError>;
}

/// Times a graph that `forward` makes and `backward` reverses; the graph is whole until it is dropped.
fn lap<T: Element>(
    clock: Clock,
    forward: impl FnOnce() -> Result<TensorValue<T>, DemoError>,
    seed: &Tensor<T>,
) -> Result<Parts, DemoError> {
    let start = clock.now()?;
    let output = forward()?;
    let made = clock.now()?;
    output.backward_with_seed(&seed.view(), GraphRetention::Retain)?;
    let reversed = clock.now()?;
    drop(output);
    let dropped = clock.now()?;
    Ok([made - start, reversed - made, dropped - reversed])
}

/// `x + s`, twice that, `- 2 s`, half of that, and again: after every fourth node `x`, whatever the length.
pub(super) struct Chain<T: Element> {
    nodes: usize,
    x: TensorValue<T>,
    shifts: [TensorValue<T>; 2],
    factors: [TensorValue<T>; 2],
    seed: Tensor<T>,
}

impl<T: Element> Chain<T> {
    pub(super) fn new(nodes: usize) -> Result<Self, DemoError> {
        let shift: Tensor<T> = uniform(2, &[4], 0.01)?;
        let back = shift.map(|s| s * T::from_f64(-2.0));
        let factor = |value| Tensor::full([4], T::from_f64(value)).and_then(TensorValue::constant);
        Ok(Self {
            nodes,
            x: TensorValue::parameter(uniform(1, &[4], 1.0)?)?,
            shifts: [TensorValue::constant(shift)?, TensorValue::constant(back)?],
            factors: [factor(2.0)?, factor(0.5)?],
            seed: Tensor::ones([4])?,
        })
    }

    fn forward(&self) -> Result<TensorValue<T>> {
        let mut y = self.x.clone();
        for node in 0..self.nodes {
            let pair = node / 2 % 2;
            y = match node % 2 {
                0 => y.add(&self.shifts[pair])?,
                _ => y.mul(&self.factors[pair])?,
            };
        }
        Ok(y)
    }
}

impl<T: Element> Subject for Chain<T> {
    fn bytes(size: usize) -> usize {
        // A node with its edges, its value and what it saved, and its place in the order of the pass.
        size.saturating_mul(1 << 9)
    }

    fn run(&mut self, clock: Clock) -> Result<Parts, DemoError> {
        self.x.zero_grad()?;
        lap(clock, || Ok(self.forward()?), &self.seed)
    }
}

/// The sum of `x w`, both parameters.
pub(super) struct Product<T: Element> {
    x: TensorValue<T>,
    w: TensorValue<T>,
}

impl<T: Element> Product<T> {
    pub(super) fn new(elements: usize) -> Result<Self, DemoError> {
        Ok(Self {
            x: TensorValue::parameter(uniform(1, &[elements], 1.0)?)?,
            w: TensorValue::parameter(uniform(2, &[elements], 1.0)?)?,
        })
    }
}

impl<T: Element> Subject for Product<T> {
    fn bytes(size: usize) -> usize {
        // Both values, their product, its adjoint, two contributions and the gradients before them.
        size.saturating_mul(8 * size_of::<T>())
    }

    fn run(&mut self, clock: Clock) -> Result<Parts, DemoError> {
        self.x.zero_grad()?;
        self.w.zero_grad()?;
        let forward = || Ok(self.x.mul(&self.w)?.sum_axis(0, false)?);
        lap(clock, forward, &Tensor::scalar(T::one()))
    }
}

/// Attention of every token to those before it.
pub(super) struct Attention<T: Element> {
    qkv: TensorValue<T>,
    seed: Tensor<T>,
}

impl<T: Element> Attention<T> {
    pub(super) fn new(tokens: usize) -> Result<Self, DemoError> {
        Ok(Self {
            qkv: TensorValue::parameter(uniform(1, &[1, tokens, 3 * WIDTH], 1.0)?)?,
            seed: uniform(2, &[1, tokens, WIDTH], 1.0)?,
        })
    }
}

impl<T: Element> Subject for Attention<T> {
    fn bytes(size: usize) -> usize {
        // Rows in and out, with adjoints, and a square of scores for every head, with adjoints.
        let row = 16 * WIDTH + 2 * HEADS * size;
        size.saturating_mul(row * size_of::<T>())
    }

    fn run(&mut self, clock: Clock) -> Result<Parts, DemoError> {
        self.qkv.zero_grad()?;
        let scale = 1.0 / ((WIDTH / HEADS) as f64).sqrt();
        let forward = || Ok(self_attention(&self.qkv, HEADS, scale, true)?);
        lap(clock, forward, &self.seed)
    }
}

/// One layer of a model of the GPT family, its parameters and its input differentiated.
pub(super) struct DecoderLayer<T: Element> {
    config: ModelConfig,
    owned: ParameterSet<T>,
    parameters: Parameters<TensorValue<T>>,
    x: TensorValue<T>,
    seed: Tensor<T>,
}

impl<T: Element> DecoderLayer<T> {
    pub(super) fn new(tokens: usize) -> Result<Self, DemoError> {
        let config = ModelConfig {
            vocabulary: 1,
            ..ModelConfig::usual(Family::Gpt, [1, HEADS, WIDTH, tokens])
        };
        let (owned, parameters) = parameters_of(&config)?;
        Ok(Self {
            config,
            owned,
            parameters,
            x: TensorValue::parameter(uniform(1, &[1, tokens, WIDTH], 1.0)?)?,
            seed: uniform(2, &[1, tokens, WIDTH], 1.0)?,
        })
    }
}

impl<T: Element> Subject for DecoderLayer<T> {
    fn bytes(size: usize) -> usize {
        // Fifteen widths a token beside attention, with adjoints; twelve squares of parameters, likewise.
        let elements = (size.saturating_mul(32 * WIDTH)).saturating_add(4 * 12 * WIDTH * WIDTH);
        Attention::<T>::bytes(size).saturating_add(elements.saturating_mul(size_of::<T>()))
    }

    fn run(&mut self, clock: Clock) -> Result<Parts, DemoError> {
        self.owned.zero_grad()?;
        self.x.zero_grad()?;
        let x = self.x.clone();
        let forward = || gpt_layer(&self.config, &self.parameters, 0, x, Layers::Kept);
        lap(clock, forward, &self.seed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_of_any_length_stays_where_it_began_and_has_slope_one() {
        let mut chain = Chain::<f32>::new(10_000).unwrap();
        let [start, end] = [
            chain.x.value_snapshot(),
            chain.forward().unwrap().value_snapshot(),
        ];
        for (&start, &end) in start.as_slice().iter().zip(end.as_slice()) {
            // The first cycle rounds twice, at most at 1.01; the later ones find the number unchanged.
            assert!((start - end).abs() <= 2.0 * f32::EPSILON, "{start} {end}");
        }
        chain.run(Clock::Wall).unwrap();
        let slope = Tensor::<f32>::ones([4]).unwrap();
        assert_eq!(chain.x.gradient_snapshot(), Some(slope));
    }

    #[test]
    fn every_run_begins_from_gradients_of_zero() {
        let mut product = Product::<f64>::new(3).unwrap();
        for _ in 0..2 {
            product.run(Clock::Wall).unwrap();
            let other = product.w.value_snapshot();
            assert_eq!(product.x.gradient_snapshot(), Some(other));
        }
    }

    #[test]
    fn a_layer_reaches_its_input_and_every_parameter_of_its_own() {
        let mut layer = DecoderLayer::<f64>::new(3).unwrap();
        layer.run(Clock::Wall).unwrap();
        let is_reached = |gradient: Option<Tensor>| {
            gradient.is_some_and(|gradient| gradient.as_slice().iter().any(|x| *x != 0.0))
        };
        assert!(is_reached(layer.x.gradient_snapshot()));
        for (name, parameter) in layer.owned.iter() {
            assert_eq!(
                is_reached(parameter.gradient_snapshot()),
                name.starts_with("h.0."),
                "{name}"
            );
        }
    }
}
