//! Command `upsweep reduce` with more than one result: for each distinct value of a column or of several, for several columns,
//! by several operators.
//!
//! Values are sorted by their groups, which are numbered as the table is read, so that each group is a segment. Without
//! groups all values are one.

use crate::args::{ReduceArgs, Statistic};
use crate::device::{Chosen, Work};
use crate::element::{Values, format, with_values};
use crate::failure::{Failure, Result, called, quoted};
use crate::input::{self, Input};
use crate::means::{deviations, means, quantiles};
use crate::modes::{distinct, modes, picked};
use crate::names;
use crate::output::Destination;
use crate::progress::Progress;
use crate::run;
use crate::sums::Sums;
use crate::table::{self, Asked, Grouped, How, WrittenRows, listed, new_name};
use crate::write::OutputForm;
use bytemuck::Zeroable;
use bytemuck::allocation::try_zeroed_vec;
use csv::ByteRecord;
use upsweep_core::memory;
use upsweep_dynamic::{Error, Op, Reduce, Segments, View};

/// Whether the options ask for results that are computed here.
pub(crate) fn is_for(args: &ReduceArgs) -> bool {
    let is_one = matches!(args.op[..], [Statistic::Of(_) | Statistic::Count]);
    args.group_by.is_some() || !is_one || args.common.column.as_deref().is_some_and(|column| listed(column).len() > 1)
}

/// Values of a column, group by group.
struct Column {
    /// Name, if the input names its columns.
    name: Option<Vec<u8>>,
    values: Values,
    /// Texts, if the values are the numbers of these.
    texts: Option<Vec<Vec<u8>>>,
    /// Where each group begins among the values, and where the last one ends.
    offsets: Vec<u64>,
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
    let Input { name, values, .. } = input::load(&args.common, false)?;
    let offsets = vec![0, values.len() as u64];
    let columns = [Column { name: None, values, texts: None, offsets }];
    let results = Computing { args, device: &device, name: &name, groups: None }.of(&columns)?;
    write(to, (&columns, &args.op), &results, None)
}

/// Computes the results of columns of a table, of each group if a column of groups is given.
fn of_table(args: &ReduceArgs, read_by: u8, to: (&Destination, Option<u8>)) -> Result<()> {
    let common = &args.common;
    if !common.more.is_empty() {
        let advice = "put them together first";
        return Err(Failure::Input(format!("--group-by and several results: are of one table: {advice}")));
    }
    let device = Chosen::open(common.device, Work::Pass)?;
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
    let read = |compared| {
        let how = How { element: common.element, missing: &common.missing, counted, compared };
        Grouped::read(&asked, &how, &Progress::new("reading", source.size()))
    };
    let compares = common.element.is_none() && args.op.iter().all(|statistic| statistic.compares());
    let mut read = match read(false) {
        // A column that is none of numbers is read once more, as one of texts.
        Err(Failure::Input(no_number)) if compares => {
            let again = read(true)?;
            if again.columns.iter().all(|column| column.texts.is_none()) {
                return Err(Failure::Input(no_number));
            }
            again
        }
        read => read?,
    };
    let columns = std::mem::take(&mut read.columns);
    let columns = columns.into_iter().map(|column| by_group(column, read.len(), &name)).collect::<Result<Vec<_>>>()?;
    let texts = |group: usize| read.texts(group).collect();
    let groups: Option<&TextsOf<'_>> = args.group_by.as_ref().map(|_| &texts as _);
    let results = Computing { args, device: &device, name: &name, groups }.of(&columns)?;
    let Some(groups) = groups else { return write(to, (&columns, &args.op), &results, None) };
    let order = read.sorted(&device.device)?;
    write(to, (&columns, &args.op), &results, Some((read.names.as_deref(), groups, &order)))
}

/// Sorts the values of a column by their groups, of which there are `count`.
fn by_group(column: table::Column, count: usize, name: &str) -> Result<Column> {
    let table::Column { name: called, values, texts, groups } = column;
    let mut offsets = vec![0u64; count + 1];
    groups.iter().for_each(|&group| offsets[group as usize + 1] += 1);
    (1..offsets.len()).for_each(|group| offsets[group] += offsets[group - 1]);
    let values = match groups.is_sorted() {
        true => values,
        false => {
            let bytes = values.bytes().len();
            let sorted = with_values!(values, x => gathered(x, groups, &offsets).map(Values::from));
            sorted.map_err(|()| Failure::memory(name, bytes))?
        }
    };
    Ok(Column { name: called, values, texts, offsets })
}

/// Returns the values in the order of their groups, which begin at `offsets`. What has moved is given back to the system
/// part by part, from the end on, so that the values are not there twice.
fn gathered<T: Copy + Zeroable>(
    mut x: Vec<T>,
    mut groups: Vec<u32>,
    offsets: &[u64],
) -> std::result::Result<Vec<T>, ()> {
    const PART: usize = 1 << 18;
    // The system gives zeroed memory when it is first written to.
    let mut sorted: Vec<T> = memory::ask(|| try_zeroed_vec(x.len()))?;
    let mut ends = offsets.get(1..).unwrap_or_default().to_vec();
    while !x.is_empty() {
        let rest = x.len().saturating_sub(PART);
        for (x, group) in x.drain(rest..).zip(groups.drain(rest..)).rev() {
            let end = &mut ends[group as usize];
            *end -= 1;
            sorted[*end as usize] = x;
        }
        x.shrink_to_fit();
        groups.shrink_to_fit();
    }
    Ok(sorted)
}

