//! The check of one rule: every case, the draws it is checked on, and the failure made small.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::compare::Place;
use super::draw::{Draw, Draws, LARGE, SMALL, combination, combinations, structural};
use super::fault::Planted;
use super::finding::{Cause, Check, Found};
use super::on_draw::{Subject, Used};
use super::options::{CheckOptions, SEED_VARIABLE};
use super::report::{Failure, Ledger, Outcome, RuleReport, SkippedCase};
use super::sample::Sample;
use crate::rule::{CaseKind, Choice, Drawn, InputSpec, Registry, Rule};
use crate::tensor::Element;

/// How many random draws of small shapes a case gets: one for each combination of its choices, within
/// these bounds.
const SMALL_DRAWS: std::ops::RangeInclusive<usize> = 6..=12;

/// How many random draws of larger shapes a full check adds to them.
const LARGE_DRAWS: usize = 2;

/// How many draws more than asked for are made before their refusals are counted against the rule. One
/// refusal in a handful is no rate yet; in sixty draws more than one in ten is.
const PATIENCE: usize = 60;

/// How many smaller draws are tried after a failure.
const SHRINKING: usize = 64;

/// A case whose inputs are drawn.
struct DrawnCase {
    text: &'static str,
    symbols: usize,
    any_shape: bool,
    choices: &'static [Choice],
    build: fn(&Drawn) -> Vec<InputSpec>,
}

/// Checks one rule.
pub fn check(rule: &'static Rule, options: &CheckOptions) -> RuleReport {
    let registered = Registry::global().and_then(|registry| registry.rule(rule.operation));
    let mut run = Run {
        options,
        subject: Subject {
            rule,
            element: options.element,
            planted: options.fault.map(Planted::new),
            registered: registered.is_ok_and(|found| std::ptr::eq(found, rule)),
        },
        ledger: Ledger::default(),
        draws: 0,
        redrawn: 0,
    };
    let mut skipped = Vec::new();
    let mut failure = None;
    for (number, case) in rule.cases.iter().enumerate() {
        match case.kind {
            CaseKind::Skipped { reason } => skipped.push(SkippedCase {
                case: case.text,
                reason,
            }),
            CaseKind::Drawn {
                symbols,
                any_shape,
                choices,
                build,
            } if failure.is_none() => {
                let case = DrawnCase {
                    text: case.text,
                    symbols: symbols.len(),
                    any_shape,
                    choices,
                    build,
                };
                // Each rule and case has draws of its own, so that adding a case changes no other.
                let seed = options.seed ^ rule.operation.id().get().rotate_left(number as u32);
                failure = run.case(&case, seed).err().map(|failure| *failure);
            }
            CaseKind::Drawn { .. } => {}
        }
    }
    if failure.is_none()
        && run.draws == 0
        && (rule.cases.is_empty() || skipped.len() < rule.cases.len())
    {
        failure = Some(run.unchecked());
    }
    RuleReport {
        operation: rule.operation,
        location: rule.location(),
        seed: options.seed,
        draws: run.draws,
        redrawn: run.redrawn,
        skipped,
        checks: run.ledger.finish(failure.as_ref()),
        failure,
        fault: run.subject.planted.as_ref().map(Planted::report),
    }
}

struct Run<'a> {
    options: &'a CheckOptions,
    subject: Subject,
    ledger: Ledger,
    draws: usize,
    redrawn: usize,
}

