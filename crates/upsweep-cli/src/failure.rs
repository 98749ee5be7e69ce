//! How a run ends when it does not end well: one line on standard error and an exit code.

use std::fmt::{self, Display};
use std::io::{self, ErrorKind};
use upsweep_dynamic::{Error, Type};

/// Why the program stops.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The input or the options are wrong: exit code 2.
    Input(String),
    /// Input and options are right and the run failed (device, memory, disk): exit code 1.
    Run(String),
    /// The usage was shown because nothing was asked for: nothing more to say, exit code 2.
    Usage,
    /// Whoever read the output wants no more of it: nothing to say, exit code 0.
    ClosedPipe,
}

pub(crate) type Result<T> = std::result::Result<T, Failure>;

impl Failure {
    /// The input `name` is wrong.
    pub(crate) fn input(name: &str, reason: impl Display) -> Self {
        Self::Input(format!("{name}: {reason}"))
    }

    /// Reading `name` failed.
    pub(crate) fn reading(name: &str, error: &io::Error) -> Self {
        Self::Run(format!("{name}: reading failed: {}", words(error)))
    }

    /// Writing `name` failed.
    pub(crate) fn writing(name: &str, error: &io::Error) -> Self {
        match error.kind() {
            ErrorKind::BrokenPipe => Self::ClosedPipe,
            _ => Self::Run(format!("{name}: writing failed: {}", words(error))),
        }
    }

    /// The library refused `name`'s data or could not compute.
    pub(crate) fn computing(name: &str, error: &Error) -> Self {
        use upsweep::Error as E;
        match error {
            Error::OutOfMemory { bytes } => Self::memory(name, *bytes),
            Error::Upsweep(E::OutOfMemory { bytes }) => {
                Self::Run(format!("{name}: the device has no {bytes} bytes of free memory"))
            }
            Error::Operator { op, element: Type::Bool } => {
                Self::input(name, format!("bool values have no {op}: bool has and, or and xor; --type u64 counts"))
            }
            Error::Upsweep(
                E::Length { .. }
                | E::Shape { .. }
                | E::Axis { .. }
                | E::NoIdentity { .. }
                | E::Options { .. }
                | E::Offsets { .. },
            ) => Self::input(name, one_line(&error.to_string())),
            Error::Upsweep(_) => Self::Run(one_line(&error.to_string())),
            _ => Self::input(name, error),
        }
    }

    /// `bytes` bytes of the host's memory are not to be had.
    pub(crate) fn memory(name: &str, bytes: usize) -> Self {
        Self::Run(format!("{name}: not enough memory for its {bytes} bytes"))
    }

    /// Whether there is something to say.
    pub(crate) fn speaks(&self) -> bool {
        matches!(self, Self::Input(_) | Self::Run(_))
    }

    /// What the shell gets.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::Input(_) | Self::Usage => 2,
            Self::Run(_) => 1,
            Self::ClosedPipe => 0,
        }
    }
}

impl Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Input(reason) | Self::Run(reason) => f.write_str(&one_line(reason)),
            Self::Usage | Self::ClosedPipe => Ok(()),
        }
    }
}

/// The operating system's words, without its number.
pub(crate) fn words(error: &io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or_default();
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}

/// `text` with its line breaks made spaces.
pub(crate) fn one_line(text: &str) -> String {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

/// `text` from a file as a message shows it: control characters escaped, not too long, in backquotes.
pub(crate) fn quoted(text: &str) -> String {
    const LONGEST: usize = 40;
    let shown: String = text.chars().take(LONGEST).flat_map(char::escape_debug).collect();
    let more = if text.chars().nth(LONGEST).is_some() { "..." } else { "" };
    format!("`{shown}{more}`")
}
