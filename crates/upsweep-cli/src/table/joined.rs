//! Rows of a table that are written with one more cell each, as soon as that is known.

use super::record::Record;
use super::written::Rows;
use crate::collect::{Refused, Texts};
use crate::element::{Values, format};
use crate::failure::Result;
use std::io;

/// Bytes of rows that wait, and of the places of their ends, at most, but for one row.
const PART: usize = 1 << 20;

/// Rows that wait for their cells, and the writer of all.
pub(crate) struct Joined<'out> {
    out: Rows<'out>,
    /// Text of each row, with the delimiters of the output.
    texts: Texts,
    /// Room for a text.
    text: Vec<u8>,
    /// Number of these rows that were written.
    written: usize,
    bytes: usize,
}

impl<'out> Joined<'out> {
    pub(crate) fn to(out: Rows<'out>) -> Self {
        Self { out, texts: Texts::default(), text: Vec::new(), written: 0, bytes: 0 }
    }

    /// Writes a row of names, and that of one more column.
    pub(crate) fn write_names(&mut self, (row, name): (Record<'_>, Vec<u8>)) -> Result<()> {
        self.out.write_with(row, &name)
    }

    /// Adds the next row.
    pub(crate) fn push(&mut self, row: Record<'_>) -> std::result::Result<(), Refused> {
        let text = match row.text_with(self.out.delimiter) {
            Some(text) => text,
            None => {
                self.text.clear();
                self.out.render(row, &mut self.text);
                &self.text
            }
        };
        self.bytes += text.len() + size_of::<usize>();
        self.texts.push(text)
    }

    /// Whether so many rows wait that they should be written.
    pub(crate) fn is_full(&self) -> bool {
        self.bytes >= PART
    }

    /// Writes the next rows with their cells: `results`, and nothing in the rows, counted from the next one, that `are_empty`
    /// has, ascending.
    pub(crate) fn write(&mut self, results: &Values, are_empty: &[usize]) -> Result<()> {
        let Self { out, texts, text, written, .. } = self;
        let (mut empty, mut index) = (are_empty.iter().peekable(), 0);
        for row in 0..results.len() + are_empty.len() {
            text.clear();
            if empty.next_if(|&&empty| empty == row).is_none() {
                format(results, index, text);
                index += 1;
            }
            out.write_text_with(texts.get(*written), text)?;
            *written += 1;
        }
        Ok(())
    }

    /// Takes note that all rows were written.
    pub(crate) fn begin(&mut self) {
        self.texts.clear();
        (self.written, self.bytes) = (0, 0);
    }

    /// Hands on what was written.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
