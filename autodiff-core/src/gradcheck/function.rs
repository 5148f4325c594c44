//! The gradient check of any function on the tape.

use super::numeric::{derivative, largest};
use super::outcome::{Coordinate, GradcheckError, GradcheckOptions, GradcheckReport};
use super::stream::Stream;
use crate::error::TensorAutodiffError;
use crate::tape::{TensorValue, adjoints};
use crate::tensor::Tensor;

/// Outputs of up to so many entries are differentiated entry by entry: a weighted sum of a mostly zero
/// Jacobian can hide a wrong entry. Larger ones are weighted by a random cotangent.
const SEPARATE_OUTPUTS: usize = 64;

/// What trusted differences may be off beyond their own estimate, as a part of the entry (the steps
/// agree to 1e-6 and the smaller one errs 16 times less) and of the largest one of its kind.
const RELATIVE: f64 = 1e-7;
const OF_LARGEST: f64 = 1e-9;

/// Compares the gradient of `f` at `inputs` with central differences.
///
/// The inputs become parameters of a fresh tape. All coordinates are checked, or a chosen sample of flat
/// indices. Every entry of an output of at most 64 entries is differentiated on its own; a larger output
/// is weighted by a random cotangent. Steps adapt to kinks nearby; where no step can be trusted the
/// coordinate is reported as unreliable, at most one in ten. Numbers of fewer bits than `f64` are checked
/// after [`Tensor::cast`], since their own differences would show nothing.
///
/// ```
/// use autodiff_core::prelude::*;
///
/// # fn main() -> Result<(), GradcheckError> {
/// let x = Tensor::scalar(0.7);
/// let report = gradcheck(|inputs| Ok(inputs[0].clone()), &[x], GradcheckOptions::default())?;
/// assert_eq!(report.coordinates.len(), 1);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// [`GradcheckError::SampleInputs`] and [`GradcheckError::SampleIndex`]; `Refused` where the function or
/// a reverse pass over it returns an error; `Nondeterministic` where two runs differ, before anything is
/// differentiated; `NothingToCheck`; `NondeterministicGradient`; `Mismatch` at the first derivative that disagrees;
/// `Unreliable`.
pub fn gradcheck<F>(
    f: F,
    inputs: &[Tensor<f64>],
    options: GradcheckOptions,
) -> Result<GradcheckReport, GradcheckError>
where
    F: Fn(&[TensorValue<f64>]) -> Result<TensorValue<f64>, TensorAutodiffError>,
{
    let coordinates = options.coordinates(inputs)?;
    let checked = Checked { f, inputs, options };
    let (leaves, output) = checked.run()?;
    let center = output.value_snapshot();
    checked.repeats(&center)?;
    if coordinates.is_empty() || center.is_empty() {
        return Err(GradcheckError::NothingToCheck {
            function: checked.options.name,
            coordinates: coordinates.len(),
            output_shape: center.shape().to_vec(),
        });
    }
    let cotangents = checked.cotangents(&center);
    let gradients = checked.gradients(&leaves, &output, &cotangents)?;
    let mut report = GradcheckReport {
        function: checked.options.name.clone(),
        seed: checked.options.seed,
        output_shape: center.shape().to_vec(),
        coordinates: Vec::new(),
        unreliable: Vec::new(),
    };
    for &(input, index) in &coordinates {
        let Some((values, uncertainty)) = checked.numeric(&center, &cotangents, input, index)
        else {
            report.unreliable.push((input, index));
            continue;
        };
        let scale = largest(&values);
        for ((output_index, _), (gradient, numeric)) in
            cotangents.iter().zip(gradients.iter().zip(values))
        {
            let analytic = gradient
                .get(input)
                .and_then(|gradient| gradient.as_slice().get(index));
            let coordinate = Coordinate {
                input,
                index,
                output_index: *output_index,
                analytic: analytic.copied().unwrap_or(f64::NAN),
                numeric,
                tolerance: uncertainty + RELATIVE * numeric.abs() + OF_LARGEST * scale,
            };
            // Written so that a NaN is a mismatch.
            let agrees = (coordinate.analytic - numeric).abs() <= coordinate.tolerance;
            if !agrees {
                return Err(GradcheckError::Mismatch {
                    function: report.function,
                    coordinate,
                    seed: report.seed,
                });
            }
            report.coordinates.push(coordinate);
        }
    }
    match report.unreliable.first() {
        Some(&(input, index)) if report.unreliable.len() * 10 > coordinates.len() => {
            Err(GradcheckError::Unreliable {
                function: report.function,
                unreliable: report.unreliable.len(),
                checked: coordinates.len(),
                input,
                index,
            })
        }
        _ => Ok(report),
    }
}

/// A cotangent of the output, and the one entry it is for if there is one.
type Cotangent = (Option<usize>, Tensor<f64>);

struct Checked<'a, F> {
    f: F,
    inputs: &'a [Tensor<f64>],
    options: GradcheckOptions,
}

