//! Scans of what lies contiguously: whole arrays, lines along the last axis, segments.

use super::blocks::{Blocks, Tuning};
use super::chain::{Broken, States, Tickets};
use super::heads::Heads;
use super::simd::{Work, dispatch};
use super::steps::{Memory, Steps};
use super::store;
use super::tile::{self, Run, Storing};
use crate::Result;
use std::ops::Range;

/// A scan whose lines and segments are said by `heads`.
pub(super) struct Lines<'a, S: Steps, H> {
    pub(super) steps: S,
    pub(super) memory: Memory<S::In, S::Out>,
    pub(super) heads: &'a H,
    pub(super) init: Option<S::Acc>,
    pub(super) storing: Storing<S::Acc>,
}

impl<S: Steps, H: Heads> Lines<'_, S, H> {
    /// Scans everything in `blocks`.
    ///
    /// # Safety
    /// The memory is that of the blocks' elements: valid, and used by nothing else meanwhile.
    pub(super) unsafe fn scan(self, blocks: Blocks, tuning: Tuning) -> Result<()> {
        let threads = tuning.threads(self.memory.len).min(blocks.count());
        if threads <= 1 {
            // SAFETY: the caller's promise; this thread alone works.
            dispatch(InOrder { lines: &self, blocks });
            if self.storing.around_cache {
                store::fence();
            }
            return Ok(());
        }
        let tickets = Tickets::new(blocks.count());
        let states = States::new(blocks.count())?;
        // SAFETY: the caller's promise; each block's output is written by the worker that holds its ticket.
        tickets.run(threads, |ticket, next| unsafe { self.block((&tickets, &states), blocks, ticket, next) });
        Ok(())
    }

    /// Reduces and then scans one block.
    ///
    /// # Safety
    /// As [`scan`](Self::scan), and the calling worker holds `ticket`.
    unsafe fn block(
        &self,
        (tickets, states): (&Tickets, &States<S::Acc>),
        blocks: Blocks,
        ticket: usize,
        next: Option<usize>,
    ) -> std::result::Result<(), Broken> {
        let range = blocks.range(ticket);
        let begins = self.heads.is_head(range.start);
        // The next block needs this one's state unless it begins a line or segment itself.
        let needed = range.end < self.memory.len && !self.heads.is_head(range.end);
        let tail = needed.then(|| dispatch(Tail { lines: self, range: range.clone() }));
        // What begins in this block does not depend on what comes before it: hand it on before waiting.
        if let Some((Some(_), Some(local))) = tail {
            let state = self.init.map_or(local, |init| self.steps.combine(init, local));
            // SAFETY: the caller holds the ticket, and publishes it here or below.
            unsafe { states.publish(ticket, state) };
        }
        let prefix = if begins { self.init } else { Some(states.wait(ticket - 1, tickets)?) };
        if let Some((None, Some(local))) = tail {
            let state = prefix.map_or(local, |prefix| self.steps.combine(prefix, local));
            // SAFETY: as above.
            unsafe { states.publish(ticket, state) };
        }
        let mut storing = self.storing;
        if let Some(next) = next {
            let bytes = (blocks.range(next).start - range.start).saturating_mul(size_of::<S::In>()) as isize;
            storing.ahead = if self.memory.reverse { -bytes } else { bytes };
        }
        dispatch(Block { lines: self, range, prefix, storing });
        if storing.around_cache {
            store::fence();
        }
        Ok(())
    }
}

/// The last head after the block's first element, and the reduction from there (or else of the block).
struct Tail<'a, S: Steps, H> {
    lines: &'a Lines<'a, S, H>,
    range: Range<usize>,
}

impl<S: Steps, H: Heads> Work for Tail<'_, S, H> {
    type Result = (Option<usize>, Option<S::Acc>);

    #[inline(always)]
    fn run(self) -> Self::Result {
        let Range { start, end } = self.range;
        let Lines { steps, memory, heads, .. } = self.lines;
        let head = heads.last(start, end);
        let from = head.unwrap_or(start);
        let run = Run { start: from, len: end - from, origin: heads.origin(memory.at(from)) };
        // SAFETY: the block is in memory (see `Lines::scan`), and its output, which may be its input, is not written
        // yet.
        (head, unsafe { tile::reduce(steps, memory, run) })
    }
}

/// A block with its prefix.
struct Block<'a, S: Steps, H> {
    lines: &'a Lines<'a, S, H>,
    range: Range<usize>,
    prefix: Option<S::Acc>,
    storing: Storing<S::Acc>,
}

impl<S: Steps, H: Heads> Work for Block<'_, S, H> {
    type Result = ();

    #[inline(always)]
    fn run(self) {
        scan_block(self.lines, self.range, self.prefix, false, &self.storing);
    }
}

/// All blocks on one thread.
struct InOrder<'a, S: Steps, H> {
    lines: &'a Lines<'a, S, H>,
    blocks: Blocks,
}

impl<S: Steps, H: Heads> Work for InOrder<'_, S, H> {
    type Result = ();

    #[inline(always)]
    fn run(self) {
        let Lines { heads, init, storing, .. } = self.lines;
        let mut state = None;
        for index in 0..self.blocks.count() {
            let range = self.blocks.range(index);
            let prefix = if heads.is_head(range.start) { *init } else { state };
            let wanted = range.end < self.lines.memory.len;
            state = scan_block(self.lines, range, prefix, wanted, storing);
        }
    }
}

/// Scans a block run by run. Returns the state after it, if `wanted`.
#[inline(always)]
fn scan_block<S: Steps, H: Heads>(
    lines: &Lines<'_, S, H>,
    range: Range<usize>,
    mut prefix: Option<S::Acc>,
    wanted: bool,
    storing: &Storing<S::Acc>,
) -> Option<S::Acc> {
    let Lines { steps, memory, heads, init, .. } = lines;
    let mut cursor = heads.cursor(range.start);
    let mut start = range.start;
    loop {
        let end = heads.next(&mut cursor, start, range.end);
        let last = end == range.end;
        let run = Run { start, len: end - start, origin: heads.origin(memory.at(start)) };
        // SAFETY: the run is in a block, which is in memory and which only this thread works on: see `Lines::scan`.
        let local = unsafe { tile::scan(steps, memory, run, prefix, wanted && last, storing) };
        if last {
            return if wanted { steps.join(prefix, local) } else { None };
        }
        prefix = *init;
        start = end;
    }
}
