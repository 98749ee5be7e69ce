//! Table that comes once: its rows are read one after the other, with their text and the cell of one column.

use super::Layout;
use super::columns::{new_name, text_of};
use super::head::{Asked, Head};
use super::record::Kept;
use super::rows::Rows;
use crate::collect::Refused;
use crate::failure::Result;
use crate::missing::Missing;
use crate::number::not_a_number;
use crate::progress::Progress;
use crate::source::Source;
use crate::text::Text;

/// Table whose first rows were read.
pub(crate) struct Piped<'a> {
    rows: Rows<'a>,
    head: Head,
    name: &'a str,
    delimiter: u8,
}

impl<'a> Piped<'a> {
    /// Reads the beginning of `text`, the table for which one column is asked.
    pub(crate) fn open(text: Text<'a>, asked: &Asked<'a>, progress: &'a Progress) -> Result<Self> {
        let mut rows = Rows::of(text, asked.source, (asked.name, asked.delimiter), progress);
        let head = Head::read(asked, &mut rows)?;
        Ok(Self { rows, head, name: asked.name, delimiter: asked.delimiter })
    }

    /// Layout of the table, for messages about its rows.
    pub(crate) fn layout(&self, source: Source) -> Layout {
        Layout {
            source,
            delimiter: self.delimiter,
            names: self.head.has_names.then(|| self.head.first.cells.clone()),
            column: self.column(),
            label: self.head.labels.first().cloned().unwrap_or_default(),
            keys: Vec::new(),
            left_out: Vec::new(),
            missing: 0,
        }
    }

    fn column(&self) -> usize {
        self.head.columns.first().copied().unwrap_or_default()
    }

    /// Returns the text of the row of names, if there is one, and the name of one more column: that of the column, and `suffix`.
    pub(crate) fn names(&self, suffix: &str) -> Option<(&[u8], Vec<u8>)> {
        let Head { first: Kept { cells, text, .. }, has_names, .. } = &self.head;
        has_names.then(|| (&**text, new_name(cells.get(self.column()), suffix, cells)))
    }

    /// Calls `take` with the text of each row, and with that of its cell.
    pub(crate) fn each(
        mut self,
        missing: &Missing,
        mut take: impl FnMut(&[u8], &str) -> Result<std::result::Result<(), Refused>>,
    ) -> Result<()> {
        let (column, name) = (self.column(), self.name);
        let label = self.head.labels.first().cloned().unwrap_or_default();
        let taken = self.head.each_row(&mut self.rows, |rows, at, row| {
            let cell = row.get(column).unwrap_or_default();
            let number = text_of(cell).ok_or_else(|| not_a_number(&String::from_utf8_lossy(cell)));
            let number = number.and_then(|number| missing.read(number)).map_err(Refused::from);
            let taken = match number {
                Ok((number, _)) => take(row.text, number)?,
                Err(refused) => Err(refused),
            };
            taken.map_err(|refused| {
                refused.failure(name, |reason| rows.wrong_row(at, &format!("column {label}: {reason}")))
            })
        });
        taken.map(drop)
    }
}
