//! What one declaration registers, and the registry that lists and finds it.

mod argument;
mod call;
mod case;
mod record;
mod registry;
mod saved;

pub use argument::{ArgumentValue, FromArgument};
pub use call::{Call, CallError, Input};
pub use case::{Case, CaseKind, Choice, Drawn, InputSpec};
pub use record::{
    Contributions, ElementRule, Outputs, Parameter, ParameterKind, ReverseCall, ReverseFn, Rule,
    SavedName, Vjp,
};
pub use registry::Registry;
pub use saved::{SavedContext, SavedField, SavedFields, SavedValue};
#[doc(hidden)]
pub use saved::{ShowByDebug, ShowKnown, Shown};
