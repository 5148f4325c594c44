//! The command line: parses the arguments, runs one command, turns its error into an exit code.
#![forbid(unsafe_code)]

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::{Parser, Subcommand};
use demo::bench::BenchOptions;
use demo::report::ReportOptions;
use demo::sample::SampleOptions;
use demo::train::TrainOptions;
use demo::verify::VerifyOptions;
use demo::{DemoError, bench, report, rules, sample, trace, train, verify, worked};

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
    /// Train a small language model on a text, one token a character
    ///
    /// The first nine tenths of the text are learned from, the rest gives the validation loss.
    /// With --out the run can be continued after any interruption: Ctrl-C finishes the step and saves,
    /// and --resume goes on bit for bit as if nothing had happened.
    Train(Box<TrainOptions>),
    /// Write text with a trained model
    Sample(SampleOptions),
    /// Check the gradient of a whole model in three ways
    ///
    /// The reverse pass is compared with the fixture's numbers, by the adjoint identity with a forward pass
    /// on dual numbers, and with central differences. The exit code is 0 only if everything holds.
    Verify(VerifyOptions),
    /// Show the reverse pass of the worked example, edge by edge
    ///
    /// One entry an edge, in the order of the pass: the nodes it joins, its rule in words, the values
    /// it saved, the upstream that went in, the contribution that came out, and the parent's adjoint
    /// before and after.
    Trace,
    /// Write the graph, its ledger and its gradients as a page, as JSON or as pictures
    ///
    /// Without --model the worked example is reported: the forward graph, every edge of the reverse pass
    /// with what it saved, and what the tape refuses. With --model it is one training step of a small
    /// model, with --checkpoint one of a stored run: gradients by parameter, saved bytes by operation, and
    /// where a number that is not finite comes from.
    Report(ReportOptions),
    /// List the registered rules, or verify them
    ///
    /// One line a rule: name, path, ID, operands, element types, number of gradient-check cases, and
    /// where it is declared.
    Rules {
        /// Show everything about the rules of this name or path
        name: Option<String>,
        /// Check every rule on every element type, plant faults into it, and exit with 0 only without a gap
        #[arg(long, conflicts_with = "name")]
        verify: bool,
        /// Write the whole verification to this file as well
        #[arg(long, value_name = "FILE", requires = "verify", conflicts_with_all = ["name", "html"])]
        json: Option<PathBuf>,
        /// Check every rule and write all of them as a page
        #[arg(long, value_name = "FILE", conflicts_with_all = ["name", "verify"])]
        html: Option<PathBuf>,
    },
    /// Time a fixed computation, or tell how times grow with sizes
    ///
    /// With --workload, prints one line: program, workload, type, median, least and greatest milliseconds, runs, and the
    /// most memory in MiB. On stderr comes a number that depends on the whole computation.
    /// With --scaling, prints tables of median times for each node, element or token.
    Bench(BenchOptions),
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
        Some(Command::Train(options)) => train::run(out, options, &on_interrupt()),
        Some(Command::Sample(options)) => sample::run(out, options),
        Some(Command::Verify(options)) => verify::run(out, options),
        Some(Command::Report(options)) => report::run(out, options),
        Some(Command::Trace) => trace::print(out),
        Some(Command::Rules {
            verify: true, json, ..
        }) => rules::verify(out, json.as_deref()),
        Some(Command::Rules {
            html: Some(path), ..
        }) => rules::write_page(out, path),
        Some(Command::Rules { name: None, .. }) => rules::print(out),
        Some(Command::Rules {
            name: Some(name), ..
        }) => rules::print_matching(out, name),
        Some(Command::Bench(options)) => bench::run(out, &mut io::stderr().lock(), options),
    }
}

/// A flag that the first Ctrl-C or request to terminate sets; the second one ends the program at once.
fn on_interrupt() -> Arc<AtomicBool> {
    let interrupted = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&interrupted);
    let outcome = ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::Relaxed) {
            // 128 + SIGINT, as shells report it.
            std::process::exit(130);
        }
    });
    if let Err(error) = outcome {
        // Training works without; only an interruption would then lose the steps since the last save.
        let _ = writeln!(io::stderr(), "demo: Ctrl-C will not save: {error}");
    }
    interrupted
}
