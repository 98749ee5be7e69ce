//! Tables (.csv and .tsv): one column is read, and one more is written.
//!
//! A table is read twice: once for its column, and again when it is written with the result as a new column. Neither
//! pass holds more than the column and one row in memory.

mod cell;
mod cells;
mod columns;
mod derived;
mod each;
mod filter;
mod grouped;
mod head;
mod joined;
mod keys;
mod plain;
mod record;
mod rows;
mod rowwise;
mod strict;
mod written;

use crate::args::Header;
use crate::collect::{Collector, Refused, Texts, collector, push};
use crate::element::{Type, Values, format};
use crate::failure::{Failure, Result, note};
use crate::missing::Missing;
use crate::progress::Progress;
use crate::source::Source;
pub(crate) use cell::{Taken, take};
pub(crate) use cells::{Cells, Keep};
pub(crate) use columns::text_of;
pub(crate) use columns::{Columns, listed, new_name};
use csv::ByteRecord;
pub(crate) use each::each_row;
pub(crate) use filter::{Filter, Selected};
pub(crate) use grouped::{Batch, Column, Grouped, How, Take};
pub(crate) use head::{Asked, Head};
pub(crate) use joined::Joined;
pub(crate) use keys::{Changes, key_cells};
pub(crate) use record::{Kept, Record};
use rows::Rows;
pub(crate) use rowwise::Rowwise;
use std::io::Write;
pub(crate) use written::Rows as WrittenRows;
#[cfg(feature = "parquet")]
pub(crate) use {grouped::Groups, keys::join};

/// Columns to read from a table, and options for reading them.
#[derive(Debug)]
pub(crate) struct Wanted<'a> {
    pub(crate) column: Option<&'a str>,
    /// Column of the keys, or [list](listed) of such.
    pub(crate) by_key: Option<&'a str>,
    pub(crate) element: Option<Type>,
    pub(crate) header: Header,
    /// Whether the options of the command are those for this table: then errors name options.
    pub(crate) options: bool,
    /// Whether an option of the command sets the type, so that errors may name it.
    pub(crate) typed: bool,
    pub(crate) delimiter: u8,
    /// Whether to keep the text of each segment's key. A segment is a run of rows with equal keys.
    pub(crate) keep_keys: bool,
    /// What becomes of missing values, if the command has options for it.
    pub(crate) missing: Option<&'a Missing>,
}

/// Layout of a table that was read, from which it can be read again.
#[derive(Debug)]
pub(crate) struct Layout {
    source: Source,
    delimiter: u8,
    /// First row, if it names the columns.
    names: Option<ByteRecord>,
    column: usize,
    /// Name in messages of the column that was read.
    label: String,
    /// Names in messages of the columns of the keys.
    keys: Vec<String>,
    /// Indices of the rows that were left out, as a value is missing.
    left_out: Vec<usize>,
    /// Number of missing values.
    missing: usize,
}

/// Segments of the rows: runs of rows with equal keys.
#[derive(Debug, Default)]
pub(crate) struct Keys {
    /// Head flag of each row: whether its key differs from that of the row before.
    pub(crate) heads: Vec<bool>,
    /// Key of each segment, if keys are kept: of several columns [as one text](key_cells).
    pub(crate) texts: Texts,
}

