//! What is recorded between passes: the state of values after each event, and what a refusal left as it was.

use serde::{Deserialize, Serialize};

use super::failure::{ErrorRecord, OperationRecord};
use super::number::Number;
use super::tensor::{Limits, TensorRecord};
use crate::error::TensorAutodiffError;
use crate::tape::TensorValue;
use crate::tensor::{Element, Tensor};

/// Something that happened, and the state of the watched values after it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EventRecord {
    /// What happened.
    pub title: String,
    /// The watched values after it.
    pub states: Vec<StateRecord>,
}

/// A refusal, and the watched values before and after it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RejectionRecord {
    /// What was tried.
    pub title: String,
    /// The error that came back.
    pub error: ErrorRecord,
    /// Whether every element of every watched value and gradient had the same bits after it.
    pub unchanged: bool,
    /// The watched values before.
    pub before: Vec<StateRecord>,
    /// The watched values after.
    pub after: Vec<StateRecord>,
}

/// What a handle shows at one moment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StateRecord {
    /// The name that the program has for it.
    pub name: String,
    /// What made its node.
    pub operation: OperationRecord,
    /// Whether it is differentiated.
    pub tracked: bool,
    /// Whether a pass has released it.
    pub released: bool,
    /// How often its value was replaced.
    pub revision: u64,
    /// Its value.
    pub value: TensorRecord,
    /// The gradient that it stores; `None` where it is no parameter.
    pub gradient: Option<TensorRecord>,
}

/// A check of a gradient against central differences.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CheckRecord {
    /// The function that was checked.
    pub function: String,
    /// The seed of the check.
    pub seed: u64,
    /// The derivatives that were compared.
    pub coordinates: Vec<CoordinateRecord>,
    /// How many were left out, since differences cannot be trusted there.
    pub unreliable: usize,
}

/// One derivative that was compared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CoordinateRecord {
    /// Which input.
    pub input: usize,
    /// The flat index in it.
    pub index: usize,
    /// The flat index in the output; `None` for the output weighted as a whole.
    pub output_index: Option<usize>,
    /// What the tape gives.
    pub analytic: Number,
    /// What central differences give.
    pub numeric: Number,
    /// How far apart they may be.
    pub tolerance: Number,
}

#[cfg(feature = "gradcheck")]
impl From<&crate::gradcheck::GradcheckReport> for CheckRecord {
    fn from(report: &crate::gradcheck::GradcheckReport) -> Self {
        let coordinates = report.coordinates.iter();
        Self {
            function: report.function.clone(),
            seed: report.seed,
            coordinates: coordinates
                .map(|coordinate| CoordinateRecord {
                    input: coordinate.input,
                    index: coordinate.index,
                    output_index: coordinate.output_index,
                    analytic: Number(coordinate.analytic),
                    numeric: Number(coordinate.numeric),
                    tolerance: Number(coordinate.tolerance),
                })
                .collect(),
            unreliable: report.unreliable.len(),
        }
    }
}

/// Values with their names, as they were when the watch began.
#[derive(Clone, Debug)]
pub struct Watch<T: Element = f64> {
    watched: Vec<Watched<T>>,
    limits: Limits,
}

#[derive(Clone, Debug)]
struct Watched<T: Element> {
    name: String,
    handle: TensorValue<T>,
    released: bool,
    revision: u64,
    value: Tensor<T>,
    gradient: Option<Tensor<T>>,
}

impl<T: Element> Watched<T> {
    fn new(name: &str, handle: &TensorValue<T>) -> Self {
        Self {
            name: name.to_owned(),
            handle: handle.clone(),
            released: handle.is_released(),
            revision: handle.revision(),
            value: handle.value_snapshot(),
            gradient: handle.gradient_snapshot(),
        }
    }

    fn state(&self, limits: Limits) -> StateRecord {
        StateRecord {
            name: self.name.clone(),
            operation: OperationRecord::new(self.handle.operation()),
            tracked: self.handle.tracks_gradient(),
            released: self.released,
            revision: self.revision,
            value: TensorRecord::new(&self.value, limits),
            gradient: self
                .gradient
                .as_ref()
                .map(|gradient| TensorRecord::new(gradient, limits)),
        }
    }

    fn has_the_bits_of(&self, other: &Self) -> bool {
        let gradients = match (&self.gradient, &other.gradient) {
            (Some(own), Some(others)) => own.bit_eq(others),
            (own, others) => own.is_none() && others.is_none(),
        };
        gradients
            && self.value.bit_eq(&other.value)
            && (self.released, self.revision) == (other.released, other.revision)
    }
}

impl<T: Element> Watch<T> {
    /// Begins to watch.
    pub fn new<'a>(
        values: impl IntoIterator<Item = (&'a str, &'a TensorValue<T>)>,
        limits: Limits,
    ) -> Self {
        let watched = values
            .into_iter()
            .map(|(name, handle)| Watched::new(name, handle));
        Self {
            watched: watched.collect(),
            limits,
        }
    }

    /// The same values as they are now.
    fn now(&self) -> Self {
        let watched = self
            .watched
            .iter()
            .map(|watched| Watched::new(&watched.name, &watched.handle));
        Self {
            watched: watched.collect(),
            limits: self.limits,
        }
    }

    fn states(&self) -> Vec<StateRecord> {
        self.watched
            .iter()
            .map(|watched| watched.state(self.limits))
            .collect()
    }

    /// Records that something has happened.
    pub fn event(&self, title: &str) -> EventRecord {
        EventRecord {
            title: title.to_owned(),
            states: self.now().states(),
        }
    }

    /// Records that something was refused since the watch began.
    pub fn rejection(&self, title: &str, error: &TensorAutodiffError) -> RejectionRecord {
        let now = self.now();
        let mut pairs = self.watched.iter().zip(&now.watched);
        RejectionRecord {
            title: title.to_owned(),
            error: ErrorRecord::new(error),
            unchanged: pairs.all(|(before, after)| before.has_the_bits_of(after)),
            before: self.states(),
            after: now.states(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Result;

    #[test]
    fn a_change_of_one_bit_is_no_unchanged_state() -> Result<()> {
        let x = TensorValue::parameter(Tensor::from_vec([2], vec![1.0, 0.0])?)?;
        let watch = Watch::new([("x", &x)], Limits::default());
        let error = TensorAutodiffError::ValueBorrowed;
        assert!(watch.rejection("nothing", &error).unchanged);
        // Equal as numbers, and another bit.
        x.set_value(Tensor::from_vec([2], vec![1.0, -0.0])?)?;
        assert!(!watch.rejection("a sign", &error).unchanged);
        Ok(())
    }

    #[test]
    fn an_event_shows_the_values_after_it() -> Result<()> {
        let x = TensorValue::parameter(Tensor::from_vec([1], vec![1.0])?)?;
        let watch = Watch::new([("x", &x)], Limits::default());
        x.backward_with_seed(
            &Tensor::from_vec([1], vec![2.0])?.view(),
            crate::tape::GraphRetention::Retain,
        )?;
        let event = watch.event("a pass");
        let gradient = event
            .states
            .first()
            .and_then(|state| state.gradient.as_ref());
        assert_eq!(
            gradient.map(|gradient| gradient.values.clone()),
            Some(vec![Number(2.0)])
        );
        Ok(())
    }
}
