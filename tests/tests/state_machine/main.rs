//! Random programs on the tape against a small reference that knows every Jacobian: leaves, operations,
//! passes, updates, guards, clones and drops, with what must be refused among them.
//!
//! After every step the whole visible state must be that of the reference: values, gradients, revisions,
//! what is tracked and released; and a refusal must be the very error, down to its fields, that comes first.
//!
//! * `AUTODIFF_PROGRAMS=100000`: so many programs instead of a few thousand.
//! * `AUTODIFF_SEED=7`: other programs.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test reports by panicking"
)]

mod arrays;
mod change;
mod inputs;
mod pass;
mod record;
mod step;
mod system;
mod world;

use std::collections::BTreeMap;

use proptest::collection::vec;
use proptest::test_runner::{Config, RngAlgorithm, TestError, TestRng, TestRunner};
use step::Step;
use system::System;
use world::{Flaw, Outcome, World};

const USUAL_PROGRAMS: u32 = 20_000;
const LONGEST: usize = 40;

/// How often each kind of step was done, refused with each error, or skipped.
type Met = BTreeMap<String, usize>;

/// Runs a program on the tape and in the reference, side by side.
fn run_both(steps: &[Step], flaw: Flaw, met: &mut Met) {
    let (mut system, mut world) = (System::default(), World::new(flaw));
    for step in steps {
        world.take(step);
        system.take(step, &world);
        system.compare(&world);
        *met.entry(description(step, &world.outcome)).or_default() += 1;
    }
}

fn description(step: &Step, outcome: &Outcome) -> String {
    let name = |value: &dyn std::fmt::Debug| {
        let text = format!("{value:?}");
        text.split([' ', '{']).next().map(str::to_owned).unwrap()
    };
    match outcome {
        Outcome::Skipped => "skipped".to_owned(),
        Outcome::Done => format!("{} done", name(step)),
        Outcome::Refused(error) => format!("{} refused: {}", name(step), name(error)),
    }
}

fn run(flaw: Flaw, programs: u32, met: &mut Met) -> Result<(), TestError<Vec<Step>>> {
    let config = Config {
        cases: programs,
        // A flaw that is looked for is not looked at.
        max_shrink_iters: if flaw == Flaw::None { 20_000 } else { 0 },
        failure_persistence: None,
        ..Config::default()
    };
    let seed = std::env::var("AUTODIFF_SEED").map_or(20_120_229, |seed| seed.parse().unwrap());
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&u64::to_le_bytes(seed));
    let random = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    let met = std::cell::RefCell::new(met);
    let mut runner = TestRunner::new_with_rng(config, random);
    runner.run(&vec(step::steps(), 1..LONGEST), |steps| {
        run_both(&steps, flaw, &mut met.borrow_mut());
        Ok(())
    })
}

#[test]
fn the_tape_does_what_the_reference_does_in_every_program() {
    let programs = std::env::var("AUTODIFF_PROGRAMS")
        .map_or(USUAL_PROGRAMS, |programs| programs.parse().unwrap());
    let mut met = Met::new();
    if let Err(error) = run(Flaw::None, programs, &mut met) {
        panic!("{error}");
    }
    println!(
        "{programs} programs of {} steps",
        met.values().sum::<usize>()
    );
    for (what, count) in &met {
        println!("{count:>9}  {what}");
    }
    for refusal in [
        "Leaf refused: NonFiniteLeaf",
        "Apply refused: Operation",
        "Apply refused: ReleasedOperand",
        "Apply refused: NonFiniteForward",
        "Pass refused: GraphReleased",
        "Pass refused: UntrackedOutput",
        "Pass refused: SeedShapeMismatch",
        "Pass refused: NonFiniteSeed",
        "Pass refused: StaleOperandValue",
        "Pass refused: NonFiniteVjp",
        "Pass refused: NonFinitePassAdjoint",
        "Pass refused: NonFiniteAccumulatedGradient",
        "Pass refused: GradientBorrowed",
        "Backward refused: SeedShapeMismatch",
        "Zero refused: NotAParameter",
        "Zero refused: GradientBorrowed",
        "Set refused: NonFiniteLeaf",
        "Set refused: UpdateShape",
        "Set refused: ValueBorrowed",
        "SetAll refused: NotAParameter",
        "SetAll refused: DuplicateUpdate",
    ] {
        assert!(met.contains_key(refusal), "no program met {refusal:?}");
    }
}

#[test]
fn every_flaw_of_the_reference_is_noticed() {
    for flaw in [
        Flaw::LastUseOnly,
        Flaw::Overwrites,
        Flaw::ForgetsRevisions,
        Flaw::ForgetsReleases,
        Flaw::IgnoresGuards,
        Flaw::SeedLast,
        Flaw::CommitsInParts,
        Flaw::DetachesNothing,
    ] {
        let mut met = Met::new();
        let outcome = run(flaw, 20_000, &mut met);
        assert!(matches!(outcome, Err(TestError::Fail(..))), "{flaw:?}");
    }
}