/// Reads one column of the table in `source`, and the segments by another column. Returns values, layout and segments.
pub(crate) fn read(
    source: Source,
    name: &str,
    wanted: &Wanted<'_>,
    progress: &Progress,
) -> Result<(Values, Layout, Keys)> {
    let mut rows = Rows::new(&source, name, wanted.delimiter, progress)?;
    let any = rows.next()?;
    let first = Kept::of(rows.record());
    let mut more = any && rows.next()?;
    let row: ByteRecord = rows.record().iter().collect();
    let (first_row, first) = (first.row(), &first.cells);
    let is_header = is_header(wanted, first, &row);
    let names = is_header.then_some(first);
    let columns = Columns { name, names, first, delimiter: wanted.delimiter, options: wanted.options };
    let data = if is_header { more.then_some(&row) } else { any.then_some(first) };
    let column = match wanted.column {
        Some(text) => columns.find(text)?,
        None => columns.only_numeric(data)?,
    };
    let key_columns = wanted.by_key.map(|text| columns.find_all(text)).transpose()?.unwrap_or_default();
    if let Some(data) = data {
        columns.check_separator(data)?;
    }
    if !is_header && wanted.options {
        note_years(name, wanted.header, first, &row);
    }

    let mut taker = Taker {
        values: collector(wanted.element, wanted.typed),
        column,
        keys: Keys::default(),
        changes: (!key_columns.is_empty()).then(|| Changes::of(key_columns.clone())),
        keep_keys: wanted.keep_keys,
        width: first.len(),
        missing: wanted.missing,
        left_out: Vec::new(),
        found_missing: 0,
        rows: 0,
    };
    let wrong = |rows: &Rows<'_>, row: u64, reason: Reason| match reason {
        Reason::Row(refused) => refused.failure(name, |reason| rows.wrong_row(row, &reason)),
        Reason::Cell(refused) => {
            refused.failure(name, |reason| rows.wrong_row(row, &format!("column {}: {reason}", columns.label(column))))
        }
    };
    if any && !is_header {
        taker.take(first_row).map_err(|reason| wrong(&rows, 1, reason))?;
    }
    while more {
        taker.take(rows.record()).map_err(|reason| wrong(&rows, rows.row(), reason))?;
        more = rows.next()?;
    }
    drop(rows);
    let Taker { values, keys, left_out, found_missing: missing, .. } = taker;
    let values = values.finish();
    let label = columns.label(column);
    let key_columns = key_columns.into_iter().map(|key| columns.label(key)).collect();
    let names = is_header.then(|| first.clone());
    Ok((
        values,
        Layout { source, delimiter: wanted.delimiter, names, column, label, keys: key_columns, left_out, missing },
        keys,
    ))
}

/// Returns the reason why a row of `found` cells is wrong, if the first row has `expected` cells.
fn wrong_width(found: usize, expected: usize) -> String {
    format!("has {found} cell{} where the first row has {expected}", if found == 1 { "" } else { "s" })
}

/// Prints a note if the first row, which is taken for data, may name columns by years.
fn note_years(name: &str, header: Header, first: &ByteRecord, second: &ByteRecord) {
    if header == Header::Auto && columns::names_years(first, second) {
        note(&format!(
            "{name}: the first row has numbers and is taken for data: if it names the columns, give --header yes"
        ));
    }
}

/// Whether the first row names the columns: as the option says, or else by its cells, those of the second row, and the
/// columns that are wanted.
fn is_header(wanted: &Wanted<'_>, first: &ByteRecord, second: &ByteRecord) -> bool {
    match wanted.header {
        Header::Yes => true,
        Header::No => false,
        Header::Auto if first.is_empty() => false,
        Header::Auto => {
            let mut asked = wanted.column.into_iter().chain(wanted.by_key.into_iter().flat_map(listed));
            let mut is_named = || asked.any(|text| columns::names(first, text));
            !columns::has_number(first) || columns::names_years(first, second) && is_named()
        }
    }
}

/// Collector of the value and the key in each row.
struct Taker<'a> {
    values: Box<dyn Collector>,
    column: usize,
    keys: Keys,
    /// Finder of the segments, if they are wanted.
    changes: Option<Changes>,
    keep_keys: bool,
    width: usize,
    missing: Option<&'a Missing>,
    /// Indices of the rows that are left out.
    left_out: Vec<usize>,
    found_missing: usize,
    /// Number of rows so far.
    rows: usize,
}

/// Reason why a row is wrong: about the row, or about its cell in the column that is read.
enum Reason {
    Row(Refused),
    Cell(Refused),
}

