//! Scans of what lies contiguously: whole arrays, lines along the last axis, segments.

use super::blocks::{Blocks, Tuning};
use super::chain::{Chain, States, Step, Tickets};
use super::heads::Heads;
use super::lanes::Lanes;
use super::run::{Memory, Run, Storing};
use super::simd::{Work, dispatch};
use super::store;
use super::tile;
use crate::error::Result;
use crate::steps::Steps;
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
    /// Scans everything in `blocks`. Returns the state after the last element, if it is `wanted` (else nothing of
    /// meaning).
    ///
    /// # Safety
    /// The memory is that of the blocks' elements: valid, and used by nothing else meanwhile.
    pub(super) unsafe fn scan(self, blocks: Blocks, tuning: Tuning, wanted: bool) -> Result<Option<S::Acc>> {
        let threads = tuning.threads(self.memory.len).min(blocks.count());
        if threads <= 1 {
            // SAFETY: the caller's promise; this thread alone works.
            let state = dispatch(InOrder { lines: &self, blocks, wanted });
            if self.storing.around_cache {
                store::fence();
            }
            return Ok(state);
        }
        let chain = Chain {
            tickets: Tickets::new(blocks.count()),
            states: States::new(blocks.count())?,
            step: |ticket: usize| self.step(blocks.range(ticket)),
            combine: |a, b| self.steps.join(a, b),
        };
        chain.tickets.run(threads, |ticket, next| {
            let range = blocks.range(ticket);
            // The next block needs this one's state unless it begins a line or segment itself.
            let needed = if range.end < self.memory.len { !self.heads.is_head(range.end) } else { wanted };
            let step = needed.then(|| (chain.step)(ticket));
            // What begins in this block does not depend on what comes before it: it is handed on before waiting.
            let mut published = match step {
                Some(Step::Sets(state)) => chain.states.publish(ticket, state),
                _ => true,
            };
            let prefix = if self.heads.is_head(range.start) { self.init } else { chain.wait(ticket - 1)? };
            if let Some(Step::Adds(local)) = step {
                published = chain.states.publish(ticket, self.steps.join(prefix, local));
            }
            if !published && self.memory.in_place() {
                // Somebody who helps may still be reading the block.
                chain.states.wait(ticket, &chain.tickets)?;
            }
            let mut storing = self.storing;
            if let Some(next) = next {
                let bytes = (blocks.range(next).start - range.start).saturating_mul(size_of::<S::In>()) as isize;
                storing.ahead = if self.memory.reverse { -bytes } else { bytes };
            }
            dispatch(Block { lines: &self, range, prefix, storing });
            if self.storing.around_cache {
                store::fence();
            }
            Ok(())
        });
        Ok(blocks.count().checked_sub(1).and_then(|last| chain.states.get(last)).flatten())
    }

    /// What a block makes of the state before it.
    fn step(&self, range: Range<usize>) -> Step<Option<S::Acc>> {
        match dispatch(Tail { lines: self, range }) {
            (true, local) => Step::Sets(self.steps.join(self.init, local)),
            (false, local) => Step::Adds(local),
        }
    }
}

/// Whether there is a head in the block, and the reduction from the last one (or else of the block).
struct Tail<'a, S: Steps, H> {
    lines: &'a Lines<'a, S, H>,
    range: Range<usize>,
}

impl<S: Steps, H: Heads> Work for Tail<'_, S, H> {
    type Result = (bool, Option<S::Acc>);

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) -> Self::Result {
        let Range { start, end } = self.range;
        let Lines { steps, memory, heads, .. } = self.lines;
        let head = heads.last(start, end);
        let from = head.unwrap_or(start);
        let run = Run { start: from, len: end - from, origin: heads.origin(memory.at(from)) };
        // SAFETY: the block is in memory (see `Lines::scan`), and its output, which may be its input, is not written
        // before its state is published: see `chain`.
        (head.is_some(), unsafe { tile::reduce(steps, memory, run) })
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
    unsafe fn run<L: Lanes>(self) {
        scan_block(self.lines, self.range, self.prefix, false, &self.storing);
    }
}

/// All blocks on one thread.
struct InOrder<'a, S: Steps, H> {
    lines: &'a Lines<'a, S, H>,
    blocks: Blocks,
    wanted: bool,
}

impl<S: Steps, H: Heads> Work for InOrder<'_, S, H> {
    type Result = Option<S::Acc>;

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) -> Option<S::Acc> {
        let Lines { heads, init, storing, .. } = self.lines;
        let mut state = None;
        for index in 0..self.blocks.count() {
            let range = self.blocks.range(index);
            let prefix = if heads.is_head(range.start) { *init } else { state };
            let wanted = self.wanted || range.end < self.lines.memory.len;
            state = scan_block(self.lines, range, prefix, wanted, storing);
        }
        state
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
