//! Commands `upsweep unique` and `runs`: equal values, all of them and those that are neighbours.

use crate::args::{Common, RunsArgs, UniqueArgs};
use crate::carried::Carried;
use crate::categories::{self, Categories, TextColumns};
use crate::chunks::run_lengths::{self, Joined};
use crate::chunks::{self, ArrayFile};
use crate::collect::{self, Refused};
use crate::column::Numbers;
use crate::device::{Chosen, Work};
use crate::element::{Type, format};
use crate::failure::{Failure, Result};
use crate::grown;
use crate::output::Destination;
use crate::run;
use crate::write::{OutputForm, write_values};
use std::io::Write;
use std::path::PathBuf;
use upsweep::Device;
use upsweep_dynamic::Sort;

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

    /// Fails if values of this type cannot be written in this form.
    fn check_numbers(&self, element: Type, form: OutputForm) -> Result<()> {
        form.check_as(element, self.values.name(), Some("--type"))
    }

    /// Fails if texts cannot be written in this form.
    fn check_texts(&self, form: OutputForm) -> Result<()> {
        if matches!(form, OutputForm::Words | OutputForm::Table { .. }) {
            return Ok(());
        }
        let reason = "the values are texts, which are written as a table: end the name in .csv or .tsv";
        Err(Failure::Input(format!("-o {}: {reason}", self.values.name())))
    }

    /// Lets `act` write values of this type, and the integers of the first option beside them, if it was given.
    fn write_grown(
        &self,
        (form, element): (OutputForm, Type),
        act: impl FnOnce(&mut run_lengths::Take<'_>) -> Result<()>,
    ) -> Result<()> {
        let Some(Some((beside, beside_form))) = self.numbers.first() else {
            return grown::write(&self.values, (form, element), |next| act(&mut |values, _| next(values)));
        };
        let beside_form = (beside_form.unwrap_or(OutputForm::Words), Type::U64);
        if beside.is(&self.values) {
            // One comes after the other.
            let mut all = Vec::new();
            grown::write(&self.values, (form, element), |next| {
                act(&mut |values, numbers| {
                    numbers
                        .iter()
                        .try_for_each(|&number| collect::push(&mut all, number))
                        .map_err(|refused| refused.failure(beside.name(), Failure::Run))?;
                    next(values)
                })
            })?;
            return write_values(beside, beside_form.0, &all.into());
        }
        grown::write(beside, beside_form, |next_number| {
            grown::write(&self.values, (form, element), |next| {
                act(&mut |values, numbers| {
                    next(values)?;
                    next_number(&numbers.to_vec().into())
                })
            })
        })
    }

    /// All destinations.
    fn all(&self) -> Vec<&Destination> {
        [&self.values].into_iter().chain(self.numbers.iter().flatten().map(|(destination, _)| destination)).collect()
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
    let common = Common::of(&args.reading, args.device);
    let form = outputs.values_form.unwrap_or(OutputForm::Words);
    let in_file = device.on_host && args.inverse.is_none();
    let found = match categories::read(&common, in_file, outputs.values.folder())? {
        Categories::Numbers(Numbers::Many(file)) => return unique_in_file(&file, &outputs, form),
        Categories::Texts(texts) => return unique_texts(&texts, &outputs, form),
        Categories::Numbers(Numbers::Few(values, name)) => {
            outputs.check_numbers(values.element(), form)?;
            upsweep_dynamic::unique(&device.device, values.view(), args.inverse.is_some())
                .map_err(|e| Failure::computing(&name, &e))?
        }
    };
    write_values(&outputs.values, form, &found.values)?;
    outputs.write_numbers(0, found.counts)?;
    outputs.write_numbers(1, found.inverse.unwrap_or_default())
}

/// Writes the distinct texts of columns.
fn unique_texts(texts: &TextColumns<'_>, outputs: &Outputs, form: OutputForm) -> Result<()> {
    outputs.check_texts(form)?;
    let found = texts.distinct(outputs.numbers.get(1).is_some_and(Option::is_some))?;
    let names = if form == OutputForm::Words { Vec::new() } else { texts.names() };
    categories::write(&outputs.values, delimiter_of(form), &names, |out| {
        (0..found.counts.len()).try_for_each(|row| out.write(found.row(row, texts.width())))
    })?;
    outputs.write_numbers(0, found.counts)?;
    outputs.write_numbers(1, found.inverse)
}

/// Writes the distinct values of an array in a file, which is sorted, in runs on the disk where memory does not hold it.
fn unique_in_file(file: &ArrayFile, outputs: &Outputs, form: OutputForm) -> Result<()> {
    outputs.check_numbers(file.element, form)?;
    let (device, sort) = (&Device::cpu(), Sort::new());
    let job = chunks::sort::Job { file, device, sort, folder: outputs.values.folder() };
    outputs.write_grown((form, file.element), |take| {
        let mut distinct = run_lengths::Distinct::default();
        job.run(&mut |sorted, _, done| {
            distinct.add(sorted, &file.name, take)?;
            done(sorted.bytes().len());
            Ok(())
        })?;
        distinct.finish(file.element, &file.name, take)
    })
}

/// Runs `upsweep runs`.
pub(crate) fn runs(args: &RunsArgs) -> Result<()> {
    let outputs = Outputs::new([("-o", &args.output), ("--lengths", &args.lengths)])?;
    let carried = Carried::named(&args.carries, &outputs.all())?;
    let form = outputs.values_form.unwrap_or(OutputForm::Words);
    if args.lengths.is_none() && !matches!(form, OutputForm::Words | OutputForm::Table { .. }) {
        let reason = "values and lengths are a table: end the name in .csv or .tsv, or give --lengths FILE";
        return Err(Failure::Input(format!("-o {}: {reason}", outputs.values.name())));
    }
    let device = Chosen::open(args.device, Work::Pass)?;
    let common = Common::of(&args.reading, args.device);
    match categories::read(&common, device.on_host, outputs.values.folder())? {
        Categories::Numbers(Numbers::Many(file)) => {
            outputs.check_numbers(file.element, form)?;
            runs_of((&outputs, form), &carried, file.element, |joined, take| run_lengths::of_file(&file, joined, take))
        }
        Categories::Numbers(Numbers::Few(values, name)) => {
            outputs.check_numbers(values.element(), form)?;
            let found = upsweep_dynamic::runs(&device.device, values.view());
            let (values, lengths) = found.map_err(|e| Failure::computing(&name, &e))?;
            runs_of((&outputs, form), &carried, values.element(), |mut joined, take| {
                joined.add(values, lengths, take)?;
                Ok(joined)
            })
        }
        Categories::Texts(texts) => {
            outputs.check_texts(form)?;
            carried.refuse("runs of numbers go on in the next part, and these are of texts: give all at once")?;
            runs_of_texts(&texts, &outputs, form)
        }
    }
}

/// Number of lengths that are written at once.
const LENGTHS: usize = 1 << 16;

/// Writes runs of rows with the same texts: their lengths beside them, or where the option for these says.
fn runs_of_texts(texts: &TextColumns<'_>, outputs: &Outputs, form: OutputForm) -> Result<()> {
    let delimiter = delimiter_of(form);
    let Some(Some((beside, beside_form))) = outputs.numbers.first() else {
        let mut names = if form == OutputForm::Words { Vec::new() } else { texts.names() };
        if !names.is_empty() {
            names.push(b"length".to_vec());
        }
        return categories::write(&outputs.values, delimiter, &names, |out| {
            texts.runs(|run, length| out.write(run.iter().copied().chain([length.to_string().as_bytes()])))
        });
    };
    let full = |refused: Refused| refused.failure(beside.name(), Failure::Run);
    let write = |next: &mut dyn FnMut(&mut Vec<u64>) -> Result<()>| {
        let mut lengths = Vec::new();
        categories::write(&outputs.values, delimiter, &[], |out| {
            texts.runs(|run, length| {
                collect::push(&mut lengths, length).map_err(full)?;
                if lengths.len() >= LENGTHS {
                    next(&mut lengths)?;
                }
                out.write(run.iter().copied())
            })
        })?;
        next(&mut lengths)?;
        Ok(lengths)
    };
    if beside.is(&outputs.values) {
        // One comes after the other.
        return outputs.write_numbers(0, write(&mut |_| Ok(()))?);
    }
    let beside_form = beside_form.unwrap_or(OutputForm::Words);
    grown::write(beside, (beside_form, Type::U64), |next| {
        write(&mut |lengths| next(&std::mem::take(lengths).into())).map(drop)
    })
}

/// Writes runs of values of this type, which `find` finds after those before: with `--carry-out` but the last one, to which values
/// that follow may belong.
fn runs_of(
    (outputs, form): (&Outputs, OutputForm),
    carried: &Carried<'_>,
    element: Type,
    find: impl FnOnce(Joined, &mut run_lengths::Take<'_>) -> Result<Joined>,
) -> Result<()> {
    let kind = format!("runs {element}");
    let joined = Joined::of_numbers(element, &carried.numbers(&kind)?.unwrap_or_default());
    let joined = joined.ok_or_else(|| Failure::input("--carry-in", "has no run of these values"))?;
    let mut open = Vec::new();
    let act = |take: &mut run_lengths::Take<'_>| {
        let found = find(joined, take)?;
        if !carried.is_handed_on() {
            return found.finish(take);
        }
        open = found.numbers();
        Ok(())
    };
    if outputs.numbers.first().is_some_and(Option::is_some) {
        outputs.write_grown((form, element), act)?;
    } else {
        write_lines(&outputs.values, form, act)?;
    }
    carried.store_numbers(&kind, &open)
}

/// Lets `act` write runs, a line for each.
fn write_lines(
    destination: &Destination,
    form: OutputForm,
    act: impl FnOnce(&mut run_lengths::Take<'_>) -> Result<()>,
) -> Result<()> {
    destination.write_by_threads(|out| {
        let failed = |e| Failure::writing(destination.name(), &e);
        let delimiter = delimiter_of(form);
        if form != OutputForm::Words {
            out.write_all(&[b"value", &[delimiter][..], b"length\n"].concat()).map_err(failed)?;
        }
        let mut text = Vec::new();
        act(&mut |values, lengths| {
            text.clear();
            for (index, length) in lengths.iter().enumerate() {
                format(values, index, &mut text);
                text.push(delimiter);
                // Writing to a vector cannot fail.
                let _ = writeln!(text, "{length}");
            }
            out.write_all(&text).map_err(failed)
        })
    })
}
