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
        "permute" => call.tensor(0)?.permute(&attributes.counts("axes")?)?,
        "squeeze" => call.tensor(0)?.squeeze(&attributes.counts("axes")?)?,
        "unsqueeze" => call.tensor(0)?.unsqueeze(attributes.count("axis")?)?,
        "concat" => concat(&call.tensors()?, attributes.count("axis")?)?,
        "stack" => stack(&call.tensors()?, attributes.count("axis")?)?,
        "slice" => call.tensor(0)?.slice(
            &attributes.counts("starts")?,
            &attributes.counts("ends")?,
            &attributes.counts("steps")?,
        )?,
        "split" => {
            let mut pieces = split_of(call)?;
            let piece = attributes.count("piece")?;
            if piece >= pieces.len() {
                return Err(Fault::Attribute {
                    name: "piece",
                    expected: "a piece",
                    actual: piece.to_string(),
                });
            }
            pieces.swap_remove(piece)
        }
        "split_reverse_concat" => {
            let pieces = split_of(call)?;
            let reversed: Vec<_> = pieces.iter().rev().collect();
            concat(&reversed, attributes.count("axis")?)?
        }
        "tril" => call.tensor(0)?.tril(attributes.offset("diagonal")?)?,
        "triu" => call.tensor(0)?.triu(attributes.offset("diagonal")?)?,
        _ => return Ok(None),
    };
    Ok(Some(output))
}

fn split_of<T: Element>(call: &Call<'_, T>) -> Result<Vec<TensorValue<T>>, Fault> {
    let Call { attributes, .. } = call;
    let sizes = attributes.counts("sizes")?;
    Ok(call.tensor(0)?.split(&sizes, attributes.count("axis")?)?)
}
