//! The reference cases as they are written in JSON.

use serde::{Deserialize, Deserializer};

use super::Attributes;

/// One file of cases.
#[derive(Debug, Deserialize)]
pub struct File {
    /// Its cases.
    pub cases: Vec<Case>,
}

/// One operation, or a graph of several, with its inputs and what must come out.
#[derive(Clone, Debug, Deserialize)]
pub struct Case {
    /// `operation/number_shapes`.
    pub name: String,
    /// The operation.
    pub op: String,
    /// Whether `f32` holds the inputs and the upstream exactly.
    #[serde(default)]
    pub f32_exact: bool,
    /// The inputs.
    pub inputs: Vec<Input>,
    /// The plain arguments.
    #[serde(rename = "attrs")]
    pub attributes: Attributes,
    /// The forward value.
    pub output: Values,
    /// The seed of the reverse pass.
    pub upstream: Values,
    /// The gradient of every `f64` input.
    pub gradients: Vec<Gradient>,
}

/// One input.
#[derive(Clone, Debug, Deserialize)]
pub struct Input {
    /// Its name.
    pub name: String,
    /// Its extents.
    pub shape: Vec<usize>,
    /// What its values are.
    pub dtype: Dtype,
    /// Its values in row-major order.
    #[serde(deserialize_with = "numbers")]
    pub values: Vec<f64>,
}

/// What the values of an input are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Dtype {
    /// Numbers, differentiated.
    F64,
    /// Indices.
    I64,
    /// Conditions, 0 or 1.
    Bool,
}

/// A tensor.
#[derive(Clone, Debug, Deserialize)]
pub struct Values {
    /// Its extents.
    pub shape: Vec<usize>,
    /// Its values in row-major order.
    #[serde(deserialize_with = "numbers")]
    pub values: Vec<f64>,
}

/// The gradient of one input.
#[derive(Clone, Debug, Deserialize)]
pub struct Gradient {
    /// The input's name.
    pub operand: String,
    /// The gradient's extents.
    pub shape: Vec<usize>,
    /// Its values in row-major order.
    #[serde(deserialize_with = "numbers")]
    pub values: Vec<f64>,
}

/// Numbers, of which those that JSON cannot write are texts: `"NaN"`, `"Infinity"`, `"-Infinity"`.
fn numbers<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<f64>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Number {
        Finite(f64),
        Text(NonFinite),
    }

    #[derive(Deserialize)]
    enum NonFinite {
        NaN,
        Infinity,
        #[serde(rename = "-Infinity")]
        NegativeInfinity,
    }

    let numbers = Vec::<Number>::deserialize(deserializer)?;
    let value = |number| match number {
        Number::Finite(value) => value,
        Number::Text(NonFinite::NaN) => f64::NAN,
        Number::Text(NonFinite::Infinity) => f64::INFINITY,
        Number::Text(NonFinite::NegativeInfinity) => f64::NEG_INFINITY,
    };
    Ok(numbers.into_iter().map(value).collect())
}
