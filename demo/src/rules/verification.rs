//! The evidence for every registered rule, as data: what was checked, how close it came, and whether a
//! planted fault would have been seen.

use autodiff_core::gradcheck::{
    Check, CheckOptions, DEFAULT_SEED, Fault, RuleReport, Verdict, check, seed_from_environment,
};
use autodiff_core::tensor::ElementKind;
use autodiff_ops::prelude::*;
use serde::Serialize;

use super::faults::{DRAWS, Faults};
use crate::DemoError;

/// Further seeds on which every rule as it is must pass, so that a failure of one is a false alarm.
const FURTHER_SEEDS: u64 = 5;

pub(super) const PASSED: &str = "passed";
pub(super) const FAILED: &str = "failed";
pub(super) const NOT_APPLIED: &str = "did not apply";

/// The evidence for all rules together.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Verification {
    /// What the document is, and the version of its form.
    pub schema: &'static str,
    /// The seed that every draw follows from.
    pub seed: u64,
    /// The numbers of the whole.
    pub totals: Totals,
    /// What is missing or wrong; empty where everything holds.
    pub gaps: Vec<String>,
    /// Every registered rule, sorted by path.
    pub rules: Vec<VerifiedRule>,
}

/// The numbers of the whole.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Totals {
    /// Rules in the registry.
    pub registered: usize,
    /// Rules that passed a check of at least one drawn case, with no case skipped.
    pub checked: usize,
    /// Rules that are found by the ID of their operation and, where they have a reverse map, were reached
    /// by a reverse pass that stored what they give.
    pub dispatched: usize,
    /// Faults that were planted into contributions and made them wrong.
    pub faults_planted: usize,
    /// Those that the check noticed.
    pub faults_caught: usize,
    /// Runs of the check on further seeds, without a fault.
    pub honest_runs: usize,
    /// Those that failed.
    pub false_alarms: usize,
}

/// The evidence for one rule.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct VerifiedRule {
    /// The name people see.
    pub name: String,
    /// The path of the declaration.
    pub path: &'static str,
    /// The ID that passes dispatch by.
    pub id: String,
    /// Package, file and line.
    pub declared_at: String,
    /// What holds at kinks and ties.
    pub conventions: Vec<String>,
    /// Cases that the declaration asks not to check, with its reasons.
    pub skipped: Vec<String>,
    /// One entry for each element type.
    pub elements: Vec<VerifiedElement>,
}

/// The evidence for one rule on one element type.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct VerifiedElement {
    /// The element type.
    pub element: &'static str,
    /// How many cases the declaration has.
    pub cases: usize,
    /// How many draws of them were checked.
    pub draws: usize,
    /// How many draws could not be used and were drawn again.
    pub redrawn: usize,
    /// Every check.
    pub checks: Vec<VerifiedCheck>,
    /// Faults planted into this rule on this element type, that made a contribution wrong.
    pub faults_planted: usize,
    /// Those that the check noticed.
    pub faults_caught: usize,
    /// Whether everything held and every fault was noticed.
    pub holds: bool,
    /// The first failure with the command that replays it.
    pub failure: Option<String>,
}

/// What became of one check.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct VerifiedCheck {
    /// What is checked.
    pub check: String,
    /// `passed`, `failed` or `did not apply`.
    pub verdict: &'static str,
    /// On how many draws it held.
    pub held: usize,
    /// The largest error, as a part of its tolerance.
    pub worst: f64,
    /// Why it did not apply, where it did not.
    pub reason: Option<String>,
}

impl Verification {
    /// The verification from the seed that `AUTODIFF_SEED` gives, or from the usual one.
    ///
    /// # Errors
    /// [`DemoError::Seed`], and as for [`run`](Self::run).
    pub fn of_environment() -> Result<Self, DemoError> {
        let seed = seed_from_environment()?.unwrap_or(DEFAULT_SEED);
        Ok(Self::run(seed)?)
    }

    /// Checks every registered rule on every element type, plants every kind of fault into every operand
    /// use, and runs the check on further seeds.
    ///
    /// # Errors
    /// [`RegistryError`] where there is no registry; a rule that fails is a gap and no error.
    pub fn run(seed: u64) -> Result<Self, RegistryError> {
        let registry = Registry::global()?;
        let mut verification = Self {
            schema: "autodiff.verification/1",
            seed,
            totals: Totals {
                registered: registry.rules().len(),
                ..Totals::default()
            },
            gaps: Vec::new(),
            rules: Vec::new(),
        };
        for &rule in registry.rules() {
            verification.add(registry, rule);
        }
        let Totals {
            registered,
            checked,
            dispatched,
            ..
        } = verification.totals;
        if [checked, dispatched] != [registered; 2] {
            verification.gaps.push(format!(
                "{registered} rules are registered, {checked} checked and {dispatched} dispatched"
            ));
        }
        Ok(verification)
    }

    /// Refuses a verification with gaps.
    ///
    /// # Errors
    /// [`DemoError::Unverified`].
    pub(super) fn without_gaps(&self) -> Result<(), DemoError> {
        match self.gaps.len() {
            0 => Ok(()),
            gaps => Err(DemoError::Unverified { gaps }),
        }
    }

