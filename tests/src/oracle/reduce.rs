//! Operations that combine the elements along axes.

use autodiff_ops::prelude::*;

use super::{Call, Fault};

pub(super) fn call<T: Element>(call: &Call<'_, T>) -> Result<Option<TensorValue<T>>, Fault> {
    let Call { attributes, .. } = call;
    let axis = || attributes.count("axis");
    let axes = || attributes.counts("axes");
    let keep_dim = || attributes.switch("keep_dim");
    let output = match call.op {
        "sum" => call.tensor(0)?.sum(&axes()?, keep_dim()?)?,
        "mean" => call.tensor(0)?.mean(&axes()?, keep_dim()?)?,
        "sum_axis_by_axis" => axis_by_axis(call, |x, axis, keep_dim| x.sum_axis(axis, keep_dim))?,
        "mean_axis_by_axis" => axis_by_axis(call, |x, axis, keep_dim| x.mean_axis(axis, keep_dim))?,
        "variance" => call.tensor(0)?.variance(&axes()?, keep_dim()?)?,
        "l2_norm" => call.tensor(0)?.l2_norm(&axes()?, keep_dim()?)?,
        "logsumexp" => call.tensor(0)?.logsumexp(&axes()?, keep_dim()?)?,
        "max_axis" => call.tensor(0)?.max(&[axis()?], keep_dim()?)?,
        "min_axis" => call.tensor(0)?.min(&[axis()?], keep_dim()?)?,
        "cumsum" => call.tensor(0)?.cumsum(axis()?)?,
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
