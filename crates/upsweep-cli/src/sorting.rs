//! Commands `upsweep sort`, `top` and `median`: the order of values, or of rows.

use crate::args::{Common, MedianArgs, QuantileArgs, Reading, SortArgs, TopArgs};
use crate::asked;
use crate::chunks::{self, ArrayFile, Loaded};
use crate::device::{Chosen, Work};
use crate::element::{Type, Values, format};
use crate::failure::{Failure, Result, called};
use crate::input::{self, Form, Input};
use crate::names;
use crate::npy;
use crate::output::Destination;
use crate::print::print;
use crate::progress::Progress;
use crate::quantile;
use crate::run;
use crate::show::position_with;
use crate::table::{Asked, Cells, Keep, WrittenRows};
use crate::write::{self, OutputForm};
use upsweep_dynamic::{Sort, View, top as first_of};

/// Runs `upsweep sort`.
pub(crate) fn sort(args: &SortArgs) -> Result<()> {
    let (destination, named) = run::output(args.output.as_deref())?;
    input::check_array(args.array.as_deref(), &args.file)?;
    match args.table.delimiter(names::delimiter(&args.file)) {
        Some(delimiter) => sort_rows(args, delimiter, &destination, named),
        None => sort_values(args, &destination, named),
    }
}

/// Number of rows that are fetched from memory at once: few enough for a core's first cache.
const FETCHED: usize = 64;

/// Sorts the rows of a table by some of its columns.
fn sort_rows(args: &SortArgs, delimiter: u8, destination: &Destination, named: Option<OutputForm>) -> Result<()> {
    let for_arrays = [("--type", args.element.is_some()), ("--axis", args.axis.is_some())];
    if let Some((option, _)) = for_arrays.iter().find(|(_, given)| *given) {
        return Err(Failure::Input(format!("{option} is for arrays: rows of a table are sorted by --column")));
    }
    let written = match (args.argsort, named) {
        (true, form) => {
            form.unwrap_or(OutputForm::Words).check(Type::U64, destination.name())?;
            delimiter
        }
        (false, None) => delimiter,
        (false, Some(OutputForm::Table { delimiter })) => delimiter,
        (false, Some(_)) => {
            let reason = "rows are written as a table: end the name in .csv or .tsv, or give --argsort";
            return Err(Failure::Input(format!("-o {}: {reason}", destination.name())));
        }
    };
    let device = Chosen::open(args.device, Work::Computation)?;
    let (source, name) = input::open_table(&args.file, args.table.text(delimiter))?;
    let columns: Vec<&str> = args.columns.iter().map(String::as_str).collect();
    let asked = Asked {
        source: &source,
        name: &name,
        delimiter,
        header: args.header,
        signed: true,
        columns: &columns,
        any: true,
        and: None,
    };
    let keep = match args.argsort {
        true => Keep::Asked,
        // The text of the rows is kept if the output has the same delimiter: then they are written as they were read.
        false if written == delimiter => Keep::Text,
        false => Keep::All,
    };
    let cells = Cells::read(&asked, keep, &Progress::new("reading", source.size()))?;
    let advice = "; --numeric orders the numbers, and puts the rest last";
    let orders =
        (0..cells.asked()).map(|place| cells.order(place, args.numeric, advice)).collect::<Result<Vec<_>>>()?;
    let down: Vec<bool> = (0..cells.asked()).map(|place| cells.is_down(place) != args.desc).collect();
    let places = cells.sorted(&device.device, &orders, &down)?;
    if args.argsort {
        return write_values(destination, named.unwrap_or(OutputForm::Words), &places.into(), None);
    }
    let progress = Progress::new("writing", Some(cells.rows as u64));
    destination.write(|out| {
        let mut out = WrittenRows::to(out, destination.name(), written);
        cells.write_names(&mut out)?;
        for places in places.chunks(FETCHED) {
            cells.fetch(places);
            places.iter().try_for_each(|&place| cells.write_row(place as usize, &mut out))?;
            progress.step(places.len());
        }
        Ok(())
    })
}

