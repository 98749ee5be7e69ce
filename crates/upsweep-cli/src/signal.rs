//! Command `upsweep signal`: IIR filters and exponential averages.

use crate::args::{Common, FilterArgs, Of, Pad, SmoothArgs};
use crate::asked::{axis, places};
use crate::carried::Carried;
use crate::chunks::{self, ArrayFile, Loaded};
use crate::collect::append;
use crate::device::{Chosen, Work};
use crate::element::{Type, Values, with_values};
use crate::failure::{Failure, Result, called, one_line, quoted};
use crate::input::{self, Form, Input};
use crate::live::{self, Begun};
use crate::names;
use crate::npy;
use crate::output::Destination;
use crate::print::print;
use crate::progress::Progress;
use crate::run;
use crate::show;
use crate::source::{STANDARD_INPUT, is_standard_input};
use crate::table::each_row;
use crate::wav::{self, Form as WavForm, Sound};
use crate::write::{self, OutputForm};
use std::io::{self, IsTerminal, Read};
use std::path::Path;
use upsweep::{Carry, Device, Error};
use upsweep_apps::signal::{Filter, Padding, Smooth};
use upsweep_dynamic::Number;

/// Runs `upsweep signal filter`.
pub(crate) fn filter(args: &FilterArgs) -> Result<()> {
    let sections = args.sos.as_deref().map(sections).transpose()?;
    let filter = match &sections {
        Some(sections) => Filter::sections(sections),
        None => Filter::new(&args.b, &args.a),
    };
    let padding = match args.pad {
        Pad::Odd => Padding::Odd,
        Pad::Even => Padding::Even,
        Pad::Constant => Padding::Constant,
        Pad::None => Padding::None,
    };
    let named = match &args.sos {
        Some(path) => format!("--sos {}", called(path)),
        None => "--b, --a".to_owned(),
    };
    let run = Run { of: &args.of, word: "filter", options: &named, forward: !args.both_ways };
    run.go(&|device, values, along, carry| {
        macro_rules! filtered {
            ($x:expr, $y:expr) => {{
                let filter = along.map_or(filter, |(shape, axis)| filter.axis(shape, axis));
                if let Some(carry) = carry {
                    filter.run_with_carry(device, $x, $y, carry)
                } else if args.both_ways {
                    let both = filter.both_ways().padding(padding);
                    args.pad_length.map_or(both, |n| both.padded_by(n)).run(device, $x, $y)
                } else {
                    filter.run(device, $x, $y)
                }
            }};
        }
        computed!(device, values, filtered)
    })
}

/// Runs `upsweep signal smooth`.
pub(crate) fn smooth(args: &SmoothArgs) -> Result<()> {
    let (smooth, named) = match (args.half_life, args.span) {
        (Some(half_life), _) => (Smooth::half_life(half_life), "--half-life"),
        (None, span) => (Smooth::span(span.unwrap_or(f64::NAN)), "--span"),
    };
    let run = Run { of: &args.of, word: "smooth", options: named, forward: true };
    run.go(&|device, values, along, carry| {
        macro_rules! smoothed {
            ($x:expr, $y:expr) => {{
                let smooth = along.map_or(smooth, |(shape, axis)| smooth.axis(shape, axis));
                match carry {
                    Some(carry) => smooth.run_with_carry(device, $x, $y, carry),
                    None => smooth.run(device, $x, $y),
                }
            }};
        }
        computed!(device, values, smoothed)
    })
}

/// Evaluates `$compute` with values of f32 or f64 in the memory of the device, and copies the results to the host.
macro_rules! computed {
    ($device:expr, $values:expr, $compute:ident) => {
        match $values {
            Values::F32(x) => {
                let (x, mut y) = ($device.upload(x)?, $device.filled(x.len(), 0.0f32)?);
                $compute!(&x, &mut y)?;
                Ok(Values::F32(y.into_vec()?))
            }
            Values::F64(x) => {
                let (x, mut y) = ($device.upload(x)?, $device.filled(x.len(), 0.0f64)?);
                $compute!(&x, &mut y)?;
                Ok(Values::F64(y.into_vec()?))
            }
            _ => Ok(Values::F64(Vec::new())),
        }
    };
}
use computed;

