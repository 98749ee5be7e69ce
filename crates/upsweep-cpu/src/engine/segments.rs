//! Segmented reduction: by offsets or by heads.

use super::chain::{Chain, States, Step, Tickets};
use super::heads::Heads;
use super::results::Results;
use super::segment_heads::ByTest;
use crate::tile::lanes::{Lanes, Work};
use crate::tile::pairwise::Pairwise;
use crate::tile::reduce::{self, ReduceRun, Reducer};
use crate::tile::run::{Memory, Run};
use crate::tile::simd::Set;
use crate::tile::store::Ahead;
use crate::tile::windows::fetch_near;
use std::ops::Range;
use upsweep_core::error::Result;
use upsweep_core::inputs::Read;
use upsweep_core::segments::Offset;
use upsweep_core::steps::Steps;
use upsweep_plan::cpu::Blocks;

/// Partial results of a block: reductions of segments that cross its edges.
#[derive(Clone, Copy)]
struct Edges<T> {
    /// Reduction of the elements before the first head in the block, if there are any.
    front: Option<T>,
    /// Number of the first segment whose last element is in the block, if there is one.
    ends: Option<usize>,
    /// Reduction of the elements after the last segment that ends in the block, if there are any.
    back: Option<T>,
}

/// Fix-up: combines the parts of the segments that cross edges of blocks, from left to right, and stores their results.
struct Crossing<'a, S: Steps> {
    job: &'a Results<S>,
    /// Reductions of the parts of the segment that has not ended yet, one for each block that it crosses.
    open: Pairwise<S::Acc>,
}

impl<'a, S: Steps> Crossing<'a, S> {
    /// Starts a fix-up of the results of `job`.
    ///
    /// # Safety
    /// While this lives, no other thread stores the segments that cross blocks.
    unsafe fn new(job: &'a Results<S>) -> Self {
        Self { job, open: Pairwise::new() }
    }

    fn block(&mut self, edges: Edges<S::Acc>) {
        self.push(edges.front);
        if let Some(segment) = edges.ends {
            self.end(segment);
        }
        self.push(edges.back);
    }

    fn push(&mut self, part: Option<S::Acc>) {
        if let Some(part) = part {
            self.open.push(part, |a, b| self.job.steps.combine(a, b));
        }
    }

    /// Stores the open segment as number `segment`, and begins another.
    fn end(&mut self, segment: usize) {
        if segment < self.job.results {
            // SAFETY: `segment` is less than the number of results, and nothing else stores it: see `new`.
            unsafe { self.job.store(segment, self.open.total(|a, b| self.job.steps.combine(a, b))) };
        }
        self.open = Pairwise::new();
    }
}

/// Reduces the segments between `offsets`.
///
/// Each block has about the same number of elements and ends of segments together: Merrill and Garland, "Merge-Based
/// Parallel Sparse Matrix-Vector Multiplication", 2016. The difference: each block is sequential inside.
///
/// # Safety
/// The memory is valid and used by nothing else. `offsets` ascend from 0 to its length, and there is a result for each
/// segment. `blocks` cover the sum of the numbers of elements and segments.
pub(crate) unsafe fn by_offsets<S: Steps, I: Offset>(job: &Results<S>, offsets: &[I], blocks: &Blocks) -> Result<()> {
    // The end of segment `i`.
    let end = |i: usize| offsets[i + 1].to_usize().unwrap_or(0);
    let all = offsets.len().saturating_sub(1);
    // Number of segments that end in the first `k` steps of a merge of elements and ends, in which an end comes right
    // after its last element.
    let ended = |k: usize| {
        let (mut low, mut high) = (k.saturating_sub(job.memory.len), k.min(all));
        while low < high {
            let middle = low + (high - low) / 2;
            if end(middle) + middle < k { low = middle + 1 } else { high = middle }
        }
        low
    };
    let compiled = Set::widest().compiled::<Block<'_, S, I>>();
    let part = |index: usize| {
        let Range { start: from, end: to } = blocks.range(index);
        let segments = ended(from)..ended(to);
        let (start, end) = (from - segments.start, to - segments.end);
        // SAFETY: the processor has the instructions of every `Set`; the blocks are in the memory, and each segment that
        // begins and ends in this block has a result that is this block's.
        unsafe { compiled(Block { job, offsets, segments, start, end }) }
    };
    // SAFETY: while `crossing` stores, this thread alone works. Before, the workers store the segments that cross no
    // edge.
    let mut crossing = unsafe { Crossing::new(job) };
    if job.threads <= 1 {
        Tickets::in_order(blocks.count(), |index| crossing.block(part(index)));
        return Ok(());
    }
    let parts = States::new(blocks.count())?;
    Tickets::new(blocks.count()).run(job.threads, &|index, _| {
        parts.publish(index, part(index));
        Ok(())
    });
    (0..blocks.count()).filter_map(|index| parts.get(index)).for_each(|edges| crossing.block(edges));
    Ok(())
}

/// Reduction of the elements `start .. end`, in which `segments` end. All of these but the first begin there, too, and are
/// stored.
///
/// # Safety
/// `offsets` ascend from 0 to the length of the memory, which is valid. Nothing else accesses the results of the stored
/// segments meanwhile.
struct Block<'a, S: Steps, I> {
    job: &'a Results<S>,
    offsets: &'a [I],
    segments: Range<usize>,
    start: usize,
    end: usize,
}

/// Bytes of the largest table that is not fetched ahead: the processor finds the loads by itself early enough.
const FAR: usize = 8 << 20;
/// Number of elements that are gathered for ahead of those that are combined: some twenty lines are on their way at once,
/// and each element of a short segment costs several cycles.
const AHEAD: usize = 64;

