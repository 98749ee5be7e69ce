//! Results of a reduction by key.

use crate::collect::{Refused, Texts};
use crate::element::{Values, format as format_value};
use crate::failure::{Failure, Result, note, quoted};
use crate::table::{Layout, WrittenRows};
use std::io::Write;

/// Writes a row for each segment: its key and its result.
pub(crate) fn keyed(
    keys: &Texts,
    names: Option<csv::ByteRecord>,
    results: &Values,
    delimiter: u8,
    (out, out_name): (&mut dyn Write, &str),
) -> Result<()> {
    let mut out = WrittenRows::to(out, out_name, delimiter);
    if let Some(names) = names {
        out.write(&names)?;
    }
    let mut text = Vec::new();
    for (index, key) in keys.iter().enumerate() {
        text.clear();
        format_value(results, index, &mut text);
        out.write([key, &text[..]])?;
    }
    Ok(())
}

/// Prints a note if a key has several results: users who mean groups expect one result for each key.
pub(crate) fn note_repeated_keys(name: &str, layout: &Layout, keys: &Texts) -> Result<()> {
    let full = |refused: Refused| refused.failure(name, |reason| Failure::input(name, reason));
    if let Some(key) = keys.repeated().map_err(full)? {
        let (key, column) = (quoted(&String::from_utf8_lossy(key)), layout.key_column().unwrap_or_default());
        note(&format!(
            "{name}: the key {key} comes back after another: each run of equal keys has a result of its own; \
             give --group-by instead of --by-key for one result a key, or sort the rows by column {column}"
        ));
    }
    Ok(())
}
