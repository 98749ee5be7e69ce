//! Reductions of segments.

use super::chain::{Chain, States, Step, Tickets};
use super::heads::{ByTest, Heads};
use super::lanes::Lanes;
use super::pairwise::Pairwise;
use super::results::Results;
use super::run::Run;
use super::simd::{Work, dispatch};
use super::tile;
use crate::error::Result;
use crate::segments::Offset;
use crate::steps::Steps;
use std::ops::Range;

/// What a block leaves for the end: reductions of segments that cross its edges.
#[derive(Clone, Copy)]
struct Edges<T> {
    /// Of the elements before the first head in the block, if there are any.
    front: Option<T>,
    /// Whether a segment ends in the block, and the number of the one that does first.
    ends: Option<usize>,
    /// Of the elements after the last end, if there are any.
    back: Option<T>,
}

/// Stores the segments that cross blocks, from the left.
struct Crossing<'a, S: Steps> {
    job: &'a Results<S>,
    /// The parts of the segment that has not ended yet.
    open: Pairwise<S::Acc>,
}

impl<'a, S: Steps> Crossing<'a, S> {
    /// # Safety
    /// While this lives, no other thread stores the segments that it is told to.
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

    /// Ends the open segment, which has this number.
    fn end(&mut self, segment: usize) {
        if segment < self.job.results {
            // SAFETY: there is such a result, and nothing else stores it: see `new`.
            unsafe { self.job.store(segment, self.open.total(|a, b| self.job.steps.combine(a, b))) };
        }
        self.open = Pairwise::new();
    }
}

/// Reduces the segments between `offsets`.
///
/// Blocks are cut so that each has about as many elements and ends of segments together: Merrill and Garland,
/// "Merge-Based Parallel Sparse Matrix-Vector Multiplication", 2016. What differs: each block is sequential inside.
///
/// # Safety
/// The memory is valid and used by nothing else; `offsets` ascend from 0 to its length, and there is a result for each
/// segment.
pub(super) unsafe fn by_offsets<S: Steps, I: Offset>(job: &Results<S>, offsets: &[I]) -> Result<()> {
    // The end of segment `i`.
    let end = |i: usize| offsets[i + 1].to_usize().unwrap_or(0);
    let segments = offsets.len().saturating_sub(1);
    let work = job.memory.len + segments;
    let block = job.tuning.block;
    let count = work.div_ceil(block);
    // The number of segments that end among the first `k` steps of a merge of elements and ends, where an end comes as
    // soon as its elements are done.
    let ended = |k: usize| {
        let (mut low, mut high) = (k.saturating_sub(job.memory.len), k.min(segments));
        while low < high {
            let middle = low + (high - low) / 2;
            if end(middle) + middle < k { low = middle + 1 } else { high = middle }
        }
        low
    };
    let part = |index: usize| {
        let (from, to) = (index * block, ((index + 1) * block).min(work));
        let segments = ended(from)..ended(to);
        let elements = from - segments.start..to - segments.end;
        dispatch(BetweenOffsets { job, offsets, segments, elements })
    };
    let threads = job.tuning.threads(work).min(count);
    // SAFETY: while it stores, this thread alone works; before, the workers store the segments that cross no edge.
    let mut crossing = unsafe { Crossing::new(job) };
    if threads <= 1 {
        (0..count).for_each(|index| crossing.block(part(index)));
        return Ok(());
    }
    let parts = States::new(count)?;
    Tickets::new(count).run(threads, |index, _| {
        parts.publish(index, part(index));
        Ok(())
    });
    (0..count).filter_map(|index| parts.get(index)).for_each(|edges| crossing.block(edges));
    Ok(())
}

struct BetweenOffsets<'a, S: Steps, I> {
    job: &'a Results<S>,
    offsets: &'a [I],
    segments: Range<usize>,
    elements: Range<usize>,
}

