//! Parquet and Arrow files: columns as inputs of all commands, and tables of them with one column more.
//!
//! [`file`] reads parts of a file, [`stream`] keeps what can be read only once, [`values`] turns columns into arrays and back,
//! [`written`] writes; [`rows`] selects and sorts rows. A file is read in units of some MB: rows of a row group, or a batch. As many as fit the memory are read,
//! and later encoded, by a thread each; between, they are computed one after the other, with a carry from each to the next. A scan of Parquet copies the columns of the
//! input as they lie in the file, if row groups are not too large: they are decoded, as damage must be told, and not encoded again.

mod damage;
mod file;
mod groups;
pub(crate) mod load;
mod rows;
mod stream;
mod values;
mod written;

pub(crate) use groups::Columns as GroupedColumns;
pub(crate) use rows::{select, sort};

use crate::args::{ReduceArgs, ScanArgs, Statistic};
use crate::asked::{Asked, places};
use crate::carried::Carried;
use crate::device::{Chosen, Work};
use crate::element::{Type, Values};
use crate::failure::{Failure, Result};
use crate::input::{self, Form};
use crate::names::Columnar;
use crate::output::Destination;
use crate::parts::{Running, Scans, Total};
use crate::progress::Progress;
use crate::run;
use crate::sums::Sums;
use crate::table::new_name;
use crate::write::{self, OutputForm};
use arrow_array::RecordBatch;
use arrow_schema::{Field, Schema, SchemaRef};
use file::Table;
use load::described;
use rayon::prelude::*;
use std::io::{self, IsTerminal};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;
use upsweep_dynamic::{Error, Op, Operation};
use values::Column;
use written::Written;

/// Where rows go, and in which format.
pub(crate) struct Target {
    destination: Destination,
    kind: Columnar,
}

impl Target {
    /// Resolves the output of rows: its format is what the option or its name says, or that of the input, which is `from`.
    fn of(from: Columnar, output: Option<&Path>, to: Option<Columnar>) -> Result<Self> {
        let destination =
            output.map_or_else(|| Ok(Destination::standard_output()), |path| Destination::of("-o", path))?;
        let named = output.and_then(Columnar::of_name);
        if let (Some(path), None, None) = (output, named, to)
            && !destination.is_stream()
        {
            // The name says another format, or none.
            OutputForm::of_path("-o", path)?;
            let reason = "rows of Parquet and Arrow stay such: the name ends in .parquet or .arrow";
            return Err(Failure::Input(format!("-o {}: {reason}", destination.name())));
        }
        if destination.is_standard_output() && io::stdout().is_terminal() {
            return Err(Failure::Input("rows of Parquet and Arrow are binary, and no text for a terminal".to_owned()));
        }
        let kind = to.or(named).unwrap_or(from);
        Ok(Self { destination, kind })
    }

    /// Writes `rows` in parts, of which `part` returns each by its first row and its length.
    fn write_all(
        &self,
        table: &Table,
        rows: &RecordBatch,
        part: impl Fn(usize, usize) -> Result<RecordBatch> + Sync,
    ) -> Result<()> {
        const ROWS: usize = 1 << 18;
        let (name, len) = (self.destination.name(), rows.num_rows());
        let starts: Vec<usize> = (0..len).step_by(ROWS).collect();
        self.destination.write(|out| {
            let kind = (self.kind, self.destination.is_stream());
            let mut written = Written::new(table, &table.schema, kind, false, name)?;
            for wave in starts.chunks(rayon::current_num_threads().max(1)) {
                let encoded: Vec<Result<_>> = wave
                    .par_iter()
                    .map(|&first| written.encode(None, vec![part(first, ROWS.min(len - first))?]))
                    .collect();
                encoded.into_iter().try_for_each(|rows| written.append(rows?, out))?;
            }
            written.finish(out)
        })
    }
}

/// Format of the input of a scan that has rows as its results: then [`scan`] runs it.
pub(crate) fn has_rows(args: &ScanArgs) -> Option<Columnar> {
    let common = &args.common;
    let asked = args.to.is_some() || common.output.as_deref().is_some_and(|path| Columnar::of_name(path).is_some());
    common.table.columnar(&common.file).filter(|_| asked)
}

