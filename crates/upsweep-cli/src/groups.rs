//! Command `upsweep reduce` with more than one result: for each distinct value of a column or of several, for several columns,
//! by several operators.
//!
//! Groups are numbered as the table is read. Its values come in batches, each of which is sorted by the groups; a statistic has
//! a state for each group. A batch leaves what is no whole number of chunks of its group for the next, so that the groups' totals
//! have the bits of reductions of their own. What compares values with each other, or with their mean, has all values in one
//! batch. Without groups all values are one.

mod column;
mod totals;

use crate::args::{Common, ReduceArgs, Statistic};
#[cfg(feature = "parquet")]
use crate::columnar;
use crate::device::{Chosen, Work};
use crate::element::{Values, format};
use crate::failure::{Failure, Result, called};
use crate::input::{self, Input};
use crate::names;
use crate::output::Destination;
use crate::progress::Progress;
use crate::run;
use crate::table::{self, Asked, Batch, Grouped, How, Take, WrittenRows, listed, new_name};
use crate::write::OutputForm;
use column::{BATCH, Column, Computing, Results, TextsOf};
use csv::ByteRecord;
use upsweep_dynamic::Op;

/// Whether the options ask for results that are computed here.
pub(crate) fn is_for(args: &ReduceArgs) -> bool {
    let is_one = matches!(args.op[..], [Statistic::Of(_) | Statistic::Count]);
    args.group_by.is_some() || !is_one || args.common.column.as_deref().is_some_and(|column| listed(column).len() > 1)
}

/// Runs `upsweep reduce` with `--group-by`, several columns, several operators, or a statistic that is no operator.
pub(crate) fn reduce(args: &ReduceArgs) -> Result<()> {
    let common = &args.common;
    let operators: Vec<Op> = args
        .op
        .iter()
        .filter_map(|statistic| if let Statistic::Of(op) = statistic { Some(*op) } else { None })
        .collect();
    common.sums.check(&operators)?;
    check_options(args)?;
    let (destination, named) = run::output(common.output.as_deref())?;
    input::check_array(common.array.as_deref(), &common.file)?;
    let delimiter = match named {
        None | Some(OutputForm::Words) => None,
        Some(OutputForm::Table { delimiter }) => Some(delimiter),
        Some(_) => {
            let reason = "groups and several results are written as a table: end the name in .csv or .tsv";
            return Err(Failure::Input(format!("-o {}: {reason}", destination.name())));
        }
    };
    let to = (&destination, delimiter);
    #[cfg(feature = "parquet")]
    if let Some(kind) = common.table.columnar(&common.file) {
        return of_columnar(args, kind, to);
    }
    match (common.table.delimiter(names::delimiter(&common.file)), &args.group_by) {
        (Some(read_by), _) => of_table(args, read_by, to),
        (None, Some(_)) => Err(input::no_table(&called(&common.file), "--group-by")),
        (None, None) => of_array(args, to),
    }
}

/// Fails if an option was given for which only one result is computed.
fn check_options(args: &ReduceArgs) -> Result<()> {
    let common = &args.common;
    let of_one = [
        ("--by-key", common.by_key.is_some()),
        ("--segments", common.segments.is_some()),
        ("--axis", common.axis.is_some()),
        ("--init", common.init.is_some()),
        ("--carry-in", args.carries.carry_in.is_some()),
        ("--carry-out", args.carries.carry_out.is_some()),
    ];
    match of_one.iter().find(|(_, given)| *given) {
        Some((option, _)) => {
            let reason = "is for one column and one operator that is no mean, std, var or median";
            Err(Failure::Input(format!("{option}: {reason}")))
        }
        None => Ok(()),
    }
}

/// Computes the results of all values of a file that is no table.
fn of_array(args: &ReduceArgs, to: (&Destination, Option<u8>)) -> Result<()> {
    let device = Chosen::open(args.common.device, Work::Pass)?;
    run::explain_waiting(&args.common);
    let Input { name, values, .. } = input::load(&args.common)?;
    let computing = Computing { args, device: &device.device, name: &name, groups: None };
    let mut column = Column::default();
    column.add_all(&computing, values)?;
    write(to, (&[column.finish(&computing, None, None)?], &args.op), None)
}

/// Computes the results of columns of a table, of each group if a column of groups is given.
fn of_table(args: &ReduceArgs, read_by: u8, to: (&Destination, Option<u8>)) -> Result<()> {
    let common = &args.common;
    check_one_table(common)?;
    let (source, name) = input::open_table(&common.file, common.table.text(read_by))?;
    let asked: Vec<&str> = common.column.iter().map(String::as_str).collect();
    // If only counts are asked for, rows count whatever their cells hold, and no numeric column is needed.
    let counted = args.op.iter().all(|statistic| *statistic == Statistic::Count);
    let asked = Asked {
        source: &source,
        name: &name,
        delimiter: read_by,
        header: common.header,
        signed: false,
        columns: &asked,
        any: !counted,
        and: args.group_by.as_deref(),
    };
    of_columns(args, &name, to, |how, take| Grouped::read(&asked, how, take, &Progress::new("reading", source.size())))
}

/// Computes the results of columns of a table of Parquet or Arrow.
#[cfg(feature = "parquet")]
fn of_columnar(args: &ReduceArgs, kind: names::Columnar, to: (&Destination, Option<u8>)) -> Result<()> {
    check_one_table(&args.common)?;
    let columns = columnar::GroupedColumns::open(args, kind)?;
    of_columns(args, columns.name(), to, |how, take| columns.read(how, take))
}

fn check_one_table(common: &Common) -> Result<()> {
    if common.more.is_empty() {
        return Ok(());
    }
    Err(Failure::Input("--group-by and several results: are of one table: put them together first".to_owned()))
}

