//! Command `upsweep text compare`: the first difference of two files, which are read part by part.

use super::{failed, open};
use crate::args::apps::Compare;
use crate::args::{Common, Reading, TableForm};
use crate::chunks::{ArrayFile, in_file};
use crate::device::{Chosen, DeviceChoice, Work};
use crate::element::{Type, Values, format};
use crate::failure::{Failure, Result, called};
use crate::input::{self, Input};
use crate::names;
use crate::output::Destination;
use crate::print::print;
use std::io::Read;
use std::path::Path;
use upsweep::{Device, Element};
use upsweep_apps::text;
use upsweep_apps::text::compare::{Comparison, Differs};

/// Bytes of a part.
const PART: usize = 1 << 20;
/// Values of a part.
const VALUES: usize = 1 << 17;
/// Number of bytes of the longest character.
const CHARACTER: usize = 4;

/// Whether the name of a file says that it is an array with a shape.
fn is_array(path: &Path) -> bool {
    names::is_npy(path) || names::is_npz(path)
}

/// Whether the name of a file says that it has values (.npy, .npz, .csv, .tsv), not only bytes.
fn has_values(path: &Path) -> bool {
    is_array(path) || names::delimiter(path).is_some()
}

pub(super) fn run(args: &Compare) -> Result<()> {
    if let Some(tolerance) = args.tolerance.filter(|tolerance| tolerance.is_nan() || *tolerance < 0.0) {
        return Err(Failure::Input(format!("--tolerance {tolerance}: it is a number from 0 on")));
    }
    let device = Chosen::open(args.on.device, Work::Computation)?.device;
    let says = match (has_values(&args.a) && has_values(&args.b), args.tolerance) {
        (true, _) => values(args, &device)?,
        (false, None) => bytes(args, &device)?,
        (false, Some(_)) => {
            return Err(Failure::Input("--tolerance is for values: give .npy, .csv or .tsv files".to_owned()));
        }
    };
    let Some(says) = says else { return Ok(()) };
    print(&Destination::standard_output(), |out| writeln!(out, "{says}"))?;
    Err(Failure::No)
}

/// Values to compare.
enum Side {
    File(ArrayFile),
    Whole(Input),
}

impl Side {
    fn open(path: &Path, device: DeviceChoice) -> Result<Self> {
        let common = Common::of(&Reading::of(path, TableForm::default()), device);
        match ArrayFile::open(&common)? {
            Some(file) => Ok(Self::File(file)),
            None => input::load(&common).map(Self::Whole),
        }
    }

    fn name(&self) -> &str {
        match self {
            Self::File(file) => &file.name,
            Self::Whole(input) => &input.name,
        }
    }

    fn shape(&self) -> &[usize] {
        match self {
            Self::File(file) => &file.shape,
            Self::Whole(input) => &input.shape,
        }
    }

    /// Number of values.
    fn len(&self) -> usize {
        match self {
            Self::File(file) => file.len,
            Self::Whole(input) => input.values.len(),
        }
    }

    fn element(&self) -> Type {
        match self {
            Self::File(file) => file.element,
            Self::Whole(input) => input.values.element(),
        }
    }

    /// Returns the values from `start` on, at most those of a part, as ones of type `element`, which has them all.
    fn part(&self, start: usize, element: Type) -> Result<Values> {
        let range = start.min(self.len())..(start + VALUES).min(self.len());
        let failed = |e| Failure::computing(self.name(), &in_file(e, start));
        match self {
            Self::File(file) => {
                let mut values = Values::zeroed(file.element, range.len()).map_err(failed)?;
                file.read(&range, &mut values)?;
                if file.element == element { Ok(values) } else { values.view().to_type(element).map_err(failed) }
            }
            Self::Whole(input) => input.values.view().part(range).to_type(element).map_err(failed),
        }
    }

    /// Fails if a file was written since it was opened.
    fn check_unchanged(&self) -> Result<()> {
        if let Self::File(file) = self { file.check_unchanged() } else { Ok(()) }
    }
}

