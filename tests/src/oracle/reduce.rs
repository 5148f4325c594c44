//! Operations that combine the elements along axes.

use autodiff_ops::prelude::*;

use super::{Call, Fault};

pub(super) fn call<T: Element>(call: &Call<'_, T>) -> Result<Option<TensorValue<T>>, Fault> {
    let output = match call.op {
        "sum" => axis_by_axis(call, |x, axis, keep_dim| x.sum_axis(axis, keep_dim))?,
        "mean" => axis_by_axis(call, |x, axis, keep_dim| x.mean_axis(axis, keep_dim))?,
        _ => return Ok(None),
    };
    Ok(Some(output))
}

/// Several axes by one after the other, the last first, so that the earlier ones keep their numbers.
fn axis_by_axis<T: Element>(
    call: &Call<'_, T>,
    reduce: impl Fn(&TensorValue<T>, usize, bool) -> Result<TensorValue<T>>,
) -> Result<TensorValue<T>, Fault> {
    let keep_dim = call.attributes.switch("keep_dim")?;
    let mut axes = call.attributes.counts("axes")?;
    axes.sort_unstable();
    let mut output = call.tensor(0)?.clone();
    for &axis in axes.iter().rev() {
        output = reduce(&output, axis, keep_dim)?;
    }
    Ok(output)
}
