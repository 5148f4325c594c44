//! The command line: parses the arguments, runs one command, turns its error into an exit code.
#![forbid(unsafe_code)]

use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use demo::{DemoError, rules, trace, worked};

/// Gradients that can be inspected: a tape of tensors whose every reverse rule is registered and checked.
///
/// Without a command, the worked example runs: a graph of eight nodes, its gradients, and what the tape
/// refuses.
#[derive(Parser)]
#[command(version)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// Show the reverse pass of the worked example, edge by edge
    ///
    /// One entry an edge, in the order of the pass: the nodes it joins, its rule in words, the values
    /// it saved, the cotangent that went in, the contribution that came out, and the parent's adjoint
    /// before and after.
    Trace,
    /// List the registered rules
    ///
    /// One line a rule: name, path, ID, operands, element types, number of gradient-check cases, and
    /// where it is declared.
    Rules {
        /// Show everything about the rules of this name or path
        name: Option<String>,
    },
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let mut out = BufWriter::new(io::stdout().lock());
    let outcome = run(cli.command.as_ref(), &mut out).and_then(|()| Ok(out.flush()?));
    // What is still buffered after a failure is of no use to anyone, and must not be written on drop.
    drop(out.into_parts());
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let code = error.exit_code();
            if code != 0 {
                // Where even stderr is closed, the exit code is all that can be said.
                let _ = writeln!(io::stderr(), "demo: {error}");
            }
            ExitCode::from(code)
        }
    }
}

fn run(command: Option<&Command>, out: &mut impl Write) -> Result<(), DemoError> {
    match command {
        None => worked::print(out),
        Some(Command::Trace) => trace::print(out),
        Some(Command::Rules { name: None }) => rules::print(out),
        Some(Command::Rules { name: Some(name) }) => rules::print_matching(out, name),
    }
}
