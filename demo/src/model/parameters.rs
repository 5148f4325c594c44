//! Named parameters in a fixed order.

use std::collections::HashMap;

use autodiff_ops::prelude::*;

use crate::DemoError;
use crate::random::RandomStream;

/// How a parameter begins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Initial {
    /// All zeros.
    Zeros,
    /// All ones.
    Ones,
    /// Normally distributed around zero.
    Normal {
        /// The standard deviation.
        deviation: f64,
    },
}

impl Initial {
    /// The standard deviation of matrices and embeddings, as in GPT-2.
    pub(super) const DEVIATION: f64 = 0.02;
    pub(super) const USUAL: Self = Self::Normal {
        deviation: Self::DEVIATION,
    };
}

/// One parameter of a configuration.
#[derive(Clone, Debug, PartialEq)]
pub struct ParameterSpec {
    /// The path, such as `h.0.attn.c_attn.weight`.
    pub name: String,
    /// The extents.
    pub shape: Vec<usize>,
    /// How it begins.
    pub initial: Initial,
}

impl ParameterSpec {
    /// A first value.
    ///
    /// # Errors
    /// [`DemoError::Tensor`] where the shape overflows.
    pub fn draw<T: Element>(&self, random: &mut RandomStream) -> Result<Tensor<T>, DemoError> {
        Ok(match self.initial {
            Initial::Zeros => Tensor::zeros(self.shape.as_slice())?,
            Initial::Ones => Tensor::ones(self.shape.as_slice())?,
            Initial::Normal { deviation } => Tensor::from_fn(self.shape.as_slice(), |_| {
                T::from_f64(deviation * random.normal())
            })?,
        })
    }
}

/// Named values in the order of their specification.
#[derive(Clone, Debug)]
pub struct Parameters<V> {
    names: Vec<String>,
    values: Vec<V>,
    places: HashMap<String, usize>,
}

impl<V> Parameters<V> {
    /// The value of this name.
    ///
    /// # Errors
    /// [`DemoError::MissingParameter`].
    pub fn named(&self, name: &str) -> Result<&V, DemoError> {
        let place = self.places.get(name);
        place
            .and_then(|&place| self.values.get(place))
            .ok_or_else(|| DemoError::MissingParameter {
                name: name.to_owned(),
            })
    }

    /// All values, in order.
    #[must_use]
    pub fn values(&self) -> &[V] {
        &self.values
    }

    /// Names and values, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &V)> {
        self.names.iter().map(String::as_str).zip(&self.values)
    }

    /// The same with another value at one place.
    #[must_use]
    pub fn replaced(&self, place: usize, value: V) -> Self
    where
        V: Clone,
    {
        let mut replaced = self.clone();
        if let Some(held) = replaced.values.get_mut(place) {
            *held = value;
        }
        replaced
    }

    /// The same names with other values.
    ///
    /// # Errors
    /// Whatever `f` returns.
    pub fn try_map<W, E>(&self, f: impl FnMut(&V) -> Result<W, E>) -> Result<Parameters<W>, E> {
        Ok(Parameters {
            names: self.names.clone(),
            values: self.values.iter().map(f).collect::<Result<_, E>>()?,
            places: self.places.clone(),
        })
    }
}

impl<V> FromIterator<(String, V)> for Parameters<V> {
    fn from_iter<I: IntoIterator<Item = (String, V)>>(pairs: I) -> Self {
        let (names, values): (Vec<_>, Vec<_>) = pairs.into_iter().unzip();
        let places = names.iter().cloned().zip(0..).collect();
        Self {
            names,
            values,
            places,
        }
    }
}

impl<T: Element> Parameters<TensorValue<T>> {
    /// The present values, off the tape.
    #[must_use]
    pub fn snapshot(&self) -> Parameters<Tensor<T>> {
        self.iter()
            .map(|(name, value)| (name.to_owned(), value.value_snapshot()))
            .collect()
    }
}

impl<T: Element> Parameters<Tensor<T>> {
    /// The values as parameters of the tape.
    ///
    /// # Errors
    /// [`DemoError::Autodiff`] where a value is not finite.
    pub fn taped(&self) -> Result<Parameters<TensorValue<T>>, DemoError> {
        self.try_map(|value| Ok(TensorValue::parameter(value.clone())?))
    }
}
