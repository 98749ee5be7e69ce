//! Scan along the two last axes of an array (summed-area table) on the CPU: along the rows, then down the columns, in
//! one pass over memory.
//!
//! ```text
//! a tile: some rows of a chunk of columns
//! for each row of it
//!     line  = scan of the row's elements in the chunk, with the prefix `left`     in the first-level cache
//!     left  = last of line                                                        for the next chunk
//!     above = above ⊕ line                                                        a value a column, in the cache
//!     store above                                                                 past the cache
//! ```
//!
//! A tile depends on the tile to its left and the tile above it. Tickets follow the diagonals of tiles (wavefront). So
//! these two tiles have tickets of the diagonal before, and all tiles of a diagonal can be in flight at once. Arrays
//! are stacked: the first rows of an array do not depend on the array above, but their tiles wait all the same, because
//! they reuse the memory of `above`.
//!
//! # Memory ordering
//! `left` and `above` are written by the worker of a tile before it publishes the tile's ticket, and read by others
//! after they have waited for that: see `engine/chain.rs`.
//!
//! While a row is scanned, the next eight rows are prefetched.

use super::engine::chain::{States, Tickets};
use super::tile::lanes::{Lanes, ROW_BYTES, Work};
use super::tile::run::{Memory, NextBlock, Run, Storing};
use super::tile::scan::ScanRun;
use super::tile::simd::Set;
use super::tile::store::{self, StreamingCopy};
use super::tile::tree::{ScanTree, State};
use super::tile::windows::PAGES;
use upsweep_core::error::Result;
use upsweep_core::memory;
use upsweep_core::operator::{Element, Map, Operator, Same};
use upsweep_core::segments::Whole;
use upsweep_core::steps::{Held, Parts, Steps};
use upsweep_plan::scan_axes::{CpuAxesPlan, TILE_ROWS};

/// Steps of a scan along two axes, whose results are the accumulators.
type StepsOf<I, O, Op, M> = Parts<I, O, Op, M, Same>;

/// Scans `x` into `y`, arrays of the plan's shape. With a `border`, the identity, each array of `y` has one more row
/// and column at its start.
pub fn run<I, O, Op, M>(
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
    let (mut left, mut above) = (memory::room::<O>(arrays * height * plan.chunks())?, memory::room::<O>(width)?);
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
    tickets.run(plan.threads, &|ticket, next| {
        if let Some((row, chunk)) = plan.tile(ticket) {
            if chunk > 0 {
                states.wait(plan.ticket(row, chunk - 1), &tickets)?;
            }
            if row > 0 {
                states.wait(plan.ticket(row - 1, chunk), &tickets)?;
            }
            let mut line = Vec::with_capacity(plan.columns);
            // SAFETY: the processor has the instructions of every `Set`. The tiles to the left and above have been
            // published, and nobody else has this ticket.
            unsafe {
                scan(Tile { job, row, chunk, line: line.as_mut_ptr(), next: next.and_then(|next| plan.tile(next)) })
            };
            if plan.non_temporal {
                store::fence();
            }
            states.publish(ticket, ());
        }
        Ok(())
    });
    Ok(())
}

/// Operands of a scan along two axes, which all tiles share.
struct Table<'a, I, O, Op, M> {
    steps: StepsOf<I, O, Op, M>,
    x: *const I,
    y: *mut O,
    /// Inclusive prefix of each row at the end of each chunk (the columns of a tile).
    left: *mut O,
    /// For each column, the result in the last row that has been scanned.
    above: *mut O,
    plan: &'a CpuAxesPlan,
    border: Option<O>,
}

// SAFETY: elements are only read. Results, `left` and `above` are written by one worker each, and read by others only
// after it has published its tile: see "Memory ordering".
unsafe impl<I: Element, O: Element, Op: Sync, M: Sync> Sync for Table<'_, I, O, Op, M> {}

