//! Scans of contiguous elements: whole arrays, lines along the last axis, segments.

use super::chain::{Chain, States, Step, Tickets};
use super::heads::Heads;
use super::prefixes::{Common, Levels, Prefixes, Values};
use crate::tile::run::{Memory, NextBlock, Run, Storing};
use crate::tile::short_lines;
use crate::tile::simd::Set;
use crate::tile::store;
use std::ops::Range;
use upsweep_core::error::Result;
use upsweep_core::outputs::Write;
use upsweep_core::steps::{Out, Steps};
use upsweep_core::tree::LEVELS;
use upsweep_plan::cpu::{Blocks, NON_TEMPORAL_FROM_BYTES};

/// Operands of a scan of contiguous elements, except the heads of its lines or segments.
pub(crate) struct Contiguous<'a, S: Steps> {
    pub(crate) steps: &'a S,
    pub(crate) memory: &'a Memory<S::In, S::Out>,
    pub(crate) init: Option<S::Acc>,
    pub(crate) storing: Storing<S::Acc>,
    pub(crate) threads: usize,
    /// Whether the output is the input's memory.
    pub(crate) in_place: bool,
    pub(crate) begin: Begin<S::Acc>,
}

/// Begin of a scan that may go on where another ended.
#[derive(Clone, Copy)]
pub(crate) struct Begin<A> {
    /// Number of elements before the first, in all scans before.
    pub(crate) position: usize,
    /// Number of elements that come before the first block: from there on, blocks are whole tiles.
    pub(crate) lead: usize,
    /// Levels before the first element; `None` if it is a head.
    pub(crate) levels: Option<[A; LEVELS]>,
}

impl<A> Begin<A> {
    /// Begin of a scan of its own.
    pub(crate) const NOTHING: Self = Self { position: 0, lead: 0, levels: None };
}

/// State after the last element of a scan.
#[derive(Clone, Copy)]
pub(crate) struct After<A> {
    /// Result of the last element.
    pub(crate) value: A,
    /// Levels that are open after it.
    pub(crate) levels: [A; LEVELS],
}

