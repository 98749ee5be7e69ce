//! Commands `scan` and `reduce`: from the options to the output.

use crate::args::{Common, ReduceArgs, ScanArgs, Statistic};
use crate::asked::{Asked, axis, described, places, report};
use crate::carried::Carried;
use crate::chunks::{ArrayFile, Loaded};
use crate::column;
#[cfg(feature = "parquet")]
use crate::columnar;
use crate::device::{Chosen, Work};
use crate::element::{Type, Values};
use crate::failure::{Failure, Result, note};
use crate::in_chunks;
use crate::input::{self, Form, Input};
use crate::live::{self, Begun};
use crate::names;
use crate::output::Destination;
use crate::parts::Scans;
use crate::print::print;
use crate::progress::Progress;
use crate::segments::Given;
use crate::show;
use crate::sums::Sums;
use crate::table::{self, Cells, Keep};
use crate::write::{self, OutputForm};
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::time::Instant;
use upsweep_dynamic::{Op, Operation, Reduce, RunningCheck, Segments, View};

/// Runs `upsweep scan`.
pub(crate) fn scan((args, op): (&ScanArgs, Op)) -> Result<()> {
    let begun = Instant::now();
    let common = &args.common;
    common.sums.check(&[op])?;
    let (destination, named) = output(common.output.as_deref())?;
    let carried = Carried::of(Operation::Scan, &args.carries, common.init.as_deref(), &destination)?;
    let device = Chosen::open(common.device, Work::Pass)?;
    let to_file = match named {
        Some(form @ (OutputForm::Npy | OutputForm::Raw(_))) if destination.has_places() => Some(form),
        _ => None,
    };
    if let Some(form) = to_file
        && let Some(file) = ArrayFile::open(common)?
        && let sums = Sums::new(common.sums, op, file.element, form)?
        && in_chunks::can_scan((args, op), (&file, sums), &device, &carried)
    {
        return in_chunks::scan((args, op), (&file, sums), &device, (&destination, form), &carried, begun);
    }
    explain_waiting(common);
    let in_parts =
        !args.reverse && op.keeps_bits_in_parts(common.sums.sum_type.or(common.element).unwrap_or(Type::F64));
    let is_live = in_parts && device.on_host && live::is_stream(common.output.as_deref(), (&destination, named));
    #[cfg(unix)]
    if let Some(delimiter) = live::table(common, is_live) {
        return live::scan_rows((args, op), delimiter, &device, (&destination, &carried), begun);
    }
    let on_terminal = common.output.is_none() && io::stdout().is_terminal();
    if in_parts
        && !on_terminal
        && let Some(table) = column::open(common)?
    {
        return column::scan((args, op), &table, &device, (&destination, named, &carried), begun);
    }
    let in_file = to_file.map(|_| destination.folder());
    let mut input = match live::begin(common, is_live, in_file)? {
        Begun::Numbers(text) => return live::scan((args, op), text, &device, (&destination, &carried), begun),
        Begun::Loaded(Loaded::File(file)) => {
            let form = to_file.unwrap_or(OutputForm::Npy);
            let sums = Sums::new(common.sums, op, file.element, form)?;
            if in_chunks::can_scan((args, op), (&file, sums), &device, &carried) {
                return in_chunks::scan((args, op), (&file, sums), &device, (&destination, form), &carried, begun);
            }
            file.into_input()?
        }
        Begun::Loaded(Loaded::Whole(input)) => *input,
    };
    let output_form = named.unwrap_or(OutputForm::of_input(&input.form));
    check_one_table(common, (&input, output_form))?;
    let element = input.values.element();
    let sums = Sums::new(common.sums, op, element, output_form)?;
    sums.check_output(output_form, op, destination.name())?;
    let axis = common.axis.map(|asked| axis(asked, &input.shape, &input.name)).transpose()?;
    if !on_terminal {
        sums.note_width(output_form, element);
    }
    let sample = if on_terminal { show::sample(&input.values) } else { Vec::new() };
    let given = Given::new(common, &mut input)?;
    let Input { name, values, shape, form, missing, .. } = input;
    let asked = Asked { common, name: &name, device: &device, shape: &shape, axis, sums, missing, begun };
    let values = sums.converted(values.view()).map_err(|e| asked.failed(&e))?.unwrap_or(values);

    let Scans { checked, computed: scan } = Scans::new((args, op), &asked, axis)?;
    let (checked, scan) = (checked.segments(given.segments()), scan.segments(given.segments()));
    let mut carry = carried.is_asked().then(|| carried.read(Operation::Scan, op, sums.computed)).transpose()?;
    if sums.checked {
        let fits = match &carry {
            None => checked.check_overflow(values.view()),
            Some(carry) => {
                let check = checked.running_check(carry, values.element(), values.len());
                check.and_then(|check| check_part(check, values.view(), carried.is_handed_on()))
            }
        };
        fits.map_err(|e| asked.overflow(&places(&form, &shape), "", &e))?;
    }
    let started = Instant::now();
    let computed = match &mut carry {
        None => scan.run_owned(&device.device, values),
        Some(carry) => Values::zeroed(sums.computed, values.len()).and_then(|mut results| {
            scan.run_part(&device.device, values.view(), results.view_mut(), carry)?;
            Ok(results)
        }),
    };
    let values = computed.and_then(|computed| sums.results(computed)).map_err(|e| asked.failed(&e))?;
    let time = started.elapsed();
    if let Some(carry) = &carry {
        carried.check_init(carry, &asked)?;
    }

    let len = values.len();
    let bytes = len * (element.size() + sums.results.size());
    let summary = asked.summary(described(args, op), (len, element), time, bytes);
    if on_terminal {
        let column = match &form {
            Form::Table { layout, .. } => layout.column(),
            _ => "value",
        };
        let places = places(&form, &shape);
        print(&destination, |out| {
            show::table(out, (&sample, column), (&values, op.name()), &places)?;
            writeln!(out, "{summary}")
        })?;
        return carry.map_or(Ok(()), |carry| carried.write(&carry, &asked));
    }
    let progress = Progress::new("writing", Some((values.len() * values.element().size()) as u64));
    let out_name = destination.name();
    destination.write(|out| match (&form, output_form) {
        (Form::Table { layout, .. }, OutputForm::Table { delimiter }) => {
            let progress = Progress::new("writing", std::fs::metadata(&common.file).ok().map(|m| m.len()));
            layout.write_joined((&name, op.name()), &values, delimiter, (out, out_name), &progress)
        }
        _ => write::write(output_form, &values, &shape, (out, out_name), &progress),
    })?;
    drop(progress);
    if let Some(carry) = &carry {
        carried.write(carry, &asked)?;
    }
    report(&destination, &summary);
    Ok(())
}