    fn add(&mut self, registry: &Registry, rule: &'static Rule) {
        let path = rule.operation.path();
        let mut skipped = Vec::new();
        let mut elements = Vec::new();
        let mut reached = registry
            .rule(rule.operation)
            .is_ok_and(|found| std::ptr::eq(found, rule));
        for element in elements_of(rule) {
            let report = check(rule, &CheckOptions::new(self.seed).element(element));
            let name = element_name(element);
            let dispatch = report.check(name, Check::Dispatch);
            let passed = dispatch.is_some_and(|check| check.verdict == Verdict::Passed);
            reached &= passed || rule.vjps.is_empty();
            let verified = self.element(rule, element, &report);
            let texts = report.skipped.iter();
            skipped = texts.map(|case| case.reason.to_owned()).collect();
            elements.push(verified);
        }
        let holds = |verified: &VerifiedElement| verified.holds && verified.draws > 0;
        if skipped.is_empty() && !elements.is_empty() && elements.iter().all(holds) {
            self.totals.checked += 1;
        }
        if reached {
            self.totals.dispatched += 1;
        } else {
            self.gaps
                .push(format!("{path}: no reverse pass reached it"));
        }
        for reason in &skipped {
            self.gaps.push(format!("{path}: not checked: {reason}"));
        }
        self.rules.push(VerifiedRule {
            name: rule.operation.to_string(),
            path,
            id: rule.operation.id().to_string(),
            declared_at: rule.location(),
            conventions: rule.conventions(),
            skipped,
            elements,
        });
    }

    fn element(
        &mut self,
        rule: &'static Rule,
        element: ElementKind,
        report: &RuleReport,
    ) -> VerifiedElement {
        let path = rule.operation.path();
        let name = element_name(element);
        if let Some(failure) = &report.failure {
            self.gaps
                .push(format!("{path} [{name}]: {}", failure.finding));
        }
        // Of a rule that is wrong, no further failure says anything.
        let (planted, caught) = match report.passed() && report.draws > 0 {
            true => {
                self.run_further(rule, element);
                self.plant_all(rule, element)
            }
            false => (0, 0),
        };
        // What no fault was planted into has not been seen to notice one.
        let is_sensitive = planted == caught && (planted > 0 || rule.vjps.is_empty());
        if report.passed() && planted == 0 && !is_sensitive {
            self.gaps
                .push(format!("{path} [{name}]: no fault could be planted"));
        }
        self.totals.faults_planted += planted;
        self.totals.faults_caught += caught;
        let own = report.checks.iter().filter(|check| {
            // Whether the inputs could be drawn is asked once, and noted for f64.
            check.element == name || check.check == Check::Draws
        });
        VerifiedElement {
            element: name,
            cases: rule.cases.len(),
            draws: report.draws,
            redrawn: report.redrawn,
            checks: own
                .map(|check| VerifiedCheck {
                    check: check.check.to_string(),
                    verdict: match check.verdict {
                        Verdict::Passed => PASSED,
                        Verdict::Failed => FAILED,
                        Verdict::Skipped => NOT_APPLIED,
                    },
                    held: check.held,
                    worst: check.worst,
                    reason: check.reason.clone(),
                })
                .collect(),
            faults_planted: planted,
            faults_caught: caught,
            holds: report.passed() && is_sensitive,
            failure: report.failure.as_ref().map(ToString::to_string),
        }
    }
}

impl Verification {
    /// How many faults were planted, and how many of them caught.
    fn plant_all(&mut self, rule: &'static Rule, element: ElementKind) -> (usize, usize) {
        let Faults { planted, missed } = Faults::planted_into(rule, self.seed, element);
        let (path, name) = (rule.operation.path(), element_name(element));
        let caught = planted - missed.len();
        for fault in missed {
            let Fault { kind, operand, .. } = fault;
            self.gaps.push(format!(
                "{path} [{name}]: {kind} in operand {operand} was not noticed"
            ));
        }
        (planted, caught)
    }

    fn run_further(&mut self, rule: &'static Rule, element: ElementKind) {
        for more in 1..=FURTHER_SEEDS {
            let seed = self.seed.wrapping_add(more);
            let options = CheckOptions::new(seed).draws(DRAWS).element(element);
            self.totals.honest_runs += 1;
            if let Some(failure) = check(rule, &options).failure {
                self.totals.false_alarms += 1;
                self.gaps.push(format!(
                    "{} [{}], seed {seed}: {}",
                    rule.operation.path(),
                    element_name(element),
                    failure.finding
                ));
            }
        }
    }
}

fn elements_of(rule: &Rule) -> impl Iterator<Item = ElementKind> {
    let present = [
        (rule.f32.is_some(), ElementKind::F32),
        (rule.f64.is_some(), ElementKind::F64),
        (rule.dual.is_some(), ElementKind::Dual),
    ];
    present
        .into_iter()
        .filter_map(|(present, kind)| present.then_some(kind))
}

fn element_name(element: ElementKind) -> &'static str {
    match element {
        ElementKind::F32 => <f32 as Element>::NAME,
        ElementKind::F64 => <f64 as Element>::NAME,
        ElementKind::Dual => <Dual as Element>::NAME,
    }
}
