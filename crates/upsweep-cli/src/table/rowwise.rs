//! Column of a table whose rows are read one after the other, and not kept.

use super::cell::take;
use super::columns::{holds_number, new_name, text_of};
use super::head::{Asked, Head};
use super::keys::Changes;
use super::record::Record;
use super::rows::Rows;
use crate::collect::{Finder, Refused};
use crate::element::Type;
use crate::failure::Result;
use crate::missing::Missing;
use crate::progress::Progress;
use crate::source::Source;
use crate::text::Text;
use csv::ByteRecord;

/// Table of which one column is asked, and those of keys after it, and whose first rows were read.
pub(crate) struct Rowwise<'a> {
    name: &'a str,
    rows: Rows<'a>,
    head: Head,
}

impl<'a> Rowwise<'a> {
    /// Reads the beginning of `text`, which is that of the table, and comes once.
    pub(crate) fn piped(text: Text<'a>, asked: &Asked<'a>, progress: &'a Progress) -> Result<Self> {
        let name = asked.name;
        let mut rows = Rows::of(text, asked.source, (asked.name, asked.delimiter), progress);
        let head = Head::read(asked, &mut rows)?;
        Ok(Self { name, rows, head })
    }

    /// Reads the beginning of the table in a plain file.
    pub(crate) fn head(asked: &Asked<'_>, progress: &Progress) -> Result<Head> {
        Head::read(asked, &mut Rows::new(asked.source, asked.name, asked.delimiter, progress)?)
    }

    /// Begins to read the table of which this is the beginning.
    pub(crate) fn open(
        head: &Head,
        (source, name, delimiter): (&'a Source, &'a str, u8),
        progress: &'a Progress,
    ) -> Result<Self> {
        let mut rows = Rows::new(source, name, delimiter, progress)?;
        let head = head.again(&mut rows)?;
        Ok(Self { name, rows, head })
    }

    /// Number of the first row of data, as messages count rows: from 1, with the row of names.
    pub(crate) fn first_row(&self) -> usize {
        self.head.first_row()
    }

    fn place(&self) -> usize {
        self.head.columns.first().copied().unwrap_or_default()
    }

    fn label(&self) -> String {
        self.head.labels.first().cloned().unwrap_or_default()
    }

    /// Returns the row of names, if there is one, and the name of one more column: that of the column, and `suffix`.
    pub(crate) fn names(&self, suffix: &str) -> Option<(Record<'_>, Vec<u8>)> {
        let Head { first, has_names, .. } = &self.head;
        has_names.then(|| (first.row(), new_name(first.cells.get(self.place()), suffix, &first.cells)))
    }

    /// Names in messages of the columns of keys.
    pub(crate) fn key_labels(&self) -> &[String] {
        self.head.labels.get(self.head.values..).unwrap_or_default()
    }

    /// Returns a row of names for keys and the results of their rows, if the table names its columns.
    pub(crate) fn key_names(&self, suffix: &str) -> Option<ByteRecord> {
        let Head { first, has_names, .. } = &self.head;
        let keys = self.head.columns.get(self.head.values..).unwrap_or_default().iter();
        has_names.then(|| {
            let names = keys.map(|&key| first.cells.get(key).unwrap_or_default().trim_ascii());
            let mut names: ByteRecord = names.collect();
            names.push_field(&new_name(first.cells.get(self.place()), suffix, &names));
            names
        })
    }

    /// Returns a finder of the rows with which the key changes.
    pub(crate) fn keys(&self) -> Changes {
        Changes::of(self.head.columns.get(self.head.values..).unwrap_or_default().to_vec())
    }

    /// Finds the type of the numbers: that of the first fraction, or without one of all.
    pub(crate) fn element(self, missing: &Missing) -> Result<Type> {
        let mut finder = Finder::new(true);
        self.each_while(|_, cell| Ok(take(cell, Some(missing), &mut finder).map(|_| finder.element() == Type::I64)))?;
        Ok(finder.element())
    }

    /// Whether the column has a text: a cell that is neither a number nor missing.
    pub(crate) fn has_text(self, missing: &Missing) -> Result<bool> {
        let mut has_text = false;
        let is_missing = |cell: &[u8]| text_of(cell).is_some_and(|text| missing.means(text));
        self.each_while(|_, cell| {
            has_text = !is_missing(cell) && !holds_number(cell);
            Ok(Ok(!has_text))
        })?;
        Ok(has_text)
    }

    /// Calls `take` with each row, and with its cell in the column.
    pub(crate) fn each(
        self,
        mut take: impl FnMut(Record<'_>, &[u8]) -> Result<std::result::Result<(), Refused>>,
    ) -> Result<()> {
        self.each_while(|row, cell| Ok(take(row, cell)?.map(|()| true)))
    }

    fn each_while(
        mut self,
        mut take: impl FnMut(Record<'_>, &[u8]) -> Result<std::result::Result<bool, Refused>>,
    ) -> Result<()> {
        let (place, label, name) = (self.place(), self.label(), self.name);
        let read = self.head.while_rows(&mut self.rows, |rows, at, row| {
            take(row, row.get(place).unwrap_or_default())?.map_err(|refused| {
                refused.failure(name, |reason| rows.wrong_row(at, &format!("column {label}: {reason}")))
            })
        });
        read.map(drop)
    }
}
