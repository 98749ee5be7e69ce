//! Numbers in the cells of a table.

use super::columns::text_of;
use crate::collect::{Push, Refused};
use crate::missing::Missing;
use crate::number::not_a_number;

/// What a cell has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Taken {
    Number,
    /// No value, for which a number stands.
    Missing,
    /// No value, so that its row is left out.
    LeftOut,
}

/// Appends the number in a cell to `values`, or what stands for a missing one. A command without options for missing values has
/// none of them.
#[inline]
pub(crate) fn take(
    cell: &[u8],
    missing: Option<&Missing>,
    values: &mut (impl Push + ?Sized),
) -> std::result::Result<Taken, Refused> {
    let any_number = missing.is_none_or(|missing| !missing.has_texts());
    if any_number && values.push_short(cell)? { Ok(Taken::Number) } else { take_text(cell, missing, values) }
}

fn take_text(
    cell: &[u8],
    missing: Option<&Missing>,
    values: &mut (impl Push + ?Sized),
) -> std::result::Result<Taken, Refused> {
    let text = text_of(cell).ok_or_else(|| not_a_number(&String::from_utf8_lossy(cell)))?;
    if missing.is_some_and(|missing| missing.leaves_out(text)) {
        return Ok(Taken::LeftOut);
    }
    let (text, is_missing) = match missing {
        Some(missing) => missing.read(text)?,
        None if text.is_empty() => return Err("the cell is empty: fill it or remove the row".to_owned().into()),
        None => (text, false),
    };
    values.push(text)?;
    Ok(if is_missing { Taken::Missing } else { Taken::Number })
}
