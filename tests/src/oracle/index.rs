//! Operations that read at given indices.

use autodiff_ops::prelude::*;

use super::{Call, Fault};

pub(super) fn call<T: Element>(call: &Call<'_, T>) -> Result<Option<TensorValue<T>>, Fault> {
    let axis = || call.attributes.count("axis");
    let output = match call.op {
        "embedding" => call.tensor(0)?.embedding(call.indices(1)?)?,
        "gather" => call.tensor(0)?.gather(call.indices(1)?, axis()?)?,
        "index_select" => call.tensor(0)?.index_select(call.indices(1)?, axis()?)?,
        _ => return Ok(None),
    };
    Ok(Some(output))
}
