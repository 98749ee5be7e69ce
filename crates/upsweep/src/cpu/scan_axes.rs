//! A scan along the two last axes of an array on the CPU: first along the rows, then down the columns, in one pass over memory.
//!
//! ```text
//! a tile: some rows of a chunk of columns
//! for each row of it
//!     line  = the scan of the row's elements in the chunk, after what is left of them     in the first-level cache
//!     left  = the last of line                                                            for the next chunk
//!     above = above ⊕ line                                                                a value a column, in the cache
//!     store above                                                                         past the cache
//! ```
//!
//! A tile comes after the one to its left and the one above it. Tickets go along the diagonals of tiles, so these two have tickets of the
//! diagonal before, and all of a diagonal can be under way at once. Arrays lie one below the other: the first rows of one have nothing
//! above them, but their tiles wait all the same, because what is above lies in the same place.
//!
//! # Memory ordering
//! `left` and `above` are written by the worker of a tile before it publishes the tile's ticket, and read by others after they have waited
//! for that: see [`chain`](super::engine::chain).

use super::engine::chain::{States, Tickets};
use super::tile::lanes::{Lanes, Work};
use super::tile::run::{Memory, NextBlock, Run, Storing};
use super::tile::scan::ScanRun;
use super::tile::simd::Set;
use super::tile::store::{self, StreamingCopy};
use crate::error::{Error, Result};
use crate::operator::{Element, Map, Operator, Same};
use crate::plan::scan_axes::CpuAxesPlan;
use crate::segments::Whole;
use crate::steps::{Held, Parts, Steps};

/// The steps of such a scan: a result is what is combined.
type StepsOf<I, O, Op, M> = Parts<I, O, Op, M, Same>;

/// Scans `x` into `y`, arrays of the plan's shape; with a `border`, the identity, `y` has a row and a column more in each, before the others.
pub(crate) fn run<I, O, Op, M>(
    steps: StepsOf<I, O, Op, M>,
    x: &[I],
    y: &mut [O],
    plan: &CpuAxesPlan,
    border: Option<O>,
) -> Result<()>
where
    I: Element,
    O: Element,
    M: Map<I, Output = O>,
    Op: Operator<O>,
{
    Held::nothing().add_all::<StepsOf<I, O, Op, M>, Whole>(&steps, None)?;
    let (arrays, height, width) = plan.shape;
    debug_assert!(x.len() == arrays * height * width && !x.is_empty());
    let (mut left, mut above) = (room::<O>(arrays * height * plan.chunks())?, room::<O>(width)?);
    let job = Table {
        steps,
        x: x.as_ptr(),
        y: y.as_mut_ptr(),
        left: left.as_mut_ptr(),
        above: above.as_mut_ptr(),
        plan,
        border,
    };
    let job = &job;
    let scan = Set::widest().compiled::<Tile<'_, I, O, Op, M>>();
    let (tickets, states) = (Tickets::new(plan.tickets()), States::new(plan.tickets())?);
    tickets.run(plan.threads, &|ticket, _| {
        if let Some((row, chunk)) = plan.tile(ticket) {
            if chunk > 0 {
                states.wait(plan.ticket(row, chunk - 1), &tickets)?;
            }
            if row > 0 {
                states.wait(plan.ticket(row - 1, chunk), &tickets)?;
            }
            let mut line = Vec::with_capacity(plan.columns);
            // SAFETY: the processor has the instructions of a `Set`; what the tile needs has been published, and nobody else has this ticket.
            unsafe { scan(Tile { job, row, chunk, line: line.as_mut_ptr() }) };
            if plan.non_temporal {
                store::fence();
            }
            states.publish(ticket, ());
        }
        Ok(())
    });
    Ok(())
}

/// Room for so many values; its length stays 0.
fn room<T>(len: usize) -> Result<Vec<T>> {
    let mut values = Vec::new();
    let bytes = len.saturating_mul(size_of::<T>());
    values.try_reserve_exact(len).map_err(|_| Error::OutOfMemory { bytes })?;
    Ok(values)
}

