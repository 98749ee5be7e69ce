//! Commands `upsweep select`, `unique`, `runs` and `expand`: results whose number depends on the values.

use crate::args::{Common, ExpandArgs, Reading, RunsArgs, SelectArgs, UniqueArgs};
use crate::categories::{self, Categories};
use crate::chunks::{self, ArrayFile};
use crate::collect;
use crate::device::{Chosen, Work};
use crate::element::{Type, Values, format, with_values};
use crate::elements::{mark, of_elements};
use crate::expression::Expression;
use crate::failure::{Failure, Result, called};
use crate::input::{self, Input};
use crate::names;
use crate::npy;
use crate::output::Destination;
use crate::progress::Progress;
use crate::run;
use crate::table::{Filter, Selected, WrittenRows};
use crate::write::{self, OutputForm};
use rayon::prelude::*;
use std::io::Write;
use std::path::{Path, PathBuf};
use upsweep_core::memory;
use upsweep_dynamic::View;

/// Runs `upsweep select`: stream compaction of values or rows.
pub(crate) fn select(args: &SelectArgs) -> Result<()> {
    let (destination, named) = run::output(args.output.as_deref())?;
    input::check_array(args.array.as_deref(), &args.file)?;
    match args.table.delimiter(names::delimiter(&args.file)) {
        Some(delimiter) => select_rows(args, delimiter, &destination, named),
        None => select_values(args, &destination, named),
    }
}

/// Selects rows of a table. They are read once, and each is written as it is read.
fn select_rows(args: &SelectArgs, delimiter: u8, destination: &Destination, named: Option<OutputForm>) -> Result<()> {
    if args.element.is_some() {
        return Err(Failure::Input("--type is for arrays: a column is what it is compared with".to_owned()));
    }
    let (source, name) = input::open_table(&args.file, args.table.text(delimiter))?;
    let progress = Progress::new("reading", source.size());
    let (condition, sets, keep, na) = (args.condition.as_deref(), &*args.set, args.keep.as_deref(), &*args.na);
    let filter = Filter { source: &source, name: &name, delimiter, header: args.header, condition, sets, keep, na };
    if args.indices {
        let form = named.unwrap_or(OutputForm::Words);
        form.check(Type::U64, destination.name())?;
        let mut indices: Vec<u64> = Vec::new();
        filter.run(&progress, |index, _| {
            if let Some(index) = index {
                collect::push(&mut indices, index).map_err(|e| e.failure(&name, Failure::Run))?;
            }
            Ok(())
        })?;
        drop(progress);
        return write_values(destination, form, &indices.into());
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
        let mut out = WrittenRows::to(out, destination.name(), delimiter);
        filter.run(&progress, |_, row| match row {
            Selected::Whole(row) => out.write_as_read(row),
            Selected::Cells(cells) => out.write(cells),
        })
    })
}

fn select_values(args: &SelectArgs, destination: &Destination, named: Option<OutputForm>) -> Result<()> {
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
    if let Some(form @ (OutputForm::Npy | OutputForm::Raw(_))) = named
        && destination.has_places()
        && device.on_host
        && let Some(file) = ArrayFile::open(&common)?
    {
        return select_file((args, condition), &file, destination, form);
    }
    run::explain_waiting(&common);
    let Input { name, values, form, .. } = input::load(&common, false)?;
    let condition = of_elements(condition, values.element())?;
    let form = named.unwrap_or(OutputForm::of_input(&form));
    match args.indices {
        true => form.check(Type::U64, destination.name())?,
        false => form.check_as(values.element(), destination.name(), Some("--type"))?,
    }
    let flags = flags(&condition, &values, &name)?;
    let failed = |e| Failure::computing(&name, &e);
    let results = if args.indices {
        upsweep_dynamic::select_indices(&device.device, &flags).map_err(failed)?.into()
    } else {
        upsweep_dynamic::select(&device.device, values.view(), &flags).map_err(failed)?
    };
    write_values(destination, form, &results)
}

