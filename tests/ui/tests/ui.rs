//! The messages of `#[vjp_rule]`: every mistake of a declaration, each at its own span, in one compile.
//!
//! `TRYBUILD=overwrite cargo test -p ui` rewrites the expected messages.

use trybuild::TestCases;

#[test]
fn every_mistake_says_what_to_write_instead() {
    TestCases::new().compile_fail("*.rs");
}

#[test]
fn t133_an_attribute_without_its_arguments_says_what_is_missing() {
    TestCases::new().compile_fail("rows/t133.rs");
}

#[test]
fn t135_a_reverse_map_of_the_wrong_structure_names_rule_operands_and_both_arities() {
    TestCases::new().compile_fail("rows/t135.rs");
}

#[test]
fn t138_one_contribution_is_returned_bare() {
    TestCases::new().compile_fail("rows/t138.rs");
}
