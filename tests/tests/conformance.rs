//! Every registered rule: checked on fresh draws, reached by dispatch, and caught when it is wrong.
//!
//! One trial per rule and element type, one per rule and kind of planted fault, and one that compares
//! the registered set with the committed list. The full check of each rule is a test of its own crate.
//!
//! * `AUTODIFF_SEED=7`: the draws of that seed; otherwise of a fresh one, which is printed.
//! * `AUTODIFF_ROUNDS=1000`: so many rounds, on consecutive seeds.
//! * `UPDATE_RULES=1`: writes the committed list.

use std::fmt::Write as _;
use std::time::{SystemTime, UNIX_EPOCH};

use autodiff_core::gradcheck::{
    Check, CheckOptions, Fault, FaultKind, NoFault, RuleReport, SEED_VARIABLE, check,
    seed_from_environment,
};
use autodiff_core::rule::{CaseKind, Registry, Rule};
use autodiff_core::tensor::ElementKind;
// A crate that is never named is not linked, and its rules would be absent.
use autodiff_ops as _;
use libtest_mimic::{Arguments, Failed, Trial};

/// Fresh draws of each case and round; two small shapes and a large one.
const DRAWS: usize = 3;

/// No rule has more operand uses than this on its small draws.
const OPERANDS: usize = 16;

const LIST: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/rules.txt");

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments = Arguments::from_args();
    let seed = match seed_from_environment()? {
        Some(seed) => seed,
        None => u64::try_from(
            SystemTime::now().duration_since(UNIX_EPOCH)?.as_nanos() & u128::from(u64::MAX),
        )?,
    };
    let rounds = match std::env::var("AUTODIFF_ROUNDS") {
        Ok(rounds) => rounds.parse()?,
        Err(_) => 1,
    };
    if !arguments.list {
        println!("{SEED_VARIABLE}={seed} ({rounds} rounds)");
    }
    let rules = Registry::global()?.rules();
    let mut trials = vec![Trial::test(
        "the_registered_rules_are_the_committed_ones",
        move || compare_with_list(rules),
    )];
    for &rule in rules {
        for case in rule.cases {
            if let (CaseKind::Skipped { reason }, false) = (case.kind, arguments.list) {
                println!("not checked: {}: {reason}", rule.operation.path());
            }
        }
        for element in elements(rule) {
            let name = format!("{}::{}", rule.operation.path(), element_name(element));
            trials.push(Trial::test(name.clone(), move || {
                fresh_draws(rule, element, seed, rounds, &name)
            }));
        }
        for kind in FaultKind::ALL {
            let name = format!("{}::planted_{kind}", rule.operation.path());
            trials.push(Trial::test(name, move || planted(rule, kind, seed)));
        }
    }
    libtest_mimic::run(&arguments, trials).exit()
}

/// Registered is checked is dispatched: nothing fails, and every check that can apply did.
fn fresh_draws(
    rule: &'static Rule,
    element: ElementKind,
    seed: u64,
    rounds: u64,
    name: &str,
) -> Result<(), Failed> {
    for round in 0..rounds {
        let options = CheckOptions::new(seed.wrapping_add(round))
            .draws(DRAWS)
            .element(element)
            .replay(format!("cargo test -p tests --test conformance -- {name}"));
        let report = check(rule, &options);
        if !report.passed() {
            return Err(report.to_string().into());
        }
        applied(rule, &report)?;
    }
    Ok(())
}

fn applied(rule: &Rule, report: &RuleReport) -> Result<(), Failed> {
    if rule
        .cases
        .iter()
        .all(|case| matches!(case.kind, CaseKind::Skipped { .. }))
    {
        return Ok(());
    }
    // Two operands of one shape are not to be had in every case.
    let missing = report
        .inapplicable()
        .find(|check| check.check != Check::Reuse);
    match missing {
        Some(check) if !rule.vjps.is_empty() => Err(format!("{}: {check}", rule.operation).into()),
        _ if report.draws == 0 => Err(format!("{}: no draw was checked", rule.operation).into()),
        _ => Ok(()),
    }
}

/// A fault in any one operand use, on any one element type, is caught wherever it is one.
fn planted(rule: &'static Rule, kind: FaultKind, seed: u64) -> Result<(), Failed> {
    let mut caught = 0;
    let mut harmless = String::new();
    for element in elements(rule) {
        for operand in 0..OPERANDS {
            let fault = Fault {
                kind,
                operand,
                element,
            };
            let report = check(rule, &CheckOptions::new(seed).draws(DRAWS).fault(fault));
            let Some(planted) = report.fault else {
                return Err("no fault was planted".into());
            };
            match planted.no_fault() {
                None if report.passed() => {
                    return Err(
                        format!("{}: not caught: {fault:?}, seed {seed}", rule.operation).into(),
                    );
                }
                None => caught += 1,
                Some(NoFault::NoSuchOperand) => break,
                Some(reason) => {
                    let _ = write!(
                        harmless,
                        " {}/{operand}: {reason:?};",
                        element_name(element)
                    );
                }
            }
        }
    }
    // Swapped contributions are none where there is one operand, or where all are equal as in a sum. A
    // wrong sign is none only where all contributions are zero, which no operation has.
    let may_be_harmless = kind == FaultKind::SwappedOperands || rule.vjps.is_empty();
    match caught {
        0 if !may_be_harmless => {
            Err(format!("{}: {kind} was never a fault:{harmless}", rule.operation).into())
        }
        _ => Ok(()),
    }
}

fn compare_with_list(rules: &[&'static Rule]) -> Result<(), Failed> {
    let mut actual = String::new();
    for rule in rules {
        let elements = rule.element_types().join(" ");
        let _ = writeln!(actual, "{} [{elements}]", rule.operation.path());
    }
    if std::env::var_os("UPDATE_RULES").is_some() {
        std::fs::write(LIST, &actual)?;
    }
    let expected = std::fs::read_to_string(LIST)?;
    let only = |these: &str, those: &str, sign: &str| -> String {
        let those: Vec<_> = those.lines().collect();
        let only = these.lines().filter(|line| !those.contains(line));
        only.map(|line| format!("\n{sign} {line}")).collect()
    };
    let difference = only(&expected, &actual, "-") + &only(&actual, &expected, "+");
    match difference.is_empty() {
        true => Ok(()),
        false => Err(format!(
            "the registered rules (+) differ from tests/fixtures/rules.txt (-); where that is meant, \
             run `UPDATE_RULES=1 cargo test -p tests --test conformance`:{difference}"
        )
        .into()),
    }
}

fn elements(rule: &Rule) -> Vec<ElementKind> {
    let present = [
        (rule.f32.is_some(), ElementKind::F32),
        (rule.f64.is_some(), ElementKind::F64),
        (rule.dual.is_some(), ElementKind::Dual),
    ];
    present
        .into_iter()
        .filter_map(|(present, kind)| present.then_some(kind))
        .collect()
}

fn element_name(element: ElementKind) -> &'static str {
    match element {
        ElementKind::F32 => "f32",
        ElementKind::F64 => "f64",
        ElementKind::Dual => "dual",
    }
}
