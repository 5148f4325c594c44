//! One case from its inputs to its gradients.

use autodiff_ops::prelude::*;

use super::{
    Bound, Call, Case, Fault, Worst, elementwise, graph, index, linalg, nn, reduce, shape, worst,
};

/// Calls an operation by its name in the cases.
///
/// # Errors
/// [`Fault::UnknownOperation`]; [`Fault::Input`] or [`Fault::Attribute`] where the case does not fit the
/// operation; [`Fault::Autodiff`] where the operation refuses.
pub fn call<T: Element>(call: &Call<'_, T>) -> Result<TensorValue<T>, Fault> {
    for family in [
        elementwise::call,
        index::call,
        linalg::call,
        nn::call,
        reduce::call,
        shape::call,
    ] {
        if let Some(output) = family(call)? {
            return Ok(output);
        }
    }
    Err(Fault::UnknownOperation(call.op.to_owned()))
}

/// Builds the operation or the graph of a case over inputs that are bound already.
///
/// # Errors
/// As for [`call`].
pub fn evaluate<T: Element>(case: &Case, inputs: &[Bound<T>]) -> Result<TensorValue<T>, Fault> {
    if case.op == "graph" {
        let names = case.inputs.iter().map(|input| input.name.clone());
        return graph::build(&case.attributes, names.zip(inputs.iter().cloned()));
    }
    call(&Call {
        op: &case.op,
        inputs: inputs.to_vec(),
        attributes: &case.attributes,
    })
}

/// Runs a case forward and back, and gives its largest error.
///
/// # Errors
/// As for [`call`]; [`Fault::Shape`] or [`Fault::Value`] where the output or a gradient differs;
/// [`Fault::Gradients`] where the case has not exactly one gradient for each differentiated input.
pub fn run<T: Element>(case: &Case, tolerance: f64) -> Result<Worst, Fault> {
    let inputs: Vec<_> = case
        .inputs
        .iter()
        .map(Bound::<T>::of)
        .collect::<Result<_, _>>()?;
    let output = evaluate(case, &inputs)?;
    let expected = &case.output;
    let mut found = worst(
        "output",
        &output.value(),
        &expected.shape,
        &expected.values,
        tolerance,
    )?;

    let seed = case
        .upstream
        .values
        .iter()
        .map(|&value| T::from_f64(value))
        .collect();
    let seed = Tensor::from_vec(case.upstream.shape.as_slice(), seed)?;
    output.backward_with_seed(&seed.view(), GraphRetention::Release)?;

    let named = case.inputs.iter().zip(&inputs);
    let tensors: Vec<_> = named
        .filter_map(|(input, bound)| match bound {
            Bound::Tensor(value) => Some((&input.name, value)),
            _ => None,
        })
        .collect();
    let differentiated = tensors.iter().map(|(name, _)| name.as_str());
    if !differentiated.eq(case
        .gradients
        .iter()
        .map(|gradient| gradient.operand.as_str()))
    {
        return Err(Fault::Gradients {
            expected: tensors.iter().map(|(name, _)| (*name).clone()).collect(),
            actual: case
                .gradients
                .iter()
                .map(|gradient| gradient.operand.clone())
                .collect(),
        });
    }
    for (gradient, (_, value)) in case.gradients.iter().zip(tensors) {
        let what = format!("gradient of {}", gradient.operand);
        let Some(stored) = value.gradient_snapshot() else {
            continue;
        };
        let compared = worst(&what, &stored, &gradient.shape, &gradient.values, tolerance)?;
        if compared.error > found.error {
            found = compared;
        }
    }
    Ok(found)
}
