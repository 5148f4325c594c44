//! The concrete inputs of one draw, in `f64`.
//!
//! Invariant: every drawn value is exact in `f32`, so that all element types see the same inputs.

use std::fmt::Write;

use super::draw::Draw;
use super::stream::Stream;
use crate::error::TensorError;
use crate::rule::{Call, Drawn, Input, InputSpec, Parameter, ParameterKind, Rule};
use crate::tensor::Tensor;

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
    #[error("{parameter}: expected ranges that ascend, got {ranges:?}")]
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
                let entries = crate::tensor::Shape::from(&shape).element_count()?;
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
                let entries = crate::tensor::Shape::from(&shape).element_count()?;
                let values = (0..entries).map(|_| stream.next() & 1 == 0).collect();
                (Input::Mask(Tensor::from_vec(shape, values)?), text)
            }
            InputSpec::Argument(value) => {
                let text = format!("{name} = {value}");
                (Input::Argument(value), text)
            }
        };
        self.call.inputs.push(input);
        // Writing to a `String` cannot fail.
        let _ = self.text.write_str(&text);
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

/// The ranges of a case, or -2 to 2 where it names none.
fn float_ranges(
    parameter: &'static str,
    ranges: Vec<(f64, f64)>,
) -> Result<Vec<(f64, f64)>, SampleError> {
    if ranges.is_empty() {
        return Ok(vec![(-2.0, 2.0)]);
    }
    // Equal values would hide almost any fault, so an empty range is not drawn from.
    match ranges.iter().all(|(low, high)| low < high) {
        true => Ok(ranges),
        false => Err(SampleError::Range { parameter, ranges }),
    }
}

fn floats(
    shape: Vec<usize>,
    ranges: &[(f64, f64)],
    stream: &mut Stream,
) -> Result<Tensor<f64>, TensorError> {
    let entries = crate::tensor::Shape::from(&shape).element_count()?;
    let values = (0..entries).map(|_| float_in(ranges, stream)).collect();
    Tensor::from_vec(shape, values)
}

/// A number in one of the ranges, the wider the likelier.
fn float_in(ranges: &[(f64, f64)], stream: &mut Stream) -> f64 {
    let total: f64 = ranges.iter().map(|(low, high)| high - low).sum();
    let mut position = stream.unit() * total;
    for (low, high) in ranges {
        if position < high - low {
            let value = low + position;
            let rounded = f64::from(value as f32);
            // Rounding can leave the range only by one step at its edge.
            return if (*low..*high).contains(&rounded) {
                rounded
            } else {
                value
            };
        }
        position -= high - low;
    }
    ranges.first().map_or(0.0, |(low, _)| *low)
}

fn index_at(ranges: &[(usize, usize)], mut position: usize) -> usize {
    for (low, high) in ranges {
        let width = high.saturating_sub(*low);
        if position < width {
            return low + position;
        }
        position -= width;
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_lie_in_their_ranges_and_are_exact_in_f32() {
        let ranges = [(-2.0, -0.1), (0.1, 2.0)];
        let mut stream = Stream::new(3, 0);
        let numbers: Vec<f64> = (0..1000).map(|_| float_in(&ranges, &mut stream)).collect();
        assert!(
            numbers
                .iter()
                .all(|x| (0.1..2.0).contains(&x.abs()) || *x == -2.0)
        );
        assert!(numbers.iter().all(|x| f64::from(*x as f32) == *x));
        assert!(numbers.iter().any(|x| *x < 0.0) && numbers.iter().any(|x| *x > 0.0));
    }

    #[test]
    fn a_case_without_a_range_has_one_and_an_empty_range_is_refused() {
        assert_eq!(float_ranges("x", vec![]), Ok(vec![(-2.0, 2.0)]));
        let ranges = vec![(1.0, 1.0)];
        assert_eq!(
            float_ranges("x", ranges.clone()),
            Err(SampleError::Range {
                parameter: "x",
                ranges
            })
        );
    }

    #[test]
    fn positions_run_through_all_index_ranges() {
        let all: Vec<_> = (0..5)
            .map(|position| index_at(&[(0, 2), (7, 10)], position))
            .collect();
        assert_eq!(all, [0, 1, 7, 8, 9]);
    }
}