impl<S: Steps> Contiguous<'_, S> {
    /// Scans the elements before the first block, and all blocks; `heads` tells where lines or segments begin. Returns
    /// the state after the last element, if it is `wanted` (otherwise an arbitrary value).
    ///
    /// # Safety
    /// The memory has these elements, is valid, and is used by nothing else meanwhile.
    pub(crate) unsafe fn run<H: Heads>(
        self,
        heads: &H,
        blocks: &Blocks,
        wanted: bool,
    ) -> Result<Option<After<S::Acc>>> {
        // SAFETY: the memory has the elements, is valid, and is used by nothing else meanwhile.
        unsafe {
            if const { S::TREE } {
                self.run_by::<Levels<'_, S>, H>(heads, blocks, wanted)
            } else {
                self.run_by::<Values<'_, S>, H>(heads, blocks, wanted)
            }
        }
    }

    /// [`run`](Self::run) with these prefixes of blocks.
    ///
    /// # Safety
    /// The memory has the elements, is valid, and is used by nothing else meanwhile.
    #[inline(always)]
    unsafe fn run_by<'a, P: Prefixes<'a, S>, H: Heads>(
        &'a self,
        heads: &H,
        blocks: &Blocks,
        wanted: bool,
    ) -> Result<Option<After<S::Acc>>> {
        let Self { steps, memory, init, ref storing, threads, in_place, begin } = *self;
        let Begin { position, lead, levels } = begin;
        let common = Common { steps, memory, init, storing, set: Set::widest() };
        let lines = Lines { memory, heads, common, prefixes: P::new(common), position };
        let prefixes = &lines.prefixes;
        let after = |state| {
            let (value, levels) = (prefixes.value(state)?, prefixes.levels(state)?);
            Some(After { value, levels })
        };
        // Short scans prefetch nothing: prefetches of data that is in a cache cost more than they save.
        let is_long = memory.len * size_of::<Out<S>>() >= NON_TEMPORAL_FROM_BYTES;
        let block = |index| {
            let Range { start, end } = blocks.range(index);
            start + lead..end + lead
        };
        let next_block = |ticket| {
            let range = block(ticket);
            NextBlock { first: memory.lowest(&range), len: range.len(), stride: 0 }
        };
        let mut first = levels.map_or_else(|| prefixes.of_head(), |levels| prefixes.of_levels(levels));
        if lead > 0 {
            // SAFETY: the memory has the elements, and is valid and used by nothing else. Only this thread works.
            first = unsafe { lines.scan_block(0..lead, first, true, &Storing { block: 0, ..*storing }) };
        }
        // Whether a block begins with a head. `first` knows it of the first block.
        let is_head = |k| k > 0 && heads.is_head(k);
        if threads <= 1 {
            let mut state = first;
            Tickets::in_order(blocks.count(), |index| {
                let range = block(index);
                let before = if is_head(range.start) { prefixes.of_head() } else { state };
                let wanted = wanted || range.end < memory.len;
                let next = if is_long && range.end < memory.len { next_block(index + 1) } else { NextBlock::NONE };
                let storing = Storing { block: range.start, next, ..*storing };
                // SAFETY: the memory has the block, and is valid and used by nothing else. Only this thread works.
                state = unsafe { lines.scan_block(range, before, wanted, &storing) };
            });
            if storing.non_temporal {
                store::fence();
            }
            return Ok(after(state));
        }
        let step = |ticket| {
            let Range { start, end } = block(ticket);
            let head = heads.last(start, end).filter(|&head| head > 0 || levels.is_none());
            let from = head.unwrap_or(start);
            let run = Run { start: from, len: end - from, origin: lines.origin(from) };
            let position = lines.position(from, heads.line(from));
            // SAFETY: the block is in the memory. Its output, which may be its input, is not written before its state
            // is published: see `chain`.
            match unsafe { prefixes.step(run, position, head.is_some()) } {
                Step::Adds(added) if ticket == 0 => Step::Sets(prefixes.advance(first, added)),
                step => step,
            }
        };
        let combine = |state, added| prefixes.advance(state, added);
        let (tickets, states) = (Tickets::new(blocks.count()), States::new(blocks.count())?);
        let chain = Chain { tickets, states, step: &step, combine: &combine };
        chain.tickets.run(threads, &|ticket, next| {
            let range = block(ticket);
            // The next block needs the state after this block unless it begins with a head.
            let is_last = range.end == memory.len;
            let step = (!is_last && !is_head(range.end)).then(|| step(ticket));
            // The state after a head in this block does not depend on earlier blocks: it is published before waiting.
            let mut published = match step {
                Some(Step::Sets(state)) => chain.states.publish(ticket, state),
                _ => true,
            };
            let before = match ticket.checked_sub(1) {
                _ if is_head(range.start) => prefixes.of_head(),
                None => first,
                Some(last) => chain.wait(last)?,
            };
            if let Some(Step::Adds(added)) = step {
                published = chain.states.publish(ticket, prefixes.advance(before, added));
            }
            if !published && in_place {
                // Another worker, which helps with this block, may still be reading it.
                chain.states.wait(ticket, &chain.tickets)?;
            }
            let mut storing = *storing;
            storing.block = range.start;
            if let Some(next) = next.filter(|_| is_long) {
                storing.next = next_block(next);
            }
            // SAFETY: the block is in memory, and nobody reads its input any more.
            let state = unsafe { lines.scan_block(range, before, wanted && is_last, &storing) };
            if storing.non_temporal {
                store::fence();
            }
            if wanted && is_last {
                chain.states.publish(ticket, state);
            }
            Ok(())
        });
        let last = blocks.count().checked_sub(1).and_then(|last| chain.states.get(last));
        Ok(last.and_then(after))
    }
}

/// Operands of the scan of a block.
struct Lines<'a, 'h, S: Steps, H, P> {
    memory: &'a Memory<S::In, S::Out>,
    heads: &'h H,
    common: Common<'a, S>,
    prefixes: P,
    /// Number of elements before the memory's first, in all scans before.
    position: usize,
}

