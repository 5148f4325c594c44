//! What is linked into a program, and what the registry says of it.

use std::fs;
use std::path::Path;

use autodiff_core::rule::{Outputs, Rule};
use autodiff_core::{Identity, RegistryError};
use autodiff_ops::prelude::*;

use super::faulty::stray::{STRAY, forged};
use super::{parameter, reverse_sum};

fn of_the_workspace(file: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(file)).unwrap()
}

static TWICE: Identity = Identity::new("twice", "somewhere::twice");

/// A record as two versions of one crate would register it.
fn declared_in(package: &'static str) -> &'static Rule {
    Box::leak(Box::new(Rule {
        operation: Operation::new(&TWICE),
        docs: "",
        file: "src/lib.rs",
        line: 7,
        package,
        parameters: &[],
        vjps: &[],
        outputs: Outputs::One,
        cases: &[],
        f32: None,
        f64: None,
        dual: None,
    }))
}

#[test]
fn t013_an_operation_without_a_rule_is_refused_by_the_pass_and_never_taken_for_the_identity() {
    let x = parameter([2], &[1.0, 2.0]);
    let output = forged(Operation::new(&STRAY), &x).unwrap();
    let error = reverse_sum(&output).unwrap_err();
    assert!(
        matches!(
            error,
            TensorAutodiffError::Registry(RegistryError::UnknownOperation { .. })
        ),
        "{error:?}"
    );
    assert_eq!(super::gradient(&x).as_slice(), [0.0, 0.0]);
}

#[test]
fn t126_the_toolchain_and_the_registration_crate_are_those_that_lose_nothing() {
    // Registrations were lost from Rust 1.54 to 1.61, and inventory guards against it since 0.3.
    let manifest = of_the_workspace("Cargo.toml");
    let rust = manifest
        .lines()
        .find_map(|line| line.strip_prefix("rust-version = \"1."))
        .unwrap();
    let minor: u32 = rust.trim_end_matches('"').parse().unwrap();
    assert!(minor >= 62);
    assert!(manifest.contains("inventory = \"0.3"));
    assert_eq!(
        of_the_workspace("Cargo.lock")
            .matches("name = \"inventory\"")
            .count(),
        1
    );
}

#[test]
fn t130_two_versions_of_one_crate_are_reported_with_both_versions() {
    let rules = [declared_in("acme 0.2.0"), declared_in("acme 0.1.0")];
    let error = Registry::from_rules(rules).unwrap_err();
    assert_eq!(
        error.to_string(),
        "operation somewhere::twice is registered twice: acme 0.1.0 (src/lib.rs:7) and acme 0.2.0 (src/lib.rs:7)"
    );
}

/// The committed list of the operations, one path a line.
const LIST: &str = include_str!("../../fixtures/rules.txt");

#[test]
fn t123_every_rule_of_a_dependency_is_linked() {
    let rules = Registry::global().unwrap().rules().iter();
    let linked: Vec<_> = rules
        .filter(|rule| rule.package.starts_with("autodiff-ops "))
        .map(|rule| rule.operation.path())
        .collect();
    let listed: Vec<_> = LIST
        .lines()
        .filter_map(|line| line.split(' ').next())
        .collect();
    assert_eq!(linked, listed);
}

#[test]
fn t124_a_module_that_holds_nothing_but_a_rule_is_linked_in_whatever_profile_this_is_built() {
    mod lonely {
        use autodiff_ops::prelude::*;

        /// The input.
        #[vjp_rule]
        #[gradcheck(x: [n])]
        pub fn lonely<T: Element>(x: &Tensor<T>) -> Result<Tensor<T>> {
            /// upstream
            #[vjp(x)]
            fn x_vjp(upstream: Tensor<T>) -> Result<Tensor<T>> {
                Ok(upstream)
            }
            Ok(x.clone())
        }
    }
    let path = concat!(module_path!(), "::lonely::lonely");
    assert!(Registry::global().unwrap().rule_at(path).is_ok());
}
