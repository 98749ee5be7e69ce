//! Reductions of runs of elements, in tiles that fit into the first-level cache.
//!
//! A tile is reduced by [`sweep`]s over arrays. Where neither order nor grouping shows, a run is one loop over its memory.
//!
//! **Grouping.** A run is cut into tiles of [`tile_len`], the rest into smaller and smaller ones whose lengths are powers of
//! two, and what is left, less than [`SHORTEST`], into leaves of [`LEAF`] elements, and these into chains of [`CHAIN`]. A chain,
//! the chains of a leaf and the few leaves are combined one after the other; a tile is a balanced tree; all tiles and the
//! leaves together are combined [pairwise](super::pairwise). The error of a float sum grows with the longest way of an
//! element through additions, which is 17 in the leaves, and at most 2 log2(n) above.

use super::lanes::{Lanes, Work};
use super::pairwise::Pairwise;
use super::run::{Memory, Run};
use super::simd::Set;
use super::store::Ahead;
use super::sweep::{self, TILE_BYTES};
use upsweep_core::inputs::Read;
use upsweep_core::steps::{Out, Steps};

/// The elements that are combined one after the other before something else comes before them.
pub(crate) const CHAIN: usize = 8;
/// The elements of a leaf. Balanced trees of so few elements took twice as long, because the additions of one segment
/// overlap with those of the next.
pub(crate) const LEAF: usize = CHAIN * CHAIN;
/// The elements of the shortest tile, from which on sweeps are faster than leaves.
const SHORTEST: usize = 256;
/// The bytes of a loop over memory during which as many are fetched: lanes are combined behind each.
const FETCHED: usize = 4 << 10;

/// The elements of a tile, a power of two that depends on the types alone; 0 when they are so large that tiles would
/// not help.
pub(crate) const fn tile_len<S: Steps>() -> usize {
    let (acc, out) = (size_of::<S::Acc>(), size_of::<Out<S>>());
    let size = if acc > out { acc } else { out };
    let align = if align_of::<S::Acc>() > align_of::<Out<S>>() { align_of::<S::Acc>() } else { align_of::<Out<S>>() };
    if size > 64 || align > 64 {
        return 0;
    }
    let most = TILE_BYTES / if size == 0 { 1 } else { size };
    1 << most.ilog2()
}

/// The element `k` in scan order, mapped.
///
/// # Safety
/// `k` is less than `memory.len`, and the element is initialised and not being written.
#[inline(always)]
pub(crate) unsafe fn load<S: Steps>(steps: &S, memory: &Memory<S::In, S::Out>, k: usize, origin: usize) -> S::Acc {
    let at = memory.at(k);
    // SAFETY: `at` is less than `memory.len`, for which `input` is valid.
    steps.load(unsafe { S::In::read(&memory.input, at) }, at - origin)
}

/// The reduction of runs, compiled for one instruction set.
#[derive(Clone, Copy)]
pub(crate) struct Reducer<'a, S: Steps> {
    steps: &'a S,
    memory: &'a Memory<S::In, S::Out>,
    compiled: unsafe fn(ReduceRun<'a, S>) -> Option<S::Acc>,
}

impl<'a, S: Steps> Reducer<'a, S> {
    #[inline(always)]
    pub(crate) fn new(set: Set, steps: &'a S, memory: &'a Memory<S::In, S::Out>) -> Self {
        Self { steps, memory, compiled: set.compiled() }
    }

    /// # Safety
    /// As [`ReduceRun`].
    #[inline(always)]
    pub(crate) unsafe fn reduce(&self, run: Run, ahead: Ahead) -> Option<S::Acc> {
        // SAFETY: the processor has the instructions of a `Set`; the run is in the memory, and nothing writes its input meanwhile.
        unsafe { (self.compiled)(ReduceRun { steps: self.steps, memory: self.memory, run, ahead }) }
    }
}

/// `run` combined from left to right; `None` when it is empty.
///
/// # Safety
/// The run is in the memory; nothing writes its input meanwhile.
#[derive(Clone, Copy)]
pub(crate) struct ReduceRun<'a, S: Steps> {
    pub(crate) steps: &'a S,
    pub(crate) memory: &'a Memory<S::In, S::Out>,
    pub(crate) run: Run,
    pub(crate) ahead: Ahead,
}

impl<S: Steps> Work for ReduceRun<'_, S> {
    type Result = Option<S::Acc>;

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) -> Option<S::Acc> {
        // SAFETY: the run is in the memory, and nothing writes its input meanwhile.
        unsafe {
            if const { S::EXACT } {
                return reduce_in_any_order(self.steps, self.memory, self.run, self.ahead);
            }
            if const { tile_len::<S>() == 0 } || self.run.len < SHORTEST {
                return leaves(self.steps, self.memory, self.run);
            }
            // By itself, so that short runs do without its arrays.
            L::call(ReduceLong(self))
        }
    }
}

/// [`ReduceRun`], of any length.
///
/// # Safety
/// As [`ReduceRun`].
struct ReduceLong<'a, S: Steps>(ReduceRun<'a, S>);

