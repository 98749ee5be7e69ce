//! Runs of elements, reduced and scanned in tiles that fit into the first-level cache.
//!
//! A tile of an operator that is a few vector instructions is scanned in registers ([`rows`]), any other by sweeps over
//! arrays ([`sweep`]); which, the types alone decide. Totals are reduced by sweeps, too, or in one loop over their memory
//! where neither order nor grouping shows.
//!
//! **Grouping.** A run is cut into tiles of [`tile_len`], the rest into tiles of [`SMALL`], and what is left into pieces
//! of [`CHAIN`] elements. A piece is combined from the left, a tile in a balanced tree; tiles and pieces are combined
//! [pairwise](super::pairwise). A scan computes the same totals, puts `prefix ⊕ total` of the tiles so far before each
//! tile, and scans the rest in groups of rows, and what is left in pieces of [`SMALL`], one element after the other. Hence a
//! block that is first reduced and later scanned with its prefix, and a block that is scanned at once, give the same bits.

use super::lanes::Lanes;
use super::pairwise::Pairwise;
use super::rows;
use super::run::{Memory, Run, Storing};
use super::simd::{Set, Work};
use super::sweep::{self, TILE_BYTES};
use crate::steps::Steps;
use std::ops::Range;

/// The elements of the tiles that the rest of a reduction is cut into.
const SMALL: usize = 256;
/// The elements that a reduction combines one after the other where they are fewer than a tile. Sums of 85 times 0.1 are
/// off by 2.1e-7 with 16, by less than 2e-7 with 8.
pub(super) const CHAIN: usize = 8;

/// The elements of a tile, a power of two that depends on the types alone; 0 when they are so large that tiles would
/// not help.
pub(super) const fn tile_len<S: Steps>() -> usize {
    let (acc, out) = (size_of::<S::Acc>(), size_of::<S::Out>());
    let size = if acc > out { acc } else { out };
    let align = if align_of::<S::Acc>() > align_of::<S::Out>() { align_of::<S::Acc>() } else { align_of::<S::Out>() };
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
unsafe fn load<S: Steps>(steps: &S, memory: &Memory<S::In, S::Out>, k: usize, origin: usize) -> S::Acc {
    let at = memory.at(k);
    // SAFETY: `at` is less than `memory.len`, for which `input` is valid.
    steps.load(unsafe { memory.input.add(at).read() }, at - origin)
}

/// The reduction of runs, compiled for one instruction set.
#[derive(Clone, Copy)]
pub(super) struct Reducer<'a, S: Steps> {
    pub(super) steps: &'a S,
    pub(super) memory: &'a Memory<S::In, S::Out>,
    compiled: fn(ReduceRun<'a, S>) -> Option<S::Acc>,
}

impl<'a, S: Steps> Reducer<'a, S> {
    #[inline(always)]
    pub(super) fn new(set: Set, steps: &'a S, memory: &'a Memory<S::In, S::Out>) -> Self {
        Self { steps, memory, compiled: set.compiled() }
    }

    /// `run` combined from left to right; `None` when it is empty.
    ///
    /// # Safety
    /// The run is in the memory; nothing writes its input meanwhile.
    #[inline(always)]
    pub(super) unsafe fn reduce(&self, run: Run) -> Option<S::Acc> {
        (self.compiled)(ReduceRun { steps: self.steps, memory: self.memory, run })
    }
}

/// A call of [`Reducer::reduce`].
pub(super) struct ReduceRun<'a, S: Steps> {
    pub(super) steps: &'a S,
    pub(super) memory: &'a Memory<S::In, S::Out>,
    pub(super) run: Run,
}

impl<S: Steps> Clone for ReduceRun<'_, S> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<S: Steps> Copy for ReduceRun<'_, S> {}

impl<S: Steps> Work for ReduceRun<'_, S> {
    type Result = Option<S::Acc>;

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) -> Option<S::Acc> {
        // SAFETY: the promise of `reduce`'s caller.
        unsafe { reduce(self.steps, self.memory, self.run) }
    }
}

/// # Safety
/// As [`Reducer::reduce`].
#[inline(always)]
unsafe fn reduce<S: Steps>(steps: &S, memory: &Memory<S::In, S::Out>, run: Run) -> Option<S::Acc> {
    if S::EXACT {
        // SAFETY: the caller's promise.
        return unsafe { reduce_in_any_order(steps, memory, run) };
    }
    if run.len <= 2 * CHAIN {
        // SAFETY: the caller's promise.
        return unsafe { chain(steps, memory, run) };
    }
    let Run { mut start, len, origin } = run;
    let end = start + len;
    let mut parts = Pairwise::new();
    // SAFETY: the tiles and the rest are in the run.
    unsafe {
        while tile_len::<S>() > 0 && end - start >= tile_len::<S>() {
            let tile = Run { start, len: tile_len::<S>(), origin };
            parts.push(sweep::reduce_tile(steps, memory, tile), |a, b| steps.combine(a, b));
            start += tile.len;
        }
        reduce_rest(steps, memory, Run { start, len: end - start, origin }, &mut parts);
    }
    parts.total(|a, b| steps.combine(a, b))
}

