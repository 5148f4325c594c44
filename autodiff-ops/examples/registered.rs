//! Prints the path and the element types of every rule that is linked into this program.
//!
//! `.ci/linkage` builds it in many ways and compares what it prints with the committed list.

use std::io::Write;

use autodiff_ops::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut out = std::io::stdout().lock();
    for rule in Registry::global()?.rules() {
        let elements = rule.element_types().join(" ");
        writeln!(out, "{} [{elements}]", rule.operation.path())?;
    }
    Ok(())
}