impl<S: Steps, I: Offset> Work for BetweenOffsets<'_, S, I> {
    type Result = Edges<S::Acc>;

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) -> Edges<S::Acc> {
        let Self { job, offsets, segments, elements } = self;
        let ends = (!segments.is_empty()).then_some(segments.start);
        let mut edges = Edges { front: None, ends, back: None };
        let mut start = elements.start;
        // The last turn is for the elements after the last end. One call for all: the kernel is inlined here.
        for segment in segments.start..=segments.end {
            let last = segment == segments.end;
            let end = if last { elements.end } else { offsets[segment + 1].to_usize().unwrap_or(0) };
            let run = Run { start, len: end - start, origin: 0 };
            // SAFETY: the elements are in memory: see `by_offsets`.
            let value = unsafe { tile::reduce(&job.steps, &job.memory, run) };
            start = end;
            if segment == segments.start {
                edges.front = value;
            } else if last {
                edges.back = value;
            } else {
                // SAFETY: there is a result for each segment, and this one begins and ends in this block.
                unsafe { job.store(segment, value) };
            }
        }
        edges
    }
}

/// Reduces the segments that begin at `heads`, and returns their number. Those past the last result are not stored.
///
/// # Safety
/// The memory is valid, used by nothing else, as long as `heads`, and not empty.
pub(super) unsafe fn by_heads<S, F>(job: &Results<S>, heads: &ByTest<F>) -> Result<usize>
where
    S: Steps,
    F: Fn(Range<usize>) -> usize + Sync,
{
    let (len, block) = (job.memory.len, job.tuning.block);
    let count = len.div_ceil(block);
    let range = |index: usize| index * block..((index + 1) * block).min(len);
    let threads = job.tuning.threads(len).min(count);
    // SAFETY: while it stores, this thread alone works; before, the workers store the segments that cross no edge.
    let mut crossing = unsafe { Crossing::new(job) };
    let mut segments = 0;
    if threads <= 1 {
        for index in 0..count {
            let (begun, edges) = dispatch(BetweenHeads { job, heads, range: range(index), before: segments });
            segments = begun;
            crossing.block(edges);
        }
    } else {
        // How many segments have begun before a block.
        let inside = |index: usize| dispatch(Count { heads, range: range(index) });
        let begun = Chain {
            tickets: Tickets::new(count),
            states: States::new(count)?,
            step: |index: usize| if index == 0 { Step::Sets(inside(0)) } else { Step::Adds(inside(index)) },
            combine: |a: usize, b: usize| a + b,
        };
        let parts = States::new(count)?;
        begun.tickets.run(threads, |index, _| {
            let inside = inside(index);
            let before = if index == 0 { 0 } else { begun.wait(index - 1)? };
            begun.states.publish(index, before + inside);
            parts.publish(index, dispatch(BetweenHeads { job, heads, range: range(index), before }).1);
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

struct BetweenHeads<'a, S: Steps, F> {
    job: &'a Results<S>,
    heads: &'a ByTest<F>,
    range: Range<usize>,
    /// The number of segments that begin before the block.
    before: usize,
}

impl<S: Steps, F: Fn(Range<usize>) -> usize + Sync> Work for BetweenHeads<'_, S, F> {
    type Result = (usize, Edges<S::Acc>);

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) -> Self::Result {
        let Self { job, heads, range, before } = self;
        let mut begun = before;
        let mut edges = Edges { front: None, ends: None, back: None };
        let mut start = range.start;
        while start < range.end {
            let head = start > range.start || heads.is_head(start);
            let end = heads.next(&mut (), start, range.end);
            let run = Run { start, len: end - start, origin: 0 };
            // SAFETY: the elements are in memory: see `by_heads`.
            let value = unsafe { tile::reduce(&job.steps, &job.memory, run) };
            start = end;
            if !head {
                edges.front = value;
                continue;
            }
            if begun == before {
                // The first head ends the segment before it, if there is one.
                edges.ends = before.checked_sub(1);
            }
            if end == range.end {
                edges.back = value;
            } else if begun < job.results {
                // SAFETY: the segment begins and ends in this block, and there is a result for it.
                unsafe { job.store(begun, value) };
            }
            begun += 1;
        }
        (begun, edges)
    }
}
