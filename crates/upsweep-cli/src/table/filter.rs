//! The rows of a table of which a condition holds, in one pass.

use super::columns::{Columns, text_of};
use super::rows::Rows as Reader;
use super::{Wanted, check_encoding, is_header, note_years};
use crate::args::Header;
use crate::element::Value;
use crate::expression::value::Row;
use crate::expression::{self, Expression, Found, Kind, Name, parse};
use crate::failure::{Failure, Result};
use crate::number::{is_whole, not_a_number};
use crate::progress::Progress;
use crate::source::Source;
use csv::ByteRecord;
use std::borrow::Cow;
use std::io::{self, Write};
use upsweep_dynamic::Number;

/// A table, and the condition of its rows.
pub(crate) struct Filter<'a> {
    pub(crate) source: &'a Source,
    pub(crate) name: &'a str,
    pub(crate) delimiter: u8,
    pub(crate) header: Header,
    pub(crate) condition: &'a str,
}

impl expression::Columns for Columns<'_> {
    fn find(&self, column: &Name) -> Found<(usize, Kind)> {
        let found = match column {
            Name::Called(name) => self.find_named(name),
            Name::Numbered(number) => self.find(&number.to_string()),
        };
        found.map(|column| (column, Kind::Open)).map_err(|failure| failure.to_string())
    }
}

/// A row's cells as a condition has them.
struct Cells<'a> {
    row: &'a ByteRecord,
    columns: &'a Columns<'a>,
}

impl Cells<'_> {
    fn in_column<T>(&self, column: usize, found: Found<T>) -> Found<T> {
        found.map_err(|reason| format!("column {}: {reason}", self.columns.label(column)))
    }

    fn cell(&self, column: usize) -> Found<&str> {
        let cell = self.row.get(column).unwrap_or_default();
        let no_text = || format!("{}: the cell is no UTF-8", not_a_number(&String::from_utf8_lossy(cell)));
        self.in_column(column, text_of(cell).ok_or_else(no_text))
    }
}

impl Row for Cells<'_> {
    fn number(&self, column: usize) -> Found<Number> {
        let text = self.cell(column)?;
        let number = match text {
            "" => Err("the cell is empty: fill it or remove the row".to_owned()),
            text if is_whole(text) => match text.parse() {
                Ok(number) => Ok(Number::Integer(number)),
                Err(_) => Err(format!("{} has more digits than are computed with", crate::failure::quoted(text))),
            },
            text => <f64 as Value>::parse(text).map(Number::Float),
        };
        self.in_column(column, number)
    }
    fn text(&self, column: usize) -> Found<Cow<'_, str>> {
        self.cell(column).map(Cow::Borrowed)
    }
    fn bool(&self, column: usize) -> Found<bool> {
        self.in_column(column, <bool as Value>::parse(self.cell(column)?))
    }
}

impl Filter<'_> {
    /// Calls `take` with the row of names, if there is one, and with each row of which the condition holds, and its place among
    /// the rows of data.
    pub(crate) fn run(
        &self,
        progress: &Progress,
        mut take: impl FnMut(Option<u64>, &ByteRecord) -> Result<()>,
    ) -> Result<()> {
        check_encoding(self.source, self.name)?;
        let mut rows = Reader::new(self.source, self.name, self.delimiter, progress)?;
        let (mut first, mut row) = (ByteRecord::new(), ByteRecord::new());
        let any = rows.next(&mut first)?;
        let mut more = any && rows.next(&mut row)?;
        let wanted = Wanted {
            column: None,
            by_key: None,
            element: None,
            header: self.header,
            delimiter: self.delimiter,
            keep_keys: false,
        };
        let has_names = is_header(&wanted, &first, &row);
        let names = has_names.then_some(&first);
        let columns = Columns { name: self.name, names, first: &first, delimiter: self.delimiter };
        let condition = parse(self.condition, &columns)
            .map_err(|wrong| Failure::Input(format!("--where {}", wrong.within(self.condition))))?;
        if has_names {
            take(None, &first)?;
        } else {
            note_years(self.name, self.header, &first, &row);
        }
        let mut index = 0;
        let mut look = |rows: &Reader<'_>, number: u64, row: &ByteRecord| {
            if holds(&condition, row, &columns).map_err(|reason| rows.wrong_row(number, &reason))? {
                take(Some(index), row)?;
            }
            index += 1;
            Ok(())
        };
        if any && !has_names {
            look(&rows, 1, &first)?;
        }
        while more {
            look(&rows, rows.row(), &row)?;
            more = rows.next(&mut row)?;
        }
        Ok(())
    }
}

fn holds(condition: &Expression, row: &ByteRecord, columns: &Columns<'_>) -> Found<bool> {
    let width = columns.first.len();
    if row.len() != width {
        return Err(format!("has {} cells where the first row has {width}", row.len()));
    }
    condition.holds(&Cells { row, columns })
}

/// Passes on what is written, and not when: what is written of a result that fails can still be dropped.
struct Unflushed<'a>(&'a mut dyn Write);

impl Write for Unflushed<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Rows that are written.
pub(crate) struct Rows<'a> {
    out: csv::Writer<Unflushed<'a>>,
    name: &'a str,
}

impl<'a> Rows<'a> {
    /// To `out`, which messages call `name`.
    pub(crate) fn to(out: &'a mut dyn Write, name: &'a str, delimiter: u8) -> Self {
        let mut builder = csv::WriterBuilder::new();
        builder.delimiter(delimiter).buffer_capacity(1 << 18).flexible(true);
        Self { out: builder.from_writer(Unflushed(out)), name }
    }

    pub(crate) fn write(&mut self, row: &ByteRecord) -> Result<()> {
        self.out.write_byte_record(row).map_err(|e| match e.into_kind() {
            csv::ErrorKind::Io(e) => Failure::writing(self.name, &e),
            other => Failure::Run(format!("{}: writing failed: {other:?}", self.name)),
        })
    }

    pub(crate) fn end(mut self) -> Result<()> {
        self.out.flush().map_err(|e| Failure::writing(self.name, &e))
    }
}
