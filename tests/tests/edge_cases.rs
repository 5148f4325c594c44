//! Delicate points: every one either follows a stated convention or is a typed error, and `edge_cases.md`
//! says which.
//!
//! `fixtures/edge_cases.json` records what two other frameworks answer. `UPDATE_EDGE_CASES=1` rewrites the
//! table; without it the test fails where the table and the answers differ.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test reports by panicking"
)]

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use autodiff_ops::prelude::*;
use serde::Deserialize;
use tests::oracle::{Attributes, Bound, Call, Fault, Gradient, Input, Values, call, worst};

#[derive(Deserialize)]
struct File {
    cases: Vec<Point>,
}

/// One delicate point.
#[derive(Deserialize)]
struct Point {
    name: String,
    op: String,
    inputs: Vec<Input>,
    #[serde(rename = "attrs")]
    attributes: Attributes,
    upstream: Option<Values>,
    jax: Answer,
    torch: Answer,
}

/// What a framework answers: an output with gradients, or an error.
#[derive(Deserialize)]
#[serde(untagged)]
enum Answer {
    Error {
        #[serde(rename = "error")]
        _error: String,
    },
    Values {
        output: Values,
        gradients: Vec<Gradient>,
    },
}

/// What is answered here.
enum Here {
    /// Which step refused, and its message.
    Refused(&'static str, String),
    Values(Tensor, Vec<(String, Tensor)>),
}

/// Points where the answer is this project's own: the convention, in words. Wherever the two frameworks
/// differ from it, neither is wrong.
const CONVENTIONS: &[(&str, &str)] = &[
    ("clamp_at_bounds", "the gradient passes at a bound"),
    (
        "clamp_scalar_min_only_at_bound",
        "the gradient passes at a bound",
    ),
    ("max_dim_tie", "tied entries share the gradient evenly"),
    (
        "sqrt_at_zero_upstream_zero",
        "a zero upstream contributes zero",
    ),
    ("norm_tiny", "squares are scaled, so that none underflows"),
    ("norm_huge", "squares are scaled, so that none overflows"),
    (
        "masked_fill_row_fully_masked_softmax",
        "a row that is masked throughout is zero",
    ),
];

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn points() -> Vec<Point> {
    let text = fs::read_to_string(folder().join("fixtures/edge_cases.json")).unwrap();
    let file: File = serde_json::from_str(&text).unwrap();
    file.cases
}

/// The operations of these points that the cases of single operations do not have.
fn apply(point: &Point, inputs: &[Bound<f64>]) -> Result<TensorValue, Fault> {
    let named = Call {
        op: &point.op,
        inputs: inputs.to_vec(),
        attributes: &point.attributes,
    };
    let zero = || TensorValue::constant(Tensor::scalar(0.0));
    let one = || TensorValue::constant(Tensor::scalar(1.0));
    let x = || named.tensor(0);
    let is_positive = || -> Result<_, Fault> { Ok(x()?.value().map(|x| x > 0.0)) };
    Ok(match point.op.as_str() {
        "max_dim" => x()?.max(&[point.attributes.count("axis")?], false)?,
        "where_sqrt" => where_(&is_positive()?, &x()?.sqrt()?, &zero()?)?,
        "where_sqrt_safe" => {
            let inner = where_(&is_positive()?, x()?, &one()?)?;
            where_(&is_positive()?, &inner.sqrt()?, &zero()?)?
        }
        "masked_softmax" => {
            let last = x()?.shape().len() - 1;
            x()?.masked_softmax(named.mask(1)?, last)?
        }
        _ => return call(&named),
    })
}

fn answer(point: &Point) -> Here {
    let bound: Result<Vec<_>, _> = point.inputs.iter().map(Bound::<f64>::of).collect();
    let inputs = match bound {
        Ok(inputs) => inputs,
        Err(error) => return Here::Refused("leaf", error.to_string()),
    };
    let output = match apply(point, &inputs) {
        Ok(output) => output,
        Err(Fault::Autodiff(error)) => return Here::Refused("forward", error.to_string()),
        Err(fault) => panic!("{}: {fault}", point.name),
    };
    let seed = match &point.upstream {
        Some(upstream) => {
            Tensor::from_vec(upstream.shape.as_slice(), upstream.values.clone()).unwrap()
        }
        None => Tensor::ones(output.shape()).unwrap(),
    };
    if let Err(error) = output.backward_with_seed(&seed.view(), GraphRetention::Release) {
        return Here::Refused("reverse", error.to_string());
    }
    let named = point.inputs.iter().zip(&inputs);
    let gradients = named.filter_map(|(input, bound)| match bound {
        Bound::Tensor(value) => Some((input.name.clone(), value.gradient_snapshot()?)),
        _ => None,
    });
    Here::Values(output.value_snapshot(), gradients.collect())
}

impl Answer {
    /// Whether the values of an answer are those here; signs of zero aside.
    fn is(&self, output: &Tensor, gradients: &[(String, Tensor)]) -> bool {
        // The two frameworks were compared to the same tolerance when they were recorded.
        const TOLERANCE: f64 = 1e-12;
        let same = |here: &Tensor, shape: &[usize], values: &[f64]| {
            worst("value", here, shape, values, TOLERANCE).is_ok()
        };
        match self {
            Self::Error { .. } => false,
            Self::Values {
                output: expected,
                gradients: expected_gradients,
            } => {
                same(output, &expected.shape, &expected.values)
                    && gradients.len() == expected_gradients.len()
                    && gradients
                        .iter()
                        .zip(expected_gradients)
                        .all(|((name, here), expected)| {
                            *name == expected.operand
                                && same(here, &expected.shape, &expected.values)
                        })
            }
        }
    }

