//! What the check of one rule comes to: per element type and check, and the failure if there is one.

use std::collections::BTreeMap;
use std::fmt;

use super::fault::FaultReport;
use super::finding::{Check, Finding};
use crate::operation::Operation;

/// The outcome of checking one rule.
#[derive(Clone, Debug, PartialEq)]
pub struct RuleReport {
    /// The operation.
    pub operation: Operation,
    /// Package, file and line of its declaration.
    pub location: String,
    /// The seed that every draw follows from.
    pub seed: u64,
    /// How many draws were checked.
    pub draws: usize,
    /// How many draws could not be used and were drawn again.
    pub redrawn: usize,
    /// The cases that are not checked, with the reasons that their declaration gives.
    pub skipped: Vec<SkippedCase>,
    /// What was checked, by element type and check.
    pub checks: Vec<CheckReport>,
    /// The first failure.
    pub failure: Option<Failure>,
    /// What a planted fault did, where one was asked for.
    pub fault: Option<FaultReport>,
}

/// A case that its declaration asks not to check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkippedCase {
    /// The case as written.
    pub case: &'static str,
    /// Why.
    pub reason: &'static str,
}

/// What became of one check on one element type.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckReport {
    /// The element type.
    pub element: &'static str,
    /// The check.
    pub check: Check,
    /// On how many draws it held.
    pub held: usize,
    /// The largest error that it met, as a part of its tolerance.
    pub worst: f64,
    /// On how many draws it did not apply, and why on the last of them.
    pub skipped: usize,
    /// The reason.
    pub reason: Option<String>,
    /// The outcome.
    pub verdict: Verdict,
}

/// The outcome of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It held wherever it applied.
    Passed,
    /// It failed.
    Failed,
    /// It never applied.
    Skipped,
}

/// A failed check with everything that is needed to look at it again.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    /// The operation.
    pub operation: Operation,
    /// Package, file and line of its declaration.
    pub location: String,
    /// The case as written.
    pub case: &'static str,
    /// The inputs: each parameter with its shape or value.
    pub inputs: String,
    /// The seed.
    pub seed: u64,
    /// The command that runs the same draws again.
    pub replay: String,
    /// What failed.
    pub finding: Finding,
}

impl RuleReport {
    /// Whether nothing failed.
    pub fn passed(&self) -> bool {
        self.failure.is_none()
    }

    /// The checks that applied to no draw at all.
    pub fn inapplicable(&self) -> impl Iterator<Item = &CheckReport> {
        let skipped = |report: &&CheckReport| report.verdict == Verdict::Skipped;
        self.checks.iter().filter(skipped)
    }

    /// What became of one check on one element type.
    pub fn check(&self, element: &str, check: Check) -> Option<&CheckReport> {
        let same = |report: &&CheckReport| report.element == element && report.check == check;
        self.checks.iter().find(same)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: {}", self.operation, self.finding)?;
        writeln!(f, "  declared: {}", self.location)?;
        writeln!(f, "  case: {}", self.case)?;
        writeln!(f, "  inputs: {}", self.inputs)?;
        writeln!(f, "  seed: {}", self.seed)?;
        write!(f, "  replay: {}", self.replay)
    }
}

impl std::error::Error for Failure {}

impl fmt::Display for RuleReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(failure) = &self.failure {
            return failure.fmt(f);
        }
        write!(
            f,
            "{}: {} draws, {} redrawn, seed {}",
            self.operation, self.draws, self.redrawn, self.seed
        )?;
        for SkippedCase { case, reason } in &self.skipped {
            write!(f, "\n  not checked: {case}: {reason}")?;
        }
        for check in &self.checks {
            write!(f, "\n  {check}")?;
        }
        Ok(())
    }
}

impl fmt::Display for CheckReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:<5} {:<28}", self.element, self.check)?;
        match self.verdict {
            Verdict::Passed => write!(f, "held on {} draws", self.held)?,
            Verdict::Failed => f.write_str("failed")?,
            Verdict::Skipped => f.write_str("did not apply")?,
        }
        if self.worst > 0.0 {
            write!(f, ", worst error {:.1e} of its tolerance", self.worst)?;
        }
        match &self.reason {
            Some(reason) => write!(f, "; not on {}: {reason}", self.skipped),
            None => Ok(()),
        }
    }
}

