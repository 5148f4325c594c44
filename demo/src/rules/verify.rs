//! `demo rules --verify`: the evidence for every rule as a table, and as JSON.

use std::io::{self, Write};
use std::path::Path;

use autodiff_core::gradcheck::Check;

use super::verification::{
    FAILED, NOT_APPLIED, PASSED, Verification, VerifiedCheck, VerifiedElement, VerifiedRule,
};
use crate::DemoError;
use crate::output::Output;
use crate::table::Table;

/// Checks every registered rule and writes what held, how close it came, and what is missing.
///
/// # Errors
/// [`DemoError::Unverified`] where there is a gap, after everything has been written;
/// [`DemoError::Registry`], [`DemoError::Seed`], [`DemoError::Unwritable`], [`DemoError::Output`],
/// [`DemoError::Write`].
pub fn verify(out: &mut impl Write, json: Option<&Path>) -> Result<(), DemoError> {
    let json = json.map(Output::reserve).transpose()?;
    let verification = Verification::of_environment()?;
    if let Some(json) = json {
        let text = serde_json::to_string_pretty(&verification).map_err(io::Error::other)?;
        json.write(&format!("{text}\n"))?;
    }
    print(out, &verification)?;
    // What is missing is to be read there, whatever becomes of a failing program's output.
    out.flush()?;
    verification.without_gaps()
}

/// The checks that compare numbers within a tolerance, and what their columns are called.
const NUMERIC: [(Check, &str); 6] = [
    (Check::Jacobian, "jacobian"),
    (Check::Adjoint, "adjoint"),
    (Check::Upstream, "linearity"),
    (Check::Reuse, "reuse"),
    (Check::Precision, "precision"),
    (Check::SecondOrder, "second order"),
];

fn print(out: &mut impl Write, verification: &Verification) -> Result<(), DemoError> {
    writeln!(
        out,
        "largest errors as parts of their tolerance; \"exact\" counts the checks that allow no error, \
         \"faults\" those caught of those planted\n"
    )?;
    let mut header = vec!["rule", "element", "cases", "draws"];
    header.extend(NUMERIC.map(|(_, name)| name));
    header.extend(["exact", "faults", "verdict"]);
    let mut table = Table::of_columns(header.into_iter().map(str::to_owned).collect());
    for rule in &verification.rules {
        for element in &rule.elements {
            table.push(row(rule, element));
        }
    }
    table.print(out)?;

    writeln!(out, "\nconventions at kinks and ties")?;
    for rule in &verification.rules {
        for convention in &rule.conventions {
            writeln!(out, "  {}: {convention}", rule.name)?;
        }
    }

    let totals = &verification.totals;
    writeln!(out, "\nseed {}", verification.seed)?;
    writeln!(
        out,
        "{} rules registered, {} checked, {} dispatched",
        totals.registered, totals.checked, totals.dispatched
    )?;
    writeln!(
        out,
        "{} faults planted, {} caught",
        totals.faults_planted, totals.faults_caught
    )?;
    writeln!(
        out,
        "{} further checks without a fault, {} false alarms",
        totals.honest_runs, totals.false_alarms
    )?;
    for gap in &verification.gaps {
        writeln!(out, "gap: {gap}")?;
    }
    Ok(())
}

fn row(rule: &VerifiedRule, element: &VerifiedElement) -> Vec<String> {
    let mut cells = vec![
        rule.name.clone(),
        element.element.to_owned(),
        element.cases.to_string(),
        element.draws.to_string(),
    ];
    for (check, _) in NUMERIC {
        let name = check.to_string();
        let found = element.checks.iter().find(|found| found.check == name);
        cells.push(match found {
            Some(found) if found.verdict == PASSED => format!("{:.1e}", found.worst),
            Some(found) if found.verdict == FAILED => FAILED.to_owned(),
            _ => "-".to_owned(),
        });
    }
    let is_exact = |found: &&VerifiedCheck| {
        NUMERIC
            .iter()
            .all(|(check, _)| check.to_string() != found.check)
    };
    let applied = |found: &&VerifiedCheck| found.verdict != NOT_APPLIED;
    let exact = element.checks.iter().filter(is_exact).filter(applied);
    let passed = exact.clone().filter(|found| found.verdict == PASSED);
    cells.push(format!("{}/{}", passed.count(), exact.count()));
    cells.push(format!(
        "{}/{}",
        element.faults_caught, element.faults_planted
    ));
    cells.push(if element.holds { "holds" } else { "fails" }.to_owned());
    cells
}
