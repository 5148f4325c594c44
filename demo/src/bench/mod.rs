//! Times fixed workloads whose inputs and arithmetic other programs can repeat exactly, and how times grow.

mod clock;
mod inputs;
mod language_model;
mod scaling;
mod workload;

use std::hint::black_box;
use std::io::Write;
use std::time::Duration;

use autodiff_ops::prelude::*;
use clap::Args;

pub use clock::Clock;
pub use workload::Workload;

use crate::DemoError;
use crate::train::Dtype;

/// What to time, and how often.
#[derive(Args, Clone, Debug)]
pub struct BenchOptions {
    /// What to time
    #[arg(long, value_enum, required_unless_present = "scaling")]
    pub workload: Option<Workload>,
    /// Print tables of time against number of nodes, number of elements and length of a sequence
    #[arg(long, conflicts_with_all = ["workload", "runs", "warmup"])]
    pub scaling: bool,
    /// With --scaling, leave larger sizes out
    #[arg(long, value_name = "N", conflicts_with = "workload")]
    pub largest: Option<usize>,
    /// With --scaling, leave sizes out that need more memory than this
    #[arg(
        long,
        value_name = "MIB",
        conflicts_with = "workload",
        default_value_t = 4096
    )]
    pub memory: usize,
    /// Type to compute in
    #[arg(long, value_enum, default_value_t = Dtype::F32)]
    pub dtype: Dtype,
    /// Threads to compute with; the numbers do not depend on it
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: u16,
    /// Runs that are timed
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    pub runs: u32,
    /// Runs before them that are not [default: a quarter of the runs, at least 3]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub warmup: Option<u32>,
    /// Which time to take
    #[arg(long, value_enum, default_value_t = Clock::Wall)]
    pub clock: Clock,
}

/// How long a row of the tables is repeated.
const ROW: Duration = Duration::from_millis(250);

/// Runs a workload; one line of numbers goes to `out`, what identifies the computation to `notes`.
/// Without a workload, prints the tables of times against sizes.
///
/// # Errors
/// [`DemoError::Autodiff`] or [`DemoError::Optim`] where the computation fails, [`DemoError::NoClock`]
/// where the machine does not tell the time that is asked for.
pub fn run(
    out: &mut impl Write,
    notes: &mut impl Write,
    options: &BenchOptions,
) -> Result<(), DemoError> {
    let threads = Threads::new(usize::from(options.threads))?;
    match options.workload {
        Some(workload) => {
            // Entered once: what runs within only splits.
            let measured = threads.run(|| measure(options, workload))?;
            print(out, notes, options, workload, measured)
        }
        None => {
            let limits = scaling::Limits {
                largest: options.largest,
                mebibytes: options.memory,
                row: ROW,
                clock: options.clock,
                threads,
            };
            match options.dtype {
                Dtype::F32 => scaling::print::<f32>(out, &limits),
                Dtype::F64 => scaling::print::<f64>(out, &limits),
            }
        }
    }
}

/// The line and the notes of a workload.
fn print(
    out: &mut impl Write,
    notes: &mut impl Write,
    options: &BenchOptions,
    workload: Workload,
    measured: Measured,
) -> Result<(), DemoError> {
    let BenchOptions { dtype, runs, .. } = options;
    writeln!(
        notes,
        "check ours {workload} {dtype} {:.9e}",
        measured.check
    )?;
    for (step, loss) in measured.losses {
        writeln!(notes, "  loss at step {step}: {loss:.6}")?;
    }
    let mut milliseconds = measured.milliseconds;
    milliseconds.sort_by(f64::total_cmp);
    let (Some(&least), Some(&most)) = (milliseconds.first(), milliseconds.last()) else {
        return Ok(());
    };
    let (median, peak) = (median(&milliseconds), clock::peak_resident_mib());
    writeln!(
        out,
        "ours,{workload},{dtype},{median:.4},{least:.4},{most:.4},{runs},{peak:.1}"
    )?;
    Ok(())
}

/// What the runs of a workload gave.
struct Measured {
    /// The number of the first run.
    check: f64,
    /// Losses of a model that learns, with their steps.
    losses: Vec<(u32, f64)>,
    /// The times of the runs after the warm-up.
    milliseconds: Vec<f64>,
}

fn measure(options: &BenchOptions, workload: Workload) -> Result<Measured, DemoError> {
    let mut prepared = match options.dtype {
        Dtype::F32 => workload.prepare::<f32>()?,
        Dtype::F64 => workload.prepare::<f64>()?,
    };
    let warmup = options.warmup.unwrap_or((options.runs / 4).max(3));
    let mut measured = Measured {
        check: f64::NAN,
        losses: Vec::new(),
        milliseconds: Vec::with_capacity(options.runs as usize),
    };
    for run in 0..warmup.saturating_add(options.runs) {
        let start = options.clock.now()?;
        let value = black_box(prepared()?);
        let elapsed = options.clock.now()?.saturating_sub(start);
        if run >= warmup {
            measured.milliseconds.push(elapsed.as_secs_f64() * 1e3);
        }
        if run == 0 {
            measured.check = value;
        }
        // The second step depends on the first update, the fifth on everything that an update does.
        if workload == Workload::Gpt && matches!(run, 1 | 4) {
            measured.losses.push((run + 1, value));
        }
    }
    Ok(measured)
}

/// The median of sorted numbers.
fn median(sorted: &[f64]) -> f64 {
    let middle = sorted.len() / 2;
    match sorted.len() % 2 {
        1 => sorted[middle],
        _ => 0.5 * (sorted[middle - 1] + sorted[middle]),
    }
}