/// Fails if several tables were read, and their rows are written or told apart by keys.
pub(crate) fn check_one_table(common: &Common, (input, form): (&Input, OutputForm)) -> Result<()> {
    match input.form {
        Form::Table { .. } => column::check_one_table(common, matches!(form, OutputForm::Table { .. })),
        _ => Ok(()),
    }
}

/// Checks that the results of `x` fit their type, if they might not; and their total, if it is `handed_on`.
fn check_part(check: Option<RunningCheck>, x: View<'_>, handed_on: bool) -> upsweep_dynamic::Result<()> {
    let Some(mut check) = check else { return Ok(()) };
    check.part(x, check.measure(x)?)?;
    check.finish(handed_on)
}

/// Runs `upsweep reduce` by one operator, or the count of what there is.
pub(crate) fn reduce(args: &ReduceArgs) -> Result<()> {
    let begun = Instant::now();
    let common = &args.common;
    let [Statistic::Of(op)] = args.op[..] else { return count(args) };
    common.sums.check(&[op])?;
    let (destination, named) = output(common.output.as_deref())?;
    let output_form = named.unwrap_or(OutputForm::Words);
    let carried = Carried::of(Operation::Reduction, &args.carries, common.init.as_deref(), &destination)?;
    let device = Chosen::open(common.device, Work::Pass)?;
    if device.on_host
        && let Some(file) = ArrayFile::open(common)?
        && let sums = Sums::new(common.sums, op, file.element, output_form)?
        && in_chunks::can_reduce((common, op), (&file, sums), &carried)
    {
        return in_chunks::reduce((common, op), (&file, sums), &device, (&destination, output_form), &carried, begun);
    }
    explain_waiting(common);
    let keeps_bits = op.keeps_bits_in_parts(common.sums.sum_type.or(common.element).unwrap_or(Type::F64));
    if (keeps_bits || common.by_key.is_some())
        && let Some(table) = column::open(common)?
    {
        return match common.by_key {
            Some(_) => column::reduce_runs((common, op), &table, &device, (&destination, output_form), begun),
            None => column::reduce((common, op), &table, &device, (&destination, output_form, &carried), begun),
        };
    }
    let in_parts = destination.is_stream() && named.is_none() && device.on_host && keeps_bits;
    let in_file = device.on_host.then(|| destination.folder());
    let mut input = match live::begin(common, in_parts, in_file)? {
        Begun::Numbers(text) => return live::reduce((common, op), text, &device, (&destination, &carried), begun),
        Begun::Loaded(Loaded::File(file)) => {
            let sums = Sums::new(common.sums, op, file.element, output_form)?;
            if in_chunks::can_reduce((common, op), (&file, sums), &carried) {
                let to = (&destination, output_form);
                return in_chunks::reduce((common, op), (&file, sums), &device, to, &carried, begun);
            }
            file.into_input()?
        }
        Begun::Loaded(Loaded::Whole(input)) => *input,
    };
    check_one_table(common, (&input, OutputForm::Words))?;
    let element = input.values.element();
    let sums = Sums::new(common.sums, op, element, output_form)?;
    sums.check_output(output_form, op, destination.name())?;
    sums.note_width(output_form, element);
    let axis = common.axis.map(|asked| axis(asked, &input.shape, &input.name)).transpose()?;
    let given = Given::new(common, &mut input)?;
    let Input { name, values, shape, form, missing, .. } = input;
    let asked = Asked { common, name: &name, device: &device, shape: &shape, axis, sums, missing, begun };
    let values = sums.converted(values.view()).map_err(|e| asked.failed(&e))?.unwrap_or(values);

    let mut reduce = Reduce::new(op).segments(given.segments()).accumulate(sums.results);
    let init = asked.init()?;
    if let Some(init) = init {
        reduce = reduce.init(init);
    }
    if let Some(axis) = axis {
        reduce = reduce.axis(&shape, axis);
    }
    let mut carry = carried.is_asked().then(|| carried.read(Operation::Reduction, op, sums.computed)).transpose()?;
    if sums.checked {
        let fits = match &carry {
            None => reduce.check_overflow(values.view()),
            Some(carry) => {
                let check = reduce.running_check(carry, values.element(), values.len());
                check.and_then(|check| check_part(check, values.view(), carried.is_handed_on()))
            }
        };
        fits.map_err(|e| asked.overflow(&places(&form, &shape), "from here on ", &e))?;
    }
    reduce = reduce.accumulate(sums.computed);
    if let Some(init) = init {
        reduce = reduce.init(sums.init(init));
    }
    let started = Instant::now();
    let computed = match &mut carry {
        None => reduce.run(&device.device, values.view()),
        Some(carry) => reduce.run_part(&device.device, values.view(), carry),
    };
    let results = computed.and_then(|computed| sums.results(computed)).map_err(|e| asked.failed(&e))?;
    let time = started.elapsed();

    let results_shape: Vec<usize> = match (given.segments(), axis) {
        (Segments::Whole, None) => Vec::new(),
        (Segments::Whole, Some(axis)) => {
            shape.iter().enumerate().filter(|(k, _)| *k != axis).map(|(_, &n)| n).collect()
        }
        _ => vec![results.len()],
    };
    let len = values.len();
    let summary = asked.summary(format!("{} reduction", op), (len, element), time, len * element.size());
    let progress = Progress::new("writing", None);
    destination
        .write(|out| write::write(output_form, &results, &results_shape, (out, destination.name()), &progress))?;
    if let Some(carry) = &carry {
        carried.write(carry, &asked)?;
    }
    report(&destination, &summary);
    Ok(())
}

