//! Scans of runs of elements, in tiles that fit into the first-level cache.
//!
//! A tile of an operator that is a few vector instructions is scanned in registers ([`rows`]), if it follows something or no grouping
//! shows, and so is one whose elements are several numbers, if it follows something ([`numbers`]); any other by sweeps over arrays
//! ([`sweep`]). Which, the types alone decide.
//!
//! **Grouping.** A scan computes the totals of tiles that a reduction does ([`tile`](super::reduce)), puts
//! `prefix ⊕ total` of the tiles so far before each tile, and scans the rest in groups of rows, and what is left in pieces of
//! [`PIECE`], one element after the other. Hence a block that is first reduced and later scanned with its prefix, and a
//! block that is scanned at once, give the same bits.

use super::lanes::{Lanes, Work};
use super::numbers;
use super::pairwise::Pairwise;
use super::reduce::{ReduceRest, ReduceRun, load, tile_len};
use super::rows;
use super::run::{Memory, Run, Storing};
use super::store::Ahead;
use super::sweep;
use std::ops::Range;
use upsweep_core::steps::Steps;

/// The elements that are combined one after the other before what comes before them does.
const PIECE: usize = 256;

/// Scans `run` after `prefix` and stores the results. Returns the run's reduction, as [`ReduceRun`] would, if it is `wanted`
/// (else nothing of meaning).
///
/// # Safety
/// The run is in the memory; nothing else reads or writes its output or writes its input meanwhile. If `storing` asks for
/// non-temporal stores, nothing reads the output before `store::fence`.
#[derive(Clone, Copy)]
pub(crate) struct ScanRun<'a, S: Steps> {
    pub(crate) steps: &'a S,
    pub(crate) memory: &'a Memory<S::In, S::Out>,
    pub(crate) run: Run,
    pub(crate) prefix: Option<S::Acc>,
    pub(crate) wanted: bool,
    pub(crate) storing: &'a Storing<S::Acc>,
}

impl<S: Steps> Work for ScanRun<'_, S> {
    type Result = Option<S::Acc>;

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) -> Option<S::Acc> {
        let Self { steps, memory, run, prefix, wanted, storing } = self;
        let long = const { if rows::apply::<S>() { rows::group_len::<S>() } else { tile_len::<S>() } };
        // Where a row is memory, one element after the other is faster than rows; but with `small-loops`, which has no other set, tests go through rows.
        let plain = const { S::EXACT && L::IN_MEMORY && !cfg!(feature = "small-loops") };
        // SAFETY: the run is in the memory, and nobody else writes its elements or results meanwhile.
        unsafe {
            if !plain && long > 0 && run.len >= long {
                // By itself, so that short runs do without its arrays.
                return L::call(ScanLong(self));
            }
            // In place the elements are still there: they are overwritten below.
            let total = if wanted { L::call(ReduceRun { steps, memory, run, ahead: Ahead::NOTHING }) } else { None };
            sequential(steps, memory, run, prefix, storing);
            total
        }
    }
}

/// [`ScanRun`], of a group of rows or a tile at least.
///
/// # Safety
/// As [`ScanRun`].
struct ScanLong<'a, S: Steps>(ScanRun<'a, S>);

impl<S: Steps> Work for ScanLong<'_, S> {
    type Result = Option<S::Acc>;

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) -> Option<S::Acc> {
        let ScanRun { steps, memory, run, prefix, wanted, storing } = self.0;
        // Copies of its own, which no store of a result can change: so what they choose is chosen outside of the loops.
        let (steps, memory, storing) = (&{ *steps }, &{ *memory }, &{ *storing });
        let Run { mut start, len, origin } = run;
        let end = start + len;
        let combine = |a, b| steps.combine(a, b);
        let (mut parts, mut base, mut in_rest) = (Pairwise::new(), prefix, false);
        // What is shorter than a tile is scanned in groups of rows, but no faster by the sweeps than by a loop.
        let shortest = const { if rows::apply::<S>() { rows::group_len::<S>() } else { tile_len::<S>() } };
        // SAFETY: the tiles and the rest are in the run.
        unsafe {
            while shortest > 0 && end - start >= shortest {
                let mut part = Run { start, len: const { tile_len::<S>() }, origin };
                if const { rows::apply::<S>() } && end - start < const { tile_len::<S>() } {
                    if wanted && !in_rest {
                        // In place the elements are still there: they are overwritten below.
                        let run = Run { start, len: end - start, origin };
                        L::call(ReduceRest { steps, memory, run, parts: &mut parts });
                    }
                    in_rest = true;
                    part.len = (end - start) / const { rows::group_len::<S>() } * const { rows::group_len::<S>() };
                }
                let before = match base {
                    None if const { rows::apply::<S>() && S::EXACT } => Some(rows::before_first(steps, memory, part)),
                    base => base,
                };
                let total = match before {
                    Some(before) if const { rows::apply::<S>() } => {
                        let total = rows::scan::<L, S>(steps, memory, part, before, storing);
                        if base.is_none()
                            && storing.exclusive
                            && let Some(identity) = storing.identity
                        {
                            memory.output.add(memory.at(start)).write(steps.store(identity));
                        }
                        total
                    }
                    Some(before) if const { !rows::apply::<S>() && numbers::apply::<S>() } => {
                        numbers::scan::<L, S>(steps, memory, part, before, storing)
                    }
                    _ if const { rows::apply::<S>() && S::EXACT } => unreachable!("there is something before a row"),
                    _ if const { rows::apply::<S>() } && in_rest => {
                        part.len = const { rows::row_len::<S>() };
                        sequential_chunk(steps, memory, start..start + part.len, origin, None, storing)
                    }
                    _ if const { rows::apply::<S>() || numbers::apply::<S>() } => {
                        sweep::scan_tile::<true, L, S>(steps, memory, part, None, storing)
                    }
                    base => sweep::scan_tile::<false, L, S>(steps, memory, part, base, storing),
                };
                start += part.len;
                if in_rest {
                    base = steps.join(base, Some(total));
                } else {
                    parts.push(total, combine);
                    base = steps.join(prefix, parts.total(combine));
                }
            }
            let run = Run { start, len: end - start, origin };
            if wanted && !in_rest {
                L::call(ReduceRest { steps, memory, run, parts: &mut parts });
            }
            L::call(ScanRun { steps, memory, run, prefix: base, wanted: false, storing });
        }
        if wanted { parts.total(combine) } else { None }
    }
}

/// Scans `run` after `base`, one element after the other. Every [`PIECE`] elements are combined by themselves before
/// `base` goes before them: the error of a float sum grows with the longest chain of additions.
///
/// # Safety
/// As [`ScanRun`].
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
        let chunk = start..end.min(start + PIECE);
        start = chunk.end;
        // SAFETY: the chunk is a part of the run, and not empty.
        let total = unsafe { sequential_chunk(steps, memory, chunk, run.origin, base, storing) };
        base = steps.join(base, Some(total));
    }
}

/// Scans `chunk` after `base`, and returns what its elements combine to.
///
/// # Safety
/// As [`ScanRun`]; the chunk is not empty.
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
