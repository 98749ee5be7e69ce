//! Numbers on standard input that are answered as they come: `tail -f FILE | upsweep scan -`.
//!
//! What has come is computed and written before more is waited for; memory is that of a part. The results do not depend on the
//! times at which the numbers come. So the type is that of what has come: results are integers up to the first fraction, and
//! floats from there on, with the bits that all numbers would have as floats.

mod rows;
mod totals;

pub(crate) use rows::scan_rows;
pub(crate) use totals::reduce;

use crate::args::{Common, ScanArgs};
use crate::asked::{Asked, places};
use crate::carried::Carried;
use crate::chunks::{self, Loaded};
use crate::collect::{Collector, Mixed, Part, Push, Refused, collector};
use crate::device::Chosen;
use crate::element::{Type, Values, with_values};
use crate::elements::{mark, of_elements};
use crate::failure::{Failure, Result};
use crate::input::{self, Form, Opened, is_simple};
use crate::output::Destination;
use crate::parts::{Running, Scans};
use crate::progress::Progress;
use crate::show::Places;
use crate::source::{STANDARD_INPUT, would_wait};
use crate::sums::Sums;
use crate::words::{self, Take};
use crate::write::{self, OutputForm};
use std::io::{self, IsTerminal, Read, Write};
use std::path::Path;
use std::time::Instant;
use upsweep::Device;
use upsweep_dynamic::Op;

/// Input of a command that can answer numbers as they come.
pub(crate) enum Begun {
    /// Text of numbers to answer.
    Numbers(Box<dyn Read>),
    /// Another input.
    Loaded(Loaded),
}

/// Whether the results go to a stream in the form of the input, and not to a terminal that is shown a summary, as it is without
/// an `output`.
pub(crate) fn is_stream(output: Option<&Path>, (destination, form): (&Destination, Option<OutputForm>)) -> bool {
    let is_shown = output.is_none() && io::stdout().is_terminal();
    destination.is_stream() && form.is_none() && !is_shown
}

/// Opens the input. Numbers on standard input are left to be worked on as they come, if the command can do that `in_parts`. Another
/// input is read; `in_file` says whether and where a long array is [kept in a file](chunks::load).
pub(crate) fn begin(common: &Common, in_parts: bool, in_file: Option<Option<&Path>>) -> Result<Begun> {
    let is_table = common.table.is_table() || common.column.is_some();
    if is_table || !in_parts || !is_simple(common) {
        return chunks::load(common, in_file).map(Begun::Loaded);
    }
    match input::open_standard_input(common.table.text(b' '))? {
        Opened::Numbers(text) => Ok(Begun::Numbers(text)),
        Opened::Npy(reader) => chunks::load_npy(reader, common.element, in_file).map(Begun::Loaded),
    }
}

/// Returns the delimiter of a table on standard input whose rows can be answered as they come, `in_parts`.
pub(crate) fn table(common: &Common, in_parts: bool) -> Option<u8> {
    // A list of columns is refused elsewhere.
    let is_one = common.column.as_ref().is_none_or(|column| !column.contains(','));
    common.table.delimiter(None).filter(|_| in_parts && is_one && is_simple(common))
}

/// Which numbers of a call these are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Which {
    /// Those of the type that is asked for, or integers before the first fraction.
    First,
    /// Floats from the first fraction on.
    Floats,
}

/// What a command answers to numbers that come part by part.
trait Answer {
    /// Returns the results of the next numbers.
    fn results(&mut self, which: Which, values: &Values) -> Result<Values>;

    /// Takes note of integers, as floats, which floats may follow.
    fn follow(&mut self, _: &Values) {}
}

/// Numbers that came since the last answer.
enum Numbers {
    Typed(Type, Box<dyn Collector>),
    Mixed(Mixed),
}

impl Numbers {
    /// Numbers of the type that is asked for; without one `are_floats` says whether there was a fraction before.
    fn new(element: Option<Type>, are_floats: bool) -> Self {
        match element {
            Some(element) => Self::Typed(element, collector(Some(element), true)),
            None => Self::Mixed(Mixed::new(are_floats)),
        }
    }

