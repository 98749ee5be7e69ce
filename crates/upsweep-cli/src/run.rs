//! The commands `scan` and `reduce`: from the options to the output.

use crate::args::{Common, ReduceArgs, ScanArgs};
use crate::device::Chosen;
use crate::element::{Type, Value, Values, format as format_value, with_type};
use crate::failure::{Failure, Result};
use crate::input::{self, Form, Input};
use crate::output::Destination;
use crate::progress::Progress;
use crate::segments::Given;
use crate::show::{self, Summary};
use crate::write::{self, OutputForm};
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::time::{Duration, Instant};
use upsweep_dynamic::{Error, Number, Reduce, Scan, Segments};

/// `upsweep scan`.
pub(crate) fn scan(args: &ScanArgs) -> Result<()> {
    let common = &args.common;
    let destination = Destination::new(common.output.as_deref())?;
    let device = Chosen::open(common.device)?;
    let mut input = input::load(common, false)?;
    let axis = axis(common, &input)?;
    let on_terminal = common.output.is_none() && io::stdout().is_terminal();
    let sample = if on_terminal { show::sample(&input.values) } else { Vec::new() };
    let given = Given::new(common, &mut input)?;
    let Input { name, values, shape, form, .. } = input;
    let asked = Asked { common, name: &name, device: &device, axis: axis.map(|axis| (&shape[..], axis)) };

    let mut scan = Scan::new(common.op).segments(given.segments());
    if args.exclusive {
        scan = scan.exclusive();
    }
    if args.reverse {
        scan = scan.reverse();
    }
    if let Some(init) = asked.init(values.element())? {
        scan = scan.init(init);
    }
    if let Some((shape, axis)) = asked.axis {
        scan = scan.axis(shape, axis);
    }
    let started = Instant::now();
    let values = scan.run_owned(&device.device, values).map_err(|e| asked.failed(&e))?;
    let time = started.elapsed();

    let (len, element) = (values.len(), values.element());
    let kind = if args.exclusive { "exclusive" } else { "inclusive" };
    let end = if args.reverse { " from the end" } else { "" };
    let what = format!("{kind} {} scan{end}", common.op);
    let summary = asked.summary(what, (len, element), time, 2 * len * element.size());
    if on_terminal {
        let op = common.op.name();
        let (column, place) = match &form {
            Form::Table { layout, .. } => (layout.column(), ("row", 1)),
            _ => ("value".to_owned(), ("at", 0)),
        };
        return print(&Destination::StandardOutput, |out| {
            show::table(out, (&sample, &column), (&values, op), place)?;
            writeln!(out, "{summary}")
        });
    }
    let output_form = output_form(common, &form);
    let progress = Progress::new("writing", Some((values.len() * values.element().size()) as u64));
    let out_name = destination.name();
    destination.write(|out| match (&form, output_form) {
        (Form::Table { layout, .. }, OutputForm::Table { delimiter }) => {
            let progress = Progress::new("writing", std::fs::metadata(&common.file).ok().map(|m| m.len()));
            layout.write_joined((&name, common.op.name()), &values, delimiter, (out, &out_name), &progress)
        }
        _ => write::write(output_form, &values, &shape, (out, &out_name), &progress),
    })?;
    drop(progress);
    report(common, &summary);
    Ok(())
}

/// `upsweep reduce`.
pub(crate) fn reduce(args: &ReduceArgs) -> Result<()> {
    let common = &args.common;
    let destination = Destination::new(common.output.as_deref())?;
    let device = Chosen::open(common.device)?;
    let mut input = input::load(common, true)?;
    let axis = axis(common, &input)?;
    let given = Given::new(common, &mut input)?;
    let Input { name, values, shape, form, keys } = input;
    let asked = Asked { common, name: &name, device: &device, axis: axis.map(|axis| (&shape[..], axis)) };

    let mut reduce = Reduce::new(common.op).segments(given.segments());
    if let Some(init) = asked.init(values.element())? {
        reduce = reduce.init(init);
    }
    if let Some((shape, axis)) = asked.axis {
        reduce = reduce.axis(shape, axis);
    }
    let started = Instant::now();
    let results = reduce.run(&device.device, values.view()).map_err(|e| asked.failed(&e))?;
    let time = started.elapsed();

    let results_shape: Vec<usize> = match (given.segments(), axis) {
        (Segments::Whole, None) => Vec::new(),
        (Segments::Whole, Some(axis)) => {
            shape.iter().enumerate().filter(|(k, _)| *k != axis).map(|(_, &n)| n).collect()
        }
        _ => vec![results.len()],
    };
    let (len, element) = (values.len(), values.element());
    let summary = asked.summary(format!("{} reduction", common.op), (len, element), time, len * element.size());
    let output_form = match common.output.as_deref().filter(|path| path.as_os_str() != "-") {
        Some(path) => OutputForm::of_path(path),
        None => OutputForm::Words,
    };
    let out_name = destination.name();
    destination.write(|out| {
        let delimiter = match output_form {
            OutputForm::Table { delimiter } => Some(delimiter),
            OutputForm::Words => Some(b'\t'),
            OutputForm::Npy | OutputForm::Raw => None,
        };
        match (&keys, delimiter, &form) {
            (Some(keys), Some(delimiter), Form::Table { layout, .. }) => {
                let names = layout.key_names().filter(|_| output_form != OutputForm::Words);
                keyed(&keys.texts, names, common.op.name(), &results, delimiter, (out, &out_name))
            }
            _ => {
                let progress = Progress::new("writing", None);
                write::write(output_form, &results, &results_shape, (out, &out_name), &progress)
            }
        }
    })?;
    report(common, &summary);
    Ok(())
}