fn sort_values(args: &SortArgs, destination: &Destination, named: Option<OutputForm>) -> Result<()> {
    let for_tables = [("--column", !args.columns.is_empty()), ("--numeric", args.numeric)];
    if let Some((option, _)) = for_tables.iter().find(|(_, given)| *given) {
        return Err(input::no_table(&called(&args.file), option));
    }
    let device = Chosen::open(args.device, Work::Computation)?;
    let common = Common {
        element: args.element,
        array: args.array.clone(),
        header: args.header,
        options: true,
        ..Common::of(&Reading::of(&args.file, args.table), args.device)
    };
    let to_file = match named {
        Some(form @ (OutputForm::Npy | OutputForm::Raw(_))) if destination.has_places() && !args.argsort => Some(form),
        _ => None,
    };
    if let Some(form) = to_file
        && let Some(file) = ArrayFile::open(&common)?
        && args.axis.is_none_or(|_| file.shape.len() == 1)
    {
        args.axis.map(|axis| asked::axis(axis, &file.shape, &file.name)).transpose()?;
        return sort_file(args, (&file, &device), destination, form);
    }
    run::explain_waiting(&common);
    let in_file = to_file.filter(|_| args.axis.is_none()).map(|_| destination.folder());
    let Input { name, values, form, shape, .. } = match (chunks::load(&common, in_file)?, to_file) {
        (Loaded::Whole(input), _) => *input,
        (Loaded::File(file), Some(form)) => return sort_file(args, (&file, &device), destination, form),
        (Loaded::File(file), None) => file.into_input()?,
    };
    let form = named.unwrap_or(OutputForm::of_input(&form));
    match args.argsort {
        true => form.check(Type::U64, destination.name())?,
        false => form.check_as(values.element(), destination.name(), Some("--type"))?,
    }
    let axis = args.axis.map(|axis| asked::axis(axis, &shape, &name)).transpose()?;
    let sort = in_direction(args);
    let (sort, shape) = match axis {
        Some(axis) => (sort.axis(&shape, axis), shape.clone()),
        None => (sort, vec![values.len()]),
    };
    let results = if args.argsort {
        sort.positions(&device.device, values.view()).map(Values::from)
    } else {
        sort.run(&device.device, values.view())
    };
    write_values(destination, form, &results.map_err(|e| Failure::computing(&name, &e))?, Some(&shape))
}

/// Sorts a whole array in a file, also where memory does not hold it.
fn sort_file(
    args: &SortArgs,
    (file, device): (&ArrayFile, &Chosen),
    destination: &Destination,
    form: OutputForm,
) -> Result<()> {
    form.check_as(file.element, destination.name(), Some("--type"))?;
    let header = if form == OutputForm::Npy { npy::header(file.element, &[file.len]) } else { Vec::new() };
    let job =
        chunks::sort::Job { file, device: &device.device, sort: in_direction(args), folder: destination.folder() };
    destination.write_places(|places| {
        places.write(&header, 0)?;
        job.to_places(places, header.len() as u64)
    })
}

fn in_direction(args: &SortArgs) -> Sort<'static> {
    if args.desc { Sort::new().descending() } else { Sort::new() }
}

fn write_values(destination: &Destination, form: OutputForm, values: &Values, shape: Option<&[usize]>) -> Result<()> {
    let progress = Progress::new("writing", Some(values.bytes().len() as u64));
    let flat = [values.len()];
    destination.write(|out| write::write(form, values, shape.unwrap_or(&flat), (out, destination.name()), &progress))
}

/// Number of values that `top` returns without `-k`.
const DEFAULT_K: usize = 10;

