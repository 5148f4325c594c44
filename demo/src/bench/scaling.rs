//! Times against sizes: nodes of a chain, elements of a product, tokens of a sequence.

mod subject;

use std::array;
use std::io::Write;
use std::time::{Duration, Instant};

use autodiff_ops::prelude::*;

use super::{Clock, median};
use crate::DemoError;
use crate::table::Table;
use subject::{Attention, Chain, DecoderLayer, Product, Subject};

const NODES: [usize; 4] = [1_000, 10_000, 100_000, 1_000_000];
const ELEMENTS: [usize; 6] = [1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];
const LENGTHS: [usize; 5] = [64, 128, 256, 512, 1024];

/// Runs of a row that are timed at least, however long they take.
const LEAST_RUNS: usize = 3;

/// Where the tables end, and how their rows are timed.
pub(super) struct Limits {
    /// Larger sizes are left out.
    pub(super) largest: Option<usize>,
    /// Sizes that need more memory are left out, and the table says so.
    pub(super) mebibytes: usize,
    /// How long a row is repeated.
    pub(super) row: Duration,
    /// Which time to take.
    pub(super) clock: Clock,
    /// What computes.
    pub(super) threads: Threads,
}

/// What forward, backward and the end of a graph take, in this order.
type Parts = [Duration; 3];

/// Prints the three tables, computed in `T`.
pub(super) fn print<T: Element>(out: &mut impl Write, limits: &Limits) -> Result<(), DemoError> {
    let name = T::NAME;
    writeln!(
        out,
        "ns for each node of a chain of sums and products of four numbers, {name}"
    )?;
    print_table(out, limits, "nodes", &NODES, Chain::<T>::new)?;

    writeln!(
        out,
        "\nns for each element of the sum of a product of two parameters, {name}"
    )?;
    print_table(out, limits, "elements", &ELEMENTS, Product::<T>::new)?;

    writeln!(
        out,
        "\nns for each token of causal attention, width 128 and 4 heads, {name}"
    )?;
    print_table(out, limits, "tokens", &LENGTHS, Attention::<T>::new)?;

    writeln!(
        out,
        "\nns for each token of a decoder layer with that attention, {name}"
    )?;
    print_table(out, limits, "tokens", &LENGTHS, DecoderLayer::<T>::new)
}

/// One row for each of the sizes: the medians of the parts and of their sum, divided by the size.
fn print_table<S: Subject>(
    out: &mut impl Write,
    limits: &Limits,
    unit: &str,
    sizes: &[usize],
    prepare: impl Fn(usize) -> Result<S, DemoError> + Sync,
) -> Result<(), DemoError> {
    let mut table = Table::new([unit, "forward", "backward", "drop", "all", "runs"]);
    let mut left_out = Vec::new();
    let wanted = |size: &&usize| limits.largest.is_none_or(|largest| **size <= largest);
    for &size in sizes.iter().filter(wanted) {
        let needed = S::bytes(size).div_ceil(1 << 20);
        if needed > limits.mebibytes {
            left_out.push((size, needed));
            continue;
        }
        // Entered once a row: what runs within only splits.
        let (medians, runs) = limits.threads.run(|| {
            let mut subject = prepare(size)?;
            repeat(limits, || subject.run(limits.clock))
        })?;
        let [forward, backward, dropped, all] =
            medians.map(|seconds| format!("{:.4}", seconds * 1e9 / size as f64));
        table.row([
            size.to_string(),
            forward,
            backward,
            dropped,
            all,
            runs.to_string(),
        ]);
    }
    table.print(out)?;
    for (size, needed) in left_out {
        let allowed = limits.mebibytes;
        writeln!(
            out,
            "left out: {size} {unit} need about {needed} MiB, --memory allows {allowed}"
        )?;
    }
    Ok(out.flush()?)
}

/// Medians in seconds of the parts of a run and of their sum, and of how many runs.
fn repeat(
    limits: &Limits,
    mut run: impl FnMut() -> Result<Parts, DemoError>,
) -> Result<([f64; 4], usize), DemoError> {
    // The first run finds code and memory that the later ones find again.
    run()?;
    let mut seconds: [Vec<f64>; 4] = array::from_fn(|_| Vec::new());
    let mut runs = 0;
    let started = Instant::now();
    while runs < LEAST_RUNS || started.elapsed() < limits.row {
        let [forward, backward, dropped] = run()?;
        let parts = [forward, backward, dropped, forward + backward + dropped];
        for (column, part) in seconds.iter_mut().zip(parts) {
            column.push(part.as_secs_f64());
        }
        runs += 1;
    }
    let medians = seconds.map(|mut column| {
        column.sort_by(f64::total_cmp);
        median(&column)
    });
    Ok((medians, runs))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(mebibytes: usize) -> Limits {
        Limits {
            largest: None,
            mebibytes,
            row: Duration::ZERO,
            clock: Clock::Wall,
            threads: Threads::new(1).unwrap(),
        }
    }

    /// The lines of a table of these sizes.
    fn lines_of<S: Subject>(
        mebibytes: usize,
        sizes: &[usize],
        prepare: impl Fn(usize) -> Result<S, DemoError> + Sync,
    ) -> Vec<String> {
        let mut out = Vec::new();
        print_table(&mut out, &limits(mebibytes), "units", sizes, prepare).unwrap();
        let text = String::from_utf8(out).unwrap();
        text.lines().map(str::to_owned).collect()
    }

    #[test]
    fn every_table_has_a_row_of_positive_times_for_every_size() {
        let sizes = [4, 8];
        for lines in [
            lines_of(64, &sizes, Chain::<f32>::new),
            lines_of(64, &sizes, Product::<f64>::new),
            lines_of(64, &sizes, Attention::<f32>::new),
            lines_of(64, &sizes, DecoderLayer::<f64>::new),
        ] {
            assert_eq!(lines.len(), 1 + sizes.len(), "{lines:?}");
            for (line, size) in lines.iter().skip(1).zip(sizes) {
                let cells: Vec<f64> = line
                    .split_whitespace()
                    .map(|cell| cell.parse().unwrap())
                    .collect();
                let [first, forward, backward, _, all, runs] = cells.try_into().unwrap();
                assert_eq!([first, runs], [size as f64, LEAST_RUNS as f64]);
                assert!(forward > 0.0 && backward > 0.0 && all >= forward, "{line}");
            }
        }
    }

    #[test]
    fn a_size_that_needs_too_much_memory_is_left_out_and_named() {
        let lines = lines_of(1, &[16, 1 << 20], Product::<f64>::new);
        let needed = Product::<f64>::bytes(1 << 20) >> 20;
        assert_eq!(lines.len(), 3, "{lines:?}");
        assert_eq!(
            lines[2],
            format!("left out: 1048576 units need about {needed} MiB, --memory allows 1")
        );
    }

    #[test]
    fn the_parts_of_a_run_are_summed_run_by_run() {
        let mut run = 0;
        let parts = || {
            run += 1;
            // After the first, which is not timed: 2 + 1, 3 + 1, 4 + 1 seconds.
            Ok([
                Duration::from_secs(run),
                Duration::from_secs(1),
                Duration::ZERO,
            ])
        };
        let expected = ([3.0, 1.0, 0.0, 4.0], LEAST_RUNS);
        assert_eq!(repeat(&limits(1), parts).unwrap(), expected);
    }
}
