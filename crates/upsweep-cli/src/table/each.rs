//! Rows of a table, one after the other, for commands that give the columns a meaning of their own.

use super::record::Record;
use super::rows::Rows;
use super::wrong_width;
use crate::failure::{Failure, Result};
use crate::progress::Progress;
use crate::source::Source;

/// Calls `take` with the number of each row of a table, from 1 on, and with the row. A row must have as many cells as
/// the first one.
pub(crate) fn each_row(
    source: &Source,
    name: &str,
    delimiter: u8,
    mut take: impl FnMut(u64, Record<'_>) -> std::result::Result<(), String>,
) -> Result<()> {
    let progress = Progress::new("reading", source.size());
    let mut rows = Rows::new(source, name, delimiter, &progress)?;
    let mut width = None;
    while rows.next()? {
        let row = rows.record();
        let (found, expected) = (row.len(), *width.get_or_insert(row.len()));
        let taken = match found == expected {
            true => take(rows.row(), row),
            false => Err(wrong_width(found, expected)),
        };
        taken.map_err(|reason: String| -> Failure { rows.wrong(&reason) })?;
    }
    Ok(())
}
