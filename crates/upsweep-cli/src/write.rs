//! Output formats: writing of an array.

use crate::element::{Type, Values, format};
use crate::failure::{Failure, Result, called};
use crate::input::Form;
use crate::names;
use crate::npy;
use crate::output::Destination;
use crate::progress::Progress;
use std::io::Write;
use std::path::Path;

/// Format of an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OutputForm {
    Npy,
    Table {
        delimiter: u8,
    },
    /// Values alone, in binary. The type is what the ending of the file's name says, if it names one.
    Raw(Option<Type>),
    Words,
}

impl OutputForm {
    /// Returns the format that the name of a file asks for. `option` is the option with the file, for messages.
    pub(crate) fn of_path(option: &str, path: &Path) -> Result<Self> {
        if let Some(delimiter) = names::delimiter(path) {
            return Ok(Self::Table { delimiter });
        }
        if names::is_npy(path) {
            return Ok(Self::Npy);
        }
        let ending = names::ending(path).map(|ending| ending.to_string_lossy().to_lowercase());
        let reason = match ending.as_deref() {
            Some("bin" | "raw") => return Ok(Self::Raw(None)),
            Some(ending) => match names::raw_type(path) {
                Some(element) => return Ok(Self::Raw(Some(element))),
                None => format!("no .{ending} is written"),
            },
            None => "the name has no ending that says what to write".to_owned(),
        };
        let advice = "end it in .npy, .csv or .tsv, or for raw values in .bin, .raw or the type (.f64)";
        let pipe = "`-o -` writes to standard output, for `|` and `>`";
        Err(Failure::Input(format!("{option} {}: {reason}: {advice}; {pipe}", called(path))))
    }

    /// Fails if the output `name` has a type in its name other than `element`, that of the values.
    pub(crate) fn check(self, element: Type, name: &str) -> Result<()> {
        self.check_as(element, name, None)
    }

    /// Fails as [`check`](Self::check) does. The message advises `option` to set the type of the values, if there is
    /// such an option.
    pub(crate) fn check_as(self, element: Type, name: &str, option: Option<&str>) -> Result<()> {
        match self {
            Self::Raw(Some(named)) if named != element => {
                let or = option.map_or_else(String::new, |option| format!(", or give {option} {named}"));
                let reason = format!("the values are {element}, not {named}: name it .{element}{or}");
                Err(Failure::Input(format!("-o {name}: {reason}")))
            }
            _ => Ok(()),
        }
    }

    /// Returns the format of an output that has no name to ask for one: that of the input.
    pub(crate) fn of_input(form: &Form) -> Self {
        match form {
            Form::Npy => Self::Npy,
            Form::Table { delimiter, .. } => Self::Table { delimiter: *delimiter },
            Form::Raw => Self::Raw(None),
            Form::Words => Self::Words,
        }
    }
}

/// Writes `values`, which have one axis, to the destination.
pub(crate) fn write_values(destination: &Destination, form: OutputForm, values: &Values) -> Result<()> {
    let progress = Progress::new("writing", Some(values.bytes().len() as u64));
    destination.write(|out| write(form, values, &[values.len()], (out, destination.name()), &progress))
}

/// Writes `values`, which have this `shape`, to `out`, which messages call `name`.
pub(crate) fn write(
    form: OutputForm,
    values: &Values,
    shape: &[usize],
    (out, name): (&mut dyn Write, &str),
    progress: &Progress,
) -> Result<()> {
    match form {
        OutputForm::Npy => {
            out.write_all(&npy::header(values.element(), shape)).map_err(|e| Failure::writing(name, &e))?;
            write_bytes(values.bytes(), out, name, progress)
        }
        OutputForm::Raw(_) => write_bytes(values.bytes(), out, name, progress),
        OutputForm::Words => write_text(values, shape, b' ', out, name, progress),
        OutputForm::Table { .. } if shape.len() > 2 => {
            let reason = format!("a table has rows and columns, and the result has {} axes: write a .npy", shape.len());
            Err(Failure::input(name, reason))
        }
        OutputForm::Table { delimiter } => write_text(values, shape, delimiter, out, name, progress),
    }
}

fn write_bytes(bytes: &[u8], out: &mut dyn Write, name: &str, progress: &Progress) -> Result<()> {
    const CHUNK: usize = 1 << 20;
    for chunk in bytes.chunks(CHUNK) {
        out.write_all(chunk).map_err(|e| Failure::writing(name, &e))?;
        progress.step(chunk.len());
    }
    Ok(())
}

/// Writes one value per line, or, for an array of several axes, one line per row along the last axis.
fn write_text(
    values: &Values,
    shape: &[usize],
    delimiter: u8,
    out: &mut dyn Write,
    name: &str,
    progress: &Progress,
) -> Result<()> {
    let across = if shape.len() > 1 { shape.last().copied().unwrap_or(1) } else { 1 };
    let mut text = Vec::new();
    // Progress is counted in bytes of the values: the length of the text is not known beforehand.
    let mut done = 0;
    for index in 0..values.len() {
        format(values, index, &mut text);
        text.push(if (index + 1) % across == 0 { b'\n' } else { delimiter });
        if text.len() > 1 << 14 || index + 1 == values.len() {
            out.write_all(&text).map_err(|e| Failure::writing(name, &e))?;
            progress.step((index + 1 - done) * values.element().size());
            done = index + 1;
            text.clear();
        }
    }
    Ok(())
}