/// What all tiles share.
struct Table<'a, I, O, Op, M> {
    steps: StepsOf<I, O, Op, M>,
    x: *const I,
    y: *mut O,
    /// For each row and chunk, what all elements of the row up to the end of the chunk combine to.
    left: *mut O,
    /// For each column, the last result.
    above: *mut O,
    plan: &'a CpuAxesPlan,
    border: Option<O>,
}

// SAFETY: elements are only read; results, `left` and `above` are written by one worker each, and read by others after it has published
// its tile: see "Memory ordering".
unsafe impl<I: Element, O: Element, Op: Sync, M: Sync> Sync for Table<'_, I, O, Op, M> {}

/// A tile: the chunk of columns of the rows of this number, of all arrays. There is room for its columns at `line`.
struct Tile<'a, I, O, Op, M> {
    job: &'a Table<'a, I, O, Op, M>,
    row: usize,
    chunk: usize,
    line: *mut O,
}

impl<I, O, Op, M> Work for Tile<'_, I, O, Op, M>
where
    I: Element,
    O: Element,
    M: Map<I, Output = O>,
    Op: Operator<O>,
{
    type Result = ();

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) {
        let Self { job, row, chunk, line } = self;
        let (plan, steps) = (job.plan, &job.steps);
        let (_, height, width) = plan.shape;
        let (array, rows, columns) = (row / plan.rows_of_tiles(), plan.rows(row), plan.columns(chunk));
        let (chunks, border) = (plan.chunks(), usize::from(job.border.is_some()));
        let storing =
            Storing { exclusive: false, identity: None, non_temporal: false, block: 0, next: NextBlock::NONE };
        let (first, len) = (columns.start, columns.len());
        // SAFETY: the tile is one of the arrays'; see `run` for who else reads and writes what.
        unsafe {
            let above = job.above.add(first);
            if rows.start == 0 {
                self.store_border(array, columns.clone());
            }
            for r in rows {
                let number = array * height + r;
                let (start, origin) = (number * width + first, number * width);
                let left = job.left.add(number * chunks + chunk);
                let prefix = if chunk > 0 { Some(left.sub(1).read()) } else { None };
                // The result of the run's first element is the line's first.
                let memory = Memory::<I, O> {
                    input: job.x,
                    sink: line,
                    output: line.wrapping_sub(start),
                    len: start + len,
                    reverse: false,
                };
                let run = Run { start, len, origin };
                L::call(ScanRun { steps, memory: &memory, run, prefix, wanted: false, storing: &storing });
                left.write(line.add(len - 1).read());
                if r == 0 {
                    above.copy_from_nonoverlapping(line, len);
                } else {
                    for c in 0..len {
                        let value = steps.combine(above.add(c).read(), line.add(c).read());
                        above.add(c).write(value);
                        line.add(c).write(steps.store(value));
                    }
                }
                let to = (array * (height + border) + r + border) * (width + border) + border;
                if let (1, 0, Some(identity)) = (border, chunk, job.border) {
                    job.y.add(to - 1).write(identity);
                }
                let to = job.y.add(to + first);
                if plan.non_temporal {
                    StreamingCopy::<L>::new(line.cast_const().cast(), to.cast(), len * size_of::<O>()).finish(false);
                } else {
                    to.copy_from_nonoverlapping(line, len);
                }
            }
        }
    }
}

impl<I, O: Element, Op, M> Tile<'_, I, O, Op, M> {
    /// Stores the row above the first one, in the columns of the tile.
    ///
    /// # Safety
    /// The tile is one of the first row of tiles of its array.
    #[inline(always)]
    unsafe fn store_border(&self, array: usize, columns: std::ops::Range<usize>) {
        let Some(identity) = self.job.border else { return };
        let (_, height, width) = self.job.plan.shape;
        let row = array * (height + 1) * (width + 1);
        for c in if self.chunk == 0 { 0 } else { columns.start + 1 }..columns.end + 1 {
            // SAFETY: with a border there are `width + 1` results in that row.
            unsafe { self.job.y.add(row + c).write(identity) };
        }
    }
}
