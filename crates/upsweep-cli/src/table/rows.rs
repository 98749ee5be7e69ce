//! Rows of a table, from its first byte to its last.

use super::strict::Strict;
use super::written::AsRead;
use crate::failure::{Failure, Result};
use crate::progress::Progress;
use crate::source::Source;
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
    bytes: u64,
    progress: &'a Progress,
}

impl<'a> Rows<'a> {
    pub(super) fn new(source: &'a Source, name: &'a str, delimiter: u8, progress: &'a Progress) -> Result<Self> {
        let file = source.text(name)?.reader;
        let mut builder = csv::ReaderBuilder::new();
        builder.has_headers(false).flexible(true).delimiter(delimiter).buffer_capacity(1 << 18);
        let reader = builder.from_reader(Strict::new(file, delimiter));
        Ok(Self { reader, source, name, row: 0, begin: 0, delimiter, bytes: 0, progress })
    }

    /// Keeps the text of each row that is read from now on, for [`as_read`](Self::as_read).
    pub(super) fn keep_text(&mut self) {
        self.reader.get_mut().keep();
    }

    /// Returns the row that was read last, with its text. `cells` are its cells.
    pub(super) fn as_read<'r>(&'r self, cells: &'r ByteRecord) -> AsRead<'r> {
        let text = self.reader.get_ref().text(self.begin, self.reader.position().byte());
        let is_end = |byte: &u8| matches!(byte, b'\n' | b'\r');
        let begin = text.iter().position(|byte| !is_end(byte)).unwrap_or(0);
        let end = text.iter().rposition(|byte| !is_end(byte)).map_or(0, |last| last + 1);
        AsRead { cells, text: text.get(begin..end).unwrap_or_default(), delimiter: self.delimiter }
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
