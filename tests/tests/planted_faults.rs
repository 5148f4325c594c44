//! Faulty rules, each with the fault in its source, and the check that catches it.
//!
//! They are declared in a binary of their own, so that their registrations enter no other; without the
//! standard harness the tests that their declarations generate are not collected.

#[path = "planted_faults/accumulation.rs"]
mod accumulation;
#[path = "planted_faults/arithmetic.rs"]
mod arithmetic;
#[path = "planted_faults/state.rs"]
mod state;
#[path = "planted_faults/structure.rs"]
mod structure;

use autodiff_core::gradcheck::{Check, CheckOptions, Failure, check};
use autodiff_core::rule::{Registry, Rule};
use libtest_mimic::{Arguments, Failed, Trial};

fn main() {
    // A planted panic is caught and reported; printed as well, it would look like a failure.
    std::panic::set_hook(Box::new(|_| {}));
    let trials = [
        arithmetic::trials(),
        accumulation::trials(),
        state::trials(),
        structure::trials(),
    ];
    libtest_mimic::run(
        &Arguments::from_args(),
        trials.into_iter().flatten().collect(),
    )
    .exit();
}

/// A trial that the rule declared at `path` fails one of these checks, on some element type.
fn caught(claim: &'static str, path: &'static str, by: &'static [Check]) -> Trial {
    Trial::test(claim, move || caught_with(path, by, |_| true))
}

/// As [`caught`], with a look at the failure.
fn caught_with(path: &str, by: &[Check], look: impl Fn(&Failure) -> bool) -> Result<(), Failed> {
    // Not only from one seed: a fault that is caught by luck is not caught.
    for seed in 0..20 {
        let report = check(rule(path)?, &CheckOptions::new(seed));
        match &report.failure {
            Some(failure) if by.contains(&failure.finding.check) && look(failure) => {}
            Some(failure) => return Err(format!("caught as something else:\n{failure}").into()),
            None => return Err(format!("not caught:\n{report}").into()),
        }
    }
    Ok(())
}

fn rule(path: &str) -> Result<&'static Rule, Failed> {
    Ok(Registry::global()?.rule_at(path)?)
}
