//! Replacing a parameter's value or clearing its gradient, in place.
//!
//! Invariant: everything is checked, under the locks of all slots, before anything is replaced.

use super::node::Parameter;
use super::slot::Gradient;
use super::value::{TensorValue, check_leaf};
use crate::error::{Result, TensorAutodiffError};
use crate::operation::Operation;
use crate::tensor::{Element, Tensor};

impl<T: Element> TensorValue<T> {
    /// Replaces a parameter's value: the node stays, its revision grows by one, its gradient stays.
    ///
    /// Results computed from the old value keep it, but can no longer be reversed.
    ///
    /// # Errors
    /// As for [`update_all`].
    pub fn set_value(&self, value: Tensor<T>) -> Result<()> {
        update_all([(self, value)])
    }

    /// Replaces the values of several parameters, or of none: see [`update_all`].
    ///
    /// # Errors
    /// As for [`update_all`].
    pub fn update_all<'a>(updates: impl IntoIterator<Item = (&'a Self, Tensor<T>)>) -> Result<()> {
        update_all(updates)
    }

    /// Sets a parameter's gradient to positive zero.
    ///
    /// # Errors
    /// [`TensorAutodiffError::NotAParameter`], and [`TensorAutodiffError::GradientBorrowed`] while a
    /// guard on the gradient is alive.
    pub fn zero_grad(&self) -> Result<()> {
        zero_all([self])
    }
}

/// Sets the gradients of several parameters to positive zero, or, on any error, none of them.
///
/// # Errors
/// In this order, each over all parameters: [`TensorAutodiffError::NotAParameter`], and
/// [`TensorAutodiffError::GradientBorrowed`] while a guard on any of the gradients is alive.
pub fn zero_all<'a, T: Element>(
    parameters: impl IntoIterator<Item = &'a TensorValue<T>>,
) -> Result<()> {
    let numbered = parameters
        .into_iter()
        .map(|value| Ok((value.node.number, parameter_of(value)?)));
    let mut parameters = numbered.collect::<Result<Vec<_>>>()?;
    // Locked in creation order, as by every pass, and each once.
    parameters.sort_by_key(|(number, _)| *number);
    parameters.dedup_by_key(|(number, _)| *number);
    let mut locked: Vec<_> = parameters
        .iter()
        .map(|(_, parameter)| parameter.gradient.lock())
        .collect();
    if parameters
        .iter()
        .any(|(_, parameter)| parameter.gradient.has_readers())
    {
        return Err(TensorAutodiffError::GradientBorrowed);
    }
    for held in &mut locked {
        if let Gradient::Sum(sum) = &**held {
            **held = Gradient::Zero(sum.extents().clone());
        }
    }
    Ok(())
}

/// Replaces the values of several parameters at once, or, on any error, of none.
///
/// Each parameter stays the same node, its revision grows by one and its gradient stays.
///
/// # Errors
/// In this order, each over all updates: [`TensorAutodiffError::NotAParameter`];
/// [`TensorAutodiffError::DuplicateUpdate`]; [`TensorAutodiffError::UpdateShape`] or
/// [`TensorAutodiffError::NonFiniteLeaf`], whichever comes first; and
/// [`TensorAutodiffError::ValueBorrowed`] while a guard on any of the values is alive.
pub fn update_all<'a, T: Element>(
    updates: impl IntoIterator<Item = (&'a TensorValue<T>, Tensor<T>)>,
) -> Result<()> {
    let mut checked = Vec::new();
    for (position, (value, tensor)) in updates.into_iter().enumerate() {
        let parameter = parameter_of(value)?;
        checked.push((value.node.number, position, parameter, tensor));
    }
    check_distinct(&checked)?;
    for (_, position, parameter, tensor) in &checked {
        let expected = parameter.value.snapshot().shape().to_vec();
        if tensor.shape() != expected {
            return Err(TensorAutodiffError::UpdateShape {
                position: *position,
                expected,
                actual: tensor.shape().to_vec(),
            });
        }
        check_leaf(Operation::PARAMETER, tensor)?;
    }
    // Locked in creation order, as by every pass, so that no two writers wait for each other.
    checked.sort_by_key(|(number, ..)| *number);
    let (parameters, tensors): (Vec<_>, Vec<_>) = checked
        .into_iter()
        .map(|(_, _, parameter, tensor)| (parameter, tensor))
        .unzip();
    let mut locked: Vec<_> = parameters
        .iter()
        .map(|parameter| parameter.value.lock())
        .collect();
    if parameters
        .iter()
        .any(|parameter| parameter.value.has_readers())
    {
        return Err(TensorAutodiffError::ValueBorrowed);
    }
    for (held, tensor) in locked.iter_mut().zip(tensors) {
        held.tensor = tensor;
        held.revision += 1;
    }
    Ok(())
}

fn parameter_of<T: Element>(value: &TensorValue<T>) -> Result<&Parameter<T>> {
    value
        .as_parameter()
        .ok_or_else(|| TensorAutodiffError::NotAParameter {
            operation: value.operation(),
        })
}

fn check_distinct<P, V>(updates: &[(u64, usize, P, V)]) -> Result<()> {
    let mut first_of = std::collections::HashMap::with_capacity(updates.len());
    for &(number, position, ..) in updates {
        if let Some(first) = first_of.insert(number, position) {
            return Err(TensorAutodiffError::DuplicateUpdate { first, position });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tape::GraphRetention;

    /// A parameter whose gradient is 1.
    fn one() -> TensorValue {
        let value = TensorValue::parameter(Tensor::scalar(5.0)).unwrap();
        let seed = Tensor::scalar(1.0);
        value
            .backward_with_seed(&seed.view(), GraphRetention::Retain)
            .unwrap();
        value
    }

    fn gradients(values: [&TensorValue; 2]) -> [f64; 2] {
        values.map(|value| value.gradient_snapshot().unwrap().item().unwrap())
    }

    #[test]
    fn gradients_are_zeroed_all_or_none() {
        let (first, second) = (one(), one());
        let guard = second.gradient();
        let refusal = zero_all([&first, &second]).unwrap_err();
        assert_eq!(refusal, TensorAutodiffError::GradientBorrowed);
        drop(guard);
        let constant = TensorValue::constant(Tensor::scalar(5.0)).unwrap();
        let refusal = zero_all([&first, &constant]).unwrap_err();
        let operation = Operation::CONSTANT;
        assert_eq!(refusal, TensorAutodiffError::NotAParameter { operation });
        assert_eq!(gradients([&first, &second]), [1.0, 1.0]);
        // Named twice, it is locked once.
        zero_all([&second, &first, &second]).unwrap();
        assert_eq!(gradients([&first, &second]), [0.0, 0.0]);
    }
}
