//! Totals of numbers on standard input: they are added as they come, and no longer needed.

use super::{Both, Numbers};
use crate::args::Common;
use crate::carried::Carried;
use crate::collect::{Part, Push, Refused, collector};
use crate::device::Chosen;
use crate::element::Values;
use crate::failure::Result;
use crate::output::Destination;
use crate::parts::Total;
use crate::progress::Progress;
use crate::show::Places;
use crate::source::STANDARD_INPUT;
use crate::words::{self, Take};
use crate::write::{self, OutputForm};
use std::io::Read;
use std::time::Instant;
use upsweep_dynamic::Op;

/// Places of numbers.
const PLACES: Places<'static> = Places { name: "number", first: 1, left_out: &[], shape: &[] };

/// Totals of numbers: in the type that is asked for, or as integers and as floats. Which of them is the result shows at the end:
/// there was a fraction, or all are integers.
struct Totals<'a> {
    numbers: Numbers,
    first: Result<Total<'a>>,
    floats: Result<Total<'a>>,
    are_floats: bool,
}

impl Take for Totals<'_> {
    fn word(&mut self, text: &str) -> std::result::Result<(), Refused> {
        self.numbers.push(text)
    }

    fn so_far(&mut self) -> Result<()> {
        let Self { numbers, first, floats, are_floats } = self;
        match numbers {
            Numbers::Typed(element, values) => {
                add(first, &std::mem::replace(values, collector(Some(*element), true)).finish());
            }
            Numbers::Mixed(values) => {
                let Part { integers, same, floats: more } = values.take();
                *are_floats |= !more.is_empty();
                add(first, &integers.into());
                add(floats, &same.into());
                add(floats, &more.into());
            }
        }
        Ok(())
    }
}

/// Adds numbers to a total, unless that has failed: its failure is told if it is the result.
fn add(total: &mut Result<Total<'_>>, values: &Values) {
    if let Ok(so_far) = total
        && let Err(failure) = so_far.add(values, &PLACES)
    {
        *total = Err(failure);
    }
}

/// Reduces the numbers of `text` to their total.
pub(crate) fn reduce(
    (common, op): (&Common, Op),
    mut text: Box<dyn Read>,
    device: &Chosen,
    (destination, carried): (&Destination, &Carried<'_>),
    begun: Instant,
) -> Result<()> {
    let both = Both::new((common, op), device, begun);
    let total = |asked, element| Total::new(asked, op, (element, usize::MAX), carried);
    let (numbers, first, floats) = both.begin(carried, total);
    let are_floats = first.is_err() && floats.is_ok() && carried.is_handed_in();
    let mut totals = Totals { numbers, first, floats, are_floats };
    words::read(&mut text, STANDARD_INPUT, &Progress::new("reading", None), &mut totals)?;
    totals.so_far()?;
    let total = if totals.are_floats { totals.floats } else { totals.first };
    total?.finish(carried, &PLACES, |total| {
        let progress = Progress::new("writing", None);
        destination.write(|out| write::write(OutputForm::Words, total, &[], (out, destination.name()), &progress))
    })
}
