//! Commands `upsweep scan` and `reduce` of a column.

use super::keyed::Keyed;
use super::{Compute, Table};
use crate::args::{Common, ScanArgs};
use crate::asked::{Asked, described, report};
use crate::carried::Carried;
use crate::device::Chosen;
use crate::element::{Type, Values};
use crate::failure::Result;
use crate::output::Destination;
use crate::parts::{Running, Scans, Total};
use crate::progress::Progress;
use crate::show::Places;
use crate::sums::Sums;
use crate::write::{self, OutputForm};
use std::time::Instant;
use upsweep_dynamic::Op;

/// Scan of all values.
struct Whole<'a> {
    running: Running<'a>,
    carried: &'a Carried<'a>,
    element: Type,
}

impl Compute for Whole<'_> {
    fn element(&self) -> Type {
        self.element
    }

    fn results(&mut self, values: &Values, _: &[bool], places: &Places<'_>) -> Result<(Values, Vec<usize>)> {
        Ok((self.running.results(values, places)?, Vec::new()))
    }

    fn check(&self, places: &Places<'_>) -> Result<()> {
        self.running.check(self.carried, places)
    }
}

/// Runs `upsweep scan` of a column.
pub(crate) fn scan(
    (args, op): (&ScanArgs, Op),
    table: &Table,
    device: &Chosen,
    (destination, named, carried): (&Destination, Option<OutputForm>, &Carried<'_>),
    begun: Instant,
) -> Result<()> {
    let common = &args.common;
    let form = named.unwrap_or(OutputForm::Table { delimiter: table.delimiter });
    table.read(common, destination.is_plain_file(), |column| {
        let (name, element) = (column.name, column.element);
        let sums = Sums::new(common.sums, op, element, form)?;
        sums.check_output(form, op, destination.name())?;
        let asked = Asked { common, name, device, shape: &[], axis: None, sums, missing: 0, begun };
        let scans = Scans::new((args, op), &asked, None)?;
        let started = Instant::now();
        let done = if common.by_key.is_some() {
            let mut keyed = Keyed::new((op, args.exclusive), scans, &asked, element)?;
            column.scan(&mut keyed, (destination, form), op.name())?
        } else {
            let Scans { checked, computed } = scans;
            let running = Running::new(&asked, (op, &checked, computed), (element, usize::MAX), carried)?;
            let mut whole = Whole { running, carried, element: sums.results };
            let done = column.scan(&mut whole, (destination, form), op.name())?;
            whole.running.finish(carried)?;
            done
        };
        let bytes = done.len * (element.size() + sums.results.size());
        let asked = Asked { missing: done.missing, ..asked };
        let summary = asked.summary(described(args, op), (done.len, element), started.elapsed(), bytes);
        sums.note_width(form, element);
        report(destination, &summary);
        Ok(())
    })
}

/// Runs `upsweep reduce` of a column by one operator.
pub(crate) fn reduce(
    (common, op): (&Common, Op),
    table: &Table,
    device: &Chosen,
    (destination, form, carried): (&Destination, OutputForm, &Carried<'_>),
    begun: Instant,
) -> Result<()> {
    table.read(common, true, |column| {
        let (name, element) = (column.name, column.element);
        let sums = Sums::new(common.sums, op, element, form)?;
        sums.check_output(form, op, destination.name())?;
        let asked = Asked { common, name, device, shape: &[], axis: None, sums, missing: 0, begun };
        let mut total = Total::new(&asked, op, (element, usize::MAX), carried)?;
        let started = Instant::now();
        let done = column.each_part(|values, places| total.add(values, places))?;
        // From which row on it does not fit shows at the end alone.
        let left_out = if total.fits(carried) { Vec::new() } else { table.left_out(common)? };
        let places = Places { name: "row", first: table.head.first_row(), left_out: &left_out, shape: &[] };
        total.finish(carried, &places, |total| {
            let progress = Progress::new("writing", None);
            destination.write(|out| write::write(form, total, &[], (out, destination.name()), &progress))
        })?;
        sums.note_width(form, element);
        let asked = Asked { missing: done.missing, ..asked };
        let (what, bytes) = (format!("{op} reduction"), done.len * element.size());
        report(destination, &asked.summary(what, (done.len, element), started.elapsed(), bytes));
        Ok(())
    })
}
