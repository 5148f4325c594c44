//! The gradient check of functions of a user's own.

use autodiff_core::GradcheckError;
use autodiff_ops::prelude::*;

fn tensor(shape: &[usize], values: &[f64]) -> Result<Tensor> {
    Ok(Tensor::from_vec(shape, values.to_vec())?)
}

/// The worked example's graph: `(xᵀ + bias)²`, averaged.
fn average(inputs: &[TensorValue]) -> Result<TensorValue> {
    let shifted = inputs[0]
        .reshape(&[3, 2])?
        .transpose(0, 1)?
        .add(&inputs[1])?;
    shifted.mul(&shifted)?.mean_axis(1, false)
}

fn inputs() -> Result<Vec<Tensor>> {
    Ok(vec![
        tensor(&[2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0])?,
        tensor(&[3], &[1.0, -1.0, 0.0])?,
    ])
}

#[test]
fn every_output_is_compared_in_every_coordinate() -> Result<(), GradcheckError> {
    let inputs = inputs().map_err(refused)?;
    let report = gradcheck(average, &inputs, GradcheckOptions::default())?;
    // 6 + 3 coordinates, 2 outputs.
    assert_eq!(report.coordinates.len(), 18);
    assert_eq!(report.output_shape, [2]);
    assert!(report.unreliable.is_empty());
    // x[0] moves output 0 only, by 2 (1 + 1) / 3.
    let first = &report.coordinates[0];
    assert_eq!(
        (first.input, first.index, first.output_index),
        (0, 0, Some(0))
    );
    assert!((first.analytic - 4.0 / 3.0).abs() < 1e-15);
    Ok(())
}

#[test]
fn a_sample_is_compared_and_nothing_else() -> Result<(), GradcheckError> {
    let inputs = inputs().map_err(refused)?;
    let options = GradcheckOptions::default().sample([vec![0, 1, 3, 5], vec![0, 1, 2]]);
    let report = gradcheck(average, &inputs, options)?;
    assert_eq!(report.coordinates.len(), (4 + 3) * 2);
    Ok(())
}

#[test]
fn a_sample_must_fit_the_inputs() -> Result<()> {
    let inputs = inputs()?;
    let with = |sample: Vec<Vec<usize>>| {
        let options = GradcheckOptions::default().name("average").sample(sample);
        gradcheck(average, &inputs, options).map_err(|error| error.to_string())
    };
    let expected = "average: sample, expected one list of flat indices for each of 2 inputs, got 1";
    assert_eq!(with(vec![vec![0]]), Err(expected.to_owned()));
    let expected = "average: sample of input 1, expected flat indices below 3, got 3";
    assert_eq!(with(vec![vec![0], vec![3]]), Err(expected.to_owned()));
    Ok(())
}

#[test]
fn a_gradient_that_is_cut_is_a_mismatch() -> Result<()> {
    let cut = |inputs: &[TensorValue]| inputs[0].mul(&inputs[0].detach());
    let x = tensor(&[1], &[3.0])?;
    let outcome = gradcheck(cut, &[x], GradcheckOptions::default().name("cut"));
    let Err(GradcheckError::Mismatch { coordinate, .. }) = outcome else {
        return Err(unexpected());
    };
    // The tape gives x = 3 for the derivative of x², which is 2 x = 6.
    assert_eq!(coordinate.analytic, 3.0);
    assert!((coordinate.numeric - 6.0).abs() < 1e-9);
    Ok(())
}

#[test]
fn a_large_output_is_weighted_by_a_random_cotangent() -> Result<(), GradcheckError> {
    let wide = |inputs: &[TensorValue]| inputs[0].mul(&inputs[0])?.broadcast_to(&[40, 3]);
    let x = tensor(&[3], &[0.3, -1.2, 2.0]).map_err(refused)?;
    let report = gradcheck(wide, &[x], GradcheckOptions::default())?;
    assert_eq!(report.coordinates.len(), 3);
    assert!(
        report
            .coordinates
            .iter()
            .all(|coordinate| coordinate.output_index.is_none())
    );
    Ok(())
}

#[test]
fn a_parameter_of_the_callers_keeps_its_gradient() -> Result<(), GradcheckError> {
    let weight = TensorValue::parameter(tensor(&[1], &[2.0]).map_err(refused)?).map_err(refused)?;
    let scaled = |inputs: &[TensorValue]| inputs[0].mul(&weight);
    let x = tensor(&[1], &[3.0]).map_err(refused)?;
    gradcheck(scaled, &[x], GradcheckOptions::default())?;
    assert_eq!(weight.gradient_snapshot(), tensor(&[1], &[0.0]).ok());
    Ok(())
}

#[test]
fn an_input_that_is_not_used_has_no_derivative() -> Result<(), GradcheckError> {
    let first = |inputs: &[TensorValue]| inputs[0].mul(&inputs[0]);
    let report = gradcheck(
        first,
        &inputs().map_err(refused)?,
        GradcheckOptions::default(),
    )?;
    let mut unused = report
        .coordinates
        .iter()
        .filter(|coordinate| coordinate.input == 1);
    assert!(unused.all(|coordinate| coordinate.analytic == 0.0 && coordinate.numeric == 0.0));
    Ok(())
}

#[test]
fn a_kink_is_reported_as_unreliable() -> Result<()> {
    let kinked = |inputs: &[TensorValue]| inputs[0].relu();
    let outcome = gradcheck(
        kinked,
        &[tensor(&[2], &[0.0, 1.0])?],
        GradcheckOptions::default(),
    );
    let expected = GradcheckError::Unreliable {
        function: "function".to_owned(),
        unreliable: 1,
        checked: 2,
        input: 0,
        index: 0,
    };
    assert_eq!(outcome, Err(expected));
    Ok(())
}

#[test]
fn a_refusal_of_the_function_is_passed_on() -> Result<()> {
    let refuses = |inputs: &[TensorValue]| inputs[0].reshape(&[5]);
    let outcome = gradcheck(
        refuses,
        &[tensor(&[2], &[0.0, 1.0])?],
        GradcheckOptions::default(),
    );
    assert!(matches!(outcome, Err(GradcheckError::Refused { .. })));
    Ok(())
}

fn refused(error: TensorAutodiffError) -> GradcheckError {
    GradcheckError::Refused {
        function: String::new(),
        error,
    }
}

fn unexpected() -> TensorAutodiffError {
    TensorAutodiffError::GradientBorrowed
}
