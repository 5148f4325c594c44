//! One step over all parameters: everything is computed and checked before anything is replaced.

use std::collections::HashMap;
use std::ops::Range;

use autodiff_core::prelude::*;

use super::error::{OptimError, Quantity};
use super::gradients::Gradients;
use super::parameters::ParameterSet;

/// Elements that are computed and then tested together, while they are in the first-level cache.
pub(super) const CHUNK: usize = 1024;

/// Refuses gradients and state that are not of these parameters.
pub(super) fn check_step<'a, T: Element>(
    parameters: &ParameterSet<T>,
    gradients: &Gradients<T>,
    state: impl IntoIterator<Item = &'a str>,
) -> Result<(), OptimError> {
    parameters.check_names(state)?;
    parameters.check_names(gradients.iter().map(|(name, _)| name))?;
    for ((name, parameter), (_, gradient)) in parameters.iter().zip(gradients.iter()) {
        check_shape(name, Quantity::Gradient, &parameter.shape(), gradient)?;
    }
    Ok(())
}

/// What was saved of each parameter, in the order of `names`, from entries in any order.
pub(super) fn by_name<'a, S>(
    names: impl Iterator<Item = &'a str>,
    saved: impl IntoIterator<Item = (String, S)>,
) -> Result<Vec<S>, OptimError> {
    let mut given = HashMap::new();
    for (name, state) in saved {
        if given.contains_key(&name) {
            return Err(OptimError::DuplicateName { name });
        }
        given.insert(name, state);
    }
    let mut found = Vec::with_capacity(given.len());
    for name in names {
        let Some(state) = given.remove(name) else {
            return Err(OptimError::ParameterMismatch {
                position: found.len(),
                expected: Some(name.to_owned()),
                actual: None,
            });
        };
        found.push(state);
    }
    if let Some(name) = given.into_keys().min() {
        return Err(OptimError::ParameterMismatch {
            position: found.len(),
            expected: None,
            actual: Some(name),
        });
    }
    Ok(found)
}

/// Refuses a tensor that has not the shape of its parameter.
pub(super) fn check_shape<T: Element>(
    name: &str,
    quantity: Quantity,
    expected: &[usize],
    values: &Tensor<T>,
) -> Result<(), OptimError> {
    if values.shape() == expected {
        return Ok(());
    }
    Err(OptimError::ShapeMismatch {
        name: name.to_owned(),
        quantity,
        expected: expected.to_vec(),
        actual: values.shape().to_vec(),
    })
}

/// The ranges of the chunks of `len` elements.
pub(super) fn chunks(len: usize) -> impl Iterator<Item = Range<usize>> {
    (0..len)
        .step_by(CHUNK)
        .map(move |start| start..len.min(start + CHUNK))
}

/// Refuses a chunk that begins at element `start` and holds, in any of its quantities, what is not finite;
/// the first quantity that does is at fault.
///
/// The quantities that a step computes come last: what is not finite before makes them so too, and they
/// alone are looked at as long as all is well.
pub(super) fn check_chunk<T: Element, const READ: usize, const COMPUTED: usize>(
    name: &str,
    start: usize,
    read: [(Quantity, &[T]); READ],
    computed: [(Quantity, &[T]); COMPUTED],
) -> Result<(), OptimError> {
    if computed.iter().all(|(_, values)| T::all_finite(values)) {
        return Ok(());
    }
    for (quantity, values) in read.into_iter().chain(computed) {
        if let Some(place) = values.iter().position(|x| !x.is_finite()) {
            return Err(OptimError::NonFinite {
                name: name.to_owned(),
                quantity,
                index: start + place,
                value: values[place].offending_part(),
            });
        }
    }
    Ok(())
}
