//! Parameters by path, in the order in which they were named.

use std::collections::HashMap;

use autodiff_core::prelude::*;

use super::error::OptimError;
use super::gradients::Gradients;

/// Named parameters, such as `h.0.attn.c_attn.weight`, in the order in which they were named.
#[derive(Clone, Debug, Default)]
pub struct ParameterSet<T: Element = f64> {
    entries: Vec<(String, TensorValue<T>)>,
    positions: HashMap<String, usize>,
}

impl<T: Element> ParameterSet<T> {
    /// A set without parameters.
    #[must_use]
    pub fn new() -> Self {
        Self {
            entries: Vec::new(),
            positions: HashMap::new(),
        }
    }

    /// Makes a parameter of `value` and names it.
    ///
    /// # Errors
    /// `EmptyName`, `DuplicateName`, and `Tape` where the value is not finite.
    pub fn create(
        &mut self,
        name: impl Into<String>,
        value: Tensor<T>,
    ) -> Result<TensorValue<T>, OptimError> {
        let name = name.into();
        self.check_free(&name)?;
        let parameter = TensorValue::parameter(value)?;
        self.push(name, parameter.clone());
        Ok(parameter)
    }

    /// Names a parameter.
    ///
    /// # Errors
    /// `EmptyName`; `DuplicateName`; `DuplicateParameter` where it has a name already, as where weights are tied;
    /// `NotAParameter`.
    pub fn insert(
        &mut self,
        name: impl Into<String>,
        parameter: &TensorValue<T>,
    ) -> Result<(), OptimError> {
        let name = name.into();
        self.check_free(&name)?;
        if !parameter.is_parameter() {
            let operation = parameter.operation();
            return Err(OptimError::NotAParameter { name, operation });
        }
        if let Some((first, _)) = self
            .iter()
            .find(|(_, present)| present.is_same_node(parameter))
        {
            let first = first.to_owned();
            return Err(OptimError::DuplicateParameter { first, name });
        }
        self.push(name, parameter.clone());
        Ok(())
    }

    fn check_free(&self, name: &str) -> Result<(), OptimError> {
        if name.is_empty() {
            return Err(OptimError::EmptyName);
        }
        if self.positions.contains_key(name) {
            let name = name.to_owned();
            return Err(OptimError::DuplicateName { name });
        }
        Ok(())
    }

    fn push(&mut self, name: String, parameter: TensorValue<T>) {
        self.positions.insert(name.clone(), self.entries.len());
        self.entries.push((name, parameter));
    }

    /// The parameter of that name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&TensorValue<T>> {
        let position = *self.positions.get(name)?;
        self.entries.get(position).map(|(_, parameter)| parameter)
    }

    /// Names and parameters in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &TensorValue<T>)> {
        self.entries
            .iter()
            .map(|(name, parameter)| (name.as_str(), parameter))
    }

    /// The names in order.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.iter().map(|(name, _)| name)
    }

    /// The number of parameters.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether nothing is named.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The number of elements of all parameters.
    #[must_use]
    pub fn element_count(&self) -> usize {
        self.iter()
            .map(|(_, parameter)| parameter.value().len())
            .sum()
    }

    /// The present gradients.
    #[must_use]
    pub fn gradients(&self) -> Gradients<T> {
        Gradients::of(self)
    }

    /// Sets all gradients to zero, or, on any error, none.
    ///
    /// # Errors
    /// `Tape` where a gradient is being read, as for [`zero_all`].
    pub fn zero_grad(&self) -> Result<(), OptimError> {
        Ok(zero_all(self.iter().map(|(_, parameter)| parameter))?)
    }

    /// Replaces the values of the named parameters, or, on any error, of none.
    ///
    /// # Errors
    /// `UnknownName` for one that is not there; `Tape` as for [`update_all`].
    pub fn set_values<'a>(
        &self,
        values: impl IntoIterator<Item = (&'a str, Tensor<T>)>,
    ) -> Result<(), OptimError> {
        let mut updates = Vec::new();
        for (name, value) in values {
            let parameter = self.get(name).ok_or_else(|| OptimError::UnknownName {
                name: name.to_owned(),
            })?;
            updates.push((parameter, value));
        }
        Ok(update_all(updates)?)
    }

    /// Refuses `names` that are not those of the set, in order.
    pub(super) fn check_names<'a>(
        &self,
        names: impl IntoIterator<Item = &'a str>,
    ) -> Result<(), OptimError> {
        let mut given = names.into_iter();
        let mut expected = self.names();
        for position in 0.. {
            let pair = (expected.next(), given.next());
            match pair {
                (None, None) => break,
                (expected, actual) if expected != actual => {
                    return Err(OptimError::ParameterMismatch {
                        position,
                        expected: expected.map(str::to_owned),
                        actual: actual.map(str::to_owned),
                    });
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// A decay of `decay` for matrices and tensors of higher rank, and of 0 for vectors and scalars: what
/// scales and shifts is not pulled to zero.
pub fn decay_matrices(decay: f64) -> impl Fn(&str, &[usize]) -> f64 {
    move |_, shape| if shape.len() >= 2 { decay } else { 0.0 }
}

#[cfg(test)]
mod tests;
