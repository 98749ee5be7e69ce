//! Writer of the rows of a table.

use super::columns::holds_number;
use super::record::Record;
use crate::failure::{Failure, Result};
use std::io::{self, Write};

/// Writer of rows, which it passes on line by line. It has no buffer of its own for several rows.
pub(crate) struct Rows<'a> {
    out: &'a mut dyn Write,
    name: &'a str,
    pub(super) delimiter: u8,
    line: Vec<u8>,
}

impl<'a> Rows<'a> {
    /// Creates a writer of rows to `out`, which messages call `name`, with `delimiter` between cells.
    pub(crate) fn to(out: &'a mut dyn Write, name: &'a str, delimiter: u8) -> Self {
        Self { out, name, delimiter, line: Vec::new() }
    }

    /// Writes a row of cells.
    pub(crate) fn write<'c>(&mut self, cells: impl IntoIterator<Item = &'c [u8]>) -> Result<()> {
        self.push_cells(cells);
        if self.line.is_empty() {
            // A blank line would not be read as a row, so an only cell that is empty is written in quotes.
            self.line.extend(b"\"\"");
        }
        self.end_line()
    }

    /// Writes a row with `cell` as one more cell at its end.
    pub(crate) fn write_with(&mut self, row: Record<'_>, cell: &[u8]) -> Result<()> {
        match row.text_with(self.delimiter) {
            Some(text) => self.line.extend(text),
            None => self.push_cells(row.iter()),
        }
        self.line.push(self.delimiter);
        self.push(cell);
        self.end_line()
    }

    /// Writes a row with its text as it was read, or only its cells if the delimiter is another one now.
    pub(crate) fn write_as_read(&mut self, row: Record<'_>) -> Result<()> {
        match row.text_with(self.delimiter) {
            Some(text) => self.write_text(text),
            None => self.write(row.iter()),
        }
    }

    /// Writes a row that is given as its text, without a line end.
    pub(crate) fn write_text(&mut self, text: &[u8]) -> Result<()> {
        self.line.extend(text);
        self.end_line()
    }

    /// Appends to `text` the cells of a row as they are written.
    pub(super) fn render(&mut self, row: Record<'_>, text: &mut Vec<u8>) {
        self.push_cells(row.iter());
        text.append(&mut self.line);
    }

    /// Writes a row that is given as its text, with `cell` as one more cell at its end.
    pub(crate) fn write_text_with(&mut self, text: &[u8], cell: &[u8]) -> Result<()> {
        self.line.extend(text);
        self.line.push(self.delimiter);
        self.push(cell);
        self.end_line()
    }

    /// Hands on what was written.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    /// Writes lines that are given as text, with their ends.
    pub(crate) fn write_lines(&mut self, text: &[u8]) -> Result<()> {
        self.out.write_all(text).map_err(|e| Failure::writing(self.name, &e))
    }

    fn push_cells<'c>(&mut self, cells: impl IntoIterator<Item = &'c [u8]>) {
        for (at, cell) in cells.into_iter().enumerate() {
            if at > 0 {
                self.line.push(self.delimiter);
            }
            self.push(cell);
        }
    }

    fn push(&mut self, cell: &[u8]) {
        if !needs_quotes(cell, self.delimiter) {
            return self.line.extend(cell);
        }
        self.line.push(b'"');
        for &byte in cell {
            if byte == b'"' {
                self.line.push(b'"');
            }
            self.line.push(byte);
        }
        self.line.push(b'"');
    }

    fn end_line(&mut self) -> Result<()> {
        self.line.push(b'\n');
        let written = self.out.write_all(&self.line);
        self.line.clear();
        written.map_err(|e| Failure::writing(self.name, &e))
    }
}

/// Whether `cell`, written without quotes, would be read as another content. Many programs drop the white space around
/// a cell without quotes. Around a number it makes no difference.
fn needs_quotes(cell: &[u8], delimiter: u8) -> bool {
    let ends_a_cell = |&byte: &u8| matches!(byte, b'"' | b'\n' | b'\r') || byte == delimiter;
    cell.iter().any(ends_a_cell) || cell.trim_ascii().len() < cell.len() && !holds_number(cell)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;
    use csv::ByteRecord;

    /// Returns the line for a row of cells with commas.
    fn written(cells: &[&str]) -> String {
        let mut text = Vec::new();
        Rows::to(&mut text, "x", b',').write(&ByteRecord::from(cells.to_vec())).unwrap();
        String::from_utf8(text).unwrap()
    }

    #[test]
    fn cells_are_quoted_that_would_be_others() {
        assert_eq!(written(&["a", "b c", "", "d\"e", "f,g"]), "a,b c,,\"d\"\"e\",\"f,g\"\n");
        assert_eq!(
            written(&[" x", "x ", "\tx", " 1.5 ", "  ", "x\ny"]),
            "\" x\",\"x \",\"\tx\", 1.5 ,\"  \",\"x\ny\"\n"
        );
        assert_eq!(written(&[""]), "\"\"\n");
        assert_eq!(written(&["", ""]), ",\n");
    }
}
