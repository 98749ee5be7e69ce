//! Applications: `upsweep text`, `tree`, `graph`, `poly`, `image`, `terrain` and `sample`.

mod colour;
mod compare;
mod geotiff;
pub(crate) mod graph;
mod grep;
pub(crate) mod grid;
mod icicle;
pub(crate) mod image;
mod lex;
pub(crate) mod picture;
mod pnm;
pub(crate) mod poly;
pub(crate) mod raster;
pub(crate) mod sample;
pub(crate) mod terrain;
pub(crate) mod text;
pub(crate) mod tree;

use crate::args::{Common, Reading, TableForm};
use crate::device::{Chosen, DeviceChoice};
use crate::element::{Type, Values};
use crate::failure::{Failure, Result, called};
use crate::input;
use crate::progress::Progress;
use crate::run;
use crate::source::{STANDARD_INPUT, Source, standard_input};
use crate::text::{Text, TextForm, open as open_text};
use crate::write::{self, OutputForm};
use std::io::Read;
use std::path::Path;
use upsweep::{Array, Input, View};
use upsweep_dynamic::Number;

/// Converts an error of an application into the failure to report: of the run if the library failed, else of the input,
/// which messages call `name`.
fn failed(name: &str, error: impl Into<upsweep_apps::Error>) -> Failure {
    match error.into() {
        upsweep_apps::Error::Library(error) => Failure::computing(name, &upsweep_dynamic::Error::Upsweep(error)),
        error => Failure::input(name, error),
    }
}

/// Opens a file or standard input to read it once, and returns its name in messages.
fn open(path: &Path) -> Result<(Box<dyn Read>, String)> {
    if path.as_os_str() == "-" {
        return Ok((standard_input()?, STANDARD_INPUT.to_owned()));
    }
    let name = called(path);
    Ok((Source::open(path, &name)?.into_reader(), name))
}

/// Reads all bytes of a file or of standard input, and returns them with the name of the file in messages.
fn bytes(path: &Path) -> Result<(Vec<u8>, String)> {
    let (mut reader, name) = open(path)?;
    let mut bytes = vec![];
    reader.read_to_end(&mut bytes).map_err(|e| Failure::reading(&name, &e))?;
    Ok((bytes, name))
}

/// Text file that has been read, for a parser.
struct TextFile {
    /// Content, in UTF-8 and without its mark.
    bytes: Vec<u8>,
    /// Name of the file in messages.
    name: String,
}

impl TextFile {
    fn read(path: &Path, form: TextForm) -> Result<Self> {
        let (file, name) = open(path)?;
        let Text { mut reader, .. } = open_text(file, form, &name)?;
        let mut bytes = vec![];
        reader.read_to_end(&mut bytes).map_err(|e| Failure::reading(&name, &e))?;
        Ok(Self { bytes, name })
    }
}

/// Bytes of an input where the device reads them: for the CPU the slice itself, for a GPU a copy in its memory.
enum There<'a> {
    Host(&'a [u8]),
    Device(Array<u8>),
}

impl<'a> There<'a> {
    fn of(chosen: &Chosen, bytes: &'a [u8]) -> upsweep::Result<Self> {
        if chosen.on_host { Ok(Self::Host(bytes)) } else { Ok(Self::Device(chosen.device.upload(bytes)?)) }
    }
}

impl Input for There<'_> {
    type Item = u8;
    fn view(&self) -> View<'_, u8> {
        match self {
            Self::Host(bytes) => View::Host(bytes),
            Self::Device(bytes) => bytes.view(),
        }
    }
}

/// Reads the values of a file, converted to `element` if it is given, and returns them with the name of the file in
/// messages.
fn values(reading: &Reading, element: Option<Type>, device: DeviceChoice) -> Result<(Values, String)> {
    let read = load(reading, element, device)?;
    Ok((read.values, read.name))
}

/// Reads the values of a file, converted to `element` if it is given.
fn load(reading: &Reading, element: Option<Type>, device: DeviceChoice) -> Result<input::Input> {
    let common = Common::of(reading, device);
    let common = Common { target: element, ..common };
    run::explain_waiting(&common);
    input::load(&common)
}

/// Reads the values of a file, converted to `element` if it is given. In a table they are those of the column `column`.
fn column(path: &Path, column: Option<&str>, element: Option<Type>, device: DeviceChoice) -> Result<input::Input> {
    let common = Common::of(&Reading::of(path, TableForm::default()), device);
    let common = Common { target: element, column: column.map(str::to_owned), ..common };
    input::load(&common)
}

/// Reads a .npy file, and returns its values and its shape.
fn read_array(path: &Path, device: DeviceChoice) -> Result<(Values, Vec<usize>)> {
    let read = input::load(&Common::of(&Reading::of(path, TableForm::default()), device))?;
    Ok((read.values, read.shape))
}

/// Returns the vector in `values`, which the caller has read as f64; an empty one for any other type.
fn floats(values: Values) -> Vec<f64> {
    if let Values::F64(values) = values { values } else { vec![] }
}

/// Converts a number to f64, rounded to nearest.
pub(crate) fn float(value: impl Into<Number>) -> f64 {
    match value.into() {
        Number::Integer(n) => n as f64,
        Number::Float(x) => x,
    }
}

/// Writes results to the file of the option `-o`, in the format of its name, or as text to standard output.
fn write_values(output: Option<&Path>, values: &Values) -> Result<()> {
    let (destination, form) = run::output(output)?;
    let form = form.unwrap_or(OutputForm::Words);
    form.check(values.element(), destination.name())?;
    let progress = Progress::new("writing", None);
    destination.write(|out| write::write(form, values, &[values.len()], (out, destination.name()), &progress))
}