impl<F> Checked<'_, F>
where
    F: Fn(&[TensorValue<f64>]) -> Result<TensorValue<f64>, TensorAutodiffError>,
{
    fn refused(&self, error: TensorAutodiffError) -> GradcheckError {
        GradcheckError::Refused {
            function: self.options.name.clone(),
            error,
        }
    }

    fn evaluate(
        &self,
        inputs: &[Tensor<f64>],
    ) -> Result<(Vec<TensorValue<f64>>, TensorValue<f64>), TensorAutodiffError> {
        let leaves = inputs.iter().cloned().map(TensorValue::parameter);
        let leaves = leaves.collect::<Result<Vec<_>, _>>()?;
        let output = (self.f)(&leaves)?;
        Ok((leaves, output))
    }

    fn run(&self) -> Result<(Vec<TensorValue<f64>>, TensorValue<f64>), GradcheckError> {
        self.evaluate(self.inputs)
            .map_err(|error| self.refused(error))
    }

    /// Fails where a second run gives other bits.
    fn repeats(&self, center: &Tensor<f64>) -> Result<(), GradcheckError> {
        let again = self.run()?.1.value_snapshot();
        let function = self.options.name.clone();
        if again.shape() != center.shape() {
            return Err(GradcheckError::NondeterministicShape {
                function,
                first: center.shape().to_vec(),
                second: again.shape().to_vec(),
            });
        }
        match first_difference(center, &again) {
            None => Ok(()),
            Some((index, first, second)) => Err(GradcheckError::Nondeterministic {
                function,
                index,
                first,
                second,
            }),
        }
    }

    fn cotangents(&self, center: &Tensor<f64>) -> Vec<Cotangent> {
        let with = |entry: usize| {
            let mut cotangent = center.map(|_| 0.0);
            if let Some(value) = cotangent.as_mut_slice().get_mut(entry) {
                *value = 1.0;
            }
            (Some(entry), cotangent)
        };
        if center.len() <= SEPARATE_OUTPUTS {
            return (0..center.len()).map(with).collect();
        }
        let mut stream = Stream::new(self.options.seed, 40);
        let mut cotangent = center.clone();
        cotangent.as_mut_slice().fill_with(|| stream.signed());
        vec![(None, cotangent)]
    }

    /// The gradients of all inputs, for each cotangent; from one tape, and once more from another.
    fn gradients(
        &self,
        leaves: &[TensorValue<f64>],
        output: &TensorValue<f64>,
        cotangents: &[Cotangent],
    ) -> Result<Vec<Vec<Tensor<f64>>>, GradcheckError> {
        let (other_leaves, other_output) = self.run()?;
        let mut gradients = Vec::with_capacity(cotangents.len());
        for (_, cotangent) in cotangents {
            let first = self.pass(leaves, output, cotangent)?;
            let second = self.pass(&other_leaves, &other_output, cotangent)?;
            for (input, (first, second)) in first.iter().zip(&second).enumerate() {
                if let Some((index, first, second)) = first_difference(first, second) {
                    return Err(GradcheckError::NondeterministicGradient {
                        function: self.options.name.clone(),
                        input,
                        index,
                        first,
                        second,
                    });
                }
            }
            gradients.push(first);
        }
        Ok(gradients)
    }

    fn pass(
        &self,
        leaves: &[TensorValue<f64>],
        output: &TensorValue<f64>,
        cotangent: &Tensor<f64>,
    ) -> Result<Vec<Tensor<f64>>, GradcheckError> {
        // No stored gradient is touched: the function may use parameters of the caller's.
        let reached = adjoints(output, cotangent.clone()).map_err(|error| self.refused(error))?;
        let of_leaf = |leaf: &TensorValue<f64>| {
            let found = reached.iter().find(|(node, _)| leaf.is_of(node));
            found.map_or_else(|| leaf.value().map(|_| 0.0), |(_, adjoint)| adjoint.clone())
        };
        Ok(leaves.iter().map(of_leaf).collect())
    }

    /// The derivative in one coordinate, for each cotangent.
    fn numeric(
        &self,
        center: &Tensor<f64>,
        cotangents: &[Cotangent],
        input: usize,
        index: usize,
    ) -> Option<(Vec<f64>, f64)> {
        let value = self.inputs.get(input)?;
        let magnitude = value.as_slice().get(index)?.abs();
        let found = derivative(center.as_slice(), magnitude, |step| {
            let mut moved = self.inputs.to_vec();
            *moved.get_mut(input)?.as_mut_slice().get_mut(index)? += step;
            let (_, output) = self.evaluate(&moved).ok()?;
            Some(output.value_snapshot().to_vec())
        })?;
        let weighted = |(entry, cotangent): &Cotangent| match entry {
            Some(entry) => found.values.get(*entry).copied().unwrap_or(f64::NAN),
            None => found
                .values
                .iter()
                .zip(cotangent.as_slice())
                .map(|(slope, weight)| slope * weight)
                .sum(),
        };
        // A weighted sum is off by what its terms are off together.
        let terms = if center.len() <= SEPARATE_OUTPUTS {
            1.0
        } else {
            1.5 * center.len() as f64
        };
        Some((
            cotangents.iter().map(weighted).collect(),
            found.uncertainty * terms,
        ))
    }
}

fn first_difference(first: &Tensor<f64>, second: &Tensor<f64>) -> Option<(usize, f64, f64)> {
    let pairs = first.as_slice().iter().zip(second.as_slice()).enumerate();
    pairs
        .map(|(index, (first, second))| (index, *first, *second))
        .find(|(_, first, second)| first.to_bits() != second.to_bits())
}