/// Selects from an array in a file, which is read, tested and written at the same time.
fn select_file(
    (args, condition): (&SelectArgs, &str),
    file: &ArrayFile,
    destination: &Destination,
    form: OutputForm,
) -> Result<()> {
    let condition = of_elements(condition, file.element)?;
    let element = if args.indices { Type::U64 } else { file.element };
    form.check_as(element, destination.name(), Some("--type").filter(|_| !args.indices))?;
    // Headers of one axis are equally long.
    let header = |len| if form == OutputForm::Npy { npy::header(element, &[len]) } else { Vec::new() };
    let begin = header(file.len).len() as u64;
    let job = chunks::select::Job { file, condition: &condition, indices: args.indices, begin };
    destination.write_places(|places| places.write(&header(job.run(places)?), 0))
}

/// Returns for each value whether the condition holds.
fn flags(condition: &Expression, values: &Values, name: &str) -> Result<Vec<bool>> {
    const PART: usize = 1 << 14;
    let mut flags = memory::filled(values.len(), false).map_err(|_| Failure::memory(name, values.len()))?;
    with_values!(values, x => {
        let parts = flags.par_chunks_mut(PART).zip(x.par_chunks(PART)).enumerate();
        parts.try_for_each(|(part, (flags, x))| mark(condition, x, part * PART, flags, name))
    })?;
    Ok(flags)
}

fn write_values(destination: &Destination, form: OutputForm, values: &Values) -> Result<()> {
    let progress = Progress::new("writing", Some(values.bytes().len() as u64));
    destination.write(|out| write::write(form, values, &[values.len()], (out, destination.name()), &progress))
}

/// Destinations of a command with several results: values, and lists of integers beside them.
struct Outputs {
    values: Destination,
    values_form: Option<OutputForm>,
    numbers: Vec<Option<(Destination, Option<OutputForm>)>>,
}

impl Outputs {
    /// Resolves the destinations of the options. The first option is that of the values.
    fn new<const N: usize>(options: [(&'static str, &Option<PathBuf>); N]) -> Result<Self> {
        let mut all = Vec::with_capacity(N);
        for (destination, (_, path)) in Destination::several(options)?.into_iter().zip(options) {
            let form = match (&destination, path) {
                (Some(destination), Some(path)) => run::form_of(destination, path)?,
                _ => None,
            };
            all.push(destination.map(|destination| (destination, form)));
        }
        let numbers = all.split_off(1);
        for (beside, form) in numbers.iter().flatten() {
            form.unwrap_or(OutputForm::Words).check(Type::U64, beside.name())?;
        }
        let values = all.pop().flatten();
        let (values, values_form) = values.unwrap_or_else(|| (Destination::standard_output(), None));
        Ok(Self { values, values_form, numbers })
    }

    /// Returns the values to compute with. Fails if they cannot be written in this form.
    fn check<'a>(&self, categories: &'a Categories, form: OutputForm) -> Result<&'a Values> {
        match categories {
            Categories::Numbers(values) => {
                form.check_as(values.element(), self.values.name(), Some("--type"))?;
                Ok(values)
            }
            Categories::Texts(coded) if matches!(form, OutputForm::Words | OutputForm::Table { .. }) => {
                Ok(&coded.codes)
            }
            Categories::Texts(_) => {
                let reason = "the values are texts, which are written as a table: end the name in .csv or .tsv";
                Err(Failure::Input(format!("-o {}: {reason}", self.values.name())))
            }
        }
    }

    /// Writes the integers of an option, if it was given. `option` counts the options after the first one, from 0.
    fn write_numbers(&self, option: usize, numbers: Vec<u64>) -> Result<()> {
        let Some(Some((destination, form))) = self.numbers.get(option) else { return Ok(()) };
        write_values(destination, form.unwrap_or(OutputForm::Words), &numbers.into())
    }
}