/// What one item of the check came to on one draw.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Outcome {
    /// It held, with this error as a part of the tolerance.
    Held(f64),
    /// It does not apply.
    Skipped(String),
    /// The numeric side cannot be trusted there.
    Unreliable(&'static str),
}

/// Collects outcomes.
#[derive(Clone, Debug, Default)]
pub(super) struct Ledger(BTreeMap<(&'static str, Check), Entry>);

#[derive(Clone, Debug, Default)]
struct Entry {
    held: usize,
    worst: f64,
    skipped: usize,
    reason: Option<String>,
}

impl Ledger {
    pub(super) fn note(&mut self, element: &'static str, check: Check, outcome: Outcome) {
        let entry = self.0.entry((element, check)).or_default();
        match outcome {
            Outcome::Held(worst) => {
                entry.held += 1;
                entry.worst = entry.worst.max(worst);
            }
            Outcome::Skipped(reason) => {
                entry.skipped += 1;
                entry.reason = Some(reason);
            }
            Outcome::Unreliable(reason) => {
                entry.skipped += 1;
                entry.reason = Some(reason.to_owned());
            }
        }
    }

    /// Adds what was collected elsewhere.
    pub(super) fn absorb(&mut self, other: Self) {
        for (key, entry) in other.0 {
            let own = self.0.entry(key).or_default();
            own.held += entry.held;
            own.worst = own.worst.max(entry.worst);
            own.skipped += entry.skipped;
            own.reason = entry.reason.or(own.reason.take());
        }
    }

    pub(super) fn finish(self, failure: Option<&Failure>) -> Vec<CheckReport> {
        let mut entries = self.0;
        let failed = failure.map(|failure| (failure.finding.element, failure.finding.check));
        if let Some(key) = failed {
            entries.entry(key).or_default();
        }
        let report = |(key, entry): ((&'static str, Check), Entry)| CheckReport {
            element: key.0,
            check: key.1,
            held: entry.held,
            worst: entry.worst,
            skipped: entry.skipped,
            reason: entry.reason,
            verdict: match entry.held {
                _ if failed == Some(key) => Verdict::Failed,
                0 => Verdict::Skipped,
                _ => Verdict::Passed,
            },
        };
        entries.into_iter().map(report).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gradcheck::finding::Cause;

    fn failure() -> Failure {
        Failure {
            operation: Operation::PARAMETER,
            location: "some 0.1.0 (src/lib.rs:7)".to_owned(),
            case: "x: [m, n], axis = 0 | 1",
            inputs: "x: [2, 3], axis = 1".to_owned(),
            seed: 7,
            replay: "AUTODIFF_SEED=7 cargo test gradcheck_some".to_owned(),
            finding: Finding {
                check: Check::Shape,
                element: "f32",
                operand: None,
                output: 0,
                index: None,
                output_index: None,
                cause: Cause::Changed {
                    what: "its upstream".to_owned(),
                },
            },
        }
    }

    #[test]
    fn a_failure_says_where_and_how_to_replay() {
        assert_eq!(
            failure().to_string(),
            "parameter: contribution shape (f32): the rule changed its upstream\n\
             \x20 declared: some 0.1.0 (src/lib.rs:7)\n\
             \x20 case: x: [m, n], axis = 0 | 1\n\
             \x20 inputs: x: [2, 3], axis = 1\n\
             \x20 seed: 7\n\
             \x20 replay: AUTODIFF_SEED=7 cargo test gradcheck_some"
        );
    }

    #[test]
    fn a_check_passed_where_it_held_and_was_skipped_where_it_never_applied() {
        let mut ledger = Ledger::default();
        ledger.note("f64", Check::Jacobian, Outcome::Held(0.25));
        ledger.note("f64", Check::Jacobian, Outcome::Unreliable("a kink"));
        ledger.note(
            "f64",
            Check::Reuse,
            Outcome::Skipped("one operand".to_owned()),
        );
        let failure = failure();
        let checks = ledger.finish(Some(&failure));
        let verdicts: Vec<_> = checks
            .iter()
            .map(|check| (check.check, check.verdict))
            .collect();
        assert_eq!(
            verdicts,
            [
                (Check::Shape, Verdict::Failed),
                (Check::Jacobian, Verdict::Passed),
                (Check::Reuse, Verdict::Skipped),
            ]
        );
        assert_eq!(
            checks[1].to_string(),
            "f64   jacobian                    held on 1 draws, worst error 2.5e-1 of its \
             tolerance; not on 1: a kink"
        );
    }
}