/// Kernel of a tile: a chunk of columns of a row of tiles. Rows of tiles are numbered through all arrays. `line` has
/// room for the tile's columns.
///
/// # Safety
/// The tile is one of the table's, and only this thread has it. The tiles above it and to the left of it have been
/// published.
struct Tile<'a, I, O, Op, M> {
    job: &'a Table<'a, I, O, Op, M>,
    row: usize,
    chunk: usize,
    line: *mut O,
    /// Row of tiles and chunk of columns of this thread's next tile, whose first rows are prefetched.
    next: Option<(usize, usize)>,
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
        const PART: usize = PAGES * ROW_BYTES;
        let Self { job, row, chunk, line, next } = self;
        let (plan, steps) = (job.plan, &job.steps);
        let (_, height, width) = plan.shape;
        let (array, rows, columns) = (row / plan.rows_of_tiles(), plan.rows(row), plan.columns(chunk));
        let (chunks, border) = (plan.chunks(), usize::from(job.border.is_some()));
        let (first, len) = (columns.start, columns.len());
        // SAFETY: the tile is in one of the arrays, only this thread has it, and the tiles that it depends on are
        // published: see `run`.
        unsafe {
            let above = job.above.add(first);
            if rows.start == 0 {
                self.store_border(array, columns.clone());
            }
            // While a row is scanned, the next rows are prefetched, or the first rows of the next tile.
            let window = |(row, chunk): (usize, usize), from: usize| {
                let (rows, columns) = (plan.rows(row), plan.columns(chunk));
                let first = (row / plan.rows_of_tiles() * height + rows.start + from) * width + columns.start;
                NextBlock { first, len: PAGES * columns.len(), stride: width }
            };
            let last = rows.len().div_ceil(PAGES) - 1;
            // This is computed before the first row is stored. A vector load of data that was written in words waits
            // for all earlier stores, and non-temporal stores take long.
            let of_rows: [_; TILE_ROWS] = std::array::from_fn(|k| {
                let start = (array * height + rows.start + k) * width + first;
                // Offset so that the result of the run's first element is `line[0]`.
                let output = line.wrapping_sub(start);
                let memory = Memory::<I, O> { input: job.x, sink: line, output, len: start + len, reverse: false };
                let next = if k / PAGES < last {
                    window((row, chunk), k / PAGES * PAGES + PAGES)
                } else {
                    next.map_or(NextBlock::NONE, |tile| window(tile, 0))
                };
                let block = start.wrapping_sub(k % PAGES * len);
                (memory, Storing { exclusive: false, identity: None, non_temporal: false, block, next })
            });
            for (r, (memory, storing)) in rows.zip(&of_rows) {
                let number = array * height + r;
                let (start, origin) = (number * width + first, number * width);
                let left = job.left.add(number * chunks + chunk);
                let prefix = if chunk > 0 { Some(left.sub(1).read()) } else { None };
                let run = Run { start, len, origin };
                if const { StepsOf::<I, O, Op, M>::TREE } {
                    // A chunk is a tree of its own, whose initial value is the prefix.
                    let state = State::of_head(steps, prefix, None);
                    L::call(ScanTree::<_, true> { steps, memory, run, position: 0, state, storing });
                } else {
                    L::call(ScanRun { steps, memory, run, prefix, wanted: false, storing });
                }
                left.write(line.add(len - 1).read());
                let to = (array * (height + border) + r + border) * (width + border) + border;
                if let (1, 0, Some(identity)) = (border, chunk, job.border) {
                    job.y.add(to - 1).write(identity);
                }
                let to = job.y.add(to + first);
                let mut copy = StreamingCopy::<L>::new(line.cast_const().cast(), to.cast(), len * size_of::<O>());
                // Some cache lines at a time, so that computation and memory accesses overlap.
                for from in (0..len).step_by(PART / size_of::<O>()) {
                    let end = len.min(from + PART / size_of::<O>());
                    if r == 0 {
                        above.add(from).copy_from_nonoverlapping(line.add(from), end - from);
                    } else {
                        let part = std::slice::from_raw_parts_mut(line.add(from), end - from);
                        let above = std::slice::from_raw_parts_mut(above.add(from), end - from);
                        for (x, above) in part.iter_mut().zip(above) {
                            *above = steps.combine(*above, *x);
                            *x = steps.store(*above);
                        }
                    }
                    if plan.non_temporal {
                        copy.copy((from * size_of::<O>()).saturating_sub(PART), false);
                    }
                }
                if plan.non_temporal {
                    copy.finish(false);
                } else {
                    to.copy_from_nonoverlapping(line, len);
                }
            }
        }
    }
}

impl<I, O: Element, Op, M> Tile<'_, I, O, Op, M> {
    /// Stores the identity in the border row above the first row of array number `array`, in the `columns` of the tile.
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