/// Delimiter of the cells in a form that is a table, and of others.
fn delimiter_of(form: OutputForm) -> u8 {
    if let OutputForm::Table { delimiter } = form { delimiter } else { b'\t' }
}

/// Runs `upsweep unique`.
pub(crate) fn unique(args: &UniqueArgs) -> Result<()> {
    let outputs = Outputs::new([("-o", &args.output), ("--counts", &args.counts), ("--inverse", &args.inverse)])?;
    let device = Chosen::open(args.device, Work::Pass)?;
    let (categories, name) = categories::read(&Common::of(&args.reading, args.device))?;
    let form = outputs.values_form.unwrap_or(OutputForm::Words);
    let values = outputs.check(&categories, form)?;
    let found = upsweep_dynamic::unique(&device.device, values.view(), args.inverse.is_some())
        .map_err(|e| Failure::computing(&name, &e))?;
    match &categories {
        Categories::Numbers(_) => write_values(&outputs.values, form, &found.values)?,
        Categories::Texts(coded) => coded.write(&outputs.values, delimiter_of(form), &found.values, &[], None)?,
    }
    outputs.write_numbers(0, found.counts)?;
    outputs.write_numbers(1, found.inverse.unwrap_or_default())
}

/// Runs `upsweep runs`.
pub(crate) fn runs(args: &RunsArgs) -> Result<()> {
    let outputs = Outputs::new([("-o", &args.output), ("--lengths", &args.lengths)])?;
    let form = outputs.values_form.unwrap_or(OutputForm::Words);
    if args.lengths.is_none() && !matches!(form, OutputForm::Words | OutputForm::Table { .. }) {
        let reason = "values and lengths are a table: end the name in .csv or .tsv, or give --lengths FILE";
        return Err(Failure::Input(format!("-o {}: {reason}", outputs.values.name())));
    }
    let device = Chosen::open(args.device, Work::Pass)?;
    let (categories, name) = categories::read(&Common::of(&args.reading, args.device))?;
    let values = outputs.check(&categories, form)?;
    let (values, lengths) =
        upsweep_dynamic::runs(&device.device, values.view()).map_err(|e| Failure::computing(&name, &e))?;
    if let Categories::Texts(coded) = &categories {
        let mut names = if form == OutputForm::Words || args.lengths.is_some() { Vec::new() } else { coded.names() };
        if !names.is_empty() {
            names.push(b"length");
        }
        let beside = args.lengths.is_none().then_some(&*lengths);
        coded.write(&outputs.values, delimiter_of(form), &values, &names, beside)?;
        return outputs.write_numbers(0, lengths);
    }
    if args.lengths.is_some() {
        write_values(&outputs.values, form, &values)?;
        return outputs.write_numbers(0, lengths);
    }
    let out_name = outputs.values.name();
    outputs.values.write(|out| {
        let failed = |e| Failure::writing(out_name, &e);
        let delimiter = delimiter_of(form);
        if form != OutputForm::Words {
            out.write_all(&[b"value", &[delimiter][..], b"length\n"].concat()).map_err(failed)?;
        }
        let mut text = Vec::new();
        for (index, length) in lengths.iter().enumerate() {
            text.clear();
            format(&values, index, &mut text);
            text.push(delimiter);
            // Writing to a vector cannot fail.
            let _ = writeln!(text, "{length}");
            out.write_all(&text).map_err(failed)?;
        }
        Ok(())
    })
}

/// Runs `upsweep expand`.
pub(crate) fn expand(args: &ExpandArgs) -> Result<()> {
    let (destination, named) = run::output(args.output.as_deref())?;
    let device = Chosen::open(args.device, Work::Pass)?;
    let common = Common::of(&args.reading, args.device);
    run::explain_waiting(&common);
    let Input { name, values: counts, form, .. } = input::load(&common, false)?;
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
    let Input { name, values, .. } =
        input::load(&Common::of(&Reading::of(path, Default::default()), args.device), false)?;
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
