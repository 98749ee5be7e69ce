//! Commands `upsweep select` and `expand`: results whose number depends on the values.

use crate::args::{Common, ExpandArgs, Reading, SelectArgs};
use crate::carried::Carried;
use crate::chunks::{self, ArrayFile, Loaded};
use crate::device::{Chosen, Work};
use crate::element::{Type, Values, with_values};
use crate::elements::{mark, of_elements};
use crate::expression::Expression;
use crate::failure::{Failure, Result, called};
use crate::grown;
use crate::input::{self, Input};
use crate::live::{self, Begun};
use crate::names;
use crate::npy;
use crate::output::Destination;
use crate::progress::Progress;
use crate::run;
use crate::source::{STANDARD_INPUT, Source, Waiting, standard_input};
use crate::table::{Filter, Selected, WrittenRows};
use crate::text::{self, TextForm};
use crate::threads;
use crate::write::{OutputForm, write_values};
use std::cell::RefCell;
use std::path::Path;
use upsweep_core::memory;
use upsweep_dynamic::View;

/// Runs `upsweep select`: stream compaction of values or rows.
pub(crate) fn select(args: &SelectArgs) -> Result<()> {
    let (destination, named) = run::output(args.output.as_deref())?;
    let carried = Carried::named(&args.carries, &[&destination])?;
    if !args.indices {
        carried.refuse("no value or row is selected by what came before it: only --indices go on")?;
    }
    let position = match carried.numbers(KIND)?.as_deref() {
        None => 0,
        // So far that adding what a file may have leaves 64 bits.
        Some(&[position]) if position <= u64::MAX / 2 => position,
        Some(_) => return Err(Failure::input("--carry-in", "does not say how many values came before")),
    };
    input::check_array(args.array.as_deref(), &args.file)?;
    let position = match args.table.delimiter(names::delimiter(&args.file)) {
        Some(delimiter) => select_rows(args, (delimiter, position), &destination, named),
        None => select_values(args, position, &destination, named),
    }?;
    carried.store_numbers(KIND, &[position])
}

/// Kind of the carry of a selection: the number of values so far.
const KIND: &str = "select";
/// Number of indices of rows that are written at a time.
const PART: usize = 1 << 14;

/// Selects rows of a table, of which the first has the index `position`, and returns the index after the last. They are read once,
/// and each is written as it is read; those of standard input before more are waited for.
fn select_rows(
    args: &SelectArgs,
    (delimiter, mut position): (u8, u64),
    destination: &Destination,
    named: Option<OutputForm>,
) -> Result<u64> {
    if args.element.is_some() {
        return Err(Failure::Input("--type is for arrays: a column is what it is compared with".to_owned()));
    }
    let form = args.table.text(delimiter);
    let (source, name, waits) = opened(&args.file, form)?;
    let progress = Progress::new("reading", source.size());
    let (condition, sets, keep, na) = (args.condition.as_deref(), &*args.set, args.keep.as_deref(), &*args.na);
    let filter = Filter { source: &source, name: &name, delimiter, header: args.header, condition, sets, keep, na };
    if args.indices {
        let written = named.unwrap_or(OutputForm::Words);
        written.check(Type::U64, destination.name())?;
        grown::write(destination, (written, Type::U64), |next| {
            let text = match waits {
                true => text::open(standard_input()?, form, &name)?,
                false => source.text(&name)?,
            };
            let mut indices = Vec::with_capacity(PART);
            let rows = filter.run(text, &progress, |index, _| {
                indices.extend(index.map(|index| position + index));
                if indices.len() < PART { Ok(()) } else { next(&std::mem::take(&mut indices).into()) }
            })?;
            position += rows;
            next(&indices.into())
        })?;
        return Ok(position);
    }
    let delimiter = match named {
        None => delimiter,
        Some(OutputForm::Table { delimiter }) => delimiter,
        Some(_) => {
            let reason = "rows are written as a table: end the name in .csv or .tsv, or give --indices";
            return Err(Failure::Input(format!("-o {}: {reason}", destination.name())));
        }
    };
    destination.write(|out| {
        let out = RefCell::new(WrittenRows::to(out, destination.name(), delimiter));
        let failed = RefCell::new(None);
        let flush = || out.borrow_mut().flush().inspect_err(|e| *failed.borrow_mut() = Some(e.kind()));
        let text = match waits {
            true => text::open(Box::new(Waiting::new(flush)?), form, &name)?,
            false => source.text(&name)?,
        };
        let ran = filter.run(text, &progress, |_, row| match row {
            Selected::Whole(row) => out.borrow_mut().write_as_read(row),
            Selected::Cells(cells) => out.borrow_mut().write(cells),
        });
        // What could not be written failed in the reader of what comes next.
        match failed.take() {
            Some(kind) => Err(Failure::writing(destination.name(), &kind.into())),
            None => ran.map(|rows| position += rows),
        }
    })?;
    Ok(position)
}

/// Opens a table that is read once: its source, its name in messages, and whether it is standard input.
fn opened(path: &Path, form: TextForm) -> Result<(Source, String, bool)> {
    #[cfg(unix)]
    if path.as_os_str() == "-" {
        return Ok((Source::of_standard_input(form)?, STANDARD_INPUT.to_owned(), true));
    }
    input::open_table(path, form).map(|(source, name)| (source, name, false))
}

