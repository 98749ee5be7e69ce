//! Selection of the rows of a table that meet a condition, and of their columns, in one pass.

use super::columns::{Columns, text_of};
use super::derived::Derived;
use super::record::{Kept, Record};
use super::rows::Rows as Reader;
use super::{Wanted, is_header, note_years, wrong_width};
use crate::args::Header;
use crate::element::{Value, exact};
use crate::expression::value::Row;
use crate::expression::{self, Found, Kind, Name, parse};
use crate::failure::{Failure, Result};
use crate::number::not_a_number;
use crate::progress::Progress;
use crate::source::Source;
use crate::text::Text;
use csv::ByteRecord;
use upsweep_dynamic::Number;

/// Table, the condition that selects its rows, and the columns that these have then.
pub(crate) struct Filter<'a> {
    pub(crate) source: &'a Source,
    pub(crate) name: &'a str,
    pub(crate) delimiter: u8,
    pub(crate) header: Header,
    /// Condition; all rows are selected without one.
    pub(crate) condition: Option<&'a str>,
    /// Assignments of new columns.
    pub(crate) sets: &'a [String],
    /// List of the columns that are kept, unless these are all.
    pub(crate) keep: Option<&'a str>,
    /// Texts that mean that a cell has no value, as an empty one does.
    pub(crate) na: &'a [String],
}

/// Row that was selected.
pub(crate) enum Selected<'a> {
    /// As it was read.
    Whole(Record<'a>),
    /// Cells of columns that were chosen or computed.
    Cells(&'a ByteRecord),
}

impl expression::Columns for Columns<'_> {
    fn find(&self, column: &Name) -> Found<(usize, Kind)> {
        let found = match column {
            Name::Called(name) => self.find_named(name),
            Name::Numbered(number) => self.find_numbered(*number),
        };
        found.map(|column| (column, Kind::Open)).map_err(|failure| failure.to_string())
    }
}

/// Row of a table, whose cells are the values of the columns in a condition.
struct Cells<'a> {
    row: Record<'a>,
    columns: &'a Columns<'a>,
    na: &'a [String],
}

impl Cells<'_> {
    fn in_column<T>(&self, column: usize, found: Found<T>) -> Found<T> {
        found.map_err(|reason| format!("column {}: {reason}", self.columns.label(column)))
    }

    fn cell(&self, column: usize) -> &[u8] {
        self.row.get(column).unwrap_or_default()
    }
}

impl Row for Cells<'_> {
    fn number(&self, column: usize) -> Found<Number> {
        let cell = self.cell(column);
        let text = text_of(cell).ok_or_else(|| not_a_number(&String::from_utf8_lossy(cell)));
        let number = text.and_then(|text| match text {
            "" => Err("the cell is empty: fill it or remove the row".to_owned()),
            text => exact(text),
        });
        self.in_column(column, number)
    }
    fn text(&self, column: usize) -> Found<&[u8]> {
        Ok(self.cell(column))
    }
    fn is_null(&self, column: usize) -> bool {
        let cell = self.cell(column).trim_ascii();
        cell.is_empty() || self.na.iter().any(|na| na.as_bytes() == cell)
    }
    fn bool(&self, column: usize) -> Found<bool> {
        let cell = String::from_utf8_lossy(self.cell(column).trim_ascii());
        self.in_column(column, <bool as Value>::parse(&cell).map_err(|wrong| wrong.words(false)))
    }
}

impl Filter<'_> {
    /// Calls `take` with the row of names, if there is one, and with each row that meets the condition. The first
    /// argument is the index of the row among the rows of data, and `None` for the names. Returns the number of rows of data.
    pub(crate) fn run(
        &self,
        text: Text<'_>,
        progress: &Progress,
        mut take: impl FnMut(Option<u64>, Selected<'_>) -> Result<()>,
    ) -> Result<u64> {
        let mut rows = Reader::of(text, self.source, (self.name, self.delimiter), progress);
        let any = rows.next()?;
        let kept = Kept::of(rows.record());
        let (first_row, first) = (kept.row(), &kept.cells);
        let mut more = any && rows.next()?;
        let row: ByteRecord = rows.record().iter().collect();
        let wanted = Wanted {
            column: None,
            by_key: None,
            element: None,
            header: self.header,
            delimiter: self.delimiter,
            options: true,
            typed: false,
            keep_keys: false,
            missing: None,
        };
        let has_names = is_header(&wanted, first, &row);
        let names = has_names.then_some(first);
        let columns = Columns { name: self.name, names, first, delimiter: self.delimiter, options: true };
        let condition = self.condition.map(|text| {
            parse(text, &columns).map_err(|wrong| Failure::Input(format!("--where {}", wrong.within(text))))
        });
        let condition = condition.transpose()?;
        let derived = Derived::new(self.sets, self.keep, &columns)?;
        if has_names {
            match &derived {
                None => take(None, Selected::Whole(first_row))?,
                Some(derived) => take(None, Selected::Cells(&derived.names()))?,
            }
        } else {
            note_years(self.name, self.header, first, &row);
        }
        let (mut index, mut cells) = (0, ByteRecord::new());
        let mut look = |rows: &Reader<'_>, number: u64, row: Record<'_>| {
            let wrong = |reason: String| rows.wrong_row(number, &reason);
            let (found, expected) = (row.len(), columns.first.len());
            if found != expected {
                return Err(wrong(wrong_width(found, expected)));
            }
            let values = Cells { row, columns: &columns, na: self.na };
            if condition.as_ref().map_or(Ok(true), |condition| condition.holds(&values)).map_err(wrong)? {
                match &derived {
                    None => take(Some(index), Selected::Whole(row))?,
                    Some(derived) => {
                        derived.row(row, &values, &mut cells).map_err(wrong)?;
                        take(Some(index), Selected::Cells(&cells))?;
                    }
                }
            }
            index += 1;
            Ok(())
        };
        if any && !has_names {
            look(&rows, 1, first_row)?;
        }
        while more {
            look(&rows, rows.row(), rows.record())?;
            more = rows.next()?;
        }
        Ok(index)
    }
}