    /// Whether it is an error, or holds a value that no tape here would accept.
    fn is_not_finite(&self) -> bool {
        match self {
            Self::Error { .. } => true,
            Self::Values { output, gradients } => {
                let mut values = gradients
                    .iter()
                    .flat_map(|gradient| &gradient.values)
                    .chain(&output.values);
                values.any(|value| !value.is_finite())
            }
        }
    }
}

/// To ten digits: the last ones are the rounding of this or that system's functions, and no claim.
fn rounded(tensor: &Tensor) -> Vec<f64> {
    let values = tensor.as_slice().iter();
    values
        .map(|value| format!("{value:.9e}").parse().unwrap())
        .collect()
}

/// The verdict on a point, and what is answered there.
fn verdict(point: &Point) -> Result<(String, String), String> {
    let stated = CONVENTIONS
        .iter()
        .find(|(name, _)| *name == point.name)
        .map(|(_, convention)| *convention);
    match answer(point) {
        Here::Refused(step, message) => {
            if let Some(convention) = stated {
                return Err(format!(
                    "{}: refused ({message}), but listed as own: {convention}",
                    point.name
                ));
            }
            let inputs_are_finite = point
                .inputs
                .iter()
                .flat_map(|input| &input.values)
                .all(|value| value.is_finite());
            if inputs_are_finite && !point.jax.is_not_finite() && !point.torch.is_not_finite() {
                return Err(format!(
                    "{}: refused ({message}), but both frameworks are finite",
                    point.name
                ));
            }
            Ok((format!("error ({step})"), message))
        }
        Here::Values(output, gradients) => {
            let mut shown = format!("y = {:?}", rounded(&output));
            for (name, gradient) in &gradients {
                let _ = write!(shown, "; {name} gets {:?}", rounded(gradient));
            }
            let verdict = match (
                point.jax.is(&output, &gradients),
                point.torch.is(&output, &gradients),
                stated,
            ) {
                (true, true, None) => "as both".to_owned(),
                (true, false, None) => "as JAX".to_owned(),
                (false, true, None) => "as PyTorch".to_owned(),
                (false, false, Some(convention)) => format!("own: {convention}"),
                (false, false, None) => {
                    return Err(format!(
                        "{}: neither framework's answer and no convention: {shown}",
                        point.name
                    ));
                }
                (.., Some(convention)) => {
                    return Err(format!(
                        "{}: a framework's answer, listed as own: {convention}",
                        point.name
                    ));
                }
            };
            Ok((verdict, shown))
        }
    }
}

fn table() -> Result<String, Vec<String>> {
    let mut table = String::from(
        "# Delicate points\n\n\
         What is answered where a function has a kink, a tie, a pole or nothing to work on.\n\
         Written by `UPDATE_EDGE_CASES=1 cargo test -p tests --test edge_cases` and checked by the same test; \
         JAX and PyTorch are as recorded in `fixtures/edge_cases.json`.\n\n\
         * *as both*, *as JAX*, *as PyTorch*: the same numbers, to 1e-12.\n\
         * *own*: a convention of this project, in words.\n\
         * *error*: a typed error, of the leaf, the forward or the reverse pass; in each of these points a framework \
         answers with an error or with a number that is not finite, or an input is not finite.\n\n\
         | point | operation | verdict | answer |\n\
         | --- | --- | --- | --- |\n",
    );
    let mut faults = Vec::new();
    for point in points() {
        match verdict(&point) {
            Ok((verdict, shown)) => {
                let _ = writeln!(
                    table,
                    "| {} | {} | {verdict} | {shown} |",
                    point.name, point.op
                );
            }
            Err(fault) => faults.push(fault),
        }
    }
    if faults.is_empty() {
        Ok(table)
    } else {
        Err(faults)
    }
}

#[test]
fn every_delicate_point_follows_a_stated_convention_or_is_a_typed_error() {
    let table = table().unwrap_or_else(|faults| panic!("{}", faults.join("\n")));
    let path = folder().join("edge_cases.md");
    if std::env::var_os("UPDATE_EDGE_CASES").is_some() {
        fs::write(&path, &table).unwrap();
    }
    let committed = fs::read_to_string(&path).unwrap();
    assert!(
        committed == table,
        "the answers are not those of {}; UPDATE_EDGE_CASES=1 rewrites it:\n{table}",
        path.display()
    );
}

#[test]
fn every_convention_of_its_own_names_a_point() {
    let names: Vec<_> = points().into_iter().map(|point| point.name).collect();
    for (name, _) in CONVENTIONS {
        assert!(names.iter().any(|point| point == name), "{name}");
    }
}

#[test]
fn signs_of_zero_are_those_of_the_arithmetic() {
    for point in points()
        .into_iter()
        .filter(|point| point.name.starts_with("negative_zero"))
    {
        let (
            Here::Values(output, _),
            Answer::Values {
                output: expected, ..
            },
        ) = (answer(&point), &point.torch)
        else {
            panic!("{}: expected values", point.name);
        };
        let signs = |values: &[f64]| {
            values
                .iter()
                .map(|value| value.is_sign_negative())
                .collect::<Vec<_>>()
        };
        assert_eq!(
            signs(output.as_slice()),
            signs(&expected.values),
            "{}",
            point.name
        );
    }
}
