//! Operations of neural networks.

use autodiff_ops::prelude::*;

use super::{Call, Fault};

pub(super) fn call<T: Element>(call: &Call<'_, T>) -> Result<Option<TensorValue<T>>, Fault> {
    let attributes = call.attributes;
    let output = match call.op {
        "softmax" => call.tensor(0)?.softmax(attributes.count("axis")?)?,
        "log_softmax" => call.tensor(0)?.log_softmax(attributes.count("axis")?)?,
        "layer_norm" => call.tensor(0)?.layer_norm(
            call.tensor(1)?,
            call.tensor(2)?,
            attributes.number("eps")?,
        )?,
        "layer_norm_no_affine" => call
            .tensor(0)?
            .layer_norm_plain(attributes.number("eps")?)?,
        "rms_norm" => call
            .tensor(0)?
            .rms_norm(call.tensor(1)?, attributes.number("eps")?)?,
        "causal_mask" => call.tensor(0)?.causal_mask(attributes.number("value")?)?,
        "cross_entropy" if attributes.text("reduction")? == "mean" => call
            .tensor(0)?
            .cross_entropy(call.indices(1)?, attributes.optional_class("ignore_index")?)?,
        "attention" => call.tensor(0)?.attention(
            call.tensor(1)?,
            call.tensor(2)?,
            attributes.number("scale")?,
            attributes.switch("causal")?,
        )?,
        "rope_half" => call.tensor(0)?.rope_half(
            attributes.number("theta")?,
            attributes.count("position_offset")?,
        )?,
        "rope_interleaved" => call.tensor(0)?.rope_interleaved(
            attributes.number("theta")?,
            attributes.count("position_offset")?,
        )?,
        "dropout" => call
            .tensor(0)?
            .dropout(call.mask(1)?, attributes.number("p")?)?,
        _ => return Ok(None),
    };
    Ok(Some(output))
}
