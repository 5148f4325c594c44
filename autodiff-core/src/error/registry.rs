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
    #[error("{}: {first} and {second}", clash(earlier, path))]
    Duplicate {
        /// The path of the first declaration.
        earlier: &'static str,
        /// The path of the second, which is the same or has the same ID.
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

fn clash(earlier: &str, path: &str) -> String {
    match earlier == path {
        true => format!("operation {path} is registered twice"),
        false => format!("operations {earlier} and {path} have one ID"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_paths_of_one_id_are_both_named() {
        let [first, second] =
            ["one 0.1.0 (src/lib.rs:4)", "two 0.1.0 (src/lib.rs:9)"].map(str::to_owned);
        let error = RegistryError::Duplicate {
            earlier: "one::scale",
            path: "two::scale",
            first,
            second,
        };
        assert_eq!(
            error.to_string(),
            "operations one::scale and two::scale have one ID: one 0.1.0 (src/lib.rs:4) and two 0.1.0 (src/lib.rs:9)"
        );
    }
}
