//! Why parameters were not named, not stepped or not restored.

use std::fmt;

use autodiff_core::prelude::*;

/// What a step computes with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// A gradient.
    Gradient,
    /// The running mean of gradients.
    FirstMoment,
    /// The running mean of squared gradients.
    SecondMoment,
    /// The running sum of gradients.
    Velocity,
    /// A parameter's new value.
    Value,
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Gradient => "gradient",
            Self::FirstMoment => "first moment",
            Self::SecondMoment => "second moment",
            Self::Velocity => "velocity",
            Self::Value => "new value",
        })
    }
}

/// Why a parameter was not named, a step not taken or a state not restored; nothing has changed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum OptimError {
    /// A name says which parameter is meant.
    #[error("expected a name for a parameter, got an empty one")]
    EmptyName,
    /// Names are unique.
    #[error("expected each name once, got {name} again")]
    DuplicateName {
        /// The name.
        name: String,
    },
    /// A parameter has one name.
    #[error("{name}: expected a parameter without a name, got {first} again")]
    DuplicateParameter {
        /// The name it has.
        first: String,
        /// The name it was to get.
        name: String,
    },
    /// Only parameters have gradients.
    #[error("{name}: expected a parameter, got a result of {operation}")]
    NotAParameter {
        /// The name.
        name: String,
        /// What made the value.
        operation: Operation,
    },
    /// An optimiser, a set of gradients or a saved state is of the parameters it was made for.
    #[error(
        "expected {} at position {position}, got {}",
        one_or_none(expected),
        name_or_none(actual)
    )]
    ParameterMismatch {
        /// The position, counted from 0.
        position: usize,
        /// The name there, if there is one.
        expected: Option<String>,
        /// The name given, if one was.
        actual: Option<String>,
    },
    /// A value is for a parameter of the set.
    #[error("expected the name of a parameter, got {name}")]
    UnknownName {
        /// The name.
        name: String,
    },
    /// State and gradients have the shape of their parameter.
    #[error("{name}: expected a {quantity} of shape {expected:?}, got {actual:?}")]
    ShapeMismatch {
        /// The parameter.
        name: String,
        /// What was given.
        quantity: Quantity,
        /// The parameter's shape.
        expected: Vec<usize>,
        /// The shape given.
        actual: Vec<usize>,
    },
    /// A step, or a restored state, is finite throughout.
    #[error("{name}: {quantity} is {value} at flat index {index}")]
    NonFinite {
        /// The parameter.
        name: String,
        /// What is not finite.
        quantity: Quantity,
        /// The first such index in row-major order.
        index: usize,
        /// The value there.
        value: f64,
    },
    /// A running mean of squares is at least zero.
    #[error(
        "{name}: {quantity}, expected numbers of at least 0, got {value} at flat index {index}"
    )]
    Negative {
        /// The parameter.
        name: String,
        /// What is negative.
        quantity: Quantity,
        /// The first such index in row-major order.
        index: usize,
        /// The value there.
        value: f64,
    },
    /// The squares of finite gradients overflow.
    #[error("expected a finite norm of all gradients, got {norm}")]
    NonFiniteNorm {
        /// The norm.
        norm: f64,
    },
    /// An option outside its domain.
    #[error("{option}: expected {expected}, got {actual}")]
    Option {
        /// The option.
        option: &'static str,
        /// Its domain.
        expected: &'static str,
        /// What was given.
        actual: f64,
    },
    /// The tape refused: a value is being read, for one.
    #[error(transparent)]
    Tape(#[from] TensorAutodiffError),
}

fn one_or_none(name: &Option<String>) -> String {
    match name {
        Some(name) => format!("parameter {name}"),
        None => "no parameter".to_owned(),
    }
}

fn name_or_none(name: &Option<String>) -> &str {
    name.as_deref().unwrap_or("none")
}

impl OptimError {
    /// Refuses an option that is not in its domain.
    pub(super) fn check(
        is_right: bool,
        option: &'static str,
        expected: &'static str,
        actual: f64,
    ) -> Result<(), Self> {
        if is_right {
            return Ok(());
        }
        Err(Self::Option {
            option,
            expected,
            actual,
        })
    }

    /// Refuses a number that is negative or not finite.
    pub(super) fn check_rate(option: &'static str, actual: f64) -> Result<(), Self> {
        let is_right = actual.is_finite() && actual >= 0.0;
        Self::check(is_right, option, "a finite number of at least 0", actual)
    }

    /// Refuses a tensor that holds what is not finite.
    pub(super) fn check_finite<T: Element>(
        name: &str,
        quantity: Quantity,
        values: &Tensor<T>,
    ) -> Result<(), Self> {
        match values.first_non_finite() {
            None => Ok(()),
            Some((index, value)) => Err(Self::NonFinite {
                name: name.to_owned(),
                quantity,
                index,
                value,
            }),
        }
    }

    /// Refuses a tensor that holds what is below zero.
    pub(super) fn check_not_negative<T: Element>(
        name: &str,
        quantity: Quantity,
        values: &Tensor<T>,
    ) -> Result<(), Self> {
        let values = values.as_slice();
        match values.iter().position(|value| *value < T::zero()) {
            None => Ok(()),
            Some(index) => Err(Self::Negative {
                name: name.to_owned(),
                quantity,
                index,
                value: values[index].to_f64(),
            }),
        }
    }
}
