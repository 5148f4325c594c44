//! Graphs of several steps, as a case lists them.

use std::collections::HashMap;

use autodiff_ops::prelude::*;
use serde::Deserialize;

use super::{Attributes, Bound, Call, Fault, run};

/// One step of a graph.
#[derive(Debug, Deserialize)]
struct Step {
    /// The name of its result.
    out: String,
    /// The operation.
    op: String,
    /// The names of its inputs.
    args: Vec<String>,
    /// Its plain arguments.
    attrs: Attributes,
}

/// Builds the graph of a case from its inputs by name.
pub(super) fn build<T: Element>(
    attributes: &Attributes,
    inputs: impl IntoIterator<Item = (String, Bound<T>)>,
) -> Result<TensorValue<T>, Fault> {
    let mut values: HashMap<String, Bound<T>> = inputs.into_iter().collect();
    let find = |values: &HashMap<String, Bound<T>>, name: &String| {
        values
            .get(name)
            .cloned()
            .ok_or_else(|| Fault::UnknownValue(name.clone()))
    };
    for step in attributes.parsed::<Vec<Step>>("steps")? {
        let inputs = step
            .args
            .iter()
            .map(|name| find(&values, name))
            .collect::<Result<_, _>>()?;
        let output = run::call(&Call {
            op: &step.op,
            inputs,
            attributes: &step.attrs,
        })?;
        values.insert(step.out, Bound::Tensor(output));
    }
    let result = attributes.text("result")?.to_owned();
    match find(&values, &result)? {
        Bound::Tensor(output) => Ok(output),
        _ => Err(Fault::UnknownValue(result)),
    }
}
