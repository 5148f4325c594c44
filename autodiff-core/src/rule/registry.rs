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
                    earlier: first.operation.path(),
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
        match self.by_id.get(&operation.id()) {
            Some(rule) if rule.operation == operation => Ok(rule),
            _ => Err(unknown(operation.id(), operation.path())),
        }
    }

    /// The rule declared at `path`, for example `autodiff_ops::elementwise::mul`.
    ///
    /// # Errors
    /// [`RegistryError::UnknownOperation`] where no linked declaration has this path.
    pub fn rule_at(&self, path: &str) -> Result<&'static Rule, RegistryError> {
        let id = OperationId::of_path(path);
        match self.by_id.get(&id) {
            Some(rule) if rule.operation.path() == path => Ok(rule),
            _ => Err(unknown(id, path)),
        }
    }
}

fn unknown(id: OperationId, path: &str) -> RegistryError {
    RegistryError::UnknownOperation {
        path: path.to_owned(),
        id,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operation::Identity;
    use crate::prelude::*;

    /// Three times the input.
    ///
    /// At x = 0: 3, like
    /// everywhere.
    /// At infinity: refused.
    ///
    /// # Errors
    /// On the tape, where the result is not finite.
    #[vjp_rule(name = "scaled")]
    #[gradcheck(x: [..])]
    fn triple<T: Element>(x: &Tensor<T>) -> Result<Tensor<T>> {
        /// three times upstream
        #[vjp(x)]
        fn x_vjp(upstream: &Tensor<T>) -> Result<Tensor<T>> {
            Ok(upstream.map(|u| u + u + u))
        }
        Ok(x.map(|x| x + x + x))
    }

    const TRIPLE: &str = "autodiff_core::rule::registry::tests::triple";

    #[test]
    fn a_declaration_is_found_by_path_and_lists_what_it_declares() {
        let rule = Registry::global()
            .and_then(|registry| registry.rule_at(TRIPLE))
            .unwrap();
        assert_eq!(rule.operation.name(), "scaled");
        assert_eq!(rule.operation.id(), OperationId::of_path(TRIPLE));
        assert_eq!(rule.element_types(), ["f32", "f64", "dual"]);
        assert_eq!(
            rule.conventions(),
            ["At x = 0: 3, like everywhere.", "At infinity: refused."]
        );
        assert_eq!(rule.vjps[0].words, "three times upstream");
        assert!(rule.file.ends_with("registry.rs"));
    }

    #[test]
    fn a_registry_without_rules_says_to_name_the_crate() {
        let error = Registry::from_rules([]).unwrap_err();
        assert_eq!(error, RegistryError::Empty);
        assert!(error.to_string().contains("use autodiff_ops as _;"));
    }

    #[test]
    fn a_duplicate_names_both_places() {
        let rule = Registry::global()
            .and_then(|registry| registry.rule_at(TRIPLE))
            .unwrap();
        let error = Registry::from_rules([rule, rule]).unwrap_err();
        assert_eq!(
            error,
            RegistryError::Duplicate {
                earlier: TRIPLE,
                path: TRIPLE,
                first: rule.location(),
                second: rule.location()
            }
        );
    }

    #[test]
    fn an_unknown_operation_is_an_error_and_never_a_default() {
        static STRANGE: Identity = Identity::new("strange", "elsewhere::strange");
        let registry = Registry::global().unwrap();
        let error = registry.rule(Operation::new(&STRANGE)).unwrap_err();
        let id = OperationId::of_path("elsewhere::strange");
        assert_eq!(
            error,
            RegistryError::UnknownOperation {
                path: "elsewhere::strange".into(),
                id
            }
        );
    }

    #[test]
    fn a_rule_of_a_crate_that_is_not_linked_is_looked_up_in_vain_and_with_advice() {
        // Nothing in this crate names the one that declares it.
        let path = "autodiff_ops::elementwise::arithmetic::mul";
        let error = Registry::global().unwrap().rule_at(path).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!(
                "operation {path} ({}) is not registered: name the crate that declares it \
                 (`use autodiff_ops as _;`) so that it is linked",
                OperationId::of_path(path)
            )
        );
    }

    #[test]
    fn rules_are_listed_by_path() {
        let registry = Registry::global().unwrap();
        assert!(
            registry
                .rules()
                .is_sorted_by_key(|rule| rule.operation.path())
        );
    }
}