impl Run<'_> {
    fn case(&mut self, case: &DrawnCase, seed: u64) -> Result<(), Box<Failure>> {
        if self.options.structural {
            for (number, draw) in structural(case.symbols, case.any_shape, seed)
                .into_iter()
                .enumerate()
            {
                self.structural(case, draw, number)?;
            }
        }
        self.random(case, seed)
    }

    /// Shapes that an operation may refuse, and where nothing is drawn again.
    fn structural(
        &mut self,
        case: &DrawnCase,
        mut draw: Draw,
        number: usize,
    ) -> Result<(), Box<Failure>> {
        // Every such shape meets two combinations of choices; the random draws run through all.
        let combinations = combinations(case.choices);
        for offset in 0..combinations.min(2) {
            draw.drawn.choices =
                combination(case.choices, number + offset * combinations.div_ceil(2));
            let used = on_draw(&self.subject, case, &draw, false, &mut self.ledger);
            match used {
                Ok(Used::Yes) => self.used(),
                Ok(Used::No(reason)) => self.note(Outcome::Skipped(reason)),
                Err(found) => return Err(Box::new(self.failure(case, found))),
            }
        }
        Ok(())
    }

    fn random(&mut self, case: &DrawnCase, seed: u64) -> Result<(), Box<Failure>> {
        let small = combinations(case.choices).clamp(*SMALL_DRAWS.start(), *SMALL_DRAWS.end());
        let wanted = self.options.draws.unwrap_or(small + LARGE_DRAWS);
        // Two cases have combinations to run through from another place each.
        let first = usize::try_from(seed % 64).unwrap_or(0);
        let mut source = Draws::new(seed);
        let (mut used, mut redrawn) = (0, 0);
        while used < wanted || redrawn * 10 > used + redrawn {
            // The last of the draws asked for are large ones.
            let large = LARGE_DRAWS.min(wanted / 3);
            let entries = if used + large >= wanted { LARGE } else { SMALL };
            let choices = combination(case.choices, first + used);
            let tree = source.next(case.symbols, choices, entries);
            let tree = tree.map_err(|last| {
                let finding = too_many(redrawn, used + redrawn, last);
                Box::new(self.failure(case, (finding, String::new())))
            })?;
            match on_draw(&self.subject, case, &tree.draw(), true, &mut self.ledger) {
                Ok(Used::Yes) => {
                    used += 1;
                    self.used();
                }
                Ok(Used::No(reason)) => {
                    redrawn += 1;
                    self.redrawn += 1;
                    self.note(Outcome::Skipped(reason.clone()));
                    if used + redrawn >= wanted + PATIENCE {
                        let finding = too_many(redrawn, used + redrawn, reason);
                        return Err(Box::new(self.failure(case, (finding, String::new()))));
                    }
                }
                Err(found) => {
                    // A planted fault is to be found, not to be explained.
                    let attempts = if self.options.fault.is_some() {
                        0
                    } else {
                        SHRINKING
                    };
                    let (check, element) = (found.0.check, found.0.element);
                    let smallest = tree.shrink(attempts, found, |draw| {
                        on_draw(&self.subject, case, draw, true, &mut Ledger::default())
                            .err()
                            .filter(|(finding, _)| {
                                finding.check == check && finding.element == element
                            })
                    });
                    return Err(Box::new(self.failure(case, smallest)));
                }
            }
        }
        Ok(())
    }

    fn used(&mut self) {
        self.draws += 1;
        self.note(Outcome::Held(0.0));
    }

    /// Notes whether a draw could be used.
    fn note(&mut self, outcome: Outcome) {
        self.ledger
            .note(<f64 as Element>::NAME, Check::Draws, outcome);
    }

    /// That nothing failed, since nothing was looked at.
    fn unchecked(&self) -> Failure {
        let cause = Cause::Structure {
            expected: "a case with at least one draw".to_owned(),
            actual: format!("{} cases and no draw", self.subject.rule.cases.len()),
        };
        self.failed("none", (draws_finding(cause), String::new()))
    }

    fn failure(&self, case: &DrawnCase, found: (Found, String)) -> Failure {
        self.failed(case.text, found)
    }

    fn failed(&self, case: &'static str, (finding, inputs): (Found, String)) -> Failure {
        let rule = self.subject.rule;
        let seed = self.options.seed;
        let replay = self.options.replay.clone().unwrap_or_else(|| {
            let path = rule.operation.path();
            let function = path.rsplit("::").next().unwrap_or(path);
            format!("cargo test gradcheck_{function}")
        });
        Failure {
            operation: rule.operation,
            location: rule.location(),
            case,
            inputs,
            seed,
            replay: format!("{SEED_VARIABLE}={seed} {replay}"),
            finding: *finding,
        }
    }
}

/// One draw, with what its inputs were if something is wrong. A panic of the operation, of the rule or
/// of the case is a finding like any other.
fn on_draw(
    subject: &Subject,
    case: &DrawnCase,
    draw: &Draw,
    every: bool,
    ledger: &mut Ledger,
) -> Result<Used, (Found, String)> {
    let mut inputs = String::new();
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        match Sample::new(subject.rule, case.build, draw) {
            Err(error) => Ok(Used::No(error.to_string())),
            Ok(sample) => {
                sample.describe().clone_into(&mut inputs);
                subject.check(&sample, every, ledger)
            }
        }
    }));
    match outcome {
        Ok(outcome) => outcome.map_err(|finding| (finding, inputs)),
        Err(payload) => {
            let text = payload.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| payload.downcast_ref::<&str>().copied());
            let message = text.unwrap_or("a payload without a message").to_owned();
            Err((draws_finding(Cause::Panicked { message }), inputs))
        }
    }
}

fn too_many(redrawn: usize, draws: usize, last: String) -> Found {
    draws_finding(Cause::Redrawn {
        redrawn,
        draws,
        last,
    })
}

fn draws_finding(cause: Cause) -> Found {
    Place::new::<f64>(Check::Draws, 0).found(cause)
}
