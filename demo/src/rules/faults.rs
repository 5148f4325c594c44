//! Faults planted into a rule, to see whether its check notices them.

use autodiff_core::gradcheck::{CheckOptions, Fault, FaultKind, NoFault, check};
use autodiff_core::tensor::ElementKind;
use autodiff_ops::prelude::*;

use super::operands_of;

/// Draws of each case where a fault is planted: two of small shapes and a large one.
pub(super) const DRAWS: usize = 3;

/// The faults planted into one rule on one element type.
pub(super) struct Faults {
    /// How many made a contribution wrong.
    pub(super) planted: usize,
    /// Those that the check did not notice.
    pub(super) missed: Vec<Fault>,
}

impl Faults {
    /// Plants every kind of fault into every operand use.
    pub(super) fn planted_into(rule: &'static Rule, seed: u64, element: ElementKind) -> Self {
        let (mut planted, mut missed) = (0, Vec::new());
        let last_declared = operands_of(rule).count().saturating_sub(1);
        for kind in FaultKind::ALL {
            for operand in 0.. {
                let fault = Fault {
                    kind,
                    operand,
                    element,
                };
                match plant(rule, seed, fault) {
                    // An optional operand may be missing before others that are there.
                    Planted::NoOperand if operand < last_declared => {}
                    Planted::NoOperand => break,
                    Planted::Harmless => {}
                    Planted::Caught => planted += 1,
                    Planted::Missed => {
                        planted += 1;
                        missed.push(fault);
                    }
                }
            }
        }
        Self { planted, missed }
    }
}

/// What became of a planted fault.
enum Planted {
    /// The rule has no such operand use.
    NoOperand,
    /// What was put in place is as right, as where the contributions of a sum are swapped.
    Harmless,
    Caught,
    Missed,
}

fn plant(rule: &'static Rule, seed: u64, fault: Fault) -> Planted {
    let report = check(rule, &CheckOptions::new(seed).draws(DRAWS).fault(fault));
    match report.fault.map(|planted| planted.no_fault()) {
        Some(Some(NoFault::SameContributions)) => Planted::Harmless,
        Some(None) if report.passed() => Planted::Missed,
        Some(None) => Planted::Caught,
        Some(Some(NoFault::NoSuchOperand)) | None => Planted::NoOperand,
    }
}
