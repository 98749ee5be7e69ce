//! A column of a Parquet or Arrow file as the input of any command.

use super::file::Table;
use super::values;
use crate::args::Common;
use crate::collect::append;
use crate::element::{Type, Values};
use crate::failure::{Failure, Result};
use crate::names::Columnar;
use crate::progress::Progress;
use arrow_array::{Array, RecordBatch};
use rayon::prelude::*;
use std::path::Path;

/// Element type of a column, and its name in messages.
pub(super) fn described(table: &Table, at: usize) -> Result<(Type, String)> {
    let field = table.schema.field(at);
    let (label, of) = (field.name().clone(), field.data_type());
    let reason = || format!("column {label} is of the type {of}: numbers and bool are computed with");
    let element = values::element(of).ok_or_else(|| Failure::input(&table.name, reason()))?;
    Ok((element, label))
}

/// Reads a column as an array. Returns the name of the file in messages, the values, and the number of missing ones.
pub(crate) fn load(
    common: &Common,
    (path, kind): (&Path, Columnar),
    target: Option<Type>,
) -> Result<(String, Values, usize)> {
    let table = Table::open(path, kind)?;
    table.check(&[("--by-key", common.by_key.is_some())])?;
    table.check_form(common.table)?;
    let at = table.column(common.column.as_deref())?;
    let (element, label) = described(&table, at)?;
    let mut all = Values::zeroed(element, 0).map_err(|e| Failure::computing(&table.name, &e))?;
    let (mut first, mut missing) = (1, 0);
    let progress = Progress::new("reading", table.rows.map(|rows| rows as u64));
    for wave in table.units.chunks(table.at_once()) {
        let read: Vec<Result<Vec<RecordBatch>>> = wave.par_iter().map(|unit| table.read(*unit, &[at])).collect();
        for batches in read {
            for batch in batches? {
                let array = batch.column(0);
                missing += array.logical_null_count();
                let column = values::column(array.as_ref(), &common.missing, (&table.name, &label), first)?;
                first += batch.num_rows();
                progress.step(batch.num_rows());
                append(&mut all, &column.values, &table.name)?;
            }
        }
    }
    table.check_unchanged()?;
    let values = match target.filter(|target| *target != element) {
        Some(target) => all.view().to_type(target).map_err(|e| Failure::computing(&table.name, &e))?,
        None => all,
    };
    Ok((table.name, values, missing))
}

/// Counts the rows of a table.
pub(crate) fn count(common: &Common, path: &Path, kind: Columnar) -> Result<usize> {
    let table = Table::open(path, kind)?;
    table.check_form(common.table)?;
    if let Some(column) = &common.column {
        table.find(|columns| columns.find_all(column))?;
    }
    let rows = match table.rows {
        Some(rows) => rows,
        None => {
            let rows = |unit| Ok(table.read(unit, &[])?.iter().map(RecordBatch::num_rows).sum::<usize>());
            table.units.iter().map(|unit| rows(*unit)).sum::<Result<usize>>()?
        }
    };
    table.check_unchanged()?;
    Ok(rows)
}
