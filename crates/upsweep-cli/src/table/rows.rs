//! Rows of a table, from its first byte to its last.

use super::strict::Strict;
use super::written::AsRead;
use crate::failure::{Failure, Result};
use crate::progress::Progress;
use crate::source::Source;
use crate::text::Text;
use csv::ByteRecord;
use std::io::Read;

pub(super) struct Rows<'a> {
    reader: csv::Reader<Strict<Box<dyn Read + 'a>>>,
    source: &'a Source,
    name: &'a str,
    /// Number of the row that was read last, counted from 1.
    row: u64,
    /// Offset in the file of the row that was read last, or of the line ends before it.
    begin: u64,
    delimiter: u8,
    /// Number of cells of the first row, if shorter rows are padded.
    width: Option<usize>,
    /// Text of the row that was read last, if it was padded and texts are kept; else it is empty.
    padded: Vec<u8>,
    bytes: u64,
    progress: &'a Progress,
}

impl<'a> Rows<'a> {
    pub(super) fn new(source: &'a Source, name: &'a str, delimiter: u8, progress: &'a Progress) -> Result<Self> {
        Ok(Self::of(source.text(name)?, source, (name, delimiter), progress))
    }

    /// Reads the rows of `text`, which is that of the source.
    pub(super) fn of(
        text: Text<'a>,
        source: &'a Source,
        (name, delimiter): (&'a str, u8),
        progress: &'a Progress,
    ) -> Self {
        let mut builder = csv::ReaderBuilder::new();
        builder.has_headers(false).flexible(true).delimiter(delimiter).buffer_capacity(1 << 18);
        let reader = builder.from_reader(Strict::new(text.reader, delimiter));
        Self { reader, source, name, row: 0, begin: 0, delimiter, width: None, padded: Vec::new(), bytes: 0, progress }
    }

    /// Keeps the text of each row that is read from now on, for [`as_read`](Self::as_read).
    pub(super) fn keep_text(&mut self) {
        self.reader.get_mut().keep();
    }

    /// Returns the row that was read last, with its text. `cells` are its cells.
    pub(super) fn as_read<'r>(&'r self, cells: &'r ByteRecord) -> AsRead<'r> {
        let text = if self.padded.is_empty() { self.text() } else { &self.padded };
        AsRead { cells, text, delimiter: self.delimiter }
    }

    /// Returns the text of the row that was read last, without its line end, if texts are kept.
    fn text(&self) -> &[u8] {
        let text = self.reader.get_ref().text(self.begin, self.reader.position().byte());
        let is_end = |byte: &u8| matches!(byte, b'\n' | b'\r');
        let begin = text.iter().position(|byte| !is_end(byte)).unwrap_or(0);
        let end = text.iter().rposition(|byte| !is_end(byte)).map_or(0, |last| last + 1);
        text.get(begin..end).unwrap_or_default()
    }

    /// Adds empty cells to a row that has fewer than the first one.
    fn pad(&mut self, row: &mut ByteRecord) {
        let width = *self.width.get_or_insert(row.len());
        let missing = width.saturating_sub(row.len());
        self.padded.clear();
        if missing > 0 {
            self.padded = [self.text(), &vec![self.delimiter; missing]].concat();
            (0..missing).for_each(|_| row.push_field(b""));
        }
    }

    /// Reads the next row into `row`. Returns `false` if there is none.
    pub(super) fn next(&mut self, row: &mut ByteRecord) -> Result<bool> {
        self.begin = self.reader.position().byte();
        self.reader.get_mut().forget(self.begin);
        let more = self.reader.read_byte_record(row).map_err(|e| match e.into_kind() {
            csv::ErrorKind::Io(e) => Failure::reading(self.name, &e),
            other => Failure::input(self.name, format!("row {}: {other:?}", self.row + 1)),
        })?;
        if !more {
            self.source.check_unchanged(self.name)?;
            return Ok(false);
        }
        self.row += 1;
        let end = self.reader.position().byte();
        if let Some(fault) = self.reader.get_ref().fault_before(end) {
            return Err(self.wrong(fault.words()));
        }
        if self.source.is_ragged() {
            self.pad(row);
        }
        const STEP: u64 = 1 << 18;
        if end - self.bytes >= STEP {
            self.progress.step((end - self.bytes) as usize);
            self.bytes = end;
        }
        Ok(true)
    }

    pub(super) fn row(&self) -> u64 {
        self.row
    }

    /// Failure because the row that was read last is wrong.
    pub(super) fn wrong(&self, reason: &str) -> Failure {
        self.wrong_row(self.row, reason)
    }

    /// Failure because row number `row` is wrong, or because the file has changed since it was opened.
    pub(super) fn wrong_row(&self, row: u64, reason: &str) -> Failure {
        match self.source.check_unchanged(self.name) {
            Ok(()) => Failure::input(self.name, format!("row {row}: {reason}")),
            Err(changed) => changed,
        }
    }
}