/// Writes each segment's key and its result.
fn keyed(
    keys: &csv::ByteRecord,
    names: Option<(&str, &str)>,
    op: &str,
    results: &Values,
    delimiter: u8,
    (out, out_name): (&mut dyn Write, &str),
) -> Result<()> {
    let mut out = csv::WriterBuilder::new().delimiter(delimiter).from_writer(out);
    let failed = |e: csv::Error| match e.into_kind() {
        csv::ErrorKind::Io(e) => Failure::writing(out_name, &e),
        other => Failure::Run(format!("{out_name}: writing failed: {other:?}")),
    };
    if let Some((key, column)) = names {
        out.write_record([key, &format!("{column}_{op}")]).map_err(failed)?;
    }
    let mut text = Vec::new();
    for (index, key) in keys.iter().enumerate() {
        text.clear();
        format_value(results, index, &mut text);
        out.write_record([key, &text]).map_err(failed)?;
    }
    out.flush().map_err(|e| Failure::writing(out_name, &e))
}

/// The axis that the user means, counted from 0.
fn axis(common: &Common, input: &Input) -> Result<Option<usize>> {
    let Some(asked) = common.axis else { return Ok(None) };
    let axes = input.shape.len();
    let from_start = if asked < 0 { asked.checked_add_unsigned(axes as u64) } else { Some(asked) };
    match from_start.and_then(|axis| usize::try_from(axis).ok()).filter(|&axis| axis < axes) {
        Some(axis) => Ok(Some(axis)),
        None => {
            let reason = match axes {
                0 => "a single value has no axes".to_owned(),
                1 => "there is one axis, 0".to_owned(),
                _ => format!("the shape {:?} has the axes 0 to {}", input.shape, axes - 1),
            };
            Err(Failure::input(&input.name, format!("has no axis {asked}: {reason}")))
        }
    }
}

fn output_form(common: &Common, form: &Form) -> OutputForm {
    match common.output.as_deref().filter(|path| *path != Path::new("-")) {
        Some(path) => OutputForm::of_path(path),
        None => OutputForm::of_input(form),
    }
}

/// What was asked for, as far as scans and reductions share it.
struct Asked<'a> {
    common: &'a Common,
    /// How messages call the input.
    name: &'a str,
    device: &'a Chosen,
    /// The shape and the axis to work along.
    axis: Option<(&'a [usize], usize)>,
}

impl<'a> Asked<'a> {
    /// The initial value, for elements of this type.
    fn init(&self, element: Type) -> Result<Option<Number>> {
        let Some(text) = &self.common.init else { return Ok(None) };
        let number = with_type!(element, T => T::parse(text.trim()).map(Number::from));
        let wrong = |reason| format!("--init: {reason} ({} has elements of {element})", self.name);
        number.map(Some).map_err(|reason| Failure::Input(wrong(reason)))
    }

    fn failed(&self, error: &Error) -> Failure {
        match (error, &self.common.segments) {
            (Error::Offsets { .. }, Some(path)) => Failure::input(&path.display().to_string(), error),
            _ => Failure::computing(self.name, error),
        }
    }

    fn summary(&self, mut what: String, (len, element): (usize, Type), time: Duration, bytes: usize) -> Summary<'a> {
        if let Some((shape, axis)) = self.axis {
            what.push_str(&format!(" along axis {axis} of {shape:?}"));
        }
        if self.common.by_key.is_some() || self.common.segments.is_some() {
            what.push_str(" by segment");
        }
        Summary { len, element: element.name(), what, device: &self.device.label, time, bytes }
    }
}

/// With an output file a person at a terminal still learns what was done.
fn report(common: &Common, summary: &Summary<'_>) {
    let to_file = common.output.as_deref().is_some_and(|path| path != Path::new("-"));
    if to_file && io::stderr().is_terminal() {
        // Nothing is lost if the terminal is gone.
        let _ = writeln!(io::stderr(), "{summary}");
    }
}

/// Lets `print` print to `destination`.
pub(crate) fn print(destination: &Destination, print: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
    let name = destination.name();
    destination.write(|out| print(out).map_err(|e| Failure::writing(&name, &e)))
}
