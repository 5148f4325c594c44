//! Forward mode on dual numbers, and forward over reverse.

use super::{DirectionError, Function, value_and_gradients};
use crate::error::{OpError, Result};
use crate::tape::{TensorValue, no_grad};
use crate::tensor::{Dual, Tensor};

/// The value of a function and the product of its Jacobian with `directions`, exact to rounding.
///
/// # Errors
/// [`DirectionError`] where directions and inputs do not fit, and whatever the function refuses.
pub fn jvp(
    function: &impl Function,
    inputs: &[Tensor],
    directions: &[Tensor],
) -> Result<(Tensor, Tensor)> {
    let duals = lift(inputs, directions)?;
    let leaves = duals
        .into_iter()
        .map(TensorValue::constant)
        .collect::<Result<Vec<_>>>()?;
    let output = no_grad(|| function.call(&leaves))?.value_snapshot();
    Ok((
        output.map(|dual| dual.value),
        output.map(|dual| dual.tangent),
    ))
}

/// The gradients of a scalar function and the products of its Hessian with `directions`, by every
/// input, exact to rounding: the reverse pass on dual numbers.
///
/// # Errors
/// As for [`jvp`] and [`value_and_gradients`].
pub fn hvp(
    function: &impl Function,
    inputs: &[Tensor],
    directions: &[Tensor],
) -> Result<(Vec<Tensor>, Vec<Tensor>)> {
    let duals = lift(inputs, directions)?;
    let (_, gradients) =
        value_and_gradients(|leaves: &[TensorValue<Dual>]| function.call(leaves), &duals)?;
    let part = |read: fn(Dual) -> f64| {
        gradients
            .iter()
            .map(|gradient| gradient.map(read))
            .collect()
    };
    Ok((part(|dual| dual.value), part(|dual| dual.tangent)))
}

/// The Jacobian of a function of one input, as a matrix: a row an output element, a column an input
/// element. One forward pass a column, so for small inputs.
///
/// # Errors
/// As for [`jvp`].
pub fn jacobian(function: &impl Function, input: &Tensor) -> Result<Tensor> {
    let along = |direction| jvp(function, std::slice::from_ref(input), &[direction]);
    let (value, _) = along(Tensor::zeros(input.shape())?)?;
    matrix(value.len(), input, |direction| Ok(along(direction)?.1))
}

/// The Hessian of a scalar function of one input, as a matrix over its elements. One reverse pass a
/// column, so for small inputs.
///
/// # Errors
/// As for [`hvp`].
pub fn hessian(function: &impl Function, input: &Tensor) -> Result<Tensor> {
    matrix(input.len(), input, |direction| {
        let (_, products) = hvp(function, std::slice::from_ref(input), &[direction])?;
        products
            .into_iter()
            .next()
            .map_or_else(|| Tensor::zeros(input.shape()), Ok)
    })
}

/// The matrix of `height` rows whose column `i` is `column` at the unit vector `i`.
fn matrix(
    height: usize,
    input: &Tensor,
    column: impl Fn(Tensor) -> Result<Tensor>,
) -> Result<Tensor> {
    let width = input.len();
    let unit = |place| Tensor::from_fn(input.shape(), |index| f64::from(u8::from(index == place)));
    let columns = (0..width)
        .map(|place| column(unit(place)?))
        .collect::<Result<Vec<_>>>()?;
    let rows = (0..height).flat_map(|row| {
        columns
            .iter()
            .filter_map(move |column| column.as_slice().get(row))
    });
    Ok(Tensor::from_vec([height, width], rows.copied().collect())?)
}

fn lift(inputs: &[Tensor], directions: &[Tensor]) -> Result<Vec<Tensor<Dual>>> {
    if inputs.len() != directions.len() {
        return Err(OpError::new(DirectionError::Count {
            expected: inputs.len(),
            actual: directions.len(),
        })
        .into());
    }
    let pairs = inputs.iter().zip(directions).enumerate();
    pairs
        .map(|(input, (value, direction))| {
            if value.shape() != direction.shape() {
                return Err(OpError::new(DirectionError::Shape {
                    input,
                    expected: value.shape().to_vec(),
                    actual: direction.shape().to_vec(),
                })
                .into());
            }
            value.zip_map(direction, |value, tangent| Dual { value, tangent })
        })
        .collect()
}
