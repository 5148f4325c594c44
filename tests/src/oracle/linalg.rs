//! Matrix products.

use autodiff_ops::prelude::*;

use super::{Call, Fault};

pub(super) fn call<T: Element>(call: &Call<'_, T>) -> Result<Option<TensorValue<T>>, Fault> {
    let output = match call.op {
        "matmul" => call.tensor(0)?.matmul(call.tensor(1)?)?,
        "linear" => {
            let bias = match call.inputs.len() {
                2 => None,
                _ => Some(call.tensor(2)?),
            };
            call.tensor(0)?.linear(call.tensor(1)?, bias)?
        }
        _ => return Ok(None),
    };
    Ok(Some(output))
}