/// Returns what the first difference of the values is.
fn values(args: &Compare, device: &Device) -> Result<Option<String>> {
    let (a, b) = (Side::open(&args.a, args.on.device)?, Side::open(&args.b, args.on.device)?);
    if a.shape() != b.shape() && [&args.a, &args.b].iter().all(|path| is_array(path)) {
        let shape = |side: &Side| format!("the shape {:?} in {}", side.shape(), side.name());
        return Ok(Some(format!("{}, {}", shape(&a), shape(&b))));
    }
    let wide = |element| match element {
        Type::F16 | Type::F32 | Type::F64 => Type::F64,
        Type::U64 => Type::U64,
        _ => Type::I64,
    };
    let (of_a, of_b) = (wide(a.element()), wide(b.element()));
    let element = if of_a == of_b && args.tolerance.is_none() { of_a } else { Type::F64 };
    for start in (0..a.len().max(b.len())).step_by(VALUES) {
        let (of_a, of_b) = (a.part(start, element)?, b.part(start, element)?);
        let found = match (&of_a, &of_b, args.tolerance) {
            (Values::F64(a), Values::F64(b), Some(tolerance)) => {
                run_on(device, text::Compare::new().within(tolerance), a, b)
            }
            (Values::F64(a), Values::F64(b), None) => run_on(device, text::Compare::new(), a, b),
            (Values::U64(a), Values::U64(b), _) => run_on(device, text::Compare::new(), a, b),
            (Values::I64(a), Values::I64(b), _) => run_on(device, text::Compare::new(), a, b),
            _ => return Err(Failure::Input("the files have values of different types".to_owned())),
        };
        let Some(at) = found.map_err(|e| failed(a.name(), e))?.at else { continue };
        let value = |values: &Values| {
            let mut text = vec![];
            format(values, at, &mut text);
            if text.is_empty() { "its end".to_owned() } else { String::from_utf8_lossy(&text).into_owned() }
        };
        let (in_a, in_b) = (value(&of_a), value(&of_b));
        let (a, b) = (called(&args.a), called(&args.b));
        return Ok(Some(format!("value {}: {in_a} in {a}, {in_b} in {b}", start + at)));
    }
    a.check_unchanged()?;
    b.check_unchanged()?;
    Ok(None)
}

/// Returns what the first difference of the bytes is.
fn bytes(args: &Compare, device: &Device) -> Result<Option<String>> {
    let ((mut a, name), (mut b, other)) = (open(&args.a)?, open(&args.b)?);
    let read = |reader: &mut dyn Read, most: usize, text: &mut Vec<u8>, name: &str| {
        reader.take(most as u64).read_to_end(text).map_err(|e| Failure::reading(name, &e))
    };
    // The last bytes before a part may be those of a character that goes on in it.
    let (mut of_a, mut of_b, mut before) = (Vec::new(), Vec::new(), 0);
    let (mut begin, mut line) = (0, 1);
    loop {
        read(&mut a, PART, &mut of_a, &name)?;
        read(&mut b, PART, &mut of_b, &other)?;
        let (x, y) = (of_a.get(before..).unwrap_or_default(), of_b.get(before..).unwrap_or_default());
        if x.is_empty() && y.is_empty() {
            return Ok(None);
        }
        let found = run_on(device, text::Compare::new(), x, y).map_err(|e| failed(&name, e))?;
        let same = x.get(..found.at.unwrap_or(x.len())).unwrap_or(x);
        line += same.iter().filter(|&&byte| byte == b'\n').count();
        if let Some(at) = found.at {
            read(&mut a, CHARACTER, &mut of_a, &name)?;
            read(&mut b, CHARACTER, &mut of_b, &other)?;
            let (in_a, in_b) = (character_or_byte(&of_a, before + at), character_or_byte(&of_b, before + at));
            let (a, b) = (called(&args.a), called(&args.b));
            return Ok(Some(format!("byte {}, line {line}: {in_a} in {a}, {in_b} in {b}", begin + at)));
        }
        begin += x.len();
        for text in [&mut of_a, &mut of_b] {
            text.drain(..text.len().saturating_sub(CHARACTER));
            before = text.len();
        }
    }
}

/// Quotes the UTF-8 character to which the byte at offset `at` belongs. If there is none, or it does not print, returns
/// the byte in hexadecimal.
fn character_or_byte(text: &[u8], at: usize) -> String {
    let Some(byte) = text.get(at) else { return "its end".to_owned() };
    let continues = |&place: &usize| text.get(place).is_some_and(|byte| byte & 0xc0 == 0x80);
    let first = (at.saturating_sub(3)..=at).rev().find(|place| !continues(place)).unwrap_or(at);
    // A character has at most four bytes.
    let encoded = text.get(first..text.len().min(first + 4)).unwrap_or_default();
    let character = encoded.utf8_chunks().next().and_then(|chunk| chunk.valid().chars().next());
    match character.filter(|character| first + character.len_utf8() > at).map(|character| format!("{character:?}")) {
        Some(quoted) if !quoted.starts_with("'\\u") && !quoted.starts_with("'\\0") => quoted,
        _ => format!("{byte:#04x}"),
    }
}

fn run_on<T: Element, F>(
    device: &Device,
    compare: text::Compare<F>,
    a: &[T],
    b: &[T],
) -> std::result::Result<Comparison, upsweep::Error>
where
    F: Differs<T>,
{
    compare.run(device, &device.upload(a)?, &device.upload(b)?)
}
