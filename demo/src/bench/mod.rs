//! Times fixed workloads whose inputs and arithmetic other programs can repeat exactly.

mod clock;
mod inputs;
mod language_model;
mod workload;

use std::hint::black_box;
use std::io::Write;

use clap::Args;

pub use clock::Clock;
pub use workload::Workload;

use crate::DemoError;
use crate::train::Dtype;
use workload::Run;

/// What to time, and how often.
#[derive(Args, Clone, Debug)]
pub struct BenchOptions {
    /// What to time
    #[arg(long, value_enum)]
    pub workload: Workload,
    /// Type to compute in
    #[arg(long, value_enum, default_value_t = Dtype::F32)]
    pub dtype: Dtype,
    /// Threads to compute with; the numbers do not depend on it, and at present one does everything
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub threads: usize,
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

/// Runs a workload; one line of numbers goes to `out`, what identifies the computation to `notes`.
///
/// # Errors
/// [`DemoError::Autodiff`] or [`DemoError::Optim`] where the computation fails, [`DemoError::NoClock`]
/// where the machine does not tell the time that is asked for.
pub fn run(
    out: &mut impl Write,
    notes: &mut impl Write,
    options: &BenchOptions,
) -> Result<(), DemoError> {
    let workload = match options.dtype {
        Dtype::F32 => options.workload.prepare::<f32>()?,
        Dtype::F64 => options.workload.prepare::<f64>()?,
    };
    measure(out, notes, options, workload)
}

fn measure(
    out: &mut impl Write,
    notes: &mut impl Write,
    options: &BenchOptions,
    mut workload: Run,
) -> Result<(), DemoError> {
    let warmup = options.warmup.unwrap_or((options.runs / 4).max(3));
    let mut milliseconds = Vec::with_capacity(options.runs as usize);
    for run in 0..warmup.saturating_add(options.runs) {
        let start = options.clock.now()?;
        let value = black_box(workload()?);
        let elapsed = options.clock.now()?.saturating_sub(start);
        if run >= warmup {
            milliseconds.push(elapsed.as_secs_f64() * 1e3);
        }
        if run == 0 {
            let (workload, dtype) = (options.workload, options.dtype);
            writeln!(notes, "check ours {workload} {dtype} {value:.9e}")?;
        }
        // The second step depends on the first update, the fifth on everything that an update does.
        if options.workload == Workload::Gpt && matches!(run, 1 | 4) {
            writeln!(notes, "  loss at step {}: {value:.6}", run + 1)?;
        }
    }
    milliseconds.sort_by(f64::total_cmp);
    let (Some(&least), Some(&most)) = (milliseconds.first(), milliseconds.last()) else {
        return Ok(());
    };
    let BenchOptions {
        workload,
        dtype,
        runs,
        ..
    } = options;
    let (median, peak) = (median(&milliseconds), clock::peak_resident_mib());
    writeln!(
        out,
        "ours,{workload},{dtype},{median:.4},{least:.4},{most:.4},{runs},{peak:.1}"
    )?;
    Ok(())
}

/// The median of sorted numbers.
fn median(sorted: &[f64]) -> f64 {
    let middle = sorted.len() / 2;
    match sorted.len() % 2 {
        1 => sorted[middle],
        _ => 0.5 * (sorted[middle - 1] + sorted[middle]),
    }
}
