//! `metrics.csv`: one row a step.
//!
//! Invariant: after a resume the file has the rows that an uninterrupted run would have had by then.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::checkpoint::{Action, CheckpointError, io_error, replace};

/// The file's name in the run's folder.
pub const FILE_NAME: &str = "metrics.csv";
const UNFINISHED_NAME: &str = "metrics.csv.unfinished";
const HEADER: &str = "step,loss,val_loss,lr,grad_norm,tokens_per_s";

/// What is recorded of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row {
    /// Steps taken, this one included.
    pub step: usize,
    /// The loss before the step.
    pub loss: f64,
    /// The validation loss after it, where it was computed.
    pub validation_loss: Option<f64>,
    /// The learning rate.
    pub learning_rate: f64,
    /// The norm of all gradients before clipping.
    pub gradient_norm: f64,
    /// How fast it went: the only column that two runs of the same settings do not share.
    pub tokens_per_second: f64,
}

/// The open file.
#[derive(Debug)]
pub struct Metrics {
    path: PathBuf,
    file: File,
    /// Every row so far, those of earlier parts of the run included.
    rows: Vec<Row>,
}

impl Row {
    /// The row that a line of the file has; `None` where it has none.
    fn of_line(line: &str) -> Option<Self> {
        let mut cells = line.split(',');
        let mut cell = || cells.next();
        Some(Self {
            step: cell()?.parse().ok()?,
            loss: cell()?.parse().ok()?,
            validation_loss: match cell()? {
                "" => None,
                loss => Some(loss.parse().ok()?),
            },
            learning_rate: cell()?.parse().ok()?,
            gradient_norm: cell()?.parse().ok()?,
            tokens_per_second: cell()?.parse().ok()?,
        })
    }
}

impl Metrics {
    /// Keeps the rows up to `step` of what is there, and appends from then on.
    ///
    /// # Errors
    /// [`CheckpointError::Io`].
    pub fn open(folder: &Path, step: usize) -> Result<Self, CheckpointError> {
        let path = folder.join(FILE_NAME);
        let before = match fs::read(&path) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(io_error(Action::Read, &path)(error)),
        };
        let mut kept = format!("{HEADER}\n");
        let mut rows = Vec::new();
        for line in before.lines().skip(1) {
            let of_step = line.split(',').next().and_then(|cell| cell.parse().ok());
            if of_step.is_some_and(|of_step: usize| (1..=step).contains(&of_step)) {
                kept.push_str(line);
                kept.push('\n');
                rows.extend(Row::of_line(line));
            }
        }
        replace(folder, UNFINISHED_NAME, FILE_NAME, kept.as_bytes())?;
        let file = OpenOptions::new()
            .append(true)
            .open(&path)
            .map_err(io_error(Action::Write, &path))?;
        Ok(Self { path, file, rows })
    }

    /// Appends a row.
    ///
    /// # Errors
    /// [`CheckpointError::Io`].
    pub fn append(&mut self, row: &Row) -> Result<(), CheckpointError> {
        self.rows.push(*row);
        let validation = row
            .validation_loss
            .map_or_else(String::new, |loss| loss.to_string());
        let line = format!(
            "{},{},{validation},{},{},{:.0}\n",
            row.step, row.loss, row.learning_rate, row.gradient_norm, row.tokens_per_second
        );
        self.file
            .write_all(line.as_bytes())
            .map_err(io_error(Action::Write, &self.path))
    }

    /// Every row so far.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// Brings every row so far to the disk.
    ///
    /// # Errors
    /// [`CheckpointError::Io`].
    pub fn flush(&self) -> Result<(), CheckpointError> {
        self.file
            .sync_data()
            .map_err(io_error(Action::Write, &self.path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_the_row_that_it_was_written_from() {
        let row = Row {
            step: 7,
            loss: 0.1 + 0.2,
            validation_loss: Some(1.0 / 3.0),
            learning_rate: 1e-300,
            gradient_norm: 5.0,
            tokens_per_second: 1200.0,
        };
        let line = "7,0.30000000000000004,0.3333333333333333,1e-300,5,1200";
        assert_eq!(Row::of_line(line), Some(row));
        let unvalidated = "7,0.30000000000000004,,1e-300,5,1200";
        let expected = Row {
            validation_loss: None,
            ..row
        };
        assert_eq!(Row::of_line(unvalidated), Some(expected));
        assert_eq!(Row::of_line("7,0.3"), None);
    }
}
