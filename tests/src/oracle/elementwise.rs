//! Operations that work element by element.

use autodiff_ops::prelude::*;

use super::{Call, Fault};

pub(super) fn call<T: Element>(call: &Call<'_, T>) -> Result<Option<TensorValue<T>>, Fault> {
    let output = match call.op {
        "add" => call.tensor(0)?.add(call.tensor(1)?)?,
        "sub" => call.tensor(0)?.sub(call.tensor(1)?)?,
        "mul" => call.tensor(0)?.mul(call.tensor(1)?)?,
        "div" => call.tensor(0)?.div(call.tensor(1)?)?,
        "pow" => call.tensor(0)?.pow(call.tensor(1)?)?,
        "maximum" => call.tensor(0)?.maximum(call.tensor(1)?)?,
        "minimum" => call.tensor(0)?.minimum(call.tensor(1)?)?,
        // One node in both operand slots.
        "add_self" => call.tensor(0)?.add(call.tensor(0)?)?,
        "sub_self" => call.tensor(0)?.sub(call.tensor(0)?)?,
        "mul_self" => call.tensor(0)?.mul(call.tensor(0)?)?,
        "div_self" => call.tensor(0)?.div(call.tensor(0)?)?,
        "neg" => call.tensor(0)?.neg()?,
        "reciprocal" => call.tensor(0)?.reciprocal()?,
        "exp" => call.tensor(0)?.exp()?,
        "log" => call.tensor(0)?.log()?,
        "sqrt" => call.tensor(0)?.sqrt()?,
        "rsqrt" => call.tensor(0)?.rsqrt()?,
        "sin" => call.tensor(0)?.sin()?,
        "cos" => call.tensor(0)?.cos()?,
        "tanh" => call.tensor(0)?.tanh()?,
        "sigmoid" => call.tensor(0)?.sigmoid()?,
        "relu" => call.tensor(0)?.relu()?,
        "silu" => call.tensor(0)?.silu()?,
        "softplus" => call.tensor(0)?.softplus()?,
        "gelu_tanh" => call.tensor(0)?.gelu()?,
        "gelu_erf" => call.tensor(0)?.gelu_erf()?,
        "abs" => call.tensor(0)?.abs()?,
        "square" => call.tensor(0)?.square()?,
        "leaky_relu" => call
            .tensor(0)?
            .leaky_relu(call.attributes.number("negative_slope")?)?,
        "pow_scalar" => call.tensor(0)?.powf(call.attributes.number("exponent")?)?,
        "clamp" => {
            let bound = |name| call.attributes.optional_number(name);
            call.tensor(0)?.clamp(bound("min")?, bound("max")?)?
        }
        "where" => where_(call.mask(0)?, call.tensor(1)?, call.tensor(2)?)?,
        "masked_fill" => call
            .tensor(0)?
            .masked_fill(call.mask(1)?, call.attributes.number("value")?)?,
        _ => return Ok(None),
    };
    Ok(Some(output))
}