impl<'a, S: Steps, H: Heads, P: Prefixes<'a, S>> Lines<'a, '_, S, H, P> {
    /// Returns the position in the tree of element `k`, whose line begins at `line`.
    #[inline(always)]
    fn position(&self, k: usize, line: usize) -> usize {
        k - line + self.position
    }

    /// Returns the index in memory from which the positions given to the map count, for the line of element `k`. It
    /// wraps below 0 if there are elements before the memory's first.
    #[inline(always)]
    fn origin(&self, k: usize) -> usize {
        self.heads.origin(self.memory.at(k)).wrapping_sub(self.position)
    }

    /// Scans a block run by run. Returns the state after it, if `wanted`.
    ///
    /// # Safety
    /// The block is in memory, and this thread alone works on it. `state` is the state before it.
    #[inline(always)]
    unsafe fn scan_block(
        &self,
        range: Range<usize>,
        mut state: P::State,
        wanted: bool,
        storing: &Storing<S::Acc>,
    ) -> P::State {
        let Self { heads, prefixes, .. } = self;
        let results = BlockResults::<S>::of(self.memory, &range);
        let memory = &results.memory;
        let mut cursor = heads.cursor(range.start);
        let mut start = range.start;
        let mut line = heads.line(start);
        loop {
            if const { H::EQUAL } && start == line {
                // The state after the last line is wanted of a line by itself.
                let whole = ((range.end - start) / heads.each()).saturating_sub(usize::from(wanted));
                if whole >= short_lines::LEAST && short_lines::apply(self.common.steps, heads.each()) {
                    let Common { steps, init, set, .. } = self.common;
                    let lines = short_lines::Lines { start, count: whole, len: heads.each() };
                    // SAFETY: the lines are in the block.
                    unsafe { short_lines::scan(set, steps, memory, init, lines, storing) };
                    start += whole * heads.each();
                    (line, state) = (start, prefixes.of_head());
                    if start == range.end {
                        // SAFETY: all results of the block have been written, and only this thread works on it.
                        unsafe { results.store(range) };
                        return state;
                    }
                }
            }
            let end = heads.next(&mut cursor, start, range.end);
            let last = end == range.end;
            let run = Run { start, len: end - start, origin: self.origin(start) };
            let position = self.position(start, line);
            // SAFETY: the run is in the block, and `state` is the one before it.
            let after = unsafe { prefixes.scan(memory, run, position, state, wanted && last, storing) };
            if last {
                // SAFETY: all results of the block have been written, and only this thread works on it.
                unsafe { results.store(range) };
                return after;
            }
            state = prefixes.of_head();
            start = end;
            line = heads.line_of_head(start);
        }
    }
}

/// Memory of a block. If the output is not a plain buffer, results are staged in memory that stays in the cache.
struct BlockResults<S: Steps> {
    memory: Memory<S::In, S::Out>,
    results: Vec<Out<S>>,
}

impl<S: Steps> BlockResults<S> {
    #[inline(always)]
    fn of(memory: &Memory<S::In, S::Out>, range: &Range<usize>) -> Self {
        if S::Out::PLAIN {
            return Self { memory: *memory, results: Vec::new() };
        }
        let mut results: Vec<Out<S>> = Vec::with_capacity(range.len());
        // Address that result 0 of the whole output would have if the block's results lay at their indices.
        let output = results.as_mut_ptr().wrapping_sub(memory.lowest(range));
        Self { memory: Memory { output, ..*memory }, results }
    }

    /// Stores the staged results of the block.
    ///
    /// # Safety
    /// All results have been written, and nobody else stores them.
    #[inline(always)]
    unsafe fn store(&self, range: Range<usize>) {
        if !S::Out::PLAIN {
            let first = self.memory.lowest(&range);
            for i in 0..range.len() {
                // SAFETY: all results have been written, nobody else stores them, and the output has room for them.
                unsafe { S::Out::write(&self.memory.sink, first + i, self.results.as_ptr().add(i).read()) };
            }
        }
    }
}
