//! Reductions of runs of elements, in tiles that fit into the first-level cache.
//!
//! A tile is reduced by [`sweep`]s over arrays. If every order and grouping give the same bits, a run is one loop over
//! its memory. Whole arrays and lines of float sums and products have a tree of their own: see [`chunks`].
//!
//! **Grouping.** Any other run is divided into tiles of [`tile_len`] elements, and the rest into ever smaller tiles whose
//! lengths are powers of two. The remainder, shorter than [`SHORTEST`], is divided into leaves of [`LEAF`] elements,
//! and a leaf into chains of [`CHAIN`]. The elements of a chain, the chains of a leaf, and the leaves are each combined
//! serially. A tile is a balanced tree. All tiles, and the total of the leaves, are combined
//! [pairwise](super::pairwise). The error of a float sum grows with the largest number of additions that an element
//! goes through: 17 in the leaves (7, 7 and 3), and at most 2 log2(n) above.

use super::chunks::{self, ReduceChunks};
use super::lanes::{Lanes, Work};
use super::pairwise::Pairwise;
use super::run::{Memory, Run, load};
use super::simd::Set;
use super::store::Ahead;
use super::sweep::{self, TILE_BYTES};
use upsweep_core::inputs::Read;
use upsweep_core::lanes::{CHAIN, LEAF};
use upsweep_core::steps::{Out, Steps};

/// Number of elements of the shortest tile: from this length on, sweeps are faster than leaves.
const SHORTEST: usize = 256;
/// Bytes of the input that the loop over memory reads in one turn. Before each turn as many bytes are prefetched; after
/// it, the lanes of the vectors are combined.
const FETCHED: usize = 4 << 10;

/// Returns the number of elements of a tile, a power of two that depends on the types alone; 0 if elements are so large
/// that tiles would not help.
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

/// Reduction of runs, compiled for one instruction set.
#[derive(Clone, Copy)]
pub(crate) struct Reducer<'a, S: Steps> {
    steps: &'a S,
    memory: &'a Memory<S::In, S::Out>,
    compiled: unsafe fn(ReduceRun<'a, S>) -> Option<S::Acc>,
    subtrees: bool,
}

impl<'a, S: Steps> Reducer<'a, S> {
    #[inline(always)]
    pub(crate) fn new(set: Set, steps: &'a S, memory: &'a Memory<S::In, S::Out>) -> Self {
        Self { steps, memory, compiled: set.compiled(), subtrees: false }
    }

    /// Makes a reducer of runs that are [subtrees](ReduceRun::is_subtree) of lines, if the job has the tree.
    #[inline(always)]
    pub(crate) fn of_subtrees(set: Set, steps: &'a S, memory: &'a Memory<S::In, S::Out>) -> Self {
        Self { subtrees: S::TREE, ..Self::new(set, steps, memory) }
    }

    /// Reduces `run`; returns `None` if it is empty.
    ///
    /// # Safety
    /// The run is in the memory; nothing writes its input meanwhile.
    #[inline(always)]
    pub(crate) unsafe fn reduce(&self, run: Run, ahead: Ahead) -> Option<S::Acc> {
        let Self { steps, memory, compiled, subtrees } = *self;
        // SAFETY: the processor has the instructions of a `Set`; the run is in the memory, and nothing writes its input
        // meanwhile.
        unsafe {
            if const { S::TREE } && subtrees && run.len > 0 && run.len <= chunks::SHORT.min(steps.lanes()) {
                return Some(chunks::short(steps, memory, run));
            }
            compiled(ReduceRun { steps, memory, run, ahead, is_subtree: subtrees })
        }
    }
}

/// Reduction of `run` from left to right; `None` if it is empty.
///
/// # Safety
/// The run is in the memory; nothing writes its input meanwhile.
#[derive(Clone, Copy)]
pub(crate) struct ReduceRun<'a, S: Steps> {
    pub(crate) steps: &'a S,
    pub(crate) memory: &'a Memory<S::In, S::Out>,
    pub(crate) run: Run,
    pub(crate) ahead: Ahead,
    /// Whether the run is grouped as a subtree of its line: see [`chunks`].
    pub(crate) is_subtree: bool,
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
            if const { S::TREE } && self.is_subtree {
                let Self { steps, memory, run, ahead, .. } = self;
                return L::call(ReduceChunks { steps, memory, run, ahead });
            }
            if const { tile_len::<S>() == 0 } || self.run.len < SHORTEST {
                return leaves(self.steps, self.memory, self.run);
            }
            // Not inlined, so that short runs need no stack for its arrays.
            L::call(ReduceLong(self))
        }
    }
}

/// [`ReduceRun`] in tiles, for runs of any length.
///
/// # Safety
/// The run is in the memory; nothing writes its input meanwhile.
struct ReduceLong<'a, S: Steps>(ReduceRun<'a, S>);

impl<S: Steps> Work for ReduceLong<'_, S> {
    type Result = Option<S::Acc>;

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) -> Option<S::Acc> {
        let ReduceRun { steps, memory, run: Run { mut start, len, origin }, mut ahead, .. } = self.0;
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

/// Reduction of `run`, which is shorter than a tile: pushes the totals of ever smaller tiles, and of the remainder, to
/// `parts`.
///
/// # Safety
/// The run is in the memory; nothing writes its input meanwhile.
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
                // The length is no constant: LLVM would unroll the sweeps of a short tile and not vectorise them.
                let tile = Run { start, len: 1 << (end - start).ilog2(), origin };
                parts.push(sweep::reduce_tile(steps, memory, tile, &mut { Ahead::NOTHING }), combine);
                start += tile.len;
            }
            // The remainder, or the whole run if there are no tiles, goes to the function for short runs.
            let run = Run { start, len: end - start, origin };
            if let Some(total) = L::call(ReduceRun { steps, memory, run, ahead: Ahead::NOTHING, is_subtree: false }) {
                parts.push(total, combine);
            }
        }
    }
}

/// Reduces `run` as [`ReduceRun`] does, if that is a loop over few elements; else returns `None`. A caller inlines it
/// into a loop over runs, so that a run costs no call.
///
/// # Safety
/// The run is in the memory; nothing writes its input meanwhile.
#[inline(always)]
pub(crate) unsafe fn short<S: Steps>(steps: &S, memory: &Memory<S::In, S::Out>, run: Run) -> Option<Option<S::Acc>> {
    if const { S::EXACT } || run.len >= SHORTEST {
        return None;
    }
    // SAFETY: the run is in the memory, and nothing writes its input meanwhile.
    Some(unsafe { if run.len <= LEAF { leaf(steps, memory, run) } else { leaves(steps, memory, run) } })
}

/// Reduces `run` leaf by leaf. It is shorter than [`SHORTEST`], unless there are no tiles.
///
/// # Safety
/// The run is in the memory; nothing writes its input meanwhile.
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

/// Reduces `run`, no longer than a [`LEAF`], in chains.
///
/// # Safety
/// The run is in the memory; nothing writes its input meanwhile.
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

/// Reduces `run` in one loop over its memory, which LLVM vectorises: every order and grouping give the same bits.
///
/// # Safety
/// The run is in the memory; nothing writes its input meanwhile. The operator is [`EXACT`](Steps::EXACT).
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
    // SAFETY: all positions passed below are in the run.
    let element =
        |at: usize| steps.encode(steps.load(unsafe { S::In::read(&memory.input, at) }, at.wrapping_sub(origin)));
    // The loop begins with a neutral value, not with the first element: one element less than a round number is no
    // multiple of a vector.
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
