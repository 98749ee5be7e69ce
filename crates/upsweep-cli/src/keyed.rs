//! Results of a reduction by key.

use crate::collect::{Refused, Texts};
use crate::element::{Values, format as format_value};
use crate::failure::{Failure, Result, note, quoted};
use crate::table::{Layout, WrittenRows, key_cells};
use std::io::Write;

/// Writes a row for each segment: its key, of `columns` cells, and its result.
pub(crate) fn keyed(
    (keys, columns): (&Texts, usize),
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
        out.write(key_cells(key, columns).into_iter().chain([&text[..]]))?;
    }
    Ok(())
}

/// Prints a note if a key has several results: users who mean groups expect one result for each key.
pub(crate) fn note_repeated_keys(name: &str, layout: &Layout, keys: &Texts) -> Result<()> {
    let full = |refused: Refused| refused.failure(name, |reason| Failure::input(name, reason));
    if let Some(key) = keys.repeated().map_err(full)? {
        let columns = layout.key_columns();
        let cells = key_cells(key, columns.len());
        let key: Vec<String> = cells.into_iter().map(|cell| quoted(&String::from_utf8_lossy(cell))).collect();
        let (key, column) = (key.join(", "), columns.join(", "));
        note(&format!(
            "{name}: the key {key} comes back after another: each run of equal keys has a result of its own; \
             give --group-by instead of --by-key for one result a key, or sort the rows by column {column}"
        ));
    }
    Ok(())
}
