//! Rows of a table on standard input, each of which is written with its result as soon as it comes:
//! `tail -f FILE | upsweep scan - --format csv`.

use super::{Both, Numbers, Scanned};
use crate::args::ScanArgs;
use crate::carried::Carried;
use crate::collect::{Refused, Texts};
use crate::device::Chosen;
use crate::element::format;
use crate::failure::{Failure, Result};
use crate::input::Form;
use crate::output::Destination;
use crate::progress::Progress;
use crate::source::{STANDARD_INPUT, Source, Waiting};
use crate::table::{Asked, Piped, WrittenRows};
use crate::text;
use std::cell::{OnceCell, RefCell};
use std::io;
use std::time::Instant;
use upsweep_dynamic::Op;

/// Bytes of rows that are kept until they are written with their results.
const PART: usize = 1 << 18;

/// Rows that came since the last answer.
struct Pending<'a, 'out> {
    numbers: Numbers,
    scanned: Scanned<'a>,
    texts: Texts,
    /// Bytes of the texts.
    bytes: usize,
    out: WrittenRows<'out>,
}

impl Pending<'_, '_> {
    fn take(&mut self, row: &[u8], number: &str) -> std::result::Result<(), Refused> {
        self.numbers.push(number)?;
        self.bytes += row.len();
        self.texts.push(row)
    }

    /// Writes the rows with their results.
    fn answer(&mut self) -> Result<()> {
        let Self { numbers, scanned, texts, bytes, out } = self;
        let (texts, mut cell) = (std::mem::take(texts), Vec::new());
        *bytes = 0;
        let mut rows = texts.iter();
        numbers.answered(scanned, |results| {
            for (index, row) in (0..results.len()).zip(&mut rows) {
                cell.clear();
                format(results, index, &mut cell);
                out.write_text_with(row, &cell)?;
            }
            Ok(())
        })
    }
}

/// Scans a column of the table on standard input.
pub(crate) fn scan_rows(
    (args, op): (&ScanArgs, Op),
    delimiter: u8,
    device: &Chosen,
    (destination, carried): (&Destination, &Carried<'_>),
    begun: Instant,
) -> Result<()> {
    let (common, name) = (&args.common, STANDARD_INPUT);
    let (form, progress) = (common.table.text(delimiter), Progress::new("reading", None));
    let source = Source::of_standard_input(form)?;
    let columns: Vec<&str> = common.column.iter().map(String::as_str).collect();
    let asked = Asked {
        source: &source,
        name,
        delimiter,
        header: common.header,
        columns: &columns,
        signed: false,
        any: true,
        and: None,
    };
    let (both, places) = (Both::new((common, op), device, begun), OnceCell::new());
    let mut last = None;
    destination.write(|out| {
        let (pending, failed) = (RefCell::new(None::<Pending<'_, '_>>), RefCell::new(None));
        let answer = || pending.borrow_mut().as_mut().map_or(Ok(()), Pending::answer);
        let flush = || {
            let flush = |pending: &mut Pending<'_, '_>| {
                pending.out.flush().map_err(|e| Failure::writing(destination.name(), &e))
            };
            answer().and_then(|()| pending.borrow_mut().as_mut().map_or(Ok(()), flush))
        };
        let waiting = Waiting::new(|| {
            flush().map_err(|failure| {
                *failed.borrow_mut() = Some(failure);
                io::Error::other("no answer")
            })
        })?;
        let piped = Piped::open(text::open(Box::new(waiting), form, name)?, &asked, &progress)?;
        let layout = piped.layout(source.again(name)?);
        let places = places.get_or_init(|| Form::Table { delimiter, layout });
        let (numbers, scanned) = both.scans((args, op), carried, places);
        let mut out = WrittenRows::to(out, destination.name(), delimiter);
        if let Some((names, added)) = piped.names(op.name()) {
            out.write_text_with(names, &added)?;
        }
        *pending.borrow_mut() = Some(Pending { numbers, scanned, texts: Texts::default(), bytes: 0, out });
        let read = piped.each(&common.missing, |row, number| {
            let mut pending = pending.borrow_mut();
            let Some(pending) = pending.as_mut() else { return Ok(Ok(())) };
            let taken = pending.take(row, number);
            if taken.is_ok() && pending.bytes >= PART {
                pending.answer()?;
            }
            Ok(taken)
        });
        // What is wrong with the results so far comes before what is wrong behind them, or made the reader fail.
        if let Some(failure) = failed.take() {
            return Err(failure);
        }
        answer()?;
        read?;
        let Some(mut pending) = pending.take() else { return Ok(()) };
        pending.scanned.last()?.check(carried)?;
        last = Some(pending.scanned);
        Ok(())
    })?;
    last.map_or(Ok(()), |mut scanned| scanned.last()?.finish(carried))
}