/// Computes the results of columns that `read` reads.
fn of_columns<'t>(
    args: &ReduceArgs,
    name: &str,
    to: (&Destination, Option<u8>),
    read: impl Fn(&How<'_>, Option<(usize, &mut Take<'_>)>) -> Result<Grouped<'t>>,
) -> Result<()> {
    let common = &args.common;
    let device = Chosen::open(common.device, Work::Pass)?;
    let counted = args.op.iter().all(|statistic| *statistic == Statistic::Count);
    let compares = common.element.is_none() && args.op.iter().all(|statistic| statistic.compares());
    let computing = Computing { args, device: &device.device, name, groups: None };
    let mut reading = Reading { computing: &computing, columns: Vec::new(), floats: Vec::new(), again: true };
    let table = |compared, reading: &mut Reading<'_>| {
        reading.columns.clear();
        let floats = reading.floats.clone();
        let how = How { element: common.element, missing: &common.missing, counted, compared, floats: &floats };
        let in_batches = !compared && args.op.iter().all(|&statistic| totals::takes_batches(statistic));
        let mut take = |place, batch, groups| reading.take(place, batch, groups, false);
        let take = in_batches.then_some((BATCH, &mut take as &mut Take<'_>));
        read(&how, take)
    };
    let (grouped, columns) = loop {
        reading.again = false;
        let mut grouped = match table(false, &mut reading) {
            // A column that is none of numbers is read once more, as one of texts.
            Err(Failure::Input(no_number)) if compares => {
                let again = table(true, &mut reading)?;
                if again.columns.iter().all(|column| column.texts.is_none()) {
                    return Err(Failure::Input(no_number));
                }
                again
            }
            grouped => grouped?,
        };
        let mut columns = Vec::new();
        for (place, table::Column { name, rest, texts }) in std::mem::take(&mut grouped.columns).into_iter().enumerate()
        {
            if !reading.again {
                reading.take(place, rest, grouped.len(), true)?;
            }
            columns.push((name, texts));
        }
        if !reading.again {
            break (grouped, columns);
        }
    };
    let texts = |group: usize| grouped.texts(group).collect();
    let groups: Option<&TextsOf<'_>> = args.group_by.as_ref().map(|_| &texts as _);
    let named = Computing { groups, ..computing };
    let columns = reading.columns.into_iter().zip(columns);
    let results =
        columns.map(|(column, (name, texts))| column.finish(&named, name, texts)).collect::<Result<Vec<_>>>()?;
    let Some(groups) = groups else { return write(to, (&results, &args.op), None) };
    let order = grouped.sorted(&device.device)?;
    write(to, (&results, &args.op), Some((grouped.names.as_deref(), groups, &order)))
}

/// Columns of a table that is read.
struct Reading<'a> {
    computing: &'a Computing<'a>,
    columns: Vec<Column>,
    /// Columns in which a number was found that is no integer.
    floats: Vec<bool>,
    /// Whether the table must be read once more, as there was such a number behind a batch of integers.
    again: bool,
}

impl Reading<'_> {
    /// Takes values of a column, of `groups` groups so far. Returns the number of values of the next batch, if there is one.
    fn take(&mut self, place: usize, batch: Batch, groups: usize, is_last: bool) -> Result<Option<usize>> {
        if self.columns.len() <= place {
            self.columns.resize_with(place + 1, Column::default);
            self.floats.resize(self.floats.len().max(place + 1), false);
        }
        let most = self.columns[place].add(self.computing, batch, groups, is_last)?;
        if most.is_none() {
            (self.floats[place], self.again) = (true, true);
        }
        Ok(most)
    }
}

/// Groups to write: the names of their columns, the texts of each, and their order.
type Written<'a> = (Option<&'a [Vec<u8>]>, &'a TextsOf<'a>, &'a [u64]);

/// Writes a line for each group, or one if there are none: the results of each column by each statistic.
fn write(
    (destination, delimiter): (&Destination, Option<u8>),
    (columns, statistics): (&[Results], &[Statistic]),
    groups: Option<Written<'_>>,
) -> Result<()> {
    let named = groups.is_none_or(|(names, ..)| names.is_some());
    destination.write(|out| {
        let mut out = WrittenRows::to(out, destination.name(), delimiter.unwrap_or(b'\t'));
        let mut line = ByteRecord::new();
        if delimiter.is_some() && named {
            for name in groups.and_then(|(names, ..)| names).unwrap_or_default() {
                line.push_field(name.trim_ascii());
            }
            for column in columns {
                for statistic in statistics {
                    let name = new_name(column.name.as_deref(), &statistic.name(), &line);
                    line.push_field(&name);
                }
            }
            out.write(&line)?;
        }
        let mut text = Vec::new();
        for &group in groups.map_or(&[0][..], |(.., order)| order) {
            line.clear();
            if let Some((_, texts, _)) = groups {
                texts(group as usize).into_iter().for_each(|text| line.push_field(text));
            }
            let of = columns.iter().flat_map(|column| column.values.iter().zip(statistics).map(move |of| (column, of)));
            for (column, (results, statistic)) in of {
                text.clear();
                // A group may have no values, as they are missing. Its results are missing, too.
                let place = group as usize;
                let is_empty = column.counts.get(place) == Some(&0);
                let shown = groups.is_none() || !is_empty || statistic.counts();
                match (&column.texts, results) {
                    _ if !shown => {}
                    (Some(texts), Values::U32(codes)) if !statistic.counts() => {
                        let code = codes.get(place).filter(|_| !is_empty);
                        text.extend(code.and_then(|&code| texts.get(code as usize)).into_iter().flatten());
                    }
                    _ => format(results, place, &mut text),
                }
                line.push_field(&text);
            }
            out.write(&line)?;
        }
        Ok(())
    })
}