/// Runs `upsweep top`.
pub(crate) fn top(args: &TopArgs) -> Result<()> {
    let (destination, named) = run::output(args.output.as_deref())?;
    let form = named.unwrap_or(OutputForm::Words);
    let device = Chosen::open(args.device, Work::Pass)?;
    let common = Common::of(&args.reading, args.device);
    run::explain_waiting(&common);
    let input = chunks::of_array(&common, device.on_host.then(|| destination.folder()))?;
    let (name, len) = match &input {
        Loaded::File(file) => (&file.name, file.len),
        Loaded::Whole(input) => (&input.name, input.values.len()),
    };
    let k = match (args.k, len) {
        (None, len) => DEFAULT_K.min(len),
        (Some(k), 0) if k > 0 => return Err(Failure::Input(format!("-k {k}: {name} has no values"))),
        (Some(k), len) if k > len => {
            let values = if len == 1 { "1 value" } else { &format!("{len} values") };
            return Err(Failure::Input(format!("-k {k}: {name} has {values}: ask for -k {len}, which are all")));
        }
        (Some(k), _) => k,
    };
    let (found, places) = match &input {
        Loaded::File(_) if args.rows => return Err(input::no_table(&called(args.reading.path()), "--rows")),
        Loaded::File(file) => top_of_file(file, &device, k, !args.least)?,
        Loaded::Whole(input) => {
            let found = first_of(&device.device, input.values.view(), k, !args.least);
            let (found, mut places) = found.map_err(|e| Failure::computing(name, &e))?;
            // A row has the index that it has in the table.
            places.iter_mut().for_each(|place| *place = position_with(input.left_out(), *place as usize) as u64);
            if args.rows {
                return write_top_rows(args, input, &places, (&destination, named));
            }
            (found, places)
        }
    };
    if args.indices {
        form.check(Type::U64, destination.name())?;
        return write_values(&destination, form, &places.into(), None);
    }
    form.check_as(found.element(), destination.name(), Some("--type"))?;
    match form {
        OutputForm::Words | OutputForm::Table { .. } => {
            let delimiter = if let OutputForm::Table { delimiter } = form { delimiter } else { b'\t' };
            print(&destination, |out| {
                if matches!(form, OutputForm::Table { .. }) {
                    writeln!(out, "value{}index", char::from(delimiter))?;
                }
                let mut text = Vec::new();
                for (index, place) in places.iter().enumerate() {
                    text.clear();
                    format(&found, index, &mut text);
                    out.write_all(&text)?;
                    writeln!(out, "{}{place}", char::from(delimiter))?;
                }
                Ok(())
            })
        }
        OutputForm::Npy | OutputForm::Raw(_) => write_values(&destination, form, &found, None),
    }
}

/// Returns the first `k` values of a file in order and their indices, as [`first_of`] does: those of each chunk and of all before it.
fn top_of_file(file: &ArrayFile, device: &Chosen, k: usize, largest: bool) -> Result<(Values, Vec<u64>)> {
    let failed = |e| Failure::computing(&file.name, &e);
    let (mut found, mut places) = (Values::zeroed(file.element, 0).map_err(failed)?, Vec::new());
    // A chunk is longer than what it is put together with.
    chunks::pass(file, k.saturating_mul(2), "selecting", &mut |start, chunk| {
        let first = |x: View<'_>| first_of(&device.device, x, k.min(x.len()), largest).map_err(failed);
        let (own, mut own_places) = first(chunk.view())?;
        own_places.iter_mut().for_each(|place| *place += start as u64);
        let mut both = Values::zeroed(file.element, found.len() + own.len()).map_err(failed)?;
        both.view_mut().put(0, found.view());
        both.view_mut().put(found.len(), own.view());
        // Of equal values the first ones come first, and those of earlier chunks are before.
        let (all, order) = first(both.view())?;
        let place = |at: u64| {
            let at = at as usize;
            places.get(at).or_else(|| own_places.get(at - places.len())).copied().unwrap_or_default()
        };
        places = order.into_iter().map(place).collect();
        found = all;
        Ok(())
    })?;
    Ok((found, places))
}

/// Writes the rows at these places of the table that was read.
fn write_top_rows(
    args: &TopArgs,
    input: &Input,
    places: &[u64],
    (destination, named): (&Destination, Option<OutputForm>),
) -> Result<()> {
    let Form::Table { delimiter, layout } = &input.form else {
        return Err(input::no_table(&called(args.reading.path()), "--rows"));
    };
    let delimiter = match named {
        None | Some(OutputForm::Words) => *delimiter,
        Some(OutputForm::Table { delimiter }) => delimiter,
        Some(_) => {
            let reason = "rows are written as a table: end the name in .csv or .tsv, or give --indices";
            return Err(Failure::Input(format!("-o {}: {reason}", destination.name())));
        }
    };
    let progress = Progress::new("reading", None);
    destination.write(|out| layout.write_rows(&input.name, places, delimiter, (out, destination.name()), &progress))
}

/// Runs `upsweep median`: the quantile of one half.
pub(crate) fn median(args: MedianArgs) -> Result<()> {
    let MedianArgs { reading, device, output } = args;
    quantile::quantile(&QuantileArgs { reading, q: vec![0.5], device, output })
}
