//! Operations that only move elements.

use autodiff_ops::prelude::*;

use super::{Call, Fault};

pub(super) fn call<T: Element>(call: &Call<'_, T>) -> Result<Option<TensorValue<T>>, Fault> {
    let Call { attributes, .. } = call;
    let output = match call.op {
        "reshape" => call.tensor(0)?.reshape(&attributes.counts("shape")?)?,
        "broadcast_to" => call.tensor(0)?.broadcast_to(&attributes.counts("shape")?)?,
        "transpose" => call
            .tensor(0)?
            .transpose(attributes.count("axis0")?, attributes.count("axis1")?)?,
        _ => return Ok(None),
    };
    Ok(Some(output))
}
