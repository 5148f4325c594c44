//! Plain arguments of an operation as values, so that a check can choose them at run time.

use std::fmt;

/// The value of one plain argument.
#[derive(Clone, Debug, PartialEq)]
pub enum ArgumentValue {
    /// A `usize`.
    Usize(usize),
    /// An `isize`.
    Isize(isize),
    /// A `bool`.
    Bool(bool),
    /// An `f64`.
    F64(f64),
    /// A `&[usize]`.
    UsizeSlice(Vec<usize>),
    /// A `&[isize]`.
    IsizeSlice(Vec<isize>),
    /// A `&[f64]`.
    F64Slice(Vec<f64>),
    /// A `&str`.
    Text(String),
    /// The `None` of an optional argument.
    Absent,
}

impl fmt::Display for ArgumentValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usize(value) => write!(f, "{value}"),
            Self::Isize(value) => write!(f, "{value}"),
            Self::Bool(value) => write!(f, "{value}"),
            Self::F64(value) => write!(f, "{value:?}"),
            Self::UsizeSlice(values) => write!(f, "{values:?}"),
            Self::IsizeSlice(values) => write!(f, "{values:?}"),
            Self::F64Slice(values) => write!(f, "{values:?}"),
            Self::Text(text) => write!(f, "{text:?}"),
            Self::Absent => f.write_str("none"),
        }
    }
}

/// The argument types of operations.
pub trait FromArgument<'a>: Sized {
    /// The value as this type, if it has it.
    fn from_argument(value: &'a ArgumentValue) -> Option<Self>;
}

macro_rules! arguments {
    ($($rust:ty, $variant:ident, $pattern:pat => $read:expr;)*) => {$(
        impl<'a> From<$rust> for ArgumentValue {
            fn from(value: $rust) -> Self {
                Self::$variant(value.into())
            }
        }

        impl<'a> FromArgument<'a> for $rust {
            fn from_argument(value: &'a ArgumentValue) -> Option<Self> {
                match value {
                    $pattern => Some($read),
                    _ => None,
                }
            }
        }
    )*};
}

arguments! {
    usize, Usize, ArgumentValue::Usize(value) => *value;
    isize, Isize, ArgumentValue::Isize(value) => *value;
    bool, Bool, ArgumentValue::Bool(value) => *value;
    f64, F64, ArgumentValue::F64(value) => *value;
    &'a [usize], UsizeSlice, ArgumentValue::UsizeSlice(values) => values;
    &'a [isize], IsizeSlice, ArgumentValue::IsizeSlice(values) => values;
    &'a [f64], F64Slice, ArgumentValue::F64Slice(values) => values;
    &'a str, Text, ArgumentValue::Text(text) => text;
}

impl<A: Into<ArgumentValue>> From<Option<A>> for ArgumentValue {
    fn from(value: Option<A>) -> Self {
        value.map_or(Self::Absent, Into::into)
    }
}

impl<'a, A: FromArgument<'a>> FromArgument<'a> for Option<A> {
    fn from_argument(value: &'a ArgumentValue) -> Option<Self> {
        match value {
            ArgumentValue::Absent => Some(None),
            present => A::from_argument(present).map(Some),
        }
    }
}