/// Runs `upsweep reduce --op count`: counts the values, or the rows of a table whatever their cells hold.
fn count(args: &ReduceArgs) -> Result<()> {
    let common = &args.common;
    common.sums.check(&[])?;
    let of_parts = [
        ("--by-key", common.by_key.is_some()),
        ("--segments", common.segments.is_some()),
        ("--axis", common.axis.is_some()),
        ("--init", common.init.is_some()),
        ("--carry-in", args.carries.carry_in.is_some()),
        ("--carry-out", args.carries.carry_out.is_some()),
    ];
    if let Some((option, _)) = of_parts.iter().find(|(_, given)| *given) {
        let advice = "give --group-by COLUMN to count those of groups";
        return Err(Failure::Input(format!("--op count: counts all values, and {option} is for others: {advice}")));
    }
    let (destination, named) = output(common.output.as_deref())?;
    let form = named.unwrap_or(OutputForm::Words);
    form.check(Type::U64, destination.name())?;
    input::check_array(common.array.as_deref(), &common.file)?;
    explain_waiting(common);
    let rows = |path: &PathBuf| {
        #[cfg(feature = "parquet")]
        if let Some(kind) = common.table.columnar(path) {
            return Some(columnar::load::count(common, path, kind));
        }
        common.table.delimiter(names::delimiter(path)).map(|delimiter| rows_of(common, path, delimiter))
    };
    let tables: Option<Vec<_>> = [&common.file].into_iter().chain(&common.more).map(rows).collect();
    let count = match tables {
        Some(tables) => tables.into_iter().sum::<Result<usize>>()?,
        None => input::load(common)?.values.len(),
    };
    let count = Values::from(vec![count as u64]);
    destination.write(|out| write::write(form, &count, &[], (out, destination.name()), &Progress::new("writing", None)))
}