impl<S: Steps, I: Offset> Work for Block<'_, S, I> {
    type Result = Edges<S::Acc>;

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) -> Edges<S::Acc> {
        let Self { job, offsets, segments, mut start, end: block_end } = self;
        // Copies that nothing else points to stay in registers across stores. No reduction is reversed.
        let (steps, memory) = (job.steps, Memory { reverse: false, ..job.memory });
        let mut edges = Edges { front: None, ends: (!segments.is_empty()).then_some(segments.start), back: None };
        let (mut fetched, is_far) = (start, S::In::gathered_from(&memory.input) > FAR);
        // The last iteration is for the elements after the last segment that ends in the block.
        for segment in segments.start..=segments.end {
            let last = segment == segments.end;
            let end = if last { block_end } else { offsets[segment + 1].to_usize().unwrap_or(0) };
            if is_far {
                let until = block_end.min(start + 2 * AHEAD).min(end + AHEAD);
                fetched = fetched.max(start);
                while fetched < until {
                    // SAFETY: the element is in the block, and so in the memory.
                    unsafe { S::In::fetch_gathered(&memory.input, fetched, fetch_near) };
                    fetched += 1;
                }
            }
            let run = Run { start, len: end - start, origin: 0 };
            // SAFETY: the offsets ascend to the length of the memory, so the elements are in it.
            let value = unsafe {
                match reduce::short(&steps, &memory, run) {
                    Some(value) => value,
                    None => L::call(ReduceRun {
                        steps: &job.steps,
                        memory: &job.memory,
                        run,
                        ahead: Ahead::NOTHING,
                        is_subtree: false,
                    }),
                }
            };
            start = end;
            if segment == segments.start {
                edges.front = value;
            } else if last {
                edges.back = value;
            } else {
                // SAFETY: there is a result for each segment, and this segment begins and ends in this block.
                unsafe { job.store(segment, value) };
            }
        }
        edges
    }
}

/// Reduces the segments that begin at `heads`, and returns their number. Segments past the last result are not stored.
///
/// # Safety
/// The memory is valid, used by nothing else, as long as `heads`, and divided into `blocks`.
pub(crate) unsafe fn by_heads<S, F>(job: &Results<S>, heads: &ByTest<F>, blocks: &Blocks) -> Result<usize>
where
    S: Steps,
    F: Fn(Range<usize>) -> usize + Sync,
{
    let set = Set::widest();
    let reducer = Reducer::new(set, &job.steps, &job.memory);
    let count = blocks.count();
    // Reduces the segments of a block, where `before` segments begin before the block, and stores the segments before
    // number `until`. Returns the number of segments that begin before the end of the block.
    let part = |index: usize, before: usize, until: usize| {
        let mut begun = before;
        let mut edges = Edges { front: None, ends: None, back: None };
        let Range { mut start, end: block_end } = blocks.range(index);
        let mut head = heads.is_head(start);
        while start < block_end {
            let end = heads.next(&mut (), start, block_end);
            // SAFETY: the blocks are in the memory, and the elements are in the block.
            let value = unsafe { reducer.reduce(Run { start, len: end - start, origin: 0 }, Ahead::NOTHING) };
            start = end;
            if !std::mem::replace(&mut head, true) {
                edges.front = value;
                continue;
            }
            if begun == before {
                // The first head ends the segment before it, if there is one.
                edges.ends = before.checked_sub(1);
            }
            if end == block_end {
                edges.back = value;
            } else if begun < until.min(job.results) {
                // SAFETY: there is a result `begun`, and results `before .. until` are this block's.
                unsafe { job.store(begun, value) };
            }
            begun += 1;
        }
        (begun, edges)
    };
    // SAFETY: while `crossing` stores, this thread alone works. Before, the workers store the segments that cross no
    // edge.
    let mut crossing = unsafe { Crossing::new(job) };
    let mut segments = 0;
    if job.threads <= 1 {
        Tickets::in_order(count, |index| {
            let (begun, edges) = part(index, segments, usize::MAX);
            segments = begun;
            crossing.block(edges);
        });
    } else {
        // Chained scan of the number of segments that begin before the end of each block.
        let count_heads = set.compiled::<Count<'_, F>>();
        // SAFETY: the processor has the instructions of every `Set`.
        let inside = |index: usize| unsafe { count_heads(Count { heads, range: blocks.range(index) }) };
        let step = |index: usize| if index == 0 { Step::Sets(inside(0)) } else { Step::Adds(inside(index)) };
        let (tickets, states) = (Tickets::new(count), States::new(count)?);
        let begun = Chain { tickets, states, step: &step, combine: &|a: usize, b: usize| a + b };
        let parts = States::new(count)?;
        begun.tickets.run(job.threads, &|index, _| {
            let inside = inside(index);
            let before = if index == 0 { 0 } else { begun.wait(index - 1)? };
            begun.states.publish(index, before + inside);
            // A user's equality may be inconsistent: this count may differ from that of the reduction, or from that of
            // a worker that counted for this thread.
            let until = begun.wait(index)?;
            parts.publish(index, part(index, before, until).1);
            Ok(())
        });
        segments = count.checked_sub(1).and_then(|last| begun.states.get(last)).unwrap_or(0);
        (0..count).filter_map(|index| parts.get(index)).for_each(|edges| crossing.block(edges));
    }
    if let Some(last) = segments.checked_sub(1) {
        crossing.end(last);
    }
    Ok(segments)
}

/// Count of the heads in a block.
///
/// # Safety
/// The processor has the instructions for which `run` is compiled. There are no other conditions.
struct Count<'a, F> {
    heads: &'a ByTest<F>,
    range: Range<usize>,
}

impl<F: Fn(Range<usize>) -> usize> Work for Count<'_, F> {
    type Result = usize;

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) -> usize {
        self.heads.count(self.range.start, self.range.end)
    }
}