    /// Takes the numbers away, and lets `write` write what is answered to them.
    fn answered(&mut self, by: &mut impl Answer, mut write: impl FnMut(&Values) -> Result<()>) -> Result<()> {
        fn part<A: Answer>(
            by: &mut A,
            which: Which,
            values: Values,
            write: &mut impl FnMut(&Values) -> Result<()>,
        ) -> Result<()> {
            if values.is_empty() { Ok(()) } else { write(&by.results(which, &values)?) }
        }
        match self {
            Self::Typed(element, values) => {
                let values = std::mem::replace(values, collector(Some(*element), true)).finish();
                part(by, Which::First, values, &mut write)
            }
            Self::Mixed(values) => {
                let Part { integers, same, floats } = values.take();
                part(by, Which::First, integers.into(), &mut write)?;
                by.follow(&same.into());
                part(by, Which::Floats, floats.into(), &mut write)
            }
        }
    }
}

impl Push for Numbers {
    fn push(&mut self, text: &str) -> std::result::Result<(), Refused> {
        match self {
            Self::Typed(_, values) => values.push(text),
            Self::Mixed(values) => values.push(text),
        }
    }
}

/// Taker of numbers that writes an answer to them, a line for each.
struct Lines<'a, A> {
    numbers: Numbers,
    answer: &'a mut A,
    out: &'a mut dyn Write,
    /// Name of the destination in messages.
    name: &'a str,
    progress: &'a Progress,
}

impl<A: Answer> Lines<'_, A> {
    fn answer(&mut self) -> Result<()> {
        let Self { numbers, answer, out, name, progress } = self;
        numbers.answered(&mut **answer, |results| {
            write::write(OutputForm::Words, results, &[results.len()], (&mut **out, *name), progress)
        })
    }
}

impl<A: Answer> Take for Lines<'_, A> {
    fn word(&mut self, text: &str) -> std::result::Result<(), Refused> {
        self.numbers.push(text)
    }

    fn so_far(&mut self) -> Result<()> {
        self.answer()?;
        match would_wait() {
            true => self.out.flush().map_err(|e| Failure::writing(self.name, &e)),
            false => Ok(()),
        }
    }
}

/// Reads all numbers of `text`, and writes what is answered to them. `finish` is called before the results are complete.
fn go<A: Answer>(
    numbers: Numbers,
    mut text: Box<dyn Read>,
    destination: &Destination,
    answer: &mut A,
    finish: impl FnOnce(&mut A) -> Result<()>,
) -> Result<()> {
    let (reading, progress) = (Progress::new("reading", None), Progress::new("writing", None));
    destination.write(|out| {
        let mut lines = Lines { numbers, answer, out, name: destination.name(), progress: &progress };
        let read = words::read(&mut text, STANDARD_INPUT, &reading, &mut lines);
        // What is wrong with the results so far comes before what is wrong behind them.
        lines.answer()?;
        read?;
        finish(lines.answer)
    })
}

/// Scans of numbers: in the type that is asked for, or as integers and as floats.
struct Scanned<'a> {
    first: Result<Running<'a>>,
    floats: Result<Running<'a>>,
    last: Which,
    places: Places<'a>,
}

impl<'a> Scanned<'a> {
    /// Returns the scan of the last numbers.
    fn last(&mut self) -> Result<&mut Running<'a>> {
        let running = if self.last == Which::First { &mut self.first } else { &mut self.floats };
        running.as_mut().map_err(|failure| failure.clone())
    }
}

impl Answer for Scanned<'_> {
    fn results(&mut self, which: Which, values: &Values) -> Result<Values> {
        self.last = which;
        let places = self.places;
        self.last()?.results(values, &places)
    }

    fn follow(&mut self, same: &Values) {
        // It may be that there is no such scan of floats: that is told if one of them comes.
        if let Ok(running) = &mut self.floats
            && !same.is_empty()
            && let Err(failure) = running.results(same, &self.places)
        {
            self.floats = Err(failure);
        }
    }
}

/// Requests of a scan or reduction of numbers on standard input: in the type that is asked for, or as integers, and as floats.
struct Both<'a> {
    /// Type that is asked for.
    element: Option<Type>,
    first: Result<Asked<'a>>,
    floats: Result<Asked<'a>>,
}

