//! What can be wrong with the set of registered rules.

use crate::operation::OperationId;

/// The registry cannot be built, or does not hold what was asked for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RegistryError {
    /// No rule is linked into this program.
    #[error(
        "no operation is registered: a crate that is never named is not linked, \
         so name the crate that declares the operations (`use autodiff_ops as _;`)"
    )]
    Empty,

    /// Two declarations have one path, or two paths have one ID.
    #[error("operation {path} is registered twice: {first} and {second}")]
    Duplicate {
        /// The path of the second declaration.
        path: &'static str,
        /// Package, file and line of the first.
        first: String,
        /// Package, file and line of the second.
        second: String,
    },

    /// A node's operation has no rule in the registry.
    #[error(
        "operation {path} ({id}) is not registered: name the crate that declares it \
         (`use {} as _;`) so that it is linked",
        path.split("::").next().unwrap_or(path)
    )]
    UnknownOperation {
        /// The path that was looked up.
        path: String,
        /// Its ID.
        id: OperationId,
    },

    /// The operation is registered, but not for this element type.
    #[error("operation {path} has no reverse rule for element type {element}")]
    UnsupportedElement {
        /// The path that was looked up.
        path: &'static str,
        /// The element type.
        element: &'static str,
    },
}
