//! Second order: the tape on dual numbers (forward over reverse) against reference Hessian products.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test reports by panicking"
)]

use std::fs;
use std::path::Path;

use autodiff_ops::prelude::*;
use serde::Deserialize;
use tests::oracle::{Bound, Case, Dtype, Gradient, Input, Values, evaluate, worst};

#[derive(Deserialize)]
struct File {
    cases: Vec<SecondOrder>,
}

/// A case with a direction for each input, and the derivatives along it.
#[derive(Deserialize)]
struct SecondOrder {
    #[serde(flatten)]
    case: Case,
    directions: Vec<Gradient>,
    jvp: Values,
    hvp: Vec<Gradient>,
    grad_of_grad_norm_sq: Vec<Gradient>,
}

/// As for first derivatives; second ones cancel no more than those.
const TOLERANCE: f64 = 1e-12;

fn assert_close(name: &str, actual: &Tensor, expected: &Gradient) {
    let compared = worst(
        &expected.operand,
        actual,
        &expected.shape,
        &expected.values,
        TOLERANCE,
    );
    assert!(compared.is_ok(), "{name}: {compared:?}");
}

/// Runs a case on dual numbers whose tangents are `directions`: the output and every input's gradient.
fn along(case: &Case, directions: &[Gradient]) -> (Tensor<Dual>, Vec<Tensor<Dual>>) {
    let mut directions = directions.iter();
    let bind = |input: &Input| match input.dtype {
        Dtype::F64 => {
            let direction = directions.next().unwrap();
            assert_eq!(direction.operand, input.name);
            let pairs = input.values.iter().zip(&direction.values);
            let values = pairs
                .map(|(&value, &tangent)| Dual { value, tangent })
                .collect();
            let values = Tensor::from_vec(input.shape.as_slice(), values).unwrap();
            Bound::Tensor(TensorValue::parameter(values).unwrap())
        }
        _ => Bound::of(input).unwrap(),
    };
    let inputs: Vec<Bound<Dual>> = case.inputs.iter().map(bind).collect();
    let output = evaluate(case, &inputs).unwrap();
    let seed = case
        .upstream
        .values
        .iter()
        .map(|&value| Dual {
            value,
            tangent: 0.0,
        })
        .collect();
    let seed = Tensor::from_vec(case.upstream.shape.as_slice(), seed).unwrap();
    output
        .backward_with_seed(&seed.view(), GraphRetention::Release)
        .unwrap();
    let gradients = inputs.iter().filter_map(|input| match input {
        Bound::Tensor(value) => value.gradient_snapshot(),
        _ => None,
    });
    (output.value_snapshot(), gradients.collect())
}

fn tangents(tensor: &Tensor<Dual>) -> Tensor {
    tensor.map(|dual| dual.tangent)
}

fn agrees(second: &SecondOrder) {
    let case = &second.case;
    let name = &case.name;
    let (output, gradients) = along(case, &second.directions);
    let jvp = Gradient {
        operand: "jvp".to_owned(),
        shape: second.jvp.shape.clone(),
        values: second.jvp.values.clone(),
    };
    assert_close(name, &tangents(&output), &jvp);
    assert_eq!(
        [gradients.len(); 2],
        [case.gradients.len(), second.hvp.len()]
    );
    for ((first, product), gradient) in case.gradients.iter().zip(&second.hvp).zip(&gradients) {
        assert_close(name, &gradient.map(|dual| dual.value), first);
        assert_close(name, &tangents(gradient), product);
    }
    // The gradient of Σ |g|² is 2 H g: twice the product along the gradient itself.
    let (_, gradients) = along(case, &case.gradients);
    for (gradient, expected) in gradients.iter().zip(&second.grad_of_grad_norm_sq) {
        assert_close(
            name,
            &tangents(gradient).map(|product| 2.0 * product),
            expected,
        );
    }
}

#[test]
fn every_reference_hessian_product_is_reached_by_the_tape_on_dual_numbers() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/second_order.json");
    let file: File = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    assert!(!file.cases.is_empty());
    for case in &file.cases {
        agrees(case);
    }
}
