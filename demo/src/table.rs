//! Plain text columns.

use std::io::{self, Write};

/// Rows of cells, printed in columns as wide as their widest cell.
pub(crate) struct Table<const N: usize> {
    rows: Vec<[String; N]>,
}

impl<const N: usize> Table<N> {
    /// A table with one row of column names.
    pub(crate) fn new(header: [&str; N]) -> Self {
        Self {
            rows: vec![header.map(str::to_owned)],
        }
    }

    pub(crate) fn row(&mut self, cells: [String; N]) {
        self.rows.push(cells);
    }

    pub(crate) fn print(&self, out: &mut impl Write) -> io::Result<()> {
        let mut widths = [0; N];
        for row in &self.rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(cell.chars().count());
            }
        }
        for row in &self.rows {
            let cells: Vec<String> = row
                .iter()
                .zip(widths)
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