/// Reads the units of a table; lets `change` make other rows of each, one after the other; and writes them. In the end
/// `change` is given `None`, and may fail before the output takes its place. If there is `only` one column,
/// rows have that, those that are made have a new one, and the columns of the table are [copied](Table::copy_columns).
fn for_units(
    table: &Table,
    schema: &SchemaRef,
    target: &Target,
    only: Option<usize>,
    change: &mut dyn FnMut(Option<Vec<RecordBatch>>) -> Result<Vec<RecordBatch>>,
) -> Result<()> {
    let destination = &target.destination;
    let progress = Progress::new("writing", table.rows.map(|rows| rows as u64));
    destination.write(|out| {
        let kind = (target.kind, destination.is_stream());
        let mut written = Written::new(table, schema, kind, only.is_some(), destination.name())?;
        for wave in table.units.chunks(table.at_once()) {
            let read: Vec<Result<Vec<RecordBatch>>> =
                wave.par_iter().map(|unit| table.read_rows(*unit, only)).collect();
            let changed = read.into_iter().map(|batches| change(Some(batches?))).collect::<Result<Vec<_>>>()?;
            let encoded: Vec<Result<_>> = changed
                .into_par_iter()
                .zip(wave)
                .filter(|(batches, _)| batches.iter().any(|batch| batch.num_rows() > 0))
                .map(|(batches, unit)| {
                    let rows = batches.iter().map(RecordBatch::num_rows).sum();
                    Ok((rows, written.encode(only.map(|_| *unit), batches)?))
                })
                .collect();
            for rows in encoded {
                let (count, rows): (usize, _) = rows?;
                written.append(rows, out)?;
                progress.step(count);
            }
        }
        table.check_unchanged()?;
        change(None)?;
        written.finish(out)
    })
}

/// Runs `upsweep scan` of a column: the output has the rows of the input, with the results as one more column.
pub(crate) fn scan((args, op): (&ScanArgs, Op), kind: Columnar) -> Result<()> {
    let begun = Instant::now();
    let common = &args.common;
    common.sums.check(&[op])?;
    let target = Target::of(kind, common.output.as_deref(), args.to)?;
    let carried = Carried::of(Operation::Scan, &args.carries, common.init.as_deref(), &target.destination)?;
    let device = Chosen::open(common.device, Work::Pass)?;
    let mut table = Table::open(&common.file, kind)?;
    if !common.more.is_empty() {
        return Err(Failure::input(&input::called_all(common), "the results of several tables are no table"));
    }
    table.check_options(common)?;
    let at = table.column(common.column.as_deref())?;
    let (element, label) = described(&table, at)?;
    let sums = Sums::new(common.sums, op, element, OutputForm::Npy)?;
    let schema = with_column(&table, at, op.name(), sums.results, common.missing.leaves_out(""));
    let only = (target.kind == Columnar::Parquet && table.copy_columns(&schema)).then_some(at);
    let place = if only.is_some() { 0 } else { at };
    let len = table.rows.unwrap_or(usize::MAX >> 1);
    let shape = [len];
    let asked =
        Asked { common, name: &table.name, device: &device, shape: &shape, axis: None, sums, missing: 0, begun };
    let Scans { checked, computed: scan } = Scans::new((args, op), &asked, None)?;
    let places = places(&Form::Words, &shape);
    let failed = |e: Error| asked.overflow(&places, "", &e);
    let new =
        Arc::new(Schema::new(schema.fields().iter().skip(table.schema.fields().len()).cloned().collect::<Vec<_>>()));
    let with_results = |batch: &RecordBatch, results: &Values, left_out: Option<&[bool]>| {
        let results = values::array(results, left_out);
        let rows = match only {
            Some(_) => RecordBatch::try_new(Arc::clone(&new), vec![results]),
            None => {
                RecordBatch::try_new(Arc::clone(&schema), batch.columns().iter().cloned().chain([results]).collect())
            }
        };
        rows.map_err(|e| Failure::Run(format!("{}: {e}", table.name)))
    };
    let mut first = 1;
    let mut column_of = |batch: &RecordBatch| {
        let column = values::column(batch.column(place).as_ref(), &common.missing, (&table.name, &label), first);
        first += batch.num_rows();
        column
    };
    if args.reverse || !op.keeps_bits_in_parts(sums.computed) {
        // What does not go from part to part has all values in memory.
        let (_, values, _) = load::load(common, (&common.file, kind), None)?;
        let values = sums.converted(values.view()).map_err(failed)?.unwrap_or(values);
        if sums.checked {
            checked.check_overflow(values.view()).map_err(failed)?;
        }
        let results =
            scan.run_owned(&device.device, values).and_then(|computed| sums.results(computed)).map_err(failed)?;
        let mut begin = 0;
        return for_units(&table, &schema, &target, only, &mut |batches| {
            let of_batch = |batch: &RecordBatch| {
                let Column { values, left_out } = column_of(batch)?;
                let own = results.view().part(begin..begin + values.len()).to_values().map_err(failed)?;
                begin += values.len();
                with_results(batch, &own, left_out.as_deref())
            };
            batches.unwrap_or_default().iter().map(of_batch).collect()
        });
    }
    let mut running = Running::new(&asked, (op, &checked, scan), (element, len), &carried)?;
    for_units(&table, &schema, &target, only, &mut |batches| {
        let Some(batches) = batches else { return running.check(&carried, &places).map(|()| Vec::new()) };
        let of_batch = |batch: &RecordBatch| {
            let Column { values, left_out } = column_of(batch)?;
            with_results(batch, &running.results(&values, &places)?, left_out.as_deref())
        };
        batches.iter().map(of_batch).collect()
    })?;
    running.finish(&carried)
}

