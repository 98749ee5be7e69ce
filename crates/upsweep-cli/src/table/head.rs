//! Beginning of a table whose rows are read for some of its columns: the first row, and which columns are requested.

use super::columns::{Columns, listed};
use super::record::{Kept, Record};
use super::rows::Rows;
use super::{Wanted, is_header, note_years, wrong_width};
use crate::args::Header;
use crate::failure::Result;
use crate::source::Source;
use csv::ByteRecord;

/// Table, and the columns of it that a command requests.
pub(crate) struct Asked<'a> {
    pub(crate) source: &'a Source,
    pub(crate) name: &'a str,
    pub(crate) delimiter: u8,
    pub(crate) header: Header,
    /// Requested columns, by name or number, or [lists](listed) of these.
    pub(crate) columns: &'a [&'a str],
    /// Whether a `-` before a column of `columns` means that the order descends.
    pub(crate) signed: bool,
    /// Whether the only numeric column is requested if `columns` is empty.
    pub(crate) any: bool,
    /// Requested column after those in `columns`, or list of such, as the columns of groups.
    pub(crate) and: Option<&'a str>,
}

/// Beginning of a table.
#[derive(Clone)]
pub(crate) struct Head {
    pub(super) first: Kept,
    any: bool,
    more: bool,
    /// Whether the first row names the columns.
    pub(super) has_names: bool,
    /// Indices of the requested columns in the table.
    pub(super) columns: Vec<usize>,
    /// Whether a `-` stands before a requested column, if it means something.
    pub(super) down: Vec<bool>,
    /// Number of requested columns, without those after them.
    pub(super) values: usize,
    /// Names in messages of the requested columns.
    pub(super) labels: Vec<String>,
}

impl Head {
    /// Reads two rows, and finds the columns.
    pub(super) fn read(asked: &Asked<'_>, rows: &mut Rows<'_>) -> Result<Self> {
        let &Asked { name, delimiter, header, .. } = asked;
        let any = rows.next()?;
        let kept = Kept::of(rows.record());
        let first = &kept.cells;
        let more = any && rows.next()?;
        let row: ByteRecord = rows.record().iter().collect();
        let wanted = |column| Wanted {
            column,
            by_key: None,
            element: None,
            header,
            options: true,
            typed: false,
            delimiter,
            keep_keys: false,
            missing: None,
        };
        let mut names_a_column = asked
            .columns
            .iter()
            .copied()
            .chain(asked.and)
            .flat_map(listed)
            .map(|column| if asked.signed { column.trim_start_matches('-') } else { column })
            .map(|column| is_header(&wanted(Some(column)), first, &row));
        let has_names = is_header(&wanted(None), first, &row) || names_a_column.any(|named| named);
        let columns = Columns { name, names: has_names.then_some(first), first, delimiter, options: true };
        let data = if has_names { more.then_some(&row) } else { any.then_some(first) };
        let plain = |text: &str| Ok(columns.find_all(text)?.into_iter().map(|column| (column, false)).collect());
        let find = |text: &&str| if asked.signed { columns.find_signed(text) } else { plain(text) };
        let signed = asked.columns.iter().map(find).collect::<Result<Vec<_>>>()?.concat();
        let (mut found, down): (Vec<usize>, Vec<bool>) = signed.into_iter().unzip();
        let and = asked.and.map(|text| columns.find_all(text)).transpose()?.unwrap_or_default();
        if found.is_empty() && asked.any {
            // A column of groups is not the one to choose, although it may be numeric, too.
            let data = data.map(|data| {
                let cells = data.iter().enumerate();
                cells.map(|(at, cell)| if and.contains(&at) { &b"group"[..] } else { cell }).collect::<ByteRecord>()
            });
            found.push(columns.only_numeric(data.as_ref())?);
        }
        let values = found.len();
        found.extend(and);
        if let Some(data) = data {
            columns.check_separator(data)?;
        }
        if !has_names {
            note_years(name, header, first, &row);
        }
        let labels = found.iter().map(|&column| columns.label(column)).collect();
        Ok(Self { first: kept, any, more, has_names, columns: found, down, values, labels })
    }

    /// Number of the first row of data, as messages count rows: from 1, with the row of names.
    pub(crate) fn first_row(&self) -> usize {
        1 + usize::from(self.has_names)
    }

    /// Indices of the requested columns, without those after them.
    pub(crate) fn values(&self) -> &[usize] {
        self.columns.get(..self.values).unwrap_or_default()
    }

    /// Names of these columns, if the table names its columns.
    pub(crate) fn names(&self) -> Option<Vec<Vec<u8>>> {
        let name = |&column: &usize| self.first.cells.get(column).unwrap_or_default().to_vec();
        self.has_names.then(|| self.values().iter().map(name).collect())
    }

    /// Reads two rows of the same table, once more from its beginning, whose columns stay those that were found.
    pub(super) fn again(&self, rows: &mut Rows<'_>) -> Result<Self> {
        let any = rows.next()?;
        let more = any && rows.next()?;
        Ok(Self { any, more, ..self.clone() })
    }

    /// Calls `take` with each row of data and its number in the file. All have as many cells as the first row.
    pub(super) fn each_row(
        self,
        rows: &mut Rows<'_>,
        mut take: impl FnMut(&Rows<'_>, u64, Record<'_>) -> Result<()>,
    ) -> Result<Self> {
        self.while_rows(rows, |rows, at, row| take(rows, at, row).map(|()| true))
    }

    /// Calls `take` as [`each_row`](Self::each_row) does, as long as it returns `true`.
    pub(super) fn while_rows(
        mut self,
        rows: &mut Rows<'_>,
        mut take: impl FnMut(&Rows<'_>, u64, Record<'_>) -> Result<bool>,
    ) -> Result<Self> {
        let expected = self.first.cells.len();
        let mut take = |rows: &Rows<'_>, at: u64, row: Record<'_>| match row.len() == expected {
            true => take(rows, at, row),
            false => Err(rows.wrong_row(at, &wrong_width(row.len(), expected))),
        };
        let mut goes_on = !self.any || self.has_names || take(rows, 1, self.first.row())?;
        while goes_on && self.more {
            goes_on = take(rows, rows.row(), rows.record())?;
            self.more = goes_on && rows.next()?;
        }
        Ok(self)
    }
}