/// Texts of each group: one of each column of groups.
type TextsOf<'a> = dyn Fn(usize) -> Vec<&'a [u8]> + 'a;

/// What is computed of columns.
struct Computing<'a> {
    args: &'a ReduceArgs,
    device: &'a Chosen,
    /// Name of the input in messages.
    name: &'a str,
    /// Texts of each group, if there are groups.
    groups: Option<&'a TextsOf<'a>>,
}

impl Computing<'_> {
    /// Returns the results of all columns, by each statistic in turn: a value for each group.
    fn of(&self, columns: &[Column]) -> Result<Vec<Values>> {
        let failed = |e: Error| Failure::computing(self.name, &e);
        let one = |Column { values, offsets, .. }: &Column, statistic: Statistic| {
            let (device, x) = (&self.device.device, values.view());
            match statistic {
                Statistic::Of(op) => self.reduced(op, values, offsets),
                Statistic::Count => Ok(offsets.windows(2).map(|pair| pair[1] - pair[0]).collect::<Vec<u64>>().into()),
                Statistic::Mean => means(device, x, offsets).map(Values::F64).map_err(failed),
                Statistic::Var => deviations(device, x, offsets).map(Values::F64).map_err(failed),
                Statistic::Std => {
                    let squares = deviations(device, x, offsets).map_err(failed)?;
                    Ok(Values::F64(squares.into_iter().map(f64::sqrt).collect()))
                }
                Statistic::Median => Ok(Values::F64(quantiles(x, offsets, 0.5))),
                Statistic::Quantile(share) => Ok(Values::F64(quantiles(x, offsets, share))),
                Statistic::Distinct => Ok(distinct(x, offsets).into()),
                Statistic::First => Ok(picked(x, offsets, &|begin, _| begin)),
                Statistic::Last => Ok(picked(x, offsets, &|_, end| end - 1)),
                Statistic::Mode => Ok(modes(x, offsets)),
            }
        };
        let all = columns.iter().flat_map(|column| self.args.op.iter().map(move |&statistic| (column, statistic)));
        all.map(|(column, statistic)| one(column, statistic)).collect()
    }

    /// Reduces each group; without groups all values, as a reduction without segments does.
    fn reduced(&self, op: Op, values: &Values, offsets: &[u64]) -> Result<Values> {
        let failed = |e: Error| Failure::computing(self.name, &e);
        let sums = Sums::new(self.args.common.sums, op, values.element(), OutputForm::Words)?;
        let converted = sums.converted(values.view()).map_err(failed)?;
        let x = converted.as_ref().unwrap_or(values).view();
        let mut reduce = Reduce::new(op);
        if self.groups.is_some() {
            reduce = reduce.segments(Segments::Offsets(View::U64(offsets)));
        }
        if sums.checked {
            let checked = reduce.accumulate(sums.results).check_overflow(x);
            checked.map_err(|e| self.overflow(offsets, &sums, &e))?;
        }
        let computed = reduce.accumulate(sums.computed).run(&self.device.device, x);
        computed.and_then(|computed| sums.results(computed)).map_err(failed)
    }

    /// Returns the failure for a result that does not fit its type, with its group; for other errors what they are.
    fn overflow(&self, offsets: &[u64], sums: &Sums, error: &Error) -> Failure {
        let Error::Overflow { op, element, index, value } = error else { return Failure::computing(self.name, error) };
        let group = self.groups.map_or_else(String::new, |texts| {
            let group = offsets.partition_point(|&begin| begin <= *index as u64).saturating_sub(1);
            let texts = texts(group).into_iter().map(|text| quoted(&String::from_utf8_lossy(text.trim_ascii())));
            format!("group {}: ", texts.collect::<Vec<_>>().join(", "))
        });
        let said = value.map_or_else(String::new, |value| format!(", it is {value}"));
        let words = format!("{group}the {op} does not fit {element}{said}: {}", sums.advice(*value));
        Failure::input(self.name, words)
    }
}

/// Groups to write: the names of their columns, the texts of each, and their order.
type Written<'a> = (Option<&'a [Vec<u8>]>, &'a TextsOf<'a>, &'a [u64]);

/// Writes a line for each group, or one if there are none: the results of each column by each statistic. `results` has
/// them in this order.
fn write(
    (destination, delimiter): (&Destination, Option<u8>),
    (columns, statistics): (&[Column], &[Statistic]),
    results: &[Values],
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
            let of = columns.iter().flat_map(|column| statistics.iter().map(move |statistic| (column, statistic)));
            for (results, (column, statistic)) in results.iter().zip(of) {
                text.clear();
                // A group may have no values, as they are missing. Its results are missing, too.
                let place = group as usize;
                let is_empty = column.offsets.get(place) == column.offsets.get(place + 1);
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
