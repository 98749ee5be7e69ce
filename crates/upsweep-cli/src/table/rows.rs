//! The rows of a table, from its first byte to its last.

use super::strict::Strict;
use crate::failure::{Failure, Result};
use crate::progress::Progress;
use crate::source::Source;
use csv::ByteRecord;
use std::fs::File;
use std::io::Seek;

pub(super) struct Rows<'a> {
    reader: csv::Reader<Strict<&'a File>>,
    source: &'a Source,
    name: &'a str,
    /// The number of the last row, counted from 1.
    row: u64,
    bytes: u64,
    progress: &'a Progress,
}

impl<'a> Rows<'a> {
    pub(super) fn new(source: &'a Source, name: &'a str, delimiter: u8, progress: &'a Progress) -> Result<Self> {
        let mut file = &source.file;
        file.rewind().map_err(|e| Failure::reading(name, &e))?;
        let mut builder = csv::ReaderBuilder::new();
        builder.has_headers(false).flexible(true).delimiter(delimiter).buffer_capacity(1 << 18);
        let reader = builder.from_reader(Strict::new(file, delimiter));
        Ok(Self { reader, source, name, row: 0, bytes: 0, progress })
    }

    /// Reads the next row; `false` after the last.
    pub(super) fn next(&mut self, row: &mut ByteRecord) -> Result<bool> {
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

    /// The last row is wrong.
    pub(super) fn wrong(&self, reason: &str) -> Failure {
        self.wrong_row(self.row, reason)
    }

    /// Row `row` is wrong, unless the file is not what it was.
    pub(super) fn wrong_row(&self, row: u64, reason: &str) -> Failure {
        match self.source.check_unchanged(self.name) {
            Ok(()) => Failure::input(self.name, format!("row {row}: {reason}")),
            Err(changed) => changed,
        }
    }
}
