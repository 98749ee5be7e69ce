//! Command `upsweep scan` of a column.

use super::keyed::Keyed;
use super::{Compute, Table};
use crate::args::ScanArgs;
use crate::asked::{Asked, described, report};
use crate::carried::Carried;
use crate::device::Chosen;
use crate::element::{Type, Values};
use crate::failure::Result;
use crate::output::Destination;
use crate::parts::{Running, Scans};
use crate::show::Places;
use crate::sums::Sums;
use crate::write::OutputForm;
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
