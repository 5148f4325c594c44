//! Operations that work element by element.

use autodiff_ops::prelude::*;

use super::{Call, Fault};

pub(super) fn call<T: Element>(call: &Call<'_, T>) -> Result<Option<TensorValue<T>>, Fault> {
    let output = match call.op {
        "add" => call.tensor(0)?.add(call.tensor(1)?)?,
        "mul" => call.tensor(0)?.mul(call.tensor(1)?)?,
        // One node in both operand slots.
        "add_self" => call.tensor(0)?.add(call.tensor(0)?)?,
        "mul_self" => call.tensor(0)?.mul(call.tensor(0)?)?,
        _ => return Ok(None),
    };
    Ok(Some(output))
}
