//! Command `upsweep text`: tokens, comparisons; [`grep`] finds lines.

use super::{TextFile, There, bytes, colour, column, failed, grep};
use crate::args::apps::{Compare, Lex, Text};
use crate::device::{Chosen, Work};
use crate::element::{Type, Values, format};
use crate::failure::{Failure, Result, called};
use crate::input::Input;
use crate::names;
use crate::output::Destination;
use crate::print::print;
use crate::text::{Encoding, TextForm};
use std::path::Path;
use upsweep::{Device, Element};
use upsweep_apps::text::compare::{Comparison, Differs};
use upsweep_apps::text::{self, GRAMMARS, Grammar, Lexer};

pub(crate) fn run(text: &Text) -> Result<()> {
    match text {
        Text::Lex(args) => lex(args),
        Text::Grep(args) => grep::run(args),
        Text::Compare(args) => compare(args),
    }
}

fn lex(args: &Lex) -> Result<()> {
    let lexer = match (&args.grammar, &args.rules) {
        (_, Some(rules)) => from_rules(rules)?,
        (name, None) => {
            let name = name.as_deref().unwrap_or_default();
            let names: Vec<&str> = GRAMMARS.iter().map(|grammar| grammar.name).collect();
            let unknown =
                || Failure::Input(format!("--grammar {name}: there are {}; or give --rules", names.join(", ")));
            Grammar::find(name).ok_or_else(unknown)?.lexer().map_err(|e| failed("--grammar", e))?
        }
    };
    let chosen = Chosen::open(args.on.device, Work::Computation)?;
    let TextFile { bytes: text, begin, name } = TextFile::read(&args.file, form_of(args.encoding))?;
    let wrong = |e| failed(&name, e);
    let library = |e| failed(&name, upsweep_apps::Error::Library(e));
    let tokens = lexer.run(&chosen.device, &There::of(&chosen, &text).map_err(library)?).map_err(wrong)?;
    let kinds = tokens.kinds.to_vec().map_err(library)?;
    if args.count {
        let mut counts = vec![0u64; 256];
        kinds.iter().for_each(|&kind| counts[usize::from(kind)] += 1);
        let lines = (0..=u8::MAX).filter(|&kind| counts[usize::from(kind)] > 0);
        return print(&Destination::standard_output(), |out| {
            lines.clone().try_for_each(|kind| writeln!(out, "{}\t{}", counts[usize::from(kind)], lexer.name(kind)))
        });
    }
    let ends = tokens.ends.to_vec().map_err(library)?;
    let starts = [0].into_iter().chain(ends.iter().copied());
    let mut tokens = starts.zip(ends.iter().zip(&kinds)).map(|(start, (&end, &kind))| (start, end, kind));
    if let Some(path) = &args.html {
        return print(&Destination::of("--html", path)?, |out| colour::page(out, (&text, &name), &lexer, tokens));
    }
    if args.color {
        return Destination::draw(|out| colour::in_terminal(out, &text, tokens));
    }
    print(&Destination::standard_output(), |out| {
        tokens.try_for_each(|(start, end, kind)| {
            // The offsets that are printed count all bytes of the file, the byte order mark, `begin` bytes long,
            // included.
            let [start, end] = [start, end].map(|at| at + begin as u64);
            writeln!(out, "{start}\t{end}\t{}", lexer.name(kind))
        })
    })
}

fn form_of(encoding: Option<Encoding>) -> TextForm {
    TextForm { encoding, ..TextForm::default() }
}

/// Builds a lexer from the rules in a file, one `NAME = REGEX` per line.
fn from_rules(path: &Path) -> Result<Lexer> {
    let TextFile { bytes, name, .. } = TextFile::read(path, TextForm::default())?;
    let text = String::from_utf8(bytes).map_err(|_| Failure::input(&name, "is no text in UTF-8"))?;
    let mut rules = vec![];
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let rule = line.split_once('=').map(|(name, rule)| (name.trim(), rule.trim()));
        let wrong = || Failure::input(&name, format!("line {} is no `NAME = REGEX`", number + 1));
        rules.push(rule.filter(|(name, rule)| !name.is_empty() && !rule.is_empty()).ok_or_else(wrong)?);
    }
    if rules.is_empty() {
        return Err(Failure::input(&name, "has no rules: a line `NAME = REGEX` each"));
    }
    Lexer::new(&rules).map_err(|e| failed(&name, e))
}

