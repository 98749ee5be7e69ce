//! Reduction of an array in a file to its total.

use super::turns::Turns;
use super::{ArrayFile, in_file, resize, rooms};
use crate::element::Values;
use crate::failure::{Failure, Result};
use crate::progress::Progress;
use crate::sums::Sums;
use upsweep::Device;
use upsweep_dynamic::{Carry, Error, Number, Reduce, RunningCheck};

/// Bytes of a chunk in the type of the computation: a power of two, as [`Reduce::total`] asks for.
const BYTES: usize = 1 << 20;

/// What is computed.
pub(crate) struct Job<'a> {
    pub(crate) file: &'a ArrayFile,
    /// Reduction in the type of the computation.
    pub(crate) reduce: Reduce<'a>,
    pub(crate) sums: Sums,
    /// Check of the total in its type, if one is needed.
    pub(crate) check: Option<RunningCheck>,
}

/// State of all chunks.
struct State {
    totals: Vec<Number>,
    /// Carry after the chunks so far and their total, if one is asked for.
    carried: Option<(Carry, Values)>,
    check: Option<RunningCheck>,
    progress: Progress,
}

impl Job<'_> {
    /// Reduces the file to one value in the type of the computation; after the values of `carry`, if one is asked for, which
    /// is returned as it is after the file. `failed` says what errors mean.
    pub(crate) fn run(
        &self,
        carry: Option<Carry>,
        failed: &(dyn Fn(&Error) -> Failure + Sync),
    ) -> Result<(Values, Option<Carry>)> {
        let Self { file, reduce, sums, ref check } = *self;
        let device = Device::cpu();
        let chunk = BYTES / file.element.size().max(sums.computed.size());
        let chunks = file.len.div_ceil(chunk);
        let mut rooms = rooms(file, chunk)?;
        let totals = upsweep_core::memory::filled(chunks, Number::Integer(0));
        let totals = totals.map_err(|e| failed(&e.into()))?;
        let progress = Progress::new("reducing", Some(file.len as u64 * file.element.size() as u64));
        // Nothing more has the total of what came before.
        let begin = |mut carry| {
            let total = reduce.run_part(&device, Values::zeroed(sums.computed, 0)?.view(), &mut carry)?;
            Ok((carry, total))
        };
        let carried = carry.map(begin).transpose().map_err(|e| failed(&e))?;
        // Totals need no order, but a carry and the check do.
        let in_parts = carried.is_some();
        let in_order = in_parts || check.is_some();
        let turns = Turns::new(chunks, State { totals, carried, check: check.clone(), progress });
        let state = turns.run(&mut rooms, |turns, ticket, stored| {
            let start = ticket * chunk;
            let range = start..(start + chunk).min(file.len);
            resize(stored, range.len());
            file.read(&range, stored)?;
            let failed = |e: Error| failed(&in_file(e, start));
            let converted = match in_parts && sums.computed != file.element {
                true => sums.in_computed(stored.view()).map(Some),
                false => sums.converted(stored.view()),
            };
            let converted = converted.map_err(failed)?;
            let x = converted.as_ref().unwrap_or(stored).view();
            let extent = check.as_ref().map_or(Ok(None), |check| check.measure(x)).map_err(failed)?;
            let total = if in_parts { Ok(None) } else { reduce.total(&device, x).map(Some) };
            let total = total.map_err(failed)?;
            let note = |State { totals, carried, check, progress }: &mut State| {
                if let Some(check) = check {
                    check.part(x, extent)?;
                }
                if let Some((carry, so_far)) = carried {
                    *so_far = reduce.run_part(&device, x, carry)?;
                }
                if let Some((place, total)) = totals.get_mut(ticket).zip(total) {
                    *place = total;
                }
                progress.step(range.len() * file.element.size());
                Ok(())
            };
            match in_order {
                true => turns.in_turn(ticket, |state| note(state).map_err(&failed)).map(drop),
                false => turns.at_once(note).map_err(failed),
            }
        })?;
        file.check_unchanged()?;
        if let Some(check) = &state.check {
            check.finish(false).map_err(|e| failed(&e))?;
        }
        match state.carried {
            Some((carry, total)) => Ok((total, Some(carry))),
            None => reduce.of_totals(file.element, &state.totals).map(|total| (total, None)).map_err(|e| failed(&e)),
        }
    }
}
