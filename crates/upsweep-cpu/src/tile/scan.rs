//! Scans of runs of elements, in tiles that fit into the first-level cache.
//!
//! | tile | kernel |
//! |---|---|
//! | of an operator in a few vector instructions, with a prefix or any grouping | [`rows`], in registers |
//! | of elements of several numbers, with a prefix | [`numbers`], in registers |
//! | any other | [`sweep`], over arrays |
//!
//! Float sums and products are not scanned here: their grouping is [`tree`](super::tree).
//!
//! Any grouping: every grouping gives the same bits ([`Steps::EXACT`]), so that a neutral value serves as the prefix.
//!
//! **Grouping.** The tiles and their totals are those of a reduction ([`reduce`](super::reduce)). The base of a tile is
//! the prefix of the run ⊕ the total of the tiles before it. The rest is scanned in groups of rows, and the remainder
//! serially, in chunks of [`PIECE`] elements. Hence a block that is first reduced and later scanned with its prefix,
//! and a block that is scanned at once, give the same bits.

use super::lanes::{Lanes, Work};
use super::numbers;
use super::pairwise::Pairwise;
use super::reduce::{ReduceRest, ReduceRun, tile_len};
use super::rows;
use super::run::{Memory, Run, Storing, load};
use super::store::Ahead;
use super::sweep;
use std::ops::Range;
use upsweep_core::steps::Steps;

/// Chunk length of a serial scan: each chunk is scanned alone and its base combined with the results, to bound the
/// error of sums of floats by other operators.
pub(super) const PIECE: usize = 256;

/// Scan of `run` with the exclusive prefix `prefix`, which stores the results, for jobs without [`Steps::TREE`]. Returns
/// the run's reduction, with the bits of [`ReduceRun`], if it is `wanted`; else the returned value is unspecified.
///
/// # Safety
/// The run is in the memory. Nothing else reads or writes its output, or writes its input, meanwhile. If `storing`
/// requests non-temporal stores, nothing reads the output before `store::fence`.
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
        // If rows are memory, not registers, a serial scan is faster than rows. With `small-loops` there is no other
        // instruction set, and the tests are to cover rows.
        let plain = const { S::EXACT && L::IN_MEMORY && !cfg!(feature = "small-loops") };
        // SAFETY: the run is in the memory; nothing else writes its elements or accesses its results meanwhile.
        unsafe {
            if !plain && long > 0 && run.len >= long {
                // Not inlined, so that short runs need no stack for its arrays.
                return L::call(ScanLong(self));
            }
            // In a scan in place the elements are not overwritten yet: that happens below.
            let total = if wanted {
                L::call(ReduceRun { steps, memory, run, ahead: Ahead::NOTHING, is_subtree: false })
            } else {
                None
            };
            sequential(steps, memory, run, prefix, storing);
            total
        }
    }
}

/// Job of [`ScanRun`] for runs of at least a group of rows or a tile.
///
/// # Safety
/// The conditions of [`ScanRun`] hold: the run is in the memory, and nothing else uses its output, or writes its input,
/// meanwhile.
struct ScanLong<'a, S: Steps>(ScanRun<'a, S>);

impl<S: Steps> Work for ScanLong<'_, S> {
    type Result = Option<S::Acc>;

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) -> Option<S::Acc> {
        let ScanRun { steps, memory, run, prefix, wanted, storing } = self.0;
        // Local copies, which no store of a result can change: so the compiler moves branches on them out of the loops.
        let (steps, memory, storing) = (&{ *steps }, &{ *memory }, &{ *storing });
        let Run { mut start, len, origin } = run;
        let end = start + len;
        let combine = |a, b| steps.combine(a, b);
        let (mut parts, mut base, mut in_rest) = (Pairwise::new(), prefix, false);
        // A rest shorter than a tile is scanned in groups of rows if rows apply. Sweeps would be no faster than a
        // serial loop.
        let shortest = const { if rows::apply::<S>() { rows::group_len::<S>() } else { tile_len::<S>() } };
        // SAFETY: the tiles and the rest are in the run.
        unsafe {
            while shortest > 0 && end - start >= shortest {
                let mut part = Run { start, len: const { tile_len::<S>() }, origin };
                if const { rows::apply::<S>() } && end - start < const { tile_len::<S>() } {
                    if wanted && !in_rest {
                        // In a scan in place the elements are not overwritten yet: that happens below.
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

/// Scans `run` with the exclusive prefix `base` serially, in chunks of [`PIECE`] elements. A chunk is scanned alone,
/// and `base` combined with its results: the error of floats grows with the longest chain of operators.
///
/// # Safety
/// The conditions of [`ScanRun`] hold: the run is in the memory, and nothing else uses its output, or writes its input,
/// meanwhile.
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
        // SAFETY: the chunk is in the run, and not empty.
        let total = unsafe { sequential_chunk(steps, memory, chunk, run.origin, base, storing) };
        base = steps.join(base, Some(total));
    }
}

/// Scans `chunk` with the exclusive prefix `base`, and returns the reduction of its elements alone.
///
/// # Safety
/// The chunk is in the memory and not empty. Nothing else uses its output, or writes its input, meanwhile.
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
    // A loop for each case: LLVM must know which value is stored.
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
