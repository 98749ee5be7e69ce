//! Reduction of an array in a file to its total.

use super::turns::Turns;
use super::{ArrayFile, in_file, resize, room};
use crate::element::Values;
use crate::failure::{Failure, Result};
use crate::progress::Progress;
use crate::sums::Sums;
use upsweep::Device;
use upsweep_dynamic::{Error, Number, Reduce, RunningCheck};

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
    check: Option<RunningCheck>,
    progress: Progress,
}

impl Job<'_> {
    /// Reduces the file to one value in the type of the computation. `failed` says what errors mean.
    pub(crate) fn run(&self, failed: &(dyn Fn(&Error) -> Failure + Sync)) -> Result<Values> {
        let Self { file, reduce, sums, ref check } = *self;
        let device = Device::cpu();
        let chunk = BYTES / file.element.size().max(sums.computed.size());
        let chunks = file.len.div_ceil(chunk);
        let threads = rayon::current_num_threads().min(chunks).max(1);
        let rooms = (0..threads).map(|_| room(file.element, chunk.min(file.len), &file.name));
        let mut rooms = rooms.collect::<Result<Vec<_>>>()?;
        let totals = upsweep_core::memory::filled(chunks, Number::Integer(0));
        let totals = totals.map_err(|e| failed(&e.into()))?;
        let progress = Progress::new("reducing", Some(file.len as u64 * file.element.size() as u64));
        let turns = Turns::new(chunks, State { totals, check: check.clone(), progress });
        let state = turns.run(&mut rooms, |turns, ticket, stored| {
            let start = ticket * chunk;
            let range = start..(start + chunk).min(file.len);
            resize(stored, range.len());
            file.read(&range, stored)?;
            let failed = |e: Error| failed(&in_file(e, start));
            let converted = sums.converted(stored.view()).map_err(failed)?;
            let x = converted.as_ref().unwrap_or(stored).view();
            let total = reduce.total(&device, x).map_err(failed)?;
            let note = |State { totals, progress, .. }: &mut State| {
                if let Some(place) = totals.get_mut(ticket) {
                    *place = total;
                }
                progress.step(range.len() * file.element.size());
            };
            // The totals need no order, but the check does.
            let Some(check) = check else {
                turns.at_once(note);
                return Ok(());
            };
            let extent = check.measure(x).map_err(failed)?;
            turns.in_turn(ticket, |state| {
                let check = state.check.as_mut();
                check.map_or(Ok(()), |check| check.part(x, extent)).map_err(|e| failed(e))?;
                note(state);
                Ok(())
            })?;
            Ok(())
        })?;
        file.check_unchanged()?;
        if let Some(check) = &state.check {
            check.finish(false).map_err(|e| failed(&e))?;
        }
        reduce.of_totals(file.element, &state.totals).map_err(|e| failed(&e))
    }
}
