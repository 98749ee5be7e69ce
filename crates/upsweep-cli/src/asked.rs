//! Requests of scans and reductions: the shared part, and their messages.

use crate::args::{Common, ScanArgs};
use crate::device::Chosen;
use crate::element::{Type, Value, with_type};
use crate::failure::{Failure, Result, called};
use crate::input::Form;
use crate::output::Destination;
use crate::show::{Places, Summary};
use crate::sums::Sums;
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};
use upsweep_dynamic::{Error, Number, Op};

/// Options and input of a scan or a reduction, as far as both have them.
pub(crate) struct Asked<'a> {
    pub(crate) common: &'a Common,
    /// Name of the input in messages.
    pub(crate) name: &'a str,
    pub(crate) device: &'a Chosen,
    pub(crate) shape: &'a [usize],
    /// Axis along which the command computes, if one was given.
    pub(crate) axis: Option<usize>,
    pub(crate) sums: Sums,
    /// Number of cells of a table without a value.
    pub(crate) missing: usize,
    /// Time at which the command started.
    pub(crate) begun: Instant,
}

impl<'a> Asked<'a> {
    /// Parses the initial value after `--init`, as a value of the results' type.
    pub(crate) fn init(&self) -> Result<Option<Number>> {
        let Some(text) = &self.common.init else { return Ok(None) };
        let element = self.sums.results;
        let number =
            with_type!(element, T => T::parse(text.trim()).map(Number::from)).map_err(|wrong| wrong.words(true));
        let wrong = |reason| format!("--init: {reason} (the results of {} are {element})", self.name);
        number.map(Some).map_err(|reason| Failure::Input(wrong(reason)))
    }

    pub(crate) fn failed(&self, error: &Error) -> Failure {
        match (error, &self.common.segments) {
            (Error::Offsets { .. }, Some(path)) => Failure::input(&called(path), error),
            _ => Failure::computing(self.name, error),
        }
    }

    /// Returns the failure for a result that does not fit its type. `from` begins the message: it is empty for a scan,
    /// and for a total says that the totals from this element on do not fit.
    pub(crate) fn overflow(&self, places: &Places<'_>, from: &str, error: &Error) -> Failure {
        let Error::Overflow { op, element, index, value } = error else { return self.failed(error) };
        let (place, at) = (places.name, places.of(*index));
        let words = match (value, from) {
            (Some(value), "") => format!("the {op} is {value}, which does not fit {element}"),
            (Some(value), _) => format!("{from}the {op} does not fit {element}, in the end it is {value}"),
            (None, _) => format!("{from}the {op} does not fit {element}"),
        };
        Failure::input(self.name, format!("{place} {at}: {words}: {}", self.sums.advice(*value)))
    }

    /// Returns the summary of a computation of `len` values of type `element`, described by `what`, that took `time`
    /// and read and wrote `bytes` bytes.
    pub(crate) fn summary(
        &self,
        mut what: String,
        (len, element): (usize, Type),
        time: Duration,
        bytes: usize,
    ) -> Summary<'a> {
        what.push_str(&self.sums.words(element));
        if let Some(axis) = self.axis {
            what.push_str(&format!(" along axis {axis} of {:?}", self.shape));
        }
        if self.common.by_key.is_some() || self.common.segments.is_some() {
            what.push_str(" by segment");
        }
        if self.missing > 0 {
            what.push_str(&format!(", {} missing {}", self.missing, self.common.missing.told()));
        }
        Summary { len, element: element.name(), what, device: &self.device.label, time, bytes, begun: self.begun }
    }
}

/// Returns the axis of `shape`, counted from 0, that `asked` means: a negative number counts from the end. `name` is
/// the input's in messages.
pub(crate) fn axis(asked: i64, shape: &[usize], name: &str) -> Result<usize> {
    let axes = shape.len();
    let from_start = if asked < 0 { asked.checked_add_unsigned(axes as u64) } else { Some(asked) };
    from_start.and_then(|axis| usize::try_from(axis).ok()).filter(|&axis| axis < axes).ok_or_else(|| {
        let reason = match axes {
            0 => "a single value has no axes".to_owned(),
            1 => "there is one axis, 0".to_owned(),
            _ => format!("the shape {shape:?} has the axes 0 to {}", axes - 1),
        };
        Failure::input(name, format!("has no axis {asked}: {reason}"))
    })
}

/// Returns names for the positions of values in messages and previews. The positions in a table are the row numbers of the
/// file.
pub(crate) fn places<'a>(form: &'a Form, shape: &'a [usize]) -> Places<'a> {
    let (name, first, left_out) = match form {
        Form::Table { layout, .. } => ("row", layout.first_row(), layout.left_out()),
        Form::Words => ("number", 1, &[][..]),
        Form::Npy | Form::Raw => ("at", 0, &[][..]),
    };
    Places { name, first, left_out, shape }
}

/// Returns the name of a scan, for its summary.
pub(crate) fn described(args: &ScanArgs, op: Op) -> String {
    let kind = if args.exclusive { "exclusive" } else { "inclusive" };
    let end = if args.reverse { " from the end" } else { "" };
    format!("{kind} {op} scan{end}")
}

/// Prints the summary to standard error if that is a terminal and the results went to a file.
pub(crate) fn report(destination: &Destination, summary: &Summary<'_>) {
    if !destination.is_stream() && io::stderr().is_terminal() {
        // If the terminal is closed, the summary is lost, and nothing else.
        let _ = writeln!(io::stderr(), "{summary}");
    }
}
