//! Failures of a run: one line on standard error, and an exit code.

use std::fmt::{self, Display};
use std::io::{self, ErrorKind, Write};
use std::path::Path;
use upsweep_dynamic::{Error, Type};

/// Reason for the program to stop.
#[derive(Clone, Debug)]
pub(crate) enum Failure {
    /// The input or the options are wrong: exit code 2.
    Input(String),
    /// Input and options are right and the run failed (device, memory, disk): exit code 1.
    Run(String),
    /// The answer is no and has been printed: exit code 1.
    No,
    /// The usage was shown because no command was given: no message, exit code 2.
    Usage,
    /// The reader of the output has closed it: no message, exit code 0.
    ClosedPipe,
    /// A signal came: no message, and the program ends by it.
    Interrupted(i32),
}

pub(crate) type Result<T> = std::result::Result<T, Failure>;

impl Failure {
    /// Failure because the input or the option `name` is wrong.
    pub(crate) fn input(name: &str, reason: impl Display) -> Self {
        Self::Input(format!("{name}: {reason}"))
    }

    /// Failure of reading the file `name`, or because what it has is wrong.
    pub(crate) fn reading(name: &str, error: &io::Error) -> Self {
        match error.kind() {
            ErrorKind::InvalidData => Self::input(name, error),
            _ => Self::Run(format!("{name}: reading failed: {}", words(error))),
        }
    }

    /// Failure of writing the file `name`.
    pub(crate) fn writing(name: &str, error: &io::Error) -> Self {
        match error.kind() {
            ErrorKind::BrokenPipe => Self::ClosedPipe,
            _ => Self::Run(format!("{name}: writing failed: {}", words(error))),
        }
    }

    /// Failure because the file `name` has changed since reading began.
    pub(crate) fn changed(name: &str) -> Self {
        Self::Run(format!("{name}: the file changed while it was read"))
    }

    /// Failure for an error of the library, which refused the data of the file `name` or could not compute.
    pub(crate) fn computing(name: &str, error: &Error) -> Self {
        use upsweep::Error as E;
        match error {
            Error::OutOfMemory { bytes } => Self::memory(name, *bytes),
            Error::Upsweep(E::OutOfMemory { bytes }) => {
                Self::Run(format!("{name}: not enough memory for {bytes} bytes"))
            }
            Error::Operator { op, element: Type::Bool } => {
                let advice = "bool has and, or and xor, and sums, which count; --type u8 has 0 and 1";
                Self::input(name, format!("bool values have no {op}: {advice}"))
            }
            Error::Upsweep(
                E::Length { .. }
                | E::Shape { .. }
                | E::Axis { .. }
                | E::NoIdentity { .. }
                | E::Options { .. }
                | E::Offsets { .. }
                | E::Carry { .. },
            ) => Self::input(name, one_line(&error.to_string())),
            Error::Upsweep(_) => Self::Run(one_line(&error.to_string())),
            _ => Self::input(name, error),
        }
    }

    /// Failure to allocate `bytes` bytes on the host for the file `name`.
    pub(crate) fn memory(name: &str, bytes: usize) -> Self {
        Self::Run(format!("{name}: not enough memory for its {bytes} bytes"))
    }

    /// Whether the failure has a message to print.
    pub(crate) fn speaks(&self) -> bool {
        matches!(self, Self::Input(_) | Self::Run(_))
    }
}

impl Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Input(reason) | Self::Run(reason) => f.write_str(&one_line(reason)),
            Self::No | Self::Usage | Self::ClosedPipe | Self::Interrupted(_) => Ok(()),
        }
    }
}

/// Message of the operating system for an error, without its number, and with a small first letter.
pub(crate) fn words(error: &io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or_default();
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}

/// Whether a terminal would act on `c` instead of showing it: control characters, and marks of text direction.
pub(crate) fn acts(c: char) -> bool {
    let turns = matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    c.is_control() || turns
}

/// Joins `text` into one line: line breaks become spaces, and characters that a terminal would act on are escaped.
/// Words of more than 200 letters, and text longer than any message of the program, come from an input, and are cut.
pub(crate) fn one_line(text: &str) -> String {
    const LONGEST: usize = 1500;
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let mut line = String::new();
    for c in lines.join(" ").chars() {
        if acts(c) { line.extend(c.escape_debug()) } else { line.push(c) }
    }
    let words: Vec<String> = line.split(' ').map(cut).collect();
    cut_to(&words.join(" "), 200, LONGEST)
}

/// Returns `text` if it has at most 200 letters, or else its beginning and its end with `...` between them: 200
/// letters.
pub(crate) fn cut(text: &str) -> String {
    cut_to(text, 100, 200)
}

/// Returns `text` if it has at most `longest` letters, or else so many: the `first` of its beginning, `...`, and the
/// rest of its end.
fn cut_to(text: &str, first: usize, longest: usize) -> String {
    const GAP: &str = "...";
    let letters = text.chars().count();
    let place = |letter: usize| text.char_indices().nth(letter).map_or(text.len(), |(at, _)| at);
    if letters <= longest {
        return text.to_owned();
    }
    let end = letters - (longest - first - GAP.len());
    format!("{}{GAP}{}", text.get(..place(first)).unwrap_or_default(), text.get(place(end)..).unwrap_or_default())
}

/// Returns the name of a file for messages, cut if it is long.
pub(crate) fn called(path: &Path) -> String {
    cut(&path.display().to_string())
}

/// Returns the first 40 letters of a text from a file, and `...` if there are more. Control characters are escaped.
pub(crate) fn shown(text: &str) -> String {
    const LONGEST: usize = 40;
    let mut shown: String = text.chars().take(LONGEST).flat_map(escaped).collect();
    if text.chars().nth(LONGEST).is_some() {
        shown.push_str("...");
    }
    shown
}

/// Escapes, as Rust does, a character that a terminal could act on or not show. Others, and quotes and backslashes,
/// stay as they are.
fn escaped(c: char) -> impl Iterator<Item = char> {
    let plain = matches!(c, '\\' | '"' | '\'');
    let escape = (!plain).then(|| c.escape_debug());
    plain.then_some(c).into_iter().chain(escape.into_iter().flatten())
}

/// Returns `text` as [`shown`] does, in back quotes.
pub(crate) fn quoted(text: &str) -> String {
    format!("`{}`", shown(text))
}

/// Prints a note, which is no failure, on standard error.
pub(crate) fn note(text: &str) {
    // If standard error is closed, nobody reads the note.
    let _ = writeln!(io::stderr(), "upsweep: note: {}", one_line(text));
}
