//! Reduction of an array in a file along an axis.

use super::lines::{Chunk, Lines, bytes};
use super::turns::Turns;
use super::{ArrayFile, room};
use crate::element::Values;
use crate::failure::{Failure, Result};
use crate::progress::Progress;
use crate::sums::Sums;
use std::sync::{Mutex, PoisonError};
use upsweep::{Device, Shape};
use upsweep_dynamic::{Bounds, Carry, ColumnTotals, Error, Extent, Number, Reduce, RunningCheck, View};

/// What is computed.
pub(crate) struct Job<'a> {
    pub(crate) file: &'a ArrayFile,
    /// Reduction of a line in the type of the computation, and in that of the results.
    pub(crate) reduce: Reduce<'a>,
    pub(crate) checked: Reduce<'a>,
    pub(crate) sums: Sums,
    /// Shape along the axis.
    pub(crate) shape: Shape,
}

/// State that goes from chunk to chunk of a strip: that of the line, or of the lines beside each other.
#[derive(Default)]
struct State {
    totals: Vec<Number>,
    check: Option<RunningCheck>,
    columns: ColumnTotals,
    bounds: Option<Bounds>,
}

/// What a chunk adds to the lines of its strip.
enum Part {
    Total(Number),
    Columns(Values),
}

impl Job<'_> {
    /// Reduces the file, and lets `take` take results with the index of the first, by any thread. `failed` says what errors mean.
    pub(crate) fn run(
        &self,
        take: &(dyn Fn(usize, &Values) -> Result<()> + Sync),
        failed: &(dyn Fn(&Error) -> Failure + Sync),
    ) -> Result<()> {
        let Self { file, reduce, sums, shape, .. } = *self;
        // A part is a subtree.
        let unit = if shape.inner == 1 { Reduce::CHUNK } else { Reduce::ROWS };
        let lines = Lines::new(shape, bytes(file, sums), true, unit, false);
        let check = match sums.checked {
            true => self.checked.running_check(&Carry::new(), file.element, shape.len).map_err(|e| failed(&e))?,
            false => None,
        };
        let chunks = lines.chunks();
        let mut rooms = Vec::new();
        for _ in 0..rayon::current_num_threads().min(chunks).max(1) {
            rooms.push(room(file.element, lines.longest(), &file.name)?);
        }
        let progress = Progress::new("reducing", Some(file.len as u64 * file.element.size() as u64));
        let progress = Mutex::new(progress);
        let (device, give) = (Device::cpu(), |chunk: &Chunk, computed: Values| {
            let results = sums.results(computed).map_err(|e| failed(&e))?;
            take(chunk.result, &results)
        });
        Turns::new(chunks, State::default()).run(&mut rooms, |turns, ticket, stored| {
            let chunk = lines.chunk(ticket);
            chunk.read(file, stored)?;
            let failed_in = |e: Error| failed(&chunk.in_file(e));
            let converted = sums.converted(stored.view()).map_err(failed_in)?;
            let x = converted.as_ref().unwrap_or(stored).view();
            if let Some(slabs) = &chunk.slabs {
                if check.is_some() {
                    self.checked.axis(slabs, 1).check_overflow(x).map_err(failed_in)?;
                }
                give(&chunk, reduce.axis(slabs, 1).run(&device, x).map_err(failed_in)?)?;
            } else {
                let extent = check.as_ref().map_or(Ok(None), |check| check.measure(x)).map_err(failed_in)?;
                let part = match shape.inner {
                    1 => reduce.total(&device, x).map(Part::Total),
                    _ => reduce.totals_of_columns(&device, x, chunk.width).map(Part::Columns),
                };
                let part = part.map_err(failed_in)?;
                turns.in_turn(ticket, |state| {
                    if chunk.is_first {
                        state.bounds = check.as_ref().map(RunningCheck::bounds);
                        state.check.clone_from(&check);
                    }
                    match part {
                        Part::Total(total) => {
                            state.totals.push(total);
                            let failed = |e: Error| failed(&lines.of_line(&chunk, e));
                            state.check_line(x, extent, chunk.is_last).map_err(failed)?;
                        }
                        Part::Columns(totals) => {
                            state.columns.push(&reduce, totals).map_err(|e| failed(&e))?;
                            self.check_columns(state, (&lines, &chunk, ticket), (check.as_ref(), extent), failed)?;
                        }
                    }
                    if chunk.is_last {
                        give(&chunk, state.totals(&reduce, file.element).map_err(|e| failed(&e))?)?;
                    }
                    Ok(())
                })?;
            }
            let bytes = chunk.len() * file.element.size();
            progress.lock().unwrap_or_else(PoisonError::into_inner).step(bytes);
            Ok(())
        })?;
        file.check_unchanged()
    }

    /// Adds the extent of a chunk to the bounds of its lines, and after the last chunk checks that their totals fit.
    fn check_columns(
        &self,
        state: &mut State,
        (lines, chunk, ticket): (&Lines, &Chunk, usize),
        (check, extent): (Option<&RunningCheck>, Option<Extent>),
        failed: &(dyn Fn(&Error) -> Failure + Sync),
    ) -> Result<()> {
        let Some((check, bounds)) = check.zip(state.bounds.as_mut()) else { return Ok(()) };
        bounds.add(chunk.rows, extent);
        match chunk.is_last && !check.fits(bounds) {
            true => lines.check(self.file, self.sums, ticket, check, failed),
            false => Ok(()),
        }
    }
}

impl State {
    /// Adds a part of a line to its check, which ends with the last.
    fn check_line(&mut self, x: View<'_>, extent: Option<Extent>, is_last: bool) -> upsweep_dynamic::Result<()> {
        let Some(check) = &mut self.check else { return Ok(()) };
        check.part(x, extent)?;
        if is_last { check.finish(false) } else { Ok(()) }
    }

    /// Returns the totals of the lines, after their last part.
    fn totals(&mut self, reduce: &Reduce<'_>, element: upsweep_dynamic::Type) -> upsweep_dynamic::Result<Values> {
        let totals = std::mem::take(&mut self.totals);
        match totals.is_empty() {
            true => self.columns.finish(reduce, element),
            false => reduce.of_totals(element, &totals),
        }
    }
}
