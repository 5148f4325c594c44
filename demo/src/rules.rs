//! The registry, listed, as a page, and verified.

mod faults;
mod page;
mod verification;
mod verify;

use std::io::Write;
use std::path::Path;

use autodiff_ops::prelude::*;

pub use verification::{Totals, Verification, VerifiedCheck, VerifiedElement, VerifiedRule};
pub use verify::verify;

use crate::DemoError;
use crate::output::Output;
use crate::table::Table;

/// Writes one line for every registered rule, sorted by path.
///
/// # Errors
/// [`DemoError::Registry`], [`DemoError::Write`].
pub fn print(out: &mut impl Write) -> Result<(), DemoError> {
    let rules = Registry::global()?.rules();
    let mut table = Table::new([
        "name",
        "path",
        "id",
        "operands",
        "elements",
        "cases",
        "declared at",
    ]);
    for rule in rules {
        table.row([
            rule.operation.to_string(),
            rule.operation.path().to_owned(),
            rule.operation.id().to_string(),
            operands(rule),
            rule.element_types().join(" "),
            cases(rule),
            format!("{}:{}", rule.file, rule.line),
        ]);
    }
    table.print(out)?;
    writeln!(out, "\n{} rules", rules.len())?;
    Ok(())
}

/// Checks every registered rule and writes all of them as a page to `path`.
///
/// # Errors
/// [`DemoError::Unwritable`] and [`DemoError::Seed`] before anything is checked; [`DemoError::Unverified`] where there
/// is a gap, after the page has been written; [`DemoError::Registry`], [`DemoError::Output`], [`DemoError::Write`].
pub fn write_page(out: &mut impl Write, path: &Path) -> Result<(), DemoError> {
    let output = Output::reserve(path)?;
    let verification = Verification::of_environment()?;
    output.write(&page::registry_page(&verification)?)?;
    writeln!(out, "wrote {}", path.display())?;
    out.flush()?;
    verification.without_gaps()
}

/// Writes everything about the rules whose name or path is `wanted`.
///
/// # Errors
/// [`DemoError::UnknownRule`] where there is none; as for [`print()`].
pub fn print_matching(out: &mut impl Write, wanted: &str) -> Result<(), DemoError> {
    let matching: Vec<&Rule> = Registry::global()?
        .rules()
        .iter()
        .copied()
        .filter(|rule| [rule.operation.name(), rule.operation.path()].contains(&wanted))
        .collect();
    if matching.is_empty() {
        return Err(DemoError::UnknownRule {
            name: wanted.to_owned(),
        });
    }
    for (position, rule) in matching.into_iter().enumerate() {
        if position > 0 {
            writeln!(out)?;
        }
        print_one(out, rule)?;
    }
    Ok(())
}

fn print_one(out: &mut impl Write, rule: &Rule) -> Result<(), DemoError> {
    writeln!(
        out,
        "{}  {}  {}",
        rule.operation,
        rule.operation.path(),
        rule.operation.id()
    )?;
    writeln!(out, "declared at {}", rule.location())?;
    writeln!(out, "element types: {}", rule.element_types().join(", "))?;
    writeln!(out)?;
    for line in rule.docs.lines() {
        writeln!(out, "{}", format!("  {}", line.trim()).trim_end())?;
    }
    writeln!(out, "\nparameters")?;
    for parameter in rule.parameters {
        writeln!(
            out,
            "  {}: {} ({})",
            parameter.name,
            parameter.type_text,
            kind(parameter.kind)
        )?;
    }
    writeln!(out, "\nreverse maps")?;
    for vjp in rule.vjps {
        writeln!(out, "  {}: {}", vjp.operands.join(", "), vjp.words)?;
        let saved: Vec<String> = vjp
            .saved
            .iter()
            .map(|saved| format!("{}: {}", saved.name, saved.type_text))
            .collect();
        writeln!(
            out,
            "    saves {}",
            if saved.is_empty() {
                "nothing".to_owned()
            } else {
                saved.join(", ")
            }
        )?;
    }
    writeln!(out, "\ngradient-check cases")?;
    for case in rule.cases {
        writeln!(out, "  {}", case.text)?;
    }
    Ok(())
}

fn kind(kind: ParameterKind) -> &'static str {
    match kind {
        ParameterKind::Operand => "operand",
        ParameterKind::Variadic => "variadic operand",
        ParameterKind::Optional => "optional operand",
        ParameterKind::Constant => "constant",
        ParameterKind::Argument => "argument",
    }
}

fn operands(rule: &Rule) -> String {
    operands_of(rule).collect::<Vec<_>>().join(", ")
}

/// The names of the parameters that are differentiated.
fn operands_of(rule: &Rule) -> impl Iterator<Item = &'static str> {
    let differentiable = rule.parameters.iter().filter(|parameter| {
        !matches!(
            parameter.kind,
            ParameterKind::Constant | ParameterKind::Argument
        )
    });
    differentiable.map(|parameter| parameter.name)
}

fn cases(rule: &Rule) -> String {
    let skipped = rule.cases.iter().find_map(|case| match case.kind {
        CaseKind::Skipped { reason } => Some(reason),
        CaseKind::Drawn { .. } => None,
    });
    skipped.map_or_else(
        || rule.cases.len().to_string(),
        |reason| format!("skipped: {reason}"),
    )
}
