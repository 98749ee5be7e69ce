//! Rows of Parquet and Arrow files that a condition selects, or in the order of columns.

use super::file::Table;
use super::values::{flat, is_text, text, values};
use super::{Target, for_units};
use crate::args::{SelectArgs, SortArgs};
use crate::device::{Chosen, Work};
use crate::element::{Type, Values, with_values};
use crate::expression::value::Row;
use crate::expression::{Expression, Found, parse};
use crate::failure::{Failure, Result};
use crate::names::Columnar;
use crate::progress::Progress;
use crate::run;
use crate::table::Columns;
use crate::write::{self, OutputForm};
use arrow_array::{Array, ArrayRef, BooleanArray, RecordBatch, UInt64Array};
use arrow_schema::DataType;
use arrow_select::concat::concat_batches;
use arrow_select::filter::filter_record_batch;
use arrow_select::take::take_record_batch;
use rayon::prelude::*;
use std::cell::OnceCell;
use upsweep_dynamic::{Number, View, lexsort};

/// Rows of a batch, whose columns are those of a condition.
struct Cells<'a> {
    batch: &'a RecordBatch,
    /// Columns without dictionaries, and their numbers, as soon as they are asked for.
    columns: Vec<OnceCell<(Result<ArrayRef>, Option<Values>)>>,
}

/// One of the rows.
struct At<'a> {
    cells: &'a Cells<'a>,
    row: usize,
}

impl<'a> Cells<'a> {
    fn new(batch: &'a RecordBatch) -> Self {
        Self { batch, columns: (0..batch.num_columns()).map(|_| OnceCell::new()).collect() }
    }

    fn column(&self, column: usize) -> Found<(&dyn Array, Option<&Values>)> {
        let no_column = || "there is no such column".to_owned();
        let cell = self.columns.get(column).ok_or_else(no_column)?;
        let (array, values) = cell.get_or_init(|| {
            let array = flat(self.batch.column(column));
            let values = array.as_ref().ok().and_then(|array| values(array.as_ref()));
            (array, values)
        });
        let array = array.as_ref().map_err(ToString::to_string)?;
        Ok((array.as_ref(), values.as_ref()))
    }

    fn label(&self, column: usize) -> String {
        self.batch.schema().fields().get(column).map_or_else(String::new, |field| field.name().clone())
    }
}

impl At<'_> {
    fn wrong<T>(&self, column: usize, reason: &str) -> Found<T> {
        Err(format!("column {}: {reason}", self.cells.label(column)))
    }

    fn known(&self, column: usize) -> Found<(&dyn Array, Option<&Values>)> {
        let (array, values) = self.cells.column(column)?;
        match array.is_null(self.row) {
            true => self.wrong(column, "there is no value: test `is not null` before"),
            false => Ok((array, values)),
        }
    }
}

impl Row for At<'_> {
    fn number(&self, column: usize) -> Found<Number> {
        match self.known(column)? {
            (_, Some(values)) => with_values!(values, x => x.get(self.row).map(|&x| Number::from(x)))
                .map_or_else(|| self.wrong(column, "there is no value"), Ok),
            (array, None) => self.wrong(column, &format!("{} is no number", array.data_type())),
        }
    }

    fn text(&self, column: usize) -> Found<&[u8]> {
        let (array, _) = self.known(column)?;
        text(array, self.row).map_or_else(|| self.wrong(column, &format!("{} is no text", array.data_type())), Ok)
    }

    fn bool(&self, column: usize) -> Found<bool> {
        match self.known(column)? {
            (_, Some(Values::Bool(x))) => Ok(x.get(self.row) == Some(&true)),
            (array, _) => self.wrong(column, &format!("{} is no bool", array.data_type())),
        }
    }

    fn is_null(&self, column: usize) -> bool {
        let Ok((array, values)) = self.cells.column(column) else { return false };
        let is_nan = |values: &Values| {
            let number = with_values!(values, x => x.get(self.row).map(|&x| Number::from(x)));
            matches!(number, Some(Number::Float(x)) if x.is_nan())
        };
        array.is_null(self.row) || values.is_some_and(is_nan)
    }
}

