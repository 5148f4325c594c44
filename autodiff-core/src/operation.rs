//! What an operation is called: the name people see, and the ID that the tape dispatches by.

use std::fmt;

/// The ID of an operation: the 64-bit FNV-1a hash of its path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OperationId(u64);

impl OperationId {
    /// Hashes `path`, for example `autodiff_ops::elementwise::mul`.
    ///
    /// The offset basis and the prime are those of the 64-bit FNV-1a hash.
    pub const fn of_path(path: &str) -> Self {
        let bytes = path.as_bytes();
        let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
        let mut index = 0;
        while index < bytes.len() {
            hash = (hash ^ bytes[index] as u64).wrapping_mul(0x0000_0100_0000_01b3);
            index += 1;
        }
        Self(hash)
    }

    /// The hash itself.
    pub const fn get(self) -> u64 {
        self.0
    }
}

impl fmt::Display for OperationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// The name, path and ID of one operation, as a constant of the program.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Identity {
    name: &'static str,
    path: &'static str,
    id: OperationId,
}

impl Identity {
    /// An identity whose ID is the hash of `path`.
    pub const fn new(name: &'static str, path: &'static str) -> Self {
        Self {
            name,
            path,
            id: OperationId::of_path(path),
        }
    }
}

/// What produced a node: an operation, or one of the three kinds of leaf.
///
/// Two operations are equal when their paths are; names need not be unique.
#[derive(Clone, Copy)]
pub struct Operation(&'static Identity);

impl Operation {
    /// The leaf that stores a gradient.
    pub const PARAMETER: Self = Self(&Identity::new("parameter", "parameter"));
    /// The leaf that is never differentiated.
    pub const CONSTANT: Self = Self(&Identity::new("constant", "constant"));
    /// The untracked leaf that [`detach`](crate::TensorValue::detach) makes.
    pub const DETACHED: Self = Self(&Identity::new("detached", "detached"));

    /// The operation with this identity.
    pub const fn new(identity: &'static Identity) -> Self {
        Self(identity)
    }

    /// The name people see.
    pub const fn name(self) -> &'static str {
        self.0.name
    }

    /// The path of the declaring function.
    pub const fn path(self) -> &'static str {
        self.0.path
    }

    /// The ID that reverse rules are dispatched by.
    pub const fn id(self) -> OperationId {
        self.0.id
    }
}

impl PartialEq for Operation {
    fn eq(&self, other: &Self) -> bool {
        // One declaration has one identity almost everywhere, and then its path need not be read.
        std::ptr::eq(self.0, other.0) || (self.id() == other.id() && self.path() == other.path())
    }
}

impl Eq for Operation {}

impl std::hash::Hash for Operation {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.id().hash(state);
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl fmt::Debug for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_fnv_1a() {
        // The published test vectors of the 64-bit hash for "" and "a".
        assert_eq!(OperationId::of_path("").get(), 0xcbf2_9ce4_8422_2325);
        assert_eq!(OperationId::of_path("a").get(), 0xaf63_dc4c_8601_ec8c);
    }

    #[test]
    fn operations_of_one_name_and_two_paths_differ() {
        static ONE: Identity = Identity::new("scale", "one::scale");
        static TWO: Identity = Identity::new("scale", "two::scale");
        assert_ne!(Operation::new(&ONE), Operation::new(&TWO));
        assert_eq!(
            Operation::new(&ONE).to_string(),
            Operation::new(&TWO).to_string()
        );
    }
}