/// Shape of an array, and its axis along which the signals lie; `None` if all values are one signal.
type Along<'a> = Option<(&'a [usize], usize)>;

/// Run of `filter` or `smooth`: the steps from the file to the result, which both share.
struct Run<'a> {
    of: &'a Of,
    /// Name of the result, for its column.
    word: &'a str,
    /// Options of the computation, as error messages name them.
    options: &'a str,
    /// Whether results depend on values before them alone.
    forward: bool,
}

/// Computation: the results of values, after those of the carry if there is one.
type Compute<'a> = &'a (dyn Fn(&Device, &Values, Along<'_>, Option<&mut Carry>) -> upsweep::Result<Values> + Sync);

impl Run<'_> {
    fn go(&self, compute: Compute<'_>) -> Result<()> {
        let Of { ref reading, axis: asked, device, ref output, ref carries } = *self.of;
        let common = Common::of(reading, device);
        let as_sound = output.as_deref().filter(|path| wav::is_wav(path));
        let (destination, named) = match as_sound {
            Some(path) => (Destination::of("-o", path)?, None),
            None => run::output(output.as_deref())?,
        };
        let carried = Carried::named(carries, &[&destination])?;
        let device = Chosen::open(device, Work::Pass)?;
        if let Some(form @ (OutputForm::Npy | OutputForm::Raw(_))) = named
            && destination.has_places()
            && device.on_host
            && self.forward
            && asked.is_none()
            && !wav::is_wav(&common.file)
            && let Some(file) = ArrayFile::open(&common)?
        {
            return self.in_chunks(&file, (&destination, form), &carried, compute);
        }
        run::explain_waiting(&common);
        let is_stream = live::is_stream(output.as_deref(), (&destination, named));
        let in_parts = is_stream && device.on_host && self.forward && asked.is_none();
        let (input, sound) = match in_parts && is_standard_input(&common.file) {
            false => load(&common)?,
            true => match live::begin(&common, true, None)? {
                Begun::Numbers(text) => return self.live(&common, text, (&destination, &carried), compute),
                Begun::Loaded(Loaded::Whole(input)) => (*input, None),
                Begun::Loaded(Loaded::File(file)) => (file.into_input()?, None),
            },
        };
        if let (Some(path), None) = (as_sound, &sound) {
            let reason = format!("{} is no .wav, so nothing says how many values there are in a second", input.name);
            return Err(Failure::Input(format!("-o {}: {reason}: write .npy", called(path))));
        }
        let Input { name, values, shape, form, .. } = input;
        let values = floats(&values, &name, 0)?.unwrap_or(values);
        let form_of_output = named.unwrap_or(OutputForm::of_input(&form));
        check_form(form_of_output, values.element(), &destination)?;
        let axis = match asked {
            Some(asked) => Some(axis(asked, &shape, &name)?),
            // Each channel of sound is a signal of its own, along axis 0.
            None => sound.filter(|_| shape.len() > 1).map(|_| 0),
        };
        let along = axis.map(|axis| (&shape[..], axis));
        let mut carry = if carried.is_asked() { Some(self.read(&carried)?) } else { None };
        let results = compute(&device.device, &values, along, carry.as_mut()).map_err(|e| self.failed(&name, e))?;
        let to = destination.name();
        if let (Some(sound), Some(_)) = (sound, as_sound) {
            let bytes = wav::written(&results, sound, to)?;
            destination.write(|out| out.write_all(&bytes).map_err(|e| Failure::writing(to, &e)))?;
        } else if output.is_none() && io::stdout().is_terminal() {
            let (sample, places) = (show::sample(&values), places(&form, &shape));
            let column = if let Form::Table { layout, .. } = &form { layout.column() } else { "value" };
            print(&destination, |out| show::table(out, (&sample, column), (&results, self.word), &places))?;
        } else {
            let progress = Progress::new("writing", None);
            destination.write(|out| match (&form, form_of_output) {
                (Form::Table { layout, .. }, OutputForm::Table { delimiter }) => {
                    layout.write_joined((&name, self.word), &results, delimiter, (out, to), &progress)
                }
                _ => write::write(form_of_output, &results, &shape, (out, to), &progress),
            })?;
        }
        carry.map_or(Ok(()), |carry| self.store(&carried, &carry))
    }

    /// Filters an array in a file, which is read, computed and written at the same time.
    fn in_chunks(
        &self,
        file: &ArrayFile,
        (destination, form): (&Destination, OutputForm),
        carried: &Carried<'_>,
        compute: Compute<'_>,
    ) -> Result<()> {
        let element = if matches!(file.element, Type::F16 | Type::F32) { Type::F32 } else { Type::F64 };
        check_form(form, element, destination)?;
        let header = if form == OutputForm::Npy { npy::header(element, &file.shape) } else { Vec::new() };
        let device = Device::cpu();
        let job = chunks::signal::Job {
            file,
            floats: &|values, start| floats(values, &file.name, start),
            compute: &|x, carry| compute(&device, x, None, Some(carry)).map_err(|e| self.failed(&file.name, e)),
            begin: header.len() as u64,
        };
        let mut carry = self.read(carried)?;
        destination.write_places(|places| {
            places.write(&header, 0)?;
            carry = job.run(std::mem::take(&mut carry), places)?;
            Ok(())
        })?;
        self.store(carried, &carry)
    }

    /// Filters numbers on standard input as they come.
    fn live(
        &self,
        common: &Common,
        text: Box<dyn Read>,
        (destination, carried): (&Destination, &Carried<'_>),
        compute: Compute<'_>,
    ) -> Result<()> {
        /// Number of values that are filtered one after the other: so the bits do not depend on how many come at a time.
        const SERIAL: usize = 256;
        let (device, mut carry, mut start) = (Device::cpu(), self.read(carried)?, 0);
        live::answer(common.element, text, destination, |values| {
            let converted = floats(values, STANDARD_INPUT, start)?;
            let x = converted.as_ref().unwrap_or(values);
            start += values.len();
            let failed = |e| Failure::computing(STANDARD_INPUT, &e);
            let mut all = Values::zeroed(x.element(), 0).map_err(failed)?;
            for begin in (0..x.len()).step_by(SERIAL) {
                let part = x.view().part(begin..(begin + SERIAL).min(x.len())).to_values().map_err(failed)?;
                let results = compute(&device, &part, None, Some(&mut carry));
                append(&mut all, &results.map_err(|e| self.failed(STANDARD_INPUT, e))?, STANDARD_INPUT)?;
            }
            Ok(all)
        })?;
        self.store(carried, &carry)
    }

    /// Reads the carry of `--carry-in`, or returns a new one.
    fn read(&self, carried: &Carried<'_>) -> Result<Carry> {
        let Some((name, bytes)) = carried.bytes()? else { return Ok(Carry::new()) };
        Carry::from_bytes(&bytes).map_err(|e| Failure::input(&name, one_line(&e.to_string())))
    }

    /// Writes the carry to the file of `--carry-out`, if it is asked for.
    fn store(&self, carried: &Carried<'_>, carry: &Carry) -> Result<()> {
        let bytes = carry.to_bytes().map_err(|e| self.failed("--carry-out", e))?;
        carried.store(&bytes)
    }

    /// Converts an error of the library into a failure that names the user's options.
    fn failed(&self, name: &str, error: Error) -> Failure {
        match &error {
            Error::Coefficients { what, .. } if what.starts_with("the padding") => Failure::input(name, &error),
            Error::Coefficients { .. } => Failure::Input(format!("{}: {}", self.options, one_line(&error.to_string()))),
            _ => Failure::computing(name, &error.into()),
        }
    }
}

/// Reads a signal. If it is a sound file, returns its sample format, too.
pub(crate) fn load(common: &Common) -> Result<(Input, Option<WavForm>)> {
    if !wav::is_wav(&common.file) || common.table.is_table() {
        return Ok((input::load(common)?, None));
    }
    let name = called(&common.file);
    let given = [
        ("--column", common.column.is_some()),
        ("--type", common.element.is_some()),
        ("--missing", common.missing.is_asked()),
    ];
    for (option, given) in given {
        if given {
            return Err(Failure::input(&name, format!("is sound, which has no {option}")));
        }
    }
    let Sound { form: sound, values, shape } = wav::read(&common.file, &name)?;
    Ok((Input { name, values, shape, form: Form::Words, keys: None, missing: 0 }, Some(sound)))
}

/// Fails if results of this type cannot go to the destination in this form.
fn check_form(form: OutputForm, element: Type, destination: &Destination) -> Result<()> {
    // The option for the type can only help if the output's type is f32 or f64: results for f32 are f32, and all
    // others f64.
    let is_result = matches!(form, OutputForm::Raw(Some(Type::F32 | Type::F64)));
    form.check_as(element, destination.name(), is_result.then_some("--type"))
}

/// Converts values to floats, unless they are: f16 to f32, and integers to f64. Fails if an integer is not exactly a value
/// of f64. `start`: index of the first value in its file.
fn floats(values: &Values, name: &str, start: usize) -> Result<Option<Values>> {
    if matches!(values.element(), Type::F32 | Type::F64) {
        return Ok(None);
    }
    if let Values::F16(x) = values {
        return Ok(Some(Values::F32(x.iter().map(|x| x.to_f32()).collect())));
    }
    let float = |(at, number): (usize, Number)| match number {
        Number::Float(x) => Ok(x),
        Number::Integer(n) if n as f64 as i128 == n => Ok(n as f64),
        Number::Integer(n) => {
            let at = start + at;
            Err(Failure::input(name, format!("value {at} is {n}, which is no f64: the next is {}", n as f64)))
        }
    };
    let numbers: Result<Vec<f64>> =
        with_values!(values, x => x.iter().map(|&x| Number::from(x)).enumerate().map(float).collect());
    Ok(Some(Values::F64(numbers?)))
}

/// Reads the sections of a filter from a file: six numbers in each row.
fn sections(path: &Path) -> Result<Vec<[f64; 6]>> {
    let name = called(path);
    if names::is_npy(path) {
        let reading = crate::args::Reading::of(path, crate::args::TableForm::default());
        let Input { values, shape, .. } = input::load(&Common::of(&reading, crate::device::DeviceChoice::Cpu))?;
        if shape.get(1) != Some(&6) || shape.len() != 2 {
            return Err(Failure::input(&name, format!("has the shape {shape:?}: sections are rows of 6 numbers")));
        }
        let values = match floats(&values, &name, 0)?.unwrap_or(values) {
            Values::F32(x) => x.into_iter().map(f64::from).collect(),
            Values::F64(x) => x,
            _ => Vec::new(),
        };
        return Ok(values.as_chunks().0.to_vec());
    }
    let Some(delimiter) = names::delimiter(path) else {
        return Err(Failure::input(&name, "sections are in a .npy, .csv or .tsv file"));
    };
    let (source, _) = input::open_table(path, Default::default())?;
    let mut all = Vec::new();
    each_row(&source, &name, delimiter, |_, row| {
        let number = |cell: &[u8]| {
            let text = String::from_utf8_lossy(cell.trim_ascii());
            text.parse::<f64>().map_err(|_| format!("{} is no number", quoted(&text)))
        };
        let numbers = row.iter().map(number).collect::<std::result::Result<Vec<f64>, String>>()?;
        let found = numbers.len();
        let section = <[f64; 6]>::try_from(numbers);
        all.push(section.map_err(|_| format!("has {found} numbers: a section has 6"))?);
        Ok(())
    })?;
    Ok(all)
}