/// Returns the number of rows of a table.
fn rows_of(common: &Common, path: &Path, delimiter: u8) -> Result<usize> {
    let (source, name) = input::open_table(path, common.table.text(delimiter))?;
    let columns: Vec<&str> = common.column.iter().map(String::as_str).collect();
    let table = table::Asked {
        source: &source,
        name: &name,
        delimiter,
        header: common.header,
        signed: false,
        columns: &columns,
        any: false,
        and: None,
    };
    Ok(Cells::read(&table, Keep::Asked, &Progress::new("reading", source.size()))?.rows)
}

/// Resolves the destination after `-o`, and returns it with the output form that its name asks for.
pub(crate) fn output(path: Option<&Path>) -> Result<(Destination, Option<OutputForm>)> {
    let Some(path) = path else { return Ok((Destination::standard_output(), None)) };
    let destination = Destination::of("-o", path)?;
    let form = form_of(&destination, path)?;
    Ok((destination, form))
}

/// Returns the output form that the name after `-o` asks for. For a stream, and for a non-regular file without an
/// extension, it is `None`: the default of standard output.
pub(crate) fn form_of(destination: &Destination, path: &Path) -> Result<Option<OutputForm>> {
    let unnamed = destination.is_stream() || !destination.is_plain_file() && names::ending(path).is_none();
    if unnamed { Ok(None) } else { OutputForm::of_path("-o", path).map(Some) }
}

/// Tells a person who types numbers at a terminal how to end the input.
pub(crate) fn explain_waiting(common: &Common) {
    if common.file == Path::new("-") && io::stdin().is_terminal() {
        note("numbers are read from the terminal: end them with Ctrl-D");
    }
}
