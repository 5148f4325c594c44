//! The set of all rules linked into the program, found by ID and listed by path.
//!
//! Invariant: paths and IDs are unique; rules are sorted by path.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::OnceLock;

use super::Rule;
use crate::error::RegistryError;
use crate::operation::{Operation, OperationId};

/// The registered rules.
#[derive(Debug)]
pub struct Registry {
    sorted: Vec<&'static Rule>,
    by_id: HashMap<OperationId, &'static Rule, BuildHasherDefault<IdentityHasher>>,
}

impl Registry {
    /// The rules of every declaration linked into this program, collected once.
    ///
    /// # Errors
    /// [`RegistryError::Empty`] where no declaration is linked, [`RegistryError::Duplicate`] where two
    /// have one path or one ID (also when two versions of one package are linked).
    pub fn global() -> Result<&'static Self, RegistryError> {
        static GLOBAL: OnceLock<Result<Registry, RegistryError>> = OnceLock::new();
        GLOBAL
            .get_or_init(|| Self::from_rules(inventory::iter::<Rule>))
            .as_ref()
            .map_err(Clone::clone)
    }

    /// A registry of exactly these rules.
    ///
    /// # Errors
    /// As for [`global`](Self::global).
    pub fn from_rules(
        rules: impl IntoIterator<Item = &'static Rule>,
    ) -> Result<Self, RegistryError> {
        let mut sorted: Vec<_> = rules.into_iter().collect();
        sorted.sort_by_key(|rule| (rule.operation.path(), rule.package, rule.file, rule.line));
        if sorted.is_empty() {
            return Err(RegistryError::Empty);
        }
        let mut by_id =
            HashMap::with_capacity_and_hasher(sorted.len(), BuildHasherDefault::default());
        for &rule in &sorted {
            if let Some(first) = by_id.insert(rule.operation.id(), rule) {
                let first: &Rule = first;
                return Err(RegistryError::Duplicate {
                    path: rule.operation.path(),
                    first: first.location(),
                    second: rule.location(),
                });
            }
        }
        Ok(Self { sorted, by_id })
    }

    /// All rules, sorted by path.
    pub fn rules(&self) -> &[&'static Rule] {
        &self.sorted
    }

    /// The rule of an operation.
    ///
    /// # Errors
    /// [`RegistryError::UnknownOperation`] where no linked declaration has its path.
    pub fn rule(&self, operation: Operation) -> Result<&'static Rule, RegistryError> {
        self.find(operation.id(), operation.path())
    }

    /// The rule declared at `path`, for example `autodiff_ops::elementwise::mul`.
    ///
    /// # Errors
    /// [`RegistryError::UnknownOperation`] where no linked declaration has this path.
    pub fn rule_at(&self, path: &str) -> Result<&'static Rule, RegistryError> {
        self.find(OperationId::of_path(path), path)
    }

    fn find(&self, id: OperationId, path: &str) -> Result<&'static Rule, RegistryError> {
        self.by_id
            .get(&id)
            .copied()
            .filter(|rule| rule.operation.path() == path)
            .ok_or_else(|| RegistryError::UnknownOperation {
                path: path.to_owned(),
                id,
            })
    }
}

/// The hash of an ID is the ID: it is a hash already.
#[derive(Default)]
struct IdentityHasher(u64);

impl Hasher for IdentityHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write_u64(&mut self, id: u64) {
        self.0 = id;
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(byte);
        }
    }
}
