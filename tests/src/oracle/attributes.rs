//! Typed reading of a case's plain arguments.

use serde::Deserialize;
use serde_json::{Map, Value};

use super::Fault;

/// The plain arguments of one operation.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(transparent)]
pub struct Attributes(Map<String, Value>);

impl Attributes {
    fn read<'a, V>(
        &'a self,
        name: &'static str,
        expected: &'static str,
        convert: impl FnOnce(&'a Value) -> Option<V>,
    ) -> Result<V, Fault> {
        let found = self.0.get(name);
        found.and_then(convert).ok_or_else(|| Fault::Attribute {
            name,
            expected,
            actual: found.map_or_else(|| "nothing".to_owned(), Value::to_string),
        })
    }

    /// An axis, a count or an offset.
    ///
    /// # Errors
    /// [`Fault::Attribute`]; so for all readers.
    pub fn count(&self, name: &'static str) -> Result<usize, Fault> {
        self.read(name, "a count", as_count)
    }

    /// A signed offset.
    ///
    /// # Errors
    /// [`Fault::Attribute`].
    pub fn offset(&self, name: &'static str) -> Result<isize, Fault> {
        let convert = |value: &Value| value.as_i64().and_then(|offset| offset.try_into().ok());
        self.read(name, "an offset", convert)
    }

    /// A shape or a list of axes.
    ///
    /// # Errors
    /// [`Fault::Attribute`].
    pub fn counts(&self, name: &'static str) -> Result<Vec<usize>, Fault> {
        self.read(name, "a list of counts", |value| {
            value.as_array()?.iter().map(as_count).collect()
        })
    }

    /// A switch.
    ///
    /// # Errors
    /// [`Fault::Attribute`].
    pub fn switch(&self, name: &'static str) -> Result<bool, Fault> {
        self.read(name, "true or false", Value::as_bool)
    }

    /// A number.
    ///
    /// # Errors
    /// [`Fault::Attribute`].
    pub fn number(&self, name: &'static str) -> Result<f64, Fault> {
        self.read(name, "a number", Value::as_f64)
    }

    /// A number, or none.
    ///
    /// # Errors
    /// [`Fault::Attribute`].
    pub fn optional_number(&self, name: &'static str) -> Result<Option<f64>, Fault> {
        self.read(name, "a number or null", |value| match value {
            Value::Null => Some(None),
            value => value.as_f64().map(Some),
        })
    }

    /// A class to ignore, or none. A negative class becomes an index past every class, as do the negative
    /// targets that are compared with it.
    ///
    /// # Errors
    /// [`Fault::Attribute`].
    pub fn optional_class(&self, name: &'static str) -> Result<Option<usize>, Fault> {
        self.read(name, "a class or null", |value| match value {
            Value::Null => Some(None),
            value => value.as_i64().map(|class| Some(class as usize)),
        })
    }

    /// A text.
    ///
    /// # Errors
    /// [`Fault::Attribute`].
    pub fn text(&self, name: &'static str) -> Result<&str, Fault> {
        self.read(name, "a text", Value::as_str)
    }

    /// The attribute under `name`, parsed.
    ///
    /// # Errors
    /// [`Fault::Attribute`].
    pub fn parsed<V: for<'a> Deserialize<'a>>(&self, name: &'static str) -> Result<V, Fault> {
        self.read(name, "a value in the format of the cases", |value| {
            V::deserialize(value).ok()
        })
    }
}

fn as_count(value: &Value) -> Option<usize> {
    value.as_u64()?.try_into().ok()
}
