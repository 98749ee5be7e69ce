//! Scan of an array in a file along an axis to another file; or from the end.

use super::lines::{Chunk, Lines, bytes};
use super::turns::Turns;
use super::{ArrayFile, room};
use crate::element::{Type, Values};
use crate::failure::{Failure, Result};
use crate::output::Places;
use crate::progress::Progress;
use crate::sums::Sums;
use std::sync::{Mutex, PoisonError};
use upsweep::{Device, Shape};
use upsweep_dynamic::{Bounds, Carry, ColumnScan, Error, RunningCheck, Scan, View};

/// What is computed, and where its results go.
pub(crate) struct Job<'a> {
    pub(crate) file: &'a ArrayFile,
    /// Scan of a line in the type of the computation, and in that of the results.
    pub(crate) scan: Scan<'a>,
    pub(crate) checked: Scan<'a>,
    pub(crate) sums: Sums,
    /// Shape along the axis.
    pub(crate) shape: Shape,
    pub(crate) reverse: bool,
    /// Offset in bytes of the first result.
    pub(crate) begin: u64,
}

/// State that goes from chunk to chunk of a strip: that of the line, or of the lines beside each other.
#[derive(Default)]
struct State {
    carry: Carry,
    check: Option<RunningCheck>,
    columns: Option<ColumnScan>,
    bounds: Option<Bounds>,
}

/// Chunk whose turn it is.
struct Turn<'a> {
    lines: &'a Lines,
    chunk: &'a Chunk,
    ticket: usize,
    check: Option<&'a RunningCheck>,
    failed: &'a (dyn Fn(&Error) -> Failure + Sync),
}

impl Job<'_> {
    /// Scans the file into `places`. `failed` says what errors mean.
    pub(crate) fn run(&self, places: &Places<'_>, failed: &(dyn Fn(&Error) -> Failure + Sync)) -> Result<()> {
        let Self { file, scan, sums, shape, .. } = *self;
        let failed_here = |e: Error| failed(&e);
        let axes = [shape.outer, shape.len, shape.inner];
        let along = scan.axis(&axes, 1);
        let whole = along.keeps_bits_in_slabs(sums.computed).map_err(failed_here)?;
        let unit = if shape.inner == 1 { Ok(1) } else { along.rows_of_parts(sums.computed) }.map_err(failed_here)?;
        let lines = Lines::new(shape, bytes(file, sums), whole, unit, self.reverse);
        let check = match sums.checked {
            true => self.checked.running_check(&Carry::new(), file.element, shape.len).map_err(failed_here)?,
            false => None,
        };
        let chunks = lines.chunks();
        let mut rooms = Vec::new();
        for _ in 0..rayon::current_num_threads().min(chunks).max(1) {
            let (len, name) = (lines.longest(), &file.name);
            rooms.push((room(file.element, len, name)?, room(sums.computed, len, name)?));
        }
        let progress = Progress::new("scanning", Some(file.len as u64 * file.element.size() as u64));
        let progress = Mutex::new(progress);
        Turns::new(chunks, State::default()).run(&mut rooms, |turns, ticket, (stored, results)| {
            let chunk = lines.chunk(ticket);
            chunk.read(file, stored)?;
            let failed_in = |e: Error| failed(&chunk.in_file(e));
            let other = sums.computed != file.element;
            let values = other.then(|| sums.in_computed(stored.view())).transpose().map_err(failed_in)?;
            let x = values.as_ref().unwrap_or(stored).view();
            super::resize(results, chunk.len());
            if let Some(slabs) = chunk.slabs {
                *results = self.slabs(x, &slabs, check.is_some()).map_err(failed_in)?;
            } else {
                let extent = check.as_ref().map_or(Ok(None), |check| check.measure(x)).map_err(failed_in)?;
                let turn = Turn { lines: &lines, chunk: &chunk, ticket, check: check.as_ref(), failed };
                let done = turns.in_turn(ticket, |state| match shape.inner {
                    1 => self.line(state, &turn, x, extent, results),
                    _ => self.columns(state, &turn, x, extent, results),
                })?;
                if done.is_none() {
                    return Ok(());
                }
            }
            let narrow = match sums.results == sums.computed {
                true => None,
                false => Some(results.view().to_values().and_then(|all| sums.results(all)).map_err(failed_in)?),
            };
            let written = narrow.as_ref().unwrap_or(results);
            self.write(places, &chunk, (sums.results, written))?;
            let bytes = chunk.len() * file.element.size();
            progress.lock().unwrap_or_else(PoisonError::into_inner).step(bytes);
            Ok(())
        })?;
        file.check_unchanged()
    }

    /// Scans whole slabs.
    fn slabs(&self, x: View<'_>, shape: &[usize; 3], is_checked: bool) -> upsweep_dynamic::Result<Values> {
        if is_checked {
            self.checked.axis(shape, 1).check_overflow(x)?;
        }
        self.scan.axis(shape, 1).run(&Device::cpu(), x)
    }

    /// Scans a part of one line.
    fn line(
        &self,
        state: &mut State,
        turn: &Turn<'_>,
        x: View<'_>,
        extent: Option<upsweep_dynamic::Extent>,
        results: &mut Values,
    ) -> Result<()> {
        let failed = |e: Error| (turn.failed)(&turn.lines.of_line(turn.chunk, e));
        if turn.chunk.is_first {
            *state = State { check: turn.check.cloned(), ..State::default() };
        }
        if let Some(check) = &mut state.check {
            check.part(x, extent).map_err(failed)?;
        }
        self.scan.run_part(&Device::cpu(), x, results.view_mut(), &mut state.carry).map_err(failed)
    }

    /// Scans rows of lines beside each other.
    fn columns(
        &self,
        state: &mut State,
        turn: &Turn<'_>,
        x: View<'_>,
        extent: Option<upsweep_dynamic::Extent>,
        results: &mut Values,
    ) -> Result<()> {
        let &Turn { lines, chunk, ticket, check, failed } = turn;
        if chunk.is_first || state.columns.is_none() {
            let axes = [self.shape.outer, self.shape.len, self.shape.inner];
            let along = self.scan.axis(&axes, 1);
            let columns = along.columns(self.sums.computed, chunk.width, lines.rows()).map_err(|e| failed(&e))?;
            *state = State { columns: Some(columns), bounds: check.map(RunningCheck::bounds), ..State::default() };
        }
        if let Some(bounds) = &mut state.bounds {
            bounds.add(chunk.rows, extent);
        }
        if let Some((check, bounds)) = check.zip(state.bounds.as_ref())
            && chunk.is_last
            && !check.fits(bounds)
        {
            lines.check(self.file, self.sums, ticket, check, failed)?;
        }
        let Some(columns) = &mut state.columns else { return Ok(()) };
        columns.part(x, results.view_mut()).map_err(|e| failed(&chunk.in_file(e)))
    }

    fn write(&self, places: &Places<'_>, chunk: &Chunk, (element, results): (Type, &Values)) -> Result<()> {
        chunk.write(element, &|bytes, index| {
            let offset = self.begin + index as u64 * element.size() as u64;
            results.bytes().get(bytes).map_or(Ok(()), |bytes| places.write(bytes, offset))
        })
    }
}