fn select_values(
    args: &SelectArgs,
    position: u64,
    destination: &Destination,
    named: Option<OutputForm>,
) -> Result<u64> {
    let for_tables = [("--na", !args.na.is_empty()), ("--set", !args.set.is_empty()), ("--keep", args.keep.is_some())];
    if let Some((option, _)) = for_tables.iter().find(|(_, given)| *given) {
        return Err(input::no_table(&called(&args.file), option));
    }
    // Of an array there is nothing to choose without a condition: clap asks for one.
    let condition = args.condition.as_deref().unwrap_or("true");
    let device = Chosen::open(args.device, Work::Pass)?;
    let common = Common {
        element: args.element,
        array: args.array.clone(),
        header: args.header,
        options: true,
        ..Common::of(&Reading::of(&args.file, args.table), args.device)
    };
    let to_file = match named {
        Some(form @ (OutputForm::Npy | OutputForm::Raw(_))) if destination.has_places() && device.on_host => Some(form),
        _ => None,
    };
    if let Some(form) = to_file
        && let Some(file) = ArrayFile::open(&common)?
    {
        return select_file((args, condition), (&file, position), destination, form);
    }
    run::explain_waiting(&common);
    let in_parts = device.on_host && destination.is_stream() && named.is_none();
    let in_file = to_file.map(|_| destination.folder());
    let Input { name, values, form, .. } = match live::begin(&common, in_parts, in_file)? {
        Begun::Numbers(text) => {
            return live::select(&common, (condition, args.indices), text, destination, position);
        }
        Begun::Loaded(Loaded::Whole(input)) => *input,
        Begun::Loaded(Loaded::File(file)) => match to_file {
            Some(form) => return select_file((args, condition), (&file, position), destination, form),
            None => file.into_input()?,
        },
    };
    let condition = of_elements(condition, values.element())?;
    let form = named.unwrap_or(OutputForm::of_input(&form));
    match args.indices {
        true => form.check(Type::U64, destination.name())?,
        false => form.check_as(values.element(), destination.name(), Some("--type"))?,
    }
    let flags = flags(&condition, &values, &name)?;
    let failed = |e| Failure::computing(&name, &e);
    let results = if args.indices {
        let mut found = upsweep_dynamic::select_indices(&device.device, &flags).map_err(failed)?;
        found.iter_mut().for_each(|index| *index += position);
        found.into()
    } else {
        upsweep_dynamic::select(&device.device, values.view(), &flags).map_err(failed)?
    };
    write_values(destination, form, &results)?;
    Ok(position + values.len() as u64)
}

/// Selects from an array in a file, which is read, tested and written at the same time.
fn select_file(
    (args, condition): (&SelectArgs, &str),
    (file, position): (&ArrayFile, u64),
    destination: &Destination,
    form: OutputForm,
) -> Result<u64> {
    let condition = of_elements(condition, file.element)?;
    let element = if args.indices { Type::U64 } else { file.element };
    form.check_as(element, destination.name(), Some("--type").filter(|_| !args.indices))?;
    // Headers of one axis are equally long.
    let header = |len| if form == OutputForm::Npy { npy::header(element, &[len]) } else { Vec::new() };
    let begin = header(file.len).len() as u64;
    let job = chunks::select::Job { file, condition: &condition, indices: args.indices, position, begin };
    destination.write_places(|places| places.write(&header(job.run(places)?), 0))?;
    Ok(position + file.len as u64)
}

/// Returns for each value whether the condition holds.
fn flags(condition: &Expression, values: &Values, name: &str) -> Result<Vec<bool>> {
    const PART: usize = 1 << 14;
    let mut flags = memory::filled(values.len(), false).map_err(|_| Failure::memory(name, values.len()))?;
    with_values!(values, x => {
        let parts = flags.chunks_mut(PART).zip(x.chunks(PART));
        threads::each(parts, &|part, (flags, x)| mark(condition, x, part * PART, flags, name))
    })?;
    Ok(flags)
}

/// Runs `upsweep expand`.
pub(crate) fn expand(args: &ExpandArgs) -> Result<()> {
    let (destination, named) = run::output(args.output.as_deref())?;
    let device = Chosen::open(args.device, Work::Pass)?;
    let common = Common::of(&args.reading, args.device);
    run::explain_waiting(&common);
    let Input { name, values: counts, form, .. } = input::load(&common)?;
    let form = named.unwrap_or(match OutputForm::of_input(&form) {
        OutputForm::Table { .. } => OutputForm::Words,
        form => form,
    });
    let values = args.values.as_deref().map(|path| load_values(path, args, counts.len())).transpose()?;
    form.check(values.as_ref().map_or(Type::U64, Values::element), destination.name())?;
    let results = expanded(&device, counts.view(), values.as_ref(), args.ranks);
    write_values(&destination, form, &results.map_err(|e| Failure::computing(&name, &e))?)
}

fn load_values(path: &Path, args: &ExpandArgs, counts: usize) -> Result<Values> {
    let Input { name, values, .. } = input::load(&Common::of(&Reading::of(path, Default::default()), args.device))?;
    match values.len() {
        len if len == counts => Ok(values),
        len => Err(Failure::input(
            &name,
            format!("has {len} values, and there are {counts} counts: there is one for each"),
        )),
    }
}

fn expanded(
    device: &Chosen,
    counts: View<'_>,
    values: Option<&Values>,
    ranks: bool,
) -> upsweep_dynamic::Result<Values> {
    match values {
        Some(values) => upsweep_dynamic::expand_values(&device.device, counts, values.view()),
        None => upsweep_dynamic::expand(&device.device, counts, ranks).map(Values::from),
    }
}
