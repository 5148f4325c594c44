//! The concrete inputs of one draw, in `f64`.
//!
//! Invariant: every drawn value is exact in `f32`, so that all element types see the same inputs.

use super::draw::Draw;
use super::stream::Stream;
use super::values::{float_ranges, floats, index_at};
use crate::error::TensorError;
use crate::rule::{Call, Drawn, Input, InputSpec, Parameter, ParameterKind, Rule};
use crate::tensor::{Shape, Tensor};

/// One call of a rule with drawn inputs.
#[derive(Clone, Debug)]
pub(super) struct Sample {
    pub(super) call: Call<f64, Tensor<f64>>,
    /// The operand uses in the order of their edges.
    pub(super) uses: Vec<Use>,
    /// The seed of cotangents and directions.
    pub(super) values: u64,
    text: String,
}

/// One operand use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Use {
    /// The operand's name, and which entry of a variadic one.
    pub(super) name: String,
}

/// Why no inputs could be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub(super) enum SampleError {
    #[error("{parameter}: no index to draw from in {ranges:?}")]
    NoIndex {
        parameter: &'static str,
        ranges: Vec<(usize, usize)>,
    },
    #[error("the case gives {actual} inputs, expected {expected}")]
    Inputs { expected: usize, actual: usize },
    #[error("{parameter}: expected ranges that ascend by finite numbers, got {ranges:?}")]
    Range {
        parameter: &'static str,
        ranges: Vec<(f64, f64)>,
    },
    #[error(transparent)]
    Tensor(#[from] TensorError),
}

impl Sample {
    /// Builds the inputs of a draw, its extents lowered until the operands fit.
    pub(super) fn new(
        rule: &Rule,
        build: fn(&Drawn) -> Vec<InputSpec>,
        draw: &Draw,
    ) -> Result<Self, SampleError> {
        let specs = fitted(rule, build, draw);
        let (expected, actual) = (rule.parameters.len(), specs.len());
        if expected != actual {
            return Err(SampleError::Inputs { expected, actual });
        }
        let mut sample = Self {
            call: Call { inputs: Vec::new() },
            uses: Vec::new(),
            values: draw.values,
            text: String::new(),
        };
        for (position, (parameter, spec)) in rule.parameters.iter().zip(specs).enumerate() {
            // One stream a parameter: values stay as they are where another parameter shrinks.
            let mut stream = Stream::new(draw.values, 2 + position as u64);
            sample.push(parameter, spec, &mut stream)?;
        }
        Ok(sample)
    }

    fn push(
        &mut self,
        parameter: &Parameter,
        spec: InputSpec,
        stream: &mut Stream,
    ) -> Result<(), SampleError> {
        let name = parameter.name;
        let separator = if self.text.is_empty() { "" } else { ", " };
        self.text.push_str(separator);
        let (input, text) = match spec {
            InputSpec::Tensor { shape, ranges } => {
                let text = format!("{name}: {shape:?}");
                let ranges = float_ranges(name, ranges)?;
                let tensor = floats(shape, &ranges, stream)?;
                if parameter.kind == ParameterKind::Constant {
                    (Input::Constant(tensor), text)
                } else {
                    self.uses.push(Use {
                        name: name.to_owned(),
                    });
                    (Input::Operand(tensor), text)
                }
            }
            InputSpec::Tensors { shapes, ranges } => {
                let text = format!("{name}: {shapes:?}");
                let ranges = float_ranges(name, ranges)?;
                let mut tensors = Vec::with_capacity(shapes.len());
                for (entry, shape) in shapes.into_iter().enumerate() {
                    tensors.push(floats(shape, &ranges, stream)?);
                    self.uses.push(Use {
                        name: format!("{name}[{entry}]"),
                    });
                }
                (Input::Operands(tensors), text)
            }
            InputSpec::Absent => (Input::Absent, format!("{name}: none")),
            InputSpec::Indices { shape, ranges } => {
                let text = format!("{name}: {shape:?}");
                let total: usize = ranges
                    .iter()
                    .map(|(low, high)| high.saturating_sub(*low))
                    .sum();
                let entries = Shape::from(&shape).element_count()?;
                if total == 0 && entries > 0 {
                    return Err(SampleError::NoIndex {
                        parameter: name,
                        ranges,
                    });
                }
                let values = (0..entries)
                    .map(|_| index_at(&ranges, stream.below(total)))
                    .collect();
                (Input::Indices(Tensor::from_vec(shape, values)?), text)
            }
            InputSpec::Mask { shape } => {
                let text = format!("{name}: {shape:?}");
                let entries = Shape::from(&shape).element_count()?;
                let values = (0..entries).map(|_| stream.next() & 1 == 0).collect();
                (Input::Mask(Tensor::from_vec(shape, values)?), text)
            }
            InputSpec::Argument(value) => {
                let text = format!("{name} = {value}");
                (Input::Argument(value), text)
            }
        };
        self.call.inputs.push(input);
        self.text.push_str(&text);
        Ok(())
    }

    /// The operands in the order of their uses.
    pub(super) fn operands(&self) -> Vec<Tensor<f64>> {
        let mut operands = Vec::with_capacity(self.uses.len());
        for input in &self.call.inputs {
            match input {
                Input::Operand(tensor) => operands.push(tensor.clone()),
                Input::Operands(tensors) => operands.extend(tensors.iter().cloned()),
                _ => {}
            }
        }
        operands
    }

    /// Each parameter with its shape or value.
    pub(super) fn describe(&self) -> &str {
        &self.text
    }

    /// The name of an operand use.
    pub(super) fn name(&self, operand: usize) -> String {
        self.uses
            .get(operand)
            .map(|used| used.name.clone())
            .unwrap_or_default()
    }
}

/// The case's inputs with the largest extent lowered until the operands have no more entries than asked.
fn fitted(rule: &Rule, build: fn(&Drawn) -> Vec<InputSpec>, draw: &Draw) -> Vec<InputSpec> {
    let mut drawn = draw.drawn.clone();
    loop {
        let specs = build(&drawn);
        if operand_entries(rule, &specs) <= draw.entries {
            return specs;
        }
        let extents = drawn.extents.iter_mut().chain(&mut drawn.any_shape);
        match extents.max().filter(|extent| **extent > 1) {
            Some(extent) => *extent -= 1,
            None => return specs,
        }
    }
}

fn operand_entries(rule: &Rule, specs: &[InputSpec]) -> usize {
    let entries = |shape: &Vec<usize>| shape.iter().copied().fold(1, usize::saturating_mul);
    let of_spec = |(parameter, spec): (&Parameter, &InputSpec)| match spec {
        InputSpec::Tensor { shape, .. } if parameter.kind != ParameterKind::Constant => {
            entries(shape)
        }
        InputSpec::Tensors { shapes, .. } => {
            shapes.iter().map(entries).fold(0, usize::saturating_add)
        }
        _ => 0,
    };
    rule.parameters
        .iter()
        .zip(specs)
        .map(of_spec)
        .fold(0, usize::saturating_add)
}