/// `run` combined one element after the other.
///
/// # Safety
/// As [`Reducer::reduce`].
#[inline(always)]
unsafe fn chain<S: Steps>(steps: &S, memory: &Memory<S::In, S::Out>, run: Run) -> Option<S::Acc> {
    let Run { start, len, origin } = run;
    // SAFETY: `k` is in the run.
    let elements = (start..start + len).map(|k| unsafe { load(steps, memory, k, origin) });
    elements.reduce(|a, b| steps.combine(a, b))
}

/// `run` combined, where neither order nor grouping shows, as one loop over its memory, which LLVM vectorises.
///
/// # Safety
/// As [`Reducer::reduce`]; the operator is [`EXACT`](Steps::EXACT).
#[inline(always)]
unsafe fn reduce_in_any_order<S: Steps>(steps: &S, memory: &Memory<S::In, S::Out>, run: Run) -> Option<S::Acc> {
    let Run { start, len, origin } = run;
    if len == 0 {
        return None;
    }
    let first = memory.at(if memory.reverse { start + len - 1 } else { start });
    // SAFETY: the positions below are those of elements of the run.
    let element = |at: usize| steps.encode(steps.load(unsafe { memory.input.add(at).read() }, at - origin));
    // Not from the first element on: of a round number of elements one less is left, which vectors do not divide.
    let mut value = steps.neutral(element(first));
    for at in first..first + len {
        value = steps.combine_encoded(value, element(at));
    }
    Some(steps.decode(value))
}

/// Adds `run`, which is shorter than a tile, to `parts`.
///
/// # Safety
/// As [`Reducer::reduce`].
#[inline(always)]
unsafe fn reduce_rest<S: Steps>(steps: &S, memory: &Memory<S::In, S::Out>, run: Run, parts: &mut Pairwise<S::Acc>) {
    let Run { mut start, len, origin } = run;
    let end = start + len;
    let combine = |a, b| steps.combine(a, b);
    // SAFETY: the tiles and pieces are in the run.
    unsafe {
        if S::EXACT {
            if let Some(total) = reduce_in_any_order(steps, memory, run) {
                parts.push(total, combine);
            }
            return;
        }
        while tile_len::<S>() > SMALL && end - start >= SMALL {
            parts.push(sweep::reduce_tile(steps, memory, Run { start, len: SMALL, origin }), combine);
            start += SMALL;
        }
        while let Some(total) = chain(steps, memory, Run { start, len: CHAIN.min(end - start), origin }) {
            parts.push(total, combine);
            start += CHAIN.min(end - start);
        }
    }
}

/// The scan of runs, compiled for one instruction set.
#[derive(Clone, Copy)]
pub(super) struct Scanner<'a, S: Steps> {
    pub(super) steps: &'a S,
    pub(super) memory: &'a Memory<S::In, S::Out>,
    compiled: fn(ScanRun<'a, S>) -> Option<S::Acc>,
}

impl<'a, S: Steps> Scanner<'a, S> {
    #[inline(always)]
    pub(super) fn new(set: Set, steps: &'a S, memory: &'a Memory<S::In, S::Out>) -> Self {
        Self { steps, memory, compiled: set.compiled() }
    }

    /// Scans `run` after `prefix` and stores the results. Returns the run's reduction, as [`Reducer::reduce`] would, if it
    /// is `wanted` (else nothing of meaning).
    ///
    /// # Safety
    /// The run is in the memory; nothing else reads or writes its output or writes its input meanwhile. If `storing` asks
    /// for non-temporal stores, nothing reads the output before `store::fence`.
    #[inline(always)]
    pub(super) unsafe fn scan(
        &self,
        run: Run,
        prefix: Option<S::Acc>,
        wanted: bool,
        storing: Storing<S::Acc>,
    ) -> Option<S::Acc> {
        (self.compiled)(ScanRun { steps: self.steps, memory: self.memory, run, prefix, wanted, storing })
    }
}

/// A call of [`Scanner::scan`].
pub(super) struct ScanRun<'a, S: Steps> {
    pub(super) steps: &'a S,
    pub(super) memory: &'a Memory<S::In, S::Out>,
    pub(super) run: Run,
    pub(super) prefix: Option<S::Acc>,
    pub(super) wanted: bool,
    pub(super) storing: Storing<S::Acc>,
}

impl<S: Steps> Clone for ScanRun<'_, S> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<S: Steps> Copy for ScanRun<'_, S> {}

impl<S: Steps> Work for ScanRun<'_, S> {
    type Result = Option<S::Acc>;

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) -> Option<S::Acc> {
        // SAFETY: the promise of `scan`'s caller.
        unsafe { scan::<L, S>(self.steps, self.memory, self.run, self.prefix, self.wanted, &self.storing) }
    }
}