/// Schema with one more column, whose name is that of the column `at`, and `suffix`.
fn with_column(table: &Table, at: usize, suffix: &str, element: Type, nullable: bool) -> SchemaRef {
    let names = table.names();
    let name = new_name(names.get(at), suffix, &names);
    let field = Field::new(String::from_utf8_lossy(&name), values::data_type(element), nullable);
    let fields: Vec<Arc<Field>> = table.schema.fields().iter().cloned().chain([Arc::new(field)]).collect();
    Arc::new(Schema::new_with_metadata(fields, table.schema.metadata().clone()))
}

/// Runs `upsweep reduce` of a column by one operator, part by part. Returns `None` if the call asks for what needs all
/// values.
pub(crate) fn reduce(args: &ReduceArgs, kind: Columnar) -> Result<Option<()>> {
    let begun = Instant::now();
    let common = &args.common;
    let [Statistic::Of(op)] = args.op[..] else { return Ok(None) };
    if !common.more.is_empty() || common.element.is_some() {
        return Ok(None);
    }
    common.sums.check(&[op])?;
    let (destination, named) = run::output(common.output.as_deref())?;
    let form = named.unwrap_or(OutputForm::Words);
    let carried = Carried::of(Operation::Reduction, &args.carries, common.init.as_deref(), &destination)?;
    let device = Chosen::open(common.device, Work::Pass)?;
    let table = Table::open(&common.file, kind)?;
    table.check_options(common)?;
    let at = table.column(common.column.as_deref())?;
    let (element, label) = described(&table, at)?;
    let sums = Sums::new(common.sums, op, element, form)?;
    if !op.keeps_bits_in_parts(sums.computed) {
        return Ok(None);
    }
    sums.check_output(form, op, destination.name())?;
    let len = table.rows.unwrap_or(usize::MAX >> 1);
    let shape = [len];
    let asked =
        Asked { common, name: &table.name, device: &device, shape: &shape, axis: None, sums, missing: 0, begun };
    let (mut total, places) = (Total::new(&asked, op, (element, len), &carried)?, places(&Form::Words, &shape));
    let progress = Progress::new("reducing", table.rows.map(|rows| rows as u64));
    let mut first = 1;
    for wave in table.units.chunks(table.at_once()) {
        let read: Vec<Result<Vec<RecordBatch>>> = wave.par_iter().map(|unit| table.read(*unit, &[at])).collect();
        for batches in read {
            for batch in batches? {
                let column = values::column(batch.column(0).as_ref(), &common.missing, (&table.name, &label), first)?;
                first += batch.num_rows();
                progress.step(batch.num_rows());
                total.add(&column.values, &places)?;
            }
        }
    }
    drop(progress);
    table.check_unchanged()?;
    total.finish(&carried, &places, |total| {
        let progress = Progress::new("writing", None);
        destination.write(|out| write::write(form, total, &[], (out, destination.name()), &progress))
    })?;
    Ok(Some(()))
}
