//! Command `upsweep reduce --group-by`: results for each distinct value of a column.
//!
//! The rows are sorted by the column, so that each group is a segment.

use crate::args::{ReduceArgs, Statistic};
use crate::device::{Chosen, Work};
use crate::element::{Values, format, with_values};
use crate::failure::{Failure, Result, called, quoted};
use crate::input;
use crate::means::means;
use crate::names;
use crate::output::Destination;
use crate::progress::Progress;
use crate::run;
use crate::sums::Sums;
use crate::table::{Asked, Cells, Keep, WrittenRows, new_name};
use crate::write::OutputForm;
use csv::ByteRecord;
use upsweep_dynamic::{Op, Reduce, Segments, View, lexsort};

/// Runs `upsweep reduce --group-by`: reduces each group of rows with equal values in `column`.
pub(crate) fn reduce(args: &ReduceArgs, column: &str) -> Result<()> {
    let common = &args.common;
    let operators: Vec<Op> = args
        .op
        .iter()
        .filter_map(|statistic| if let Statistic::Of(op) = statistic { Some(*op) } else { None })
        .collect();
    common.sums.check(&operators)?;
    let (destination, named) = run::output(common.output.as_deref())?;
    input::check_array(common.array.as_deref(), &common.file)?;
    let delimiter = match named {
        None | Some(OutputForm::Words) => None,
        Some(OutputForm::Table { delimiter }) => Some(delimiter),
        Some(_) => {
            let reason = "groups are written as a table: end the name in .csv or .tsv";
            return Err(Failure::Input(format!("-o {}: {reason}", destination.name())));
        }
    };
    if !common.more.is_empty() {
        return Err(Failure::Input("--group-by: is for one table: put several together first".to_owned()));
    }
    let Some(read_by) = common.table.delimiter(names::delimiter(&common.file)) else {
        return Err(input::no_table(&called(&common.file), "--group-by"));
    };
    let device = Chosen::open(common.device, Work::Pass)?;
    let (source, name) = input::open_table(&common.file, common.table.text(read_by))?;
    let values_column: Vec<&str> = common.column.iter().map(String::as_str).collect();
    // If only counts are asked for, rows count whatever their cells hold, and no numeric column is needed.
    let counts_alone = args.op.iter().all(|statistic| *statistic == Statistic::Count);
    let asked = Asked {
        source: &source,
        name: &name,
        delimiter: read_by,
        header: common.header,
        columns: &values_column,
        any: !counts_alone,
        and: Some(column),
        missing: (!counts_alone).then_some(&common.missing),
        keep: Keep::Asked,
    };
    let cells = Cells::read(&asked, &Progress::new("reading", source.size()))?;
    let by = usize::from(!(counts_alone && values_column.is_empty()));
    let values = if counts_alone {
        Values::from(vec![0u8; cells.rows])
    } else {
        cells.numbers(0, common.element, &common.missing)?
    };
    let (groups, rows) = cells.places_of_texts(by);
    let failed = |e: upsweep_dynamic::Error| Failure::computing(&name, &e);
    let order = lexsort(&device.device, &[(View::U64(&groups), false)]).map_err(failed)?;
    let mut offsets = vec![0u64; rows.len() + 1];
    groups.iter().for_each(|&group| offsets[group as usize + 1] += 1);
    let counts: Vec<u64> = offsets[1..].to_vec();
    (1..offsets.len()).for_each(|group| offsets[group] += offsets[group - 1]);
    let sorted: Values =
        with_values!(&values, x => order.iter().map(|&row| x[row as usize]).collect::<Vec<_>>().into());

    let segments = Segments::Offsets(View::U64(&offsets));
    let of = |op: Op| {
        let sums = Sums::new(common.sums, op, sorted.element(), OutputForm::Words)?;
        let converted = sums.converted(sorted.view()).map_err(failed)?;
        let x = converted.as_ref().unwrap_or(&sorted).view();
        let reduce = Reduce::new(op).segments(segments);
        if sums.checked {
            let checked = reduce.accumulate(sums.results).check_overflow(x);
            checked.map_err(|e| overflow(&cells, (by, &rows), &offsets, &sums, e).unwrap_or_else(failed))?;
        }
        let computed = reduce.accumulate(sums.computed).run(&device.device, x);
        computed.and_then(|computed| sums.results(computed)).map_err(failed)
    };
    let results = args.op.iter().map(|statistic| match statistic {
        Statistic::Of(op) => of(*op),
        Statistic::Count => Ok(counts.clone().into()),
        Statistic::Mean => means(&device.device, sorted.view(), &offsets).map(Values::F64).map_err(failed),
    });
    let results = results.collect::<Result<Vec<Values>>>()?;
    // Groups are written in the order of the column's values, numbers in numeric order.
    let order = cells.order_of_rows(by, &rows)?;
    let mut keys: Vec<(View<'_>, bool)> =
        order.last.as_deref().map(|last| (View::Bool(last), false)).into_iter().collect();
    keys.push((order.values.view(), false));
    let order = lexsort(&device.device, &keys).map_err(failed)?;
    write(&destination, delimiter, (&cells, by), (&rows, &order), (&args.op, &results))
}

/// Converts an overflow into the failure that names the group; other errors are returned as they are.
fn overflow(
    cells: &Cells<'_>,
    (by, rows): (usize, &[usize]),
    offsets: &[u64],
    sums: &Sums,
    error: upsweep_dynamic::Error,
) -> std::result::Result<Failure, upsweep_dynamic::Error> {
    let upsweep_dynamic::Error::Overflow { op, element, index, value } = error else { return Err(error) };
    let group = offsets.partition_point(|&begin| begin <= index as u64).saturating_sub(1);
    let cell = cells.cell(rows.get(group).copied().unwrap_or(0), by);
    let group = quoted(&String::from_utf8_lossy(cell.trim_ascii()));
    let said = value.map_or_else(String::new, |value| format!(", it is {value}"));
    let words = format!("group {group}: the {op} does not fit {element}{said}: {}", sums.advice(value));
    Ok(Failure::input(cells.name(), words))
}

fn write(
    destination: &Destination,
    delimiter: Option<u8>,
    (cells, by): (&Cells<'_>, usize),
    (rows, order): (&[usize], &[u64]),
    (statistics, results): (&[Statistic], &[Values]),
) -> Result<()> {
    destination.write(|out| {
        let mut out = WrittenRows::to(out, destination.name(), delimiter.unwrap_or(b'\t'));
        let mut line = ByteRecord::new();
        if let (Some(_), Some(groups)) = (delimiter, cells.asked_name(by)) {
            line.push_field(groups.trim_ascii());
            let values = cells.asked_name(0).filter(|_| by > 0);
            for statistic in statistics {
                let name = new_name(values, statistic.name(), &line);
                line.push_field(&name);
            }
            out.write(&line)?;
        }
        let mut text = Vec::new();
        for &group in order {
            line.clear();
            line.push_field(cells.cell(rows.get(group as usize).copied().unwrap_or(0), by));
            for results in results {
                text.clear();
                format(results, group as usize, &mut text);
                line.push_field(&text);
            }
            out.write(&line)?;
        }
        Ok(())
    })
}
