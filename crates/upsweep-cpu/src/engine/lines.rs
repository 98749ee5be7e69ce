//! Scans of contiguous elements: whole arrays, lines along the last axis, segments.

use super::chain::{Chain, States, Step, Tickets};
use super::heads::Heads;
use crate::tile::reduce::Reducer;
use crate::tile::run::{Memory, NextBlock, Run, Storing};
use crate::tile::scan::ScanRun;
use crate::tile::simd::Set;
use crate::tile::store::{self, Ahead};
use std::ops::Range;
use upsweep_core::error::Result;
use upsweep_core::outputs::Write;
use upsweep_core::steps::{Out, Steps};
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
}

impl<S: Steps> Contiguous<'_, S> {
    /// Scans all blocks; `heads` tells where lines or segments begin. Returns the state after the last
    /// element, if it is `wanted` (otherwise an arbitrary value).
    ///
    /// # Safety
    /// The memory has the blocks' elements, is valid, and is used by nothing else meanwhile.
    pub(crate) unsafe fn run<H: Heads>(self, heads: &H, blocks: &Blocks, wanted: bool) -> Result<Option<S::Acc>> {
        let Self { steps, memory, init, storing, threads, in_place } = self;
        let set = Set::widest();
        let lines = Lines { steps, memory, heads, init, set };
        // Short scans prefetch nothing: prefetches of data that is in a cache cost more than they save.
        let is_long = memory.len * size_of::<Out<S>>() >= NON_TEMPORAL_FROM_BYTES;
        let next_block = |ticket| {
            let range = blocks.range(ticket);
            NextBlock { first: memory.lowest(&range), len: range.len(), stride: 0 }
        };
        if threads <= 1 {
            let mut state = None;
            Tickets::in_order(blocks.count(), |index| {
                let range = blocks.range(index);
                let prefix = if heads.is_head(range.start) { init } else { state };
                let wanted = wanted || range.end < memory.len;
                let next = if is_long && range.end < memory.len { next_block(index + 1) } else { NextBlock::NONE };
                let storing = Storing { block: range.start, next, ..storing };
                // SAFETY: the memory has the block, and is valid and used by nothing else. Only this thread works.
                state = unsafe { lines.scan_block(range, prefix, wanted, &storing) };
            });
            if storing.non_temporal {
                store::fence();
            }
            return Ok(state);
        }
        let reducer = Reducer::new(set, steps, memory);
        let step = |ticket| {
            let Range { start, end } = blocks.range(ticket);
            let head = heads.last(start, end);
            let from = head.unwrap_or(start);
            let run = Run { start: from, len: end - from, origin: heads.origin(memory.at(from)) };
            // SAFETY: the block is in the memory. Its output, which may be its input, is not written before its state
            // is published: see `chain`.
            let local = unsafe { reducer.reduce(run, Ahead::NOTHING) };
            if head.is_some() { Step::Sets(steps.join(init, local)) } else { Step::Adds(local) }
        };
        let combine = |a, b| steps.join(a, b);
        let (tickets, states) = (Tickets::new(blocks.count()), States::new(blocks.count())?);
        let chain = Chain { tickets, states, step: &step, combine: &combine };
        chain.tickets.run(threads, &|ticket, next| {
            let range = blocks.range(ticket);
            // The next block needs the state after this block unless it begins with a head.
            let needed = if range.end < memory.len { !heads.is_head(range.end) } else { wanted };
            let step = needed.then(|| step(ticket));
            // The state after a head in this block does not depend on earlier blocks: it is published before waiting.
            let mut published = match step {
                Some(Step::Sets(state)) => chain.states.publish(ticket, state),
                _ => true,
            };
            let prefix = if heads.is_head(range.start) { init } else { chain.wait(ticket - 1)? };
            if let Some(Step::Adds(local)) = step {
                published = chain.states.publish(ticket, steps.join(prefix, local));
            }
            if !published && in_place {
                // Another worker, which helps with this block, may still be reading it.
                chain.states.wait(ticket, &chain.tickets)?;
            }
            let mut storing = storing;
            storing.block = range.start;
            if let Some(next) = next.filter(|_| is_long) {
                storing.next = next_block(next);
            }
            // SAFETY: the block is in memory, and nobody reads its input any more.
            unsafe { lines.scan_block(range, prefix, false, &storing) };
            if storing.non_temporal {
                store::fence();
            }
            Ok(())
        });
        Ok(blocks.count().checked_sub(1).and_then(|last| chain.states.get(last)).flatten())
    }
}

/// Operands of the scan of a block.
struct Lines<'a, S: Steps, H> {
    steps: &'a S,
    memory: &'a Memory<S::In, S::Out>,
    heads: &'a H,
    init: Option<S::Acc>,
    set: Set,
}

impl<S: Steps, H: Heads> Lines<'_, S, H> {
    /// Scans a block run by run. Returns the state after it, if `wanted`.
    ///
    /// # Safety
    /// The block is in memory, and this thread alone works on it.
    #[inline(always)]
    unsafe fn scan_block(
        &self,
        range: Range<usize>,
        mut prefix: Option<S::Acc>,
        wanted: bool,
        storing: &Storing<S::Acc>,
    ) -> Option<S::Acc> {
        let Self { steps, heads, init, set, .. } = *self;
        let results = BlockResults::<S>::of(self.memory, &range);
        let memory = &results.memory;
        let scan = set.compiled::<ScanRun<'_, S>>();
        let mut cursor = heads.cursor(range.start);
        let mut start = range.start;
        loop {
            let end = heads.next(&mut cursor, start, range.end);
            let last = end == range.end;
            let run = Run { start, len: end - start, origin: heads.origin(memory.at(start)) };
            let wanted = wanted && last;
            // SAFETY: the processor has the instructions of every `Set`, and the run is in the block.
            let local = unsafe { scan(ScanRun { steps, memory, run, prefix, wanted, storing }) };
            if last {
                // SAFETY: all results of the block have been written, and only this thread works on it.
                unsafe { results.store(range) };
                return if wanted { steps.join(prefix, local) } else { None };
            }
            prefix = init;
            start = end;
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
