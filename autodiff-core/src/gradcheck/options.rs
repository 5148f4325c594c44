//! What to check a rule with: the seed, how many draws, and where a fault is planted.

use super::fault::Fault;
use crate::tensor::ElementKind;

/// The seed where none is given. Any number would do; a fixed one makes every run the same.
pub const DEFAULT_SEED: u64 = 20_120_229;

/// The variable that gives another seed.
pub const SEED_VARIABLE: &str = "AUTODIFF_SEED";

/// How a rule is checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckOptions {
    /// The seed of all draws.
    pub seed: u64,
    /// How many random draws each case gets; `None` for as many as its choices need, within bounds.
    pub draws: Option<usize>,
    /// Whether the shapes that random extents seldom give are checked as well.
    pub structural: bool,
    /// The only element type to check, or all that the rule is registered for.
    pub element: Option<ElementKind>,
    /// A fault to plant.
    pub fault: Option<Fault>,
    /// The command that a failure names to run the same draws again; `None` for that of the rule's own
    /// test.
    pub replay: Option<String>,
}

impl Default for CheckOptions {
    fn default() -> Self {
        Self::new(DEFAULT_SEED)
    }
}

impl CheckOptions {
    /// The full check from a seed.
    pub fn new(seed: u64) -> Self {
        Self {
            seed,
            draws: None,
            structural: true,
            element: None,
            fault: None,
            replay: None,
        }
    }

    /// A few random draws of each case, without the structural ones.
    #[must_use]
    pub fn draws(self, draws: usize) -> Self {
        Self {
            draws: Some(draws),
            structural: false,
            ..self
        }
    }

    /// Only one element type.
    #[must_use]
    pub fn element(self, element: ElementKind) -> Self {
        Self {
            element: Some(element),
            ..self
        }
    }

    /// With a planted fault.
    #[must_use]
    pub fn fault(self, fault: Fault) -> Self {
        Self {
            fault: Some(fault),
            element: Some(fault.element),
            ..self
        }
    }

    /// With the command that a failure names.
    #[must_use]
    pub fn replay(self, command: impl Into<String>) -> Self {
        Self {
            replay: Some(command.into()),
            ..self
        }
    }
}

/// The variable's value is not a seed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{SEED_VARIABLE}: seed, expected a number from 0 to 2^64 - 1, got {value:?}")]
pub struct SeedError {
    /// What the variable holds.
    pub value: String,
}

/// The seed that the variable `AUTODIFF_SEED` gives, if it is set.
///
/// # Errors
/// [`SeedError`] where it is not a number of 64 bits.
pub fn seed_from_environment() -> Result<Option<u64>, SeedError> {
    match std::env::var_os(SEED_VARIABLE) {
        None => Ok(None),
        Some(value) => {
            let text = value.to_string_lossy();
            text.trim().parse().map(Some).map_err(|_| SeedError {
                value: text.into_owned(),
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_a_seed_is_told() {
        let error = SeedError {
            value: "seven".to_owned(),
        };
        assert_eq!(
            error.to_string(),
            "AUTODIFF_SEED: seed, expected a number from 0 to 2^64 - 1, got \"seven\""
        );
    }

    #[test]
    fn a_fault_is_planted_into_the_element_type_that_is_checked() {
        let fault = Fault {
            kind: crate::gradcheck::FaultKind::Sign,
            operand: 1,
            element: ElementKind::F32,
        };
        let options = CheckOptions::new(7).draws(2).fault(fault);
        assert_eq!(options.element, Some(ElementKind::F32));
        assert_eq!((options.draws, options.structural), (Some(2), false));
    }
}