/// Returns for each row of a batch whether the condition holds; or the row at which that cannot be said, and why.
fn holds(condition: &Expression, batch: &RecordBatch) -> std::result::Result<Vec<bool>, (usize, String)> {
    let cells = Cells::new(batch);
    (0..batch.num_rows())
        .map(|row| condition.holds(&At { cells: &cells, row }).map_err(|reason| (row, reason)))
        .collect()
}

/// Runs `upsweep select` of a Parquet or Arrow file.
pub(crate) fn select(args: &SelectArgs, kind: Columnar) -> Result<()> {
    let (target, named) = match args.indices {
        true => (None, Some(run::output(args.output.as_deref())?)),
        false => (Some(Target::of(kind, args.output.as_deref(), args.to)?), None),
    };
    let table = Table::open(&args.file, kind)?;
    let given = [
        ("--type", args.element.is_some()),
        ("--na", !args.na.is_empty()),
        ("--set", !args.set.is_empty()),
        ("--keep", args.keep.is_some()),
        ("--array", args.array.is_some()),
        ("--carry-in", args.carries.carry_in.is_some()),
        ("--carry-out", args.carries.carry_out.is_some()),
    ];
    table.check(&given)?;
    table.check_form(args.table)?;
    let names = table.names();
    let columns = Columns { name: &table.name, names: Some(&names), first: &names, delimiter: b',', options: true };
    let condition = args.condition.as_deref().unwrap_or("true");
    let condition =
        parse(condition, &columns).map_err(|wrong| Failure::Input(format!("--where {}", wrong.within(condition))))?;
    let failed = |first: usize, (row, reason): (usize, String)| {
        Failure::input(&table.name, format!("row {}: {reason}", first + row + 1))
    };
    if let Some((destination, form)) = named {
        let form = form.unwrap_or(OutputForm::Words);
        form.check(Type::U64, destination.name())?;
        let (mut indices, mut first): (Vec<u64>, u64) = (Vec::new(), 0);
        for wave in table.units.chunks(table.at_once()) {
            let marked: Vec<Result<_>> = wave
                .par_iter()
                .map(|unit| {
                    Ok(table.read_rows(*unit, None)?.iter().map(|batch| holds(&condition, batch)).collect::<Vec<_>>())
                })
                .collect();
            for marks in marked {
                for marks in marks? {
                    let marks = marks.map_err(|wrong| failed(first as usize, wrong))?;
                    indices.extend((first..).zip(&marks).filter(|(_, holds)| **holds).map(|(index, _)| index));
                    first += marks.len() as u64;
                }
            }
        }
        table.check_unchanged()?;
        let (len, progress) = (indices.len(), Progress::new("writing", None));
        let (out_name, values) = (destination.name(), Values::from(indices));
        return destination.write(|out| write::write(form, &values, &[len], (out, out_name), &progress));
    }
    let Some(target) = target else { return Ok(()) };
    let mut first = 0;
    for_units(&table, &table.schema, &target, None, &mut |batches| {
        let batches = batches.unwrap_or_default();
        let marked: Vec<_> = batches.par_iter().map(|batch| holds(&condition, batch)).collect();
        let mut kept = Vec::new();
        for (batch, marks) in batches.iter().zip(marked) {
            let marks = marks.map_err(|wrong| failed(first, wrong))?;
            first += marks.len();
            let rows = filter_record_batch(batch, &BooleanArray::from(marks));
            kept.push(rows.map_err(|e| Failure::Run(format!("{}: {e}", table.name)))?);
        }
        Ok(kept)
    })
}

