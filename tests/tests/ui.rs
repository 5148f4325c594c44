//! The messages of `#[vjp_rule]`: every mistake of a declaration, each at its own span, in one compile.
//!
//! `TRYBUILD=overwrite cargo test -p tests --test ui` rewrites the expected messages.

#[test]
fn every_mistake_says_what_to_write_instead() {
    trybuild::TestCases::new().compile_fail("ui/*.rs");
}
