//! Rows of a table on standard input, each of which is written with its result as soon as it comes:
//! `tail -f FILE | upsweep scan - --format csv`.

use super::{Both, Numbers, Scanned};
use crate::args::{Common, ScanArgs};
use crate::carried::Carried;
use crate::collect::Refused;
use crate::device::Chosen;
use crate::failure::{Failure, Result};
use crate::output::Destination;
use crate::progress::Progress;
use crate::show::Places;
use crate::source::{STANDARD_INPUT, Source, Waiting};
use crate::table::{Asked, Joined, Record, Rowwise, WrittenRows, take};
use crate::text;
use std::cell::RefCell;
use std::io;
use std::time::Instant;
use upsweep_dynamic::Op;

/// Rows that came since the last answer.
struct Pending<'a, 'out> {
    numbers: Numbers,
    scanned: Scanned<'a>,
    rows: Joined<'out>,
}

impl Pending<'_, '_> {
    fn take(&mut self, common: &Common, row: Record<'_>, cell: &[u8]) -> std::result::Result<(), Refused> {
        take(cell, Some(&common.missing), &mut self.numbers)?;
        self.rows.push(row)
    }

    /// Writes the rows with their results.
    fn answer(&mut self) -> Result<()> {
        let Self { numbers, scanned, rows } = self;
        numbers.answered(scanned, |results| rows.write(results, &[]))?;
        rows.begin();
        Ok(())
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
    let both = Both::new((common, op), device, begun);
    let mut last = None;
    destination.write(|out| {
        let (pending, failed) = (RefCell::new(None::<Pending<'_, '_>>), RefCell::new(None));
        let answer = || pending.borrow_mut().as_mut().map_or(Ok(()), Pending::answer);
        let flush = || {
            let flush = |pending: &mut Pending<'_, '_>| {
                pending.rows.flush().map_err(|e| Failure::writing(destination.name(), &e))
            };
            answer().and_then(|()| pending.borrow_mut().as_mut().map_or(Ok(()), flush))
        };
        let waiting = Waiting::new(|| {
            flush().map_err(|failure| {
                *failed.borrow_mut() = Some(failure);
                io::Error::other("no answer")
            })
        })?;
        let table = Rowwise::piped(text::open(Box::new(waiting), form, name)?, &asked, &progress)?;
        let places = Places { name: "row", first: table.first_row(), left_out: &[], shape: &[] };
        let (numbers, scanned) = both.scans((args, op), carried, places);
        let mut rows = Joined::to(WrittenRows::to(out, destination.name(), delimiter));
        table.names(op.name()).map_or(Ok(()), |names| rows.write_names(names))?;
        *pending.borrow_mut() = Some(Pending { numbers, scanned, rows });
        let read = table.each(|row, cell| {
            let mut pending = pending.borrow_mut();
            let Some(pending) = pending.as_mut() else { return Ok(Ok(())) };
            let taken = pending.take(common, row, cell);
            if taken.is_ok() && pending.rows.is_full() {
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
        pending.scanned.last()?.check(carried, &places)?;
        last = Some(pending.scanned);
        Ok(())
    })?;
    last.map_or(Ok(()), |mut scanned| scanned.last()?.finish(carried))
}