/// Numbers in the order of a column's values.
fn order(array: &ArrayRef, (name, label): (&str, &str)) -> Result<Values> {
    let array = flat(array)?;
    if let Some(values) = values(array.as_ref()) {
        return Ok(values);
    }
    let of = array.data_type();
    if is_text(of) {
        let texts: Vec<&[u8]> = (0..array.len()).map(|row| text(array.as_ref(), row).unwrap_or_default()).collect();
        let mut rows: Vec<usize> = (0..texts.len()).collect();
        rows.par_sort_unstable_by_key(|&row| texts[row]);
        let (mut ranks, mut rank) = (vec![0u64; texts.len()], 0);
        for pair in rows.windows(2) {
            rank += u64::from(texts[pair[0]] != texts[pair[1]]);
            ranks[pair[1]] = rank;
        }
        return Ok(ranks.into());
    }
    // Dates and times are counts.
    let whole = match of.primitive_width() {
        Some(4) if of.is_temporal() => Some(DataType::Int32),
        Some(8) if of.is_temporal() => Some(DataType::Int64),
        _ => None,
    };
    let counts = whole.and_then(|whole| array.to_data().into_builder().data_type(whole).build().ok());
    counts
        .and_then(|counts| values(arrow_array::make_array(counts).as_ref()))
        .ok_or_else(|| Failure::input(name, format!("column {label} is of the type {of}, which has no order here")))
}

/// Runs `upsweep sort` of a Parquet or Arrow file: all rows are in memory.
pub(crate) fn sort(args: &SortArgs, kind: Columnar) -> Result<()> {
    let (target, named) = match args.argsort {
        true => (None, Some(run::output(args.output.as_deref())?)),
        false => (Some(Target::of(kind, args.output.as_deref(), args.to)?), None),
    };
    let device = Chosen::open(args.device, Work::Computation)?;
    let table = Table::open(&args.file, kind)?;
    let given = [
        ("--type", args.element.is_some()),
        ("--numeric", args.numeric),
        ("--axis", args.axis.is_some()),
        ("--array", args.array.is_some()),
    ];
    table.check(&given)?;
    table.check_form(args.table)?;
    let columns = match &args.columns[..] {
        [] => vec![table.column(None)?],
        named => named.iter().map(|text| table.column(Some(text))).collect::<Result<_>>()?,
    };
    let failed = |e: arrow_schema::ArrowError| Failure::Run(format!("{}: {e}", table.name));
    let mut batches = Vec::new();
    for wave in table.units.chunks(table.at_once()) {
        let read: Vec<Result<Vec<RecordBatch>>> = wave.par_iter().map(|unit| table.read_rows(*unit, None)).collect();
        for part in read {
            batches.extend(part?);
        }
    }
    table.check_unchanged()?;
    let rows = concat_batches(&table.schema, &batches).map_err(failed)?;
    drop(batches);
    let (mut nulls, mut orders) = (Vec::new(), Vec::new());
    for &column in &columns {
        let (array, label) = (rows.column(column), table.schema.field(column).name());
        nulls.push(array.logical_nulls().map(|nulls| nulls.iter().map(|valid| !valid).collect::<Vec<bool>>()));
        orders.push(order(array, (&table.name, label))?);
    }
    let mut keys: Vec<(View<'_>, bool)> = Vec::new();
    for (nulls, values) in nulls.iter().zip(&orders) {
        // Rows without a value come last.
        keys.extend(nulls.as_deref().map(|nulls| (View::Bool(nulls), false)));
        keys.push((values.view(), args.desc));
    }
    let places = lexsort(&device.device, &keys).map_err(|e| Failure::computing(&table.name, &e))?;
    if let Some((destination, form)) = named {
        let form = form.unwrap_or(OutputForm::Words);
        form.check(Type::U64, destination.name())?;
        let (values, progress) = (Values::from(places), Progress::new("writing", None));
        let shape = [values.len()];
        return destination.write(|out| write::write(form, &values, &shape, (out, destination.name()), &progress));
    }
    let Some(target) = target else { return Ok(()) };
    let places = UInt64Array::from(places);
    target.write_all(&table, &rows, |first, len| take_record_batch(&rows, &places.slice(first, len)).map_err(failed))
}
