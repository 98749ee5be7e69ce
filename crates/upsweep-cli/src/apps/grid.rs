//! Altitudes in ESRI ASCII grids: a few lines `name value`, then the rows from north to south.
//!
//! ```text
//! ncols 3
//! nrows 2
//! xllcorner 0
//! yllcorner 0
//! cellsize 30        or dx 30 and dy 25
//! NODATA_value -9999
//! 1 2 3
//! 4 5 -9999
//! ```

use super::TextFile;
use crate::failure::{Failure, Result, quoted};
use crate::names;
use crate::text::TextForm;
use std::path::Path;

/// Altitudes of a terrain in rows and columns; NaN for cells without data.
pub(crate) struct Grid {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    pub(crate) dx: f64,
    pub(crate) dy: f64,
    pub(crate) altitudes: Vec<f32>,
    /// Header lines of the file except `NODATA_value`, for the grids that are computed from this one.
    pub(crate) header: String,
}

pub(crate) fn is_grid(path: &Path) -> bool {
    names::ends_in(path, "asc")
}

/// Reads the grid in a file, which messages call `name`.
pub(crate) fn read(path: &Path, name: &str) -> Result<Grid> {
    parse(&TextFile::read(path, TextForm::default())?.bytes, name)
}

/// Parses a grid, which messages call `name`.
fn parse(bytes: &[u8], name: &str) -> Result<Grid> {
    let wrong = |line: usize, reason: String| Failure::input(name, format!("line {}: {reason}", line + 1));
    let text = std::str::from_utf8(bytes).map_err(|_| Failure::input(name, "is no text, as an .asc grid is"))?;
    let (mut size, mut spacing, mut no_data) = ([None::<usize>; 2], [None::<f64>; 2], None::<f64>);
    let mut header = String::new();
    let mut altitudes: Vec<f32> = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let mut words = line.split_whitespace();
        let Some(first) = words.clone().next() else { continue };
        let is_name = first.starts_with(|c: char| c.is_ascii_alphabetic()) && !first.eq_ignore_ascii_case("nan");
        if is_name && altitudes.is_empty() {
            let key = first.to_ascii_lowercase();
            let value = words.nth(1).unwrap_or_default();
            let number = || {
                let valid = value.parse::<f64>().ok().filter(|x| x.is_finite());
                valid.ok_or_else(|| wrong(at, format!("{key} is {}, which is no number", quoted(value))))
            };
            let whole = || value.parse().map_err(|_| wrong(at, format!("{key} is {}, no count", quoted(value))));
            match &*key {
                "ncols" => size[1] = Some(whole()?),
                "nrows" => size[0] = Some(whole()?),
                "cellsize" => spacing = [Some(number()?); 2],
                "dx" => spacing[0] = Some(number()?),
                "dy" => spacing[1] = Some(number()?),
                // Some programs write `nan` as the value of cells without data.
                "nodata_value" => no_data = Some(if value.eq_ignore_ascii_case("nan") { f64::NAN } else { number()? }),
                "xllcorner" | "yllcorner" | "xllcenter" | "yllcenter" => _ = number()?,
                _ => return Err(wrong(at, format!("{} is nothing that an .asc grid says", quoted(first)))),
            }
            if key != "nodata_value" {
                header += &format!("{key} {value}\n");
            }
            continue;
        }
        for word in words {
            let z: f64 = word.parse().map_err(|_| wrong(at, format!("{} is no number", quoted(word))))?;
            // Altitudes are compared with `NODATA_value` as f32: common programs write the same f32 with fewer digits
            // in one place than in the other.
            let is_none = no_data.is_some_and(|none| z as f32 == none as f32);
            if !is_none && z.is_finite() && (z as f32).is_infinite() {
                return Err(wrong(at, format!("{} is more than an altitude can be: they are f32", quoted(word))));
            }
            altitudes.push(if is_none { f32::NAN } else { z as f32 });
        }
    }
    let ([Some(rows), Some(columns)], [Some(dx), Some(dy)]) = (size, spacing) else {
        return Err(Failure::input(name, "lacks one of ncols, nrows and cellsize (or dx and dy)"));
    };
    if rows.checked_mul(columns) != Some(altitudes.len()) {
        let reason = format!("has {} altitudes, not {rows} rows of {columns}", altitudes.len());
        return Err(Failure::input(name, reason));
    }
    Ok(Grid { rows, columns, dx, dy, altitudes, header })
}

/// Formats a grid of integers as text: `header`, then a line for each row of `columns` values.
pub(crate) fn written(header: &str, columns: usize, values: &[u8]) -> String {
    let mut text = header.to_owned();
    for row in values.chunks(columns.max(1)) {
        let numbers: Vec<String> = row.iter().map(u8::to_string).collect();
        text += &numbers.join(" ");
        text.push('\n');
    }
    text
}