/// Whether the name of a file says that it is an array with a shape.
fn is_array(path: &Path) -> bool {
    names::is_npy(path) || names::is_npz(path)
}

/// Whether the name of a file says that it has values (.npy, .npz, .csv, .tsv), not only bytes.
fn has_values(path: &Path) -> bool {
    is_array(path) || names::delimiter(path).is_some()
}

fn compare(args: &Compare) -> Result<()> {
    if let Some(tolerance) = args.tolerance.filter(|tolerance| tolerance.is_nan() || *tolerance < 0.0) {
        return Err(Failure::Input(format!("--tolerance {tolerance}: it is a number from 0 on")));
    }
    let device = Chosen::open(args.on.device, Work::Computation)?.device;
    let says = if has_values(&args.a) && has_values(&args.b) {
        let load = |path: &Path, element| column(path, None, element, args.on.device);
        let first = args.tolerance.map(|_| Type::F64);
        let (read_a, read_b) = (load(&args.a, first)?, load(&args.b, first)?);
        if read_a.shape != read_b.shape && [&args.a, &args.b].iter().all(|path| is_array(path)) {
            let shape = |read: &Input| format!("the shape {:?} in {}", read.shape, read.name);
            return differs(&format!("{}, {}", shape(&read_a), shape(&read_b)));
        }
        let wide = |element| match element {
            Type::F16 | Type::F32 | Type::F64 => Type::F64,
            Type::U64 => Type::U64,
            _ => Type::I64,
        };
        let (of_a, of_b) = (wide(read_a.values.element()), wide(read_b.values.element()));
        let element = if of_a == of_b { of_a } else { Type::F64 };
        let (Input { values: a, name, .. }, b) = (load(&args.a, Some(element))?, load(&args.b, Some(element))?.values);
        let found = match (&a, &b, args.tolerance) {
            (Values::F64(a), Values::F64(b), Some(tolerance)) => {
                run_on(&device, text::Compare::new().within(tolerance), a, b)
            }
            (Values::F64(a), Values::F64(b), None) => run_on(&device, text::Compare::new(), a, b),
            (Values::U64(a), Values::U64(b), _) => run_on(&device, text::Compare::new(), a, b),
            (Values::I64(a), Values::I64(b), _) => run_on(&device, text::Compare::new(), a, b),
            _ => return Err(Failure::Input("the files have values of different types".to_owned())),
        };
        let found = found.map_err(|e| failed(&name, e))?;
        found.at.map(|at| {
            let value = |values: &Values| {
                let mut text = vec![];
                format(values, at, &mut text);
                if text.is_empty() { "its end".to_owned() } else { String::from_utf8_lossy(&text).into_owned() }
            };
            format!("value {at}: {} in {}, {} in {}", value(&a), called(&args.a), value(&b), called(&args.b))
        })
    } else {
        if args.tolerance.is_some() {
            return Err(Failure::Input("--tolerance is for values: give .npy, .csv or .tsv files".to_owned()));
        }
        let ((a, name), (b, _)) = (bytes(&args.a)?, bytes(&args.b)?);
        let found = run_on(&device, text::Compare::new(), &a, &b).map_err(|e| failed(&name, e))?;
        found.at.map(|at| {
            let line = a[..at.min(a.len())].iter().filter(|&&byte| byte == b'\n').count() + 1;
            let (in_a, in_b) = (character_or_byte(&a, at), character_or_byte(&b, at));
            format!("byte {at}, line {line}: {in_a} in {}, {in_b} in {}", called(&args.a), called(&args.b))
        })
    };
    match says {
        None => Ok(()),
        Some(says) => differs(&says),
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

/// Prints `says`, which is a difference between the files, and fails with the answer no.
fn differs(says: &str) -> Result<()> {
    print(&Destination::standard_output(), |out| writeln!(out, "{says}"))?;
    Err(Failure::No)
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