impl<S: Steps> Work for ReduceLong<'_, S> {
    type Result = Option<S::Acc>;

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) -> Option<S::Acc> {
        let ReduceRun { steps, memory, run: Run { mut start, len, origin }, mut ahead } = self.0;
        let end = start + len;
        let combine = |a, b| steps.combine(a, b);
        let mut parts = Pairwise::new();
        // SAFETY: the tiles and the rest are in the run.
        unsafe {
            while const { tile_len::<S>() > 0 } && end - start >= const { tile_len::<S>() } {
                let tile = Run { start, len: const { tile_len::<S>() }, origin };
                parts.push(sweep::reduce_tile(steps, memory, tile, &mut ahead), combine);
                start += tile.len;
            }
            L::call(ReduceRest { run: Run { start, len: end - start, origin }, steps, memory, parts: &mut parts });
        }
        parts.total(combine)
    }
}

/// Adds `run`, which is shorter than a tile, to `parts`.
///
/// # Safety
/// As [`ReduceRun`].
pub(crate) struct ReduceRest<'a, S: Steps> {
    pub(crate) steps: &'a S,
    pub(crate) memory: &'a Memory<S::In, S::Out>,
    pub(crate) run: Run,
    pub(crate) parts: &'a mut Pairwise<S::Acc>,
}

impl<S: Steps> Work for ReduceRest<'_, S> {
    type Result = ();

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) {
        let Self { steps, memory, run, parts } = self;
        let Run { mut start, len, origin } = run;
        let end = start + len;
        let combine = |a, b| steps.combine(a, b);
        // SAFETY: the tiles and leaves are in the run.
        unsafe {
            while const { !S::EXACT && tile_len::<S>() > 0 } && end - start >= SHORTEST {
                // No constant: LLVM would unroll the sweeps of a short tile and forget the vectors.
                let tile = Run { start, len: 1 << (end - start).ilog2(), origin };
                parts.push(sweep::reduce_tile(steps, memory, tile, &mut { Ahead::NOTHING }), combine);
                start += tile.len;
            }
            // What is left, or all of it where there are no tiles, goes to the same function as short runs.
            let run = Run { start, len: end - start, origin };
            if let Some(total) = L::call(ReduceRun { steps, memory, run, ahead: Ahead::NOTHING }) {
                parts.push(total, combine);
            }
        }
    }
}

/// `run`, which is shorter than [`SHORTEST`], combined leaf by leaf.
///
/// # Safety
/// As [`ReduceRun`].
#[inline(always)]
unsafe fn leaves<S: Steps>(steps: &S, memory: &Memory<S::In, S::Out>, run: Run) -> Option<S::Acc> {
    let Run { mut start, len, origin } = run;
    let end = start + len;
    let mut total = None;
    while start < end {
        let len = LEAF.min(end - start);
        // SAFETY: the leaf is in the run.
        total = steps.join(total, unsafe { leaf(steps, memory, Run { start, len, origin }) });
        start += len;
    }
    total
}

/// `run`, which is no longer than a [`LEAF`], combined in chains.
///
/// # Safety
/// As [`ReduceRun`].
#[inline(always)]
unsafe fn leaf<S: Steps>(steps: &S, memory: &Memory<S::In, S::Out>, run: Run) -> Option<S::Acc> {
    let Run { mut start, len, origin } = run;
    let end = start + len;
    let mut total = None;
    while start < end {
        let next = end.min(start + CHAIN);
        // SAFETY: the elements are in the run.
        unsafe {
            let mut value = load(steps, memory, start, origin);
            for k in start + 1..next {
                value = steps.combine(value, load(steps, memory, k, origin));
            }
            total = steps.join(total, Some(value));
        }
        start = next;
    }
    total
}

/// `run` combined, where neither order nor grouping shows, as one loop over its memory, which LLVM vectorises.
///
/// # Safety
/// As [`ReduceRun`]; the operator is [`EXACT`](Steps::EXACT).
#[inline(always)]
unsafe fn reduce_in_any_order<S: Steps>(
    steps: &S,
    memory: &Memory<S::In, S::Out>,
    run: Run,
    mut ahead: Ahead,
) -> Option<S::Acc> {
    let Run { start, len, origin } = run;
    if len == 0 {
        return None;
    }
    let first = memory.at(if memory.reverse { start + len - 1 } else { start });
    // SAFETY: the positions below are those of elements of the run.
    let element = |at: usize| steps.encode(steps.load(unsafe { S::In::read(&memory.input, at) }, at - origin));
    // Not from the first element on: of a round number of elements one less is left, which vectors do not divide.
    let mut value = steps.neutral(element(first));
    let (mut from, end, size) = (first, first + len, S::In::address(&memory.input, first).1);
    let part = if ahead.is_nothing() { len } else { FETCHED / size.max(1) };
    while from < end {
        let to = end.min(from + part);
        ahead.fetch(part * size);
        for at in from..to {
            value = steps.combine_encoded(value, element(at));
        }
        from = to;
    }
    Some(steps.decode(value))
}
