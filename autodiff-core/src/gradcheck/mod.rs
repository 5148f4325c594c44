//! The gradient check: every registered rule, and any function of a user's, against what defines them.
//!
//! Invariant: only `f64` is differenced. Invariant: whether a number is trusted never depends on the
//! number it is compared with. Invariant: nothing here panics but [`check_rule`], the body of a test.
//!
//! Of a rule, per element type and drawn case:
//! 1. the shape of every contribution, also at rank 0, extent 1 and extent 0 ([`Check::Shape`]);
//! 2. the Jacobian against central differences ([`Check::Jacobian`]);
//! 3. the adjoint identity on dual numbers ([`Check::Adjoint`]);
//! 4. linearity in the upstream ([`Check::Upstream`]);
//! 5. one node in several operand slots ([`Check::Reuse`]);
//! 6. every subset of tracked operands ([`Check::Subsets`]);
//! 7. nothing changed, and the same bits again ([`Check::Purity`], [`Check::Determinism`]);
//! 8. `f32` and dual numbers against `f64` ([`Check::Precision`]);
//! 9. the plain form against the taped one ([`Check::Agreement`]);
//! 10. the rule on dual numbers against central differences of the rule ([`Check::SecondOrder`]);
//!
//! and that a reverse pass dispatches to the rule ([`Check::Dispatch`]).

mod compare;
mod conditioning;
mod draw;
mod element;
mod fault;
mod finding;
mod function;
mod items;
mod numeric;
mod on_draw;
mod options;
mod outcome;
mod point;
mod report;
mod rule;
mod sample;
mod stream;
mod values;

pub use fault::{Fault, FaultKind, FaultReport, NoFault};
pub use finding::{Cause, Check, Finding};
pub use function::gradcheck;
pub use options::{CheckOptions, DEFAULT_SEED, SEED_VARIABLE, SeedError, seed_from_environment};
pub use outcome::{Coordinate, GradcheckError, GradcheckOptions, GradcheckReport};
pub use report::{CheckReport, Failure, RuleReport, SkippedCase, Verdict};
pub use rule::check;

use crate::rule::Registry;

/// The body of the test that every declaration generates: the full check of the rule at `path`, from a
/// fixed seed or from that in `AUTODIFF_SEED`. The report is printed.
///
/// # Panics
/// With the report where the check fails, and where there is no such rule.
#[allow(clippy::panic)] // It is the body of a test, and a panic is how a test fails.
pub fn check_rule(path: &str) {
    let seed = match seed_from_environment() {
        Ok(seed) => seed.unwrap_or(DEFAULT_SEED),
        Err(error) => panic!("{error}"),
    };
    let rule = match Registry::global().and_then(|registry| registry.rule_at(path)) {
        Ok(rule) => rule,
        Err(error) => panic!("{error}"),
    };
    let report = check(rule, &CheckOptions::new(seed));
    assert!(report.passed(), "{report}");
    println!("{report}");
}

#[cfg(test)]
mod tests {
    #[test]
    #[should_panic(expected = "nowhere::nothing")]
    fn a_rule_that_is_not_registered_fails_its_test() {
        super::check_rule("nowhere::nothing");
    }
}
