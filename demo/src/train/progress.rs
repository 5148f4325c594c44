//! What a run shows while it goes: a bar on a terminal, plain lines elsewhere.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::metrics::Row;
use crate::DemoError;

/// Plain lines come at most this often, apart from validations.
const BETWEEN_LINES: Duration = Duration::from_secs(2);

/// The bar, or the time of the last line.
#[derive(Debug)]
pub struct Progress {
    bar: Option<ProgressBar>,
    last_line: Option<Instant>,
    started: Instant,
    first_step: usize,
    steps: usize,
}

impl Progress {
    /// Progress of a run of `steps` that has taken `first_step` of them.
    #[must_use]
    pub fn new(first_step: usize, steps: usize) -> Self {
        let bar = io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::with_draw_target(
                u64::try_from(steps).ok(),
                ProgressDrawTarget::stderr(),
            );
            let template = "{bar:30} {pos}/{len} {msg} {eta} left";
            if let Ok(style) = ProgressStyle::with_template(template) {
                bar.set_style(style);
            }
            bar.set_position(first_step as u64);
            bar.reset_eta();
            bar
        });
        Self {
            bar,
            last_line: None,
            started: Instant::now(),
            first_step,
            steps,
        }
    }

    /// Shows a step.
    ///
    /// # Errors
    /// [`DemoError::Write`].
    pub fn show(&mut self, out: &mut impl Write, row: &Row) -> Result<(), DemoError> {
        let mut text = format!("loss {:.4}", row.loss);
        if let Some(loss) = row.validation_loss {
            text.push_str(&format!("  validation {loss:.4}"));
        }
        let text = format!("{text}  {:.0} tokens/s", row.tokens_per_second);
        if let Some(bar) = &self.bar {
            bar.set_position(row.step as u64);
            bar.set_message(text.clone());
            if row.validation_loss.is_some() {
                bar.suspend(|| self.line(out, row.step, &text))?;
            }
            return Ok(());
        }
        let due = self
            .last_line
            .is_none_or(|last| last.elapsed() >= BETWEEN_LINES);
        if due || row.validation_loss.is_some() || row.step == self.steps {
            self.line(out, row.step, &text)?;
            self.last_line = Some(Instant::now());
        }
        Ok(())
    }

    fn line(&self, out: &mut impl Write, step: usize, text: &str) -> Result<(), DemoError> {
        let taken = step.saturating_sub(self.first_step).max(1);
        let left = self.steps.saturating_sub(step);
        let seconds = self.started.elapsed().as_secs_f64() / taken as f64 * left as f64;
        writeln!(
            out,
            "step {step}/{}  {text}  {seconds:.0} s left",
            self.steps
        )?;
        Ok(out.flush()?)
    }

    /// Removes the bar.
    pub fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