impl Taker<'_> {
    fn take(&mut self, row: Record<'_>) -> std::result::Result<(), Reason> {
        if row.len() != self.width {
            return Err(Reason::Row(wrong_width(row.len(), self.width).into()));
        }
        self.rows += 1;
        let taken = take(row.get(self.column).unwrap_or_default(), self.missing, &mut *self.values);
        let taken = taken.map_err(Reason::Cell)?;
        self.found_missing += usize::from(taken != Taken::Number);
        match taken {
            Taken::LeftOut => push(&mut self.left_out, self.rows - 1).map_err(Reason::Row),
            Taken::Number | Taken::Missing => self.take_key(row),
        }
    }

    /// Takes the key of a row whose value was taken.
    fn take_key(&mut self, row: Record<'_>) -> std::result::Result<(), Reason> {
        let Some(changes) = &mut self.changes else { return Ok(()) };
        let head = changes.is_head(row);
        push(&mut self.keys.heads, head).map_err(Reason::Row)?;
        if head && self.keep_keys {
            self.keys.texts.push(changes.last()).map_err(Reason::Row)?;
        }
        Ok(())
    }
}

impl Layout {
    /// Name in messages of the column that was read.
    pub(crate) fn column(&self) -> &str {
        &self.label
    }

    /// Names in messages of the key columns.
    pub(crate) fn key_columns(&self) -> Vec<&str> {
        self.keys.iter().map(String::as_str).collect()
    }

    /// Indices of the rows that were left out, as a value is missing.
    pub(crate) fn left_out(&self) -> &[usize] {
        &self.left_out
    }

    /// Leaves out more rows, as there is no result of them.
    pub(crate) fn leave_out(&mut self, rows: impl Iterator<Item = usize>) {
        self.left_out.extend(rows);
        self.left_out.sort_unstable();
    }

    /// Number of missing values.
    pub(crate) fn missing(&self) -> usize {
        self.missing
    }

    /// Number of the first row of data, as messages count rows: from 1, with the row of names.
    pub(crate) fn first_row(&self) -> usize {
        1 + usize::from(self.names.is_some())
    }

    /// Writes the row of names, and the rows with these indices among the rows of data, in their order.
    pub(crate) fn write_rows(
        &self,
        name: &str,
        places: &[u64],
        delimiter: u8,
        (out, out_name): (&mut dyn Write, &str),
        progress: &Progress,
    ) -> Result<()> {
        let mut rows = Rows::new(&self.source, name, self.delimiter, progress)?;
        let mut out = WrittenRows::to(out, out_name, delimiter);
        if self.names.is_some() && rows.next()? {
            out.write_as_read(rows.record())?;
        }
        let mut wanted: Vec<(u64, usize)> = places.iter().copied().zip(0..).collect();
        wanted.sort_unstable();
        let mut found = vec![Vec::new(); places.len()];
        let mut at = 0;
        for (place, rank) in wanted {
            while at <= place {
                if !rows.next()? {
                    return Err(Failure::changed(name));
                }
                at += 1;
            }
            WrittenRows::to(&mut found[rank], out_name, delimiter).write_as_read(rows.record())?;
        }
        found.iter().try_for_each(|text| out.write_lines(text))
    }

    /// Writes the table with `values` as one more column, whose name is that of the column that was read, and `suffix`. Rows
    /// that were left out have an empty cell there.
    pub(crate) fn write_joined(
        &self,
        (name, suffix): (&str, &str),
        values: &Values,
        delimiter: u8,
        (out, out_name): (&mut dyn Write, &str),
        progress: &Progress,
    ) -> Result<()> {
        let mut rows = Rows::new(&self.source, name, self.delimiter, progress)?;
        let mut out = WrittenRows::to(out, out_name, delimiter);
        if let Some(names) = &self.names
            && rows.next()?
        {
            let name = columns::new_name(names.get(self.column), suffix, names);
            out.write_with(rows.record(), &name)?;
        }
        let mut text = Vec::new();
        let (mut left_out, mut index) = (self.left_out.iter().peekable(), 0);
        for place in 0..values.len() + self.left_out.len() {
            if !rows.next()? {
                return Err(Failure::changed(name));
            }
            text.clear();
            if left_out.next_if(|&&out| out == place).is_none() {
                format(values, index, &mut text);
                index += 1;
            }
            out.write_with(rows.record(), &text)?;
        }
        match rows.next()? {
            true => Err(Failure::changed(name)),
            false => Ok(()),
        }
    }
}