impl<'a> Both<'a> {
    fn new((common, op): (&'a Common, Op), device: &'a Chosen, begun: Instant) -> Self {
        let asked = |element| {
            let sums = Sums::new(common.sums, op, element, OutputForm::Words)?;
            // Messages count from the first number.
            let (name, shape) = (STANDARD_INPUT, &[0]);
            Ok(Asked { common, name, device, shape, axis: None, sums, missing: 0, begun })
        };
        let element = common.element;
        Self { element, first: asked(element.unwrap_or(Type::I64)), floats: asked(Type::F64) }
    }

    /// Begins both by `of`, which is given a request and the type of its numbers.
    fn begin<T>(
        &'a self,
        carried: &Carried<'_>,
        of: impl Fn(&'a Asked<'a>, Type) -> Result<T>,
    ) -> (Numbers, Result<T>, Result<T>) {
        let begun = |asked: &'a Result<Asked<'a>>, element| of(asked.as_ref().map_err(Failure::clone)?, element);
        let element = self.element;
        let first = begun(&self.first, element.unwrap_or(Type::I64));
        // A type that is asked for is that of all.
        let floats = if element.is_none() { begun(&self.floats, Type::F64) } else { Err(Failure::No) };
        // What follows floats are floats.
        let numbers = Numbers::new(element, carried.is_handed_in() && first.is_err() && floats.is_ok());
        (numbers, first, floats)
    }

    /// Begins scans of both, of numbers at these places.
    fn scans(
        &'a self,
        (args, op): (&ScanArgs, Op),
        carried: &Carried<'_>,
        places: Places<'a>,
    ) -> (Numbers, Scanned<'a>) {
        let (numbers, first, floats) = self.begin(carried, |asked, element| {
            let Scans { checked, computed } = Scans::new((args, op), asked, None)?;
            // How many numbers there will be, nobody knows.
            Running::new(asked, (op, &checked, computed), (element, usize::MAX), carried)
        });
        (numbers, Scanned { first, floats, last: Which::First, places })
    }
}

/// Scans the numbers of `text`.
pub(crate) fn scan(
    (args, op): (&ScanArgs, Op),
    text: Box<dyn Read>,
    device: &Chosen,
    (destination, carried): (&Destination, &Carried<'_>),
    begun: Instant,
) -> Result<()> {
    let (both, places) = (Both::new((&args.common, op), device, begun), places(&Form::Words, &[]));
    let (numbers, mut scanned) = both.scans((args, op), carried, places);
    go(numbers, text, destination, &mut scanned, |scanned| scanned.last()?.check(carried, &places))?;
    scanned.last()?.finish(carried)
}

/// Answer by a function of the next numbers.
struct By<F>(F);

impl<F: FnMut(&Values) -> Result<Values>> Answer for By<F> {
    fn results(&mut self, _: Which, values: &Values) -> Result<Values> {
        (self.0)(values)
    }
}

/// Answers the numbers of `text`, of the type that is asked for or as they come, by the results of the next ones.
pub(crate) fn answer(
    element: Option<Type>,
    text: Box<dyn Read>,
    destination: &Destination,
    results: impl FnMut(&Values) -> Result<Values>,
) -> Result<()> {
    go(Numbers::new(element, false), text, destination, &mut By(results), |_| Ok(()))
}

/// Selects from the numbers of `text`, the first of which has the index `position`. Returns the index after the last.
pub(crate) fn select(
    common: &Common,
    (condition, indices): (&str, bool),
    text: Box<dyn Read>,
    destination: &Destination,
    mut position: u64,
) -> Result<u64> {
    let condition = of_elements(condition, common.element.unwrap_or(Type::I64))?;
    let (device, failed) = (Device::cpu(), |e| Failure::computing(STANDARD_INPUT, &e));
    answer(common.element, text, destination, |values| {
        let (mut flags, begin) = (vec![false; values.len()], position);
        let at = usize::try_from(begin).unwrap_or(usize::MAX);
        with_values!(values, x => mark(&condition, x, at, &mut flags, STANDARD_INPUT))?;
        position += values.len() as u64;
        if !indices {
            return upsweep_dynamic::select(&device, values.view(), &flags).map_err(failed);
        }
        let mut found = upsweep_dynamic::select_indices(&device, &flags).map_err(failed)?;
        found.iter_mut().for_each(|index| *index += begin);
        Ok(found.into())
    })?;
    Ok(position)
}
