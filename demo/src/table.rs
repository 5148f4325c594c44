//! Plain text columns.

use std::io::{self, Write};

/// Rows of cells, printed in columns as wide as their widest cell.
pub(crate) struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with one row of column names.
    pub(crate) fn new<const N: usize>(header: [&str; N]) -> Self {
        Self::of_columns(header.map(str::to_owned).to_vec())
    }

    /// A table whose columns are chosen at run time.
    pub(crate) fn of_columns(header: Vec<String>) -> Self {
        Self { rows: vec![header] }
    }

    pub(crate) fn row<const N: usize>(&mut self, cells: [String; N]) {
        self.push(cells.to_vec());
    }

    pub(crate) fn push(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    pub(crate) fn print(&self, out: &mut impl Write) -> io::Result<()> {
        let mut widths: Vec<usize> = Vec::new();
        for row in &self.rows {
            widths.resize(widths.len().max(row.len()), 0);
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(cell.chars().count());
            }
        }
        for row in &self.rows {
            let cells: Vec<String> = row
                .iter()
                .zip(&widths)
                .map(|(cell, width)| format!("{cell:width$}"))
                .collect();
            writeln!(out, "{}", cells.join("  ").trim_end())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() -> io::Result<()> {
        let mut table = Table::new(["a", "bb"]);
        table.row(["xyz".to_owned(), "1".to_owned()]);
        let mut out = Vec::new();
        table.print(&mut out)?;
        assert_eq!(String::from_utf8_lossy(&out), "a    bb\nxyz  1\n");
        Ok(())
    }
}