/// # Safety
/// As [`Scanner::scan`].
#[inline(always)]
unsafe fn scan<L: Lanes, S: Steps>(
    steps: &S,
    memory: &Memory<S::In, S::Out>,
    run: Run,
    prefix: Option<S::Acc>,
    wanted: bool,
    storing: &Storing<S::Acc>,
) -> Option<S::Acc> {
    let Run { mut start, len, origin } = run;
    let end = start + len;
    let (mut parts, mut base) = (Pairwise::new(), prefix);
    let mut reduced = false;
    // SAFETY: the tiles and the rest are in the run.
    unsafe {
        loop {
            // What is shorter than a tile is scanned in groups of rows, but no faster by the sweeps than by a loop.
            let left = end - start;
            let whole = tile_len::<S>() > 0 && left >= tile_len::<S>();
            let groups = if rows::apply::<S>() { left / rows::group_len::<S>() * rows::group_len::<S>() } else { 0 };
            let mut len = if whole { tile_len::<S>() } else { groups };
            if !whole && wanted && !reduced {
                // In place the elements are still there: they are overwritten below.
                reduce_rest(steps, memory, Run { start, len: left, origin }, &mut parts);
                reduced = true;
            }
            if len == 0 {
                break;
            }
            let part = Run { start, len, origin };
            let total = match base {
                // Compiled for itself: a tile's length is a constant.
                Some(base) if rows::apply::<S>() && whole => {
                    let tile = Run { start, len: tile_len::<S>(), origin };
                    rows::scan::<L, S>(steps, memory, tile, base, storing)
                }
                Some(base) if rows::apply::<S>() => rows::scan::<L, S>(steps, memory, part, base, storing),
                base if whole => sweep::scan_tile::<L, S>(steps, memory, part, base, storing),
                // Rows come after something.
                _ => {
                    len = rows::row_len::<S>();
                    sequential_chunk(steps, memory, start..start + len, origin, None, storing)
                }
            };
            if whole {
                parts.push(total, |a, b| steps.combine(a, b));
                base = steps.join(prefix, parts.total(|a, b| steps.combine(a, b)));
            } else {
                base = steps.join(base, Some(total));
            }
            start += len;
        }
        sequential(steps, memory, Run { start, len: end - start, origin }, base, storing);
    }
    if wanted { parts.total(|a, b| steps.combine(a, b)) } else { None }
}

/// Scans `run` after `base`, one element after the other. Every [`SMALL`] elements are combined by themselves before
/// `base` goes before them: the error of a float sum grows with the longest chain of additions.
///
/// # Safety
/// As [`Scanner::scan`].
#[inline(always)]
unsafe fn sequential<S: Steps>(
    steps: &S,
    memory: &Memory<S::In, S::Out>,
    run: Run,
    mut base: Option<S::Acc>,
    storing: &Storing<S::Acc>,
) {
    let (mut start, end) = (run.start, run.start + run.len);
    while start < end {
        let chunk = start..end.min(start + SMALL);
        start = chunk.end;
        // SAFETY: the chunk is a part of the run, and not empty.
        let total = unsafe { sequential_chunk(steps, memory, chunk, run.origin, base, storing) };
        base = steps.join(base, Some(total));
    }
}

/// Scans `chunk` after `base`, and returns what its elements combine to.
///
/// # Safety
/// As [`Scanner::scan`]; the chunk is not empty.
#[inline(always)]
unsafe fn sequential_chunk<S: Steps>(
    steps: &S,
    memory: &Memory<S::In, S::Out>,
    chunk: Range<usize>,
    origin: usize,
    base: Option<S::Acc>,
    storing: &Storing<S::Acc>,
) -> S::Acc {
    // SAFETY: `k` is in the chunk below, so `memory.at(k)` is in the output.
    let store = |k: usize, value| unsafe { memory.output.add(memory.at(k)).write(steps.store(steps.decode(value))) };
    // SAFETY: `k` is in the chunk below, and its own result is not stored yet.
    let element = |k: usize| steps.encode(unsafe { load(steps, memory, k, origin) });
    let base = base.map(|base| steps.encode(base));
    let first = chunk.start;
    let mut value = element(first);
    if !storing.exclusive {
        store(first, base.map_or(value, |base| steps.combine_encoded(base, value)));
    } else if let Some(before) = base.or(storing.identity.map(|identity| steps.encode(identity))) {
        store(first, before);
    }
    let rest = first + 1..chunk.end;
    // One loop a case: LLVM must know what is stored.
    match (base, storing.exclusive) {
        (Some(base), true) => {
            for k in rest {
                let x = element(k);
                store(k, steps.combine_encoded(base, value));
                value = steps.combine_encoded(value, x);
            }
        }
        (None, true) => {
            for k in rest {
                let x = element(k);
                store(k, value);
                value = steps.combine_encoded(value, x);
            }
        }
        (Some(base), false) => {
            for k in rest {
                value = steps.combine_encoded(value, element(k));
                store(k, steps.combine_encoded(base, value));
            }
        }
        (None, false) => {
            for k in rest {
                value = steps.combine_encoded(value, element(k));
                store(k, value);
            }
        }
    }
    steps.decode(value)
}
