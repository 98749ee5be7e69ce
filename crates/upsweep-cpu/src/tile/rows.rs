//! Scan of a tile row by row, in registers, for operators that are a few vector instructions.
//!
//! ```text
//! a row of 64 bytes                          x: a b c d e f g h
//! spread, combine, keep the lower halves     span 1: a ab c cd e ef g gh
//!                                            span 2: a ab abc abcd e ef efg efgh
//!                                            span 4: a ab abc abcd abcde ...
//! result                                     base ⊕ x                      base: exclusive prefix of the row
//! next row                                   base = base ⊕ last(x)
//!
//! a tile of 16 groups of 8 rows: a group's base is `before ⊕ total`, where `before` is the tile's exclusive prefix,
//! total = total ⊕ t, and t = ((r0 ⊕ r1) ⊕ (r2 ⊕ r3)) ⊕ ((r4 ⊕ r5) ⊕ (r6 ⊕ r7)), r the last lanes of a group's rows.
//! The tile's total is a tree of its groups' t.
//! ```
//!
//! If every grouping gives the same bits, totals go from row to row and from group to group instead.
//!
//! The sweeps of [`sweep`](super::sweep) apply the operator 2 times an element, this kernel log2(lanes) + 2 times. But
//! a row is in a register from its load to its store, so loads, arithmetic, stores and prefetches overlap all the time.
//! Sweeps compute for a while and then store for a while, and wait for memory in between.
//!
//! **Grouping.** A tile's total is grouped as in `sweep::reduce_tile`: a balanced tree.
//!
//! Source: Sklansky, "Conditional-Sum Addition Logic", 1960: the prefix network of minimal depth whose shuffles stay in
//! a half of the row.

use super::lanes::{Lanes, ROW_BYTES, Work};
use super::run::{Memory, Run, Storing};
use super::store::{Ahead, StreamingCopy};
use super::sweep::{Buffer, TILE_BYTES, TOP};
use std::any::TypeId;
use std::mem::MaybeUninit;
use upsweep_core::inputs::Read;
use upsweep_core::steps::{Out, Steps};

/// Number of rows in a group: the rows of 64 bytes that are scanned from one base.
const GROUP: usize = TILE_BYTES / ROW_BYTES / TOP;

/// Whether tiles of elements and results of `S` are scanned by this kernel: the operator is vector instructions, and
/// results fit in [`TILE_BYTES`] as the tile's elements do.
pub(crate) const fn apply<S: Steps>() -> bool {
    S::LANES && size_of::<Out<S>>() <= size_of::<S::Acc>()
}

/// Returns `a ⊕ b`, lane by lane. Between their load and their store, rows are encoded: see [`Steps::encode`].
#[inline(always)]
pub(super) fn combine<L: Lanes, S: Steps>(steps: &S, a: L::Row, b: L::Row) -> L::Row {
    // SAFETY: the processor has the instructions that this is compiled for.
    unsafe {
        if const { L::IN_MEMORY } {
            let mut rows = [a, b];
            L::call(CombineRows { steps, rows: (&raw mut rows).cast() });
            rows[0]
        } else {
            L::opaque(combined::<L, S>(steps, a, b))
        }
    }
}

/// Job of [`combined`] for instruction sets whose rows are memory, not registers. `rows` points to two rows, and the
/// result replaces the first.
///
/// # Safety
/// `rows` points to two of the instruction set's rows.
struct CombineRows<'a, S: Steps> {
    steps: &'a S,
    rows: *mut u8,
}

impl<S: Steps> Work for CombineRows<'_, S> {
    type Result = ();

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) {
        let rows = self.rows.cast::<[L::Row; 2]>();
        // SAFETY: at `rows` are two rows of this instruction set.
        unsafe {
            let [a, b] = *rows;
            (*rows)[0] = combined::<L, S>(self.steps, a, b);
        }
    }
}

/// Returns `a ⊕ b`, lane by lane, without hiding the result from the compiler's optimisations.
#[inline(always)]
fn combined<L: Lanes, S: Steps>(steps: &S, a: L::Row, b: L::Row) -> L::Row {
    let mut row = MaybeUninit::<L::Row>::uninit();
    let to = row.as_mut_ptr().cast::<S::Acc>();
    let (a, b) = ((&raw const a).cast::<S::Acc>(), (&raw const b).cast::<S::Acc>());
    for i in 0..ROW_BYTES / size_of::<S::Acc>() {
        // SAFETY: `i` is a lane of a row, and the lanes of `a` and `b` are initialised.
        unsafe { to.add(i).write(steps.combine_encoded(a.add(i).read(), b.add(i).read())) };
    }
    // SAFETY: every lane has been written.
    unsafe { row.assume_init() }
}

/// Scans the lanes of a row (inclusive).
///
/// # Safety
/// The processor has the instructions of `L`.
#[inline(always)]
unsafe fn scan_row<L: Lanes, S: Steps>(steps: &S, mut x: L::Row) -> L::Row {
    // SAFETY: the processor has the instructions of `L`.
    unsafe {
        x = step::<L, S, 1>(steps, x);
        x = step::<L, S, 2>(steps, x);
        x = step::<L, S, 4>(steps, x);
        x = step::<L, S, 8>(steps, x);
        x = step::<L, S, 16>(steps, x);
        step::<L, S, 32>(steps, x)
    }
}

/// One step of the Sklansky scan: combines the last lane of each lower half of `SPAN` bytes with the lanes of the upper
/// half.
///
/// # Safety
/// The processor has the instructions of `L`.
#[inline(always)]
unsafe fn step<L: Lanes, S: Steps, const SPAN: usize>(steps: &S, x: L::Row) -> L::Row {
    if const { SPAN < size_of::<S::Acc>() } {
        return x;
    }
    let kind = TypeId::of::<S::Acc>();
    // Extremes of floats are encoded as integers.
    let floats = !S::EXACT && (kind == TypeId::of::<f32>() || kind == TypeId::of::<f64>());
    // SAFETY: the processor has the instructions of `L`.
    unsafe { L::halves::<S::Acc, SPAN>(x, combined::<L, S>(steps, L::spread::<S::Acc, SPAN>(x), x), floats) }
}

/// Combines `N` rows in a balanced tree, lane by lane. Overwrites `rows`.
#[inline(always)]
fn tree<L: Lanes, S: Steps, const N: usize>(steps: &S, rows: &mut [L::Row; N]) -> L::Row {
    let mut len = N;
    while len > 1 {
        len /= 2;
        for i in 0..len {
            rows[i] = combine::<L, S>(steps, rows[2 * i], rows[2 * i + 1]);
        }
    }
    rows[0]
}

/// Broadcasts `value` to every lane.
#[inline(always)]
pub(super) fn every<L: Lanes, S: Steps>(value: S::Acc) -> L::Row {
    let mut row = MaybeUninit::<L::Row>::uninit();
    for i in 0..ROW_BYTES / size_of::<S::Acc>() {
        // SAFETY: `i` is a lane of a row.
        unsafe { row.as_mut_ptr().cast::<S::Acc>().add(i).write(value) };
    }
    // SAFETY: every lane has been written, and the processor has the instructions that this is compiled for.
    unsafe { L::opaque(row.assume_init()) }
}

/// Loads and maps the row of elements from index `at` in memory on. The lanes are in scan order. The positions given to
/// the map count from `origin`.
///
/// # Safety
/// The row is in `memory`, and initialised. The processor has the instructions of `L`.
#[inline(always)]
pub(super) unsafe fn load<L: Lanes, S: Steps>(
    steps: &S,
    memory: &Memory<S::In, S::Out>,
    at: usize,
    origin: usize,
) -> L::Row {
    let mut row = MaybeUninit::<L::Row>::uninit();
    // SAFETY: the elements of all lanes are in memory, and all lanes are written.
    unsafe {
        for i in 0..ROW_BYTES / size_of::<S::Acc>() {
            let value = steps.encode(steps.load(S::In::read(&memory.input, at + i), at.wrapping_sub(origin) + i));
            row.as_mut_ptr().cast::<S::Acc>().add(i).write(value);
        }
        let row = L::opaque(row.assume_init());
        if memory.reverse { L::reversed::<S::Acc>(row) } else { row }
    }
}

/// Stores the results of a row.
///
/// # Safety
/// `to` is valid for writes of a result for each lane.
#[inline(always)]
unsafe fn store<L: Lanes, S: Steps>(steps: &S, row: L::Row, to: *mut Out<S>) {
    let row = (&raw const row).cast::<S::Acc>();
    for i in 0..ROW_BYTES / size_of::<S::Acc>() {
        // SAFETY: `i` is a lane of a row, and `to` has room for a result for each lane.
        unsafe { to.add(i).write(steps.store_encoded(row.add(i).read())) };
    }
}

/// Scans the row at `at` in memory with the exclusive prefix `base`, and stores its results. Returns the exclusive
/// prefix of the next row, and the total of this row, each in every lane.
///
/// # Safety
/// The row is in `memory`, and initialised. `to` is valid for writes of a result for each lane. The processor has the
/// instructions of `L`.
#[inline(always)]
unsafe fn row<L: Lanes, S: Steps>(
    steps: &S,
    memory: &Memory<S::In, S::Out>,
    (at, origin): (usize, usize),
    exclusive: bool,
    base: L::Row,
    to: *mut Out<S>,
) -> [L::Row; 2] {
    // SAFETY: the processor has the instructions of `L`. The row's elements are in memory, and `to` has room for its
    // results.
    unsafe {
        let x = scan_row::<L, S>(steps, load::<L, S>(steps, memory, at, origin));
        let mut result = combine::<L, S>(steps, base, x);
        if exclusive {
            result = L::shifted::<S::Acc>(base, result);
        }
        let last = L::last::<S::Acc>(x);
        let next = combine::<L, S>(steps, base, last);
        if memory.reverse {
            result = L::reversed::<S::Acc>(result);
        }
        store::<L, S>(steps, L::opaque(result), to);
        [next, last]
    }
}

/// Job of [`row`] for instruction sets whose rows are memory, not registers. `rows` points to two rows: the first is
/// `base`, and the two returned rows replace them.
///
/// # Safety
/// The row is in `memory`, `to` has room for its results, and `rows` points to two of the instruction set's rows.
struct ScanRow<'a, S: Steps> {
    steps: &'a S,
    memory: &'a Memory<S::In, S::Out>,
    at: (usize, usize),
    exclusive: bool,
    rows: *mut u8,
    to: *mut Out<S>,
}

impl<S: Steps> Work for ScanRow<'_, S> {
    type Result = ();

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) {
        let Self { steps, memory, at, exclusive, rows, to } = self;
        let rows = rows.cast::<[L::Row; 2]>();
        // SAFETY: the processor has the instructions of `L`. The row's elements are in memory, and `to` has room for
        // its results.
        unsafe { rows.write(row::<L, S>(steps, memory, at, exclusive, (*rows)[0], to)) };
    }
}

/// Returns a neutral value for a `run` without a prefix: combined with its elements, it does not change them.
///
/// # Safety
/// The run is in `memory` and not empty, and the operator is [`EXACT`](Steps::EXACT).
#[inline(always)]
pub(crate) unsafe fn before_first<S: Steps>(steps: &S, memory: &Memory<S::In, S::Out>, run: Run) -> S::Acc {
    // SAFETY: the run is in the memory, and not empty.
    let first = unsafe { super::run::load(steps, memory, run.start, run.origin) };
    steps.decode(steps.neutral(steps.encode(first)))
}

/// Returns the number of elements in a row.
pub(crate) const fn row_len<S: Steps>() -> usize {
    ROW_BYTES / size_of::<S::Acc>()
}
/// Returns the number of elements in a group of rows.
pub(crate) const fn group_len<S: Steps>() -> usize {
    GROUP * row_len::<S>()
}

/// Scans `run`, a tile or fewer whole groups, with the exclusive prefix `base`. Returns its reduction.
///
/// # Safety
/// The run is in `memory` and not empty, and nothing else uses its output, or writes its input, until `store::fence`.
/// [`apply`] is true. The processor has the instructions of `L`.
#[inline(always)]
pub(crate) unsafe fn scan<L: Lanes, S: Steps>(
    steps: &S,
    memory: &Memory<S::In, S::Out>,
    run: Run,
    base: S::Acc,
    storing: &Storing<S::Acc>,
) -> S::Acc {
    // SAFETY: the processor has the instructions of `L`. The run is in the memory and not empty, and `apply` is true.
    unsafe {
        if const { L::IN_MEMORY } {
            L::call(Scan { steps, memory, run, base, storing })
        } else {
            scan_rows::<L, S>(steps, memory, run, base, storing)
        }
    }
}

/// Job of [`scan`] for instruction sets whose rows are memory, not registers.
///
/// # Safety
/// The run is in `memory` and not empty, [`apply`] is true, and nothing else uses its output, or writes its input,
/// until `store::fence`.
struct Scan<'a, S: Steps> {
    steps: &'a S,
    memory: &'a Memory<S::In, S::Out>,
    run: Run,
    base: S::Acc,
    storing: &'a Storing<S::Acc>,
}

impl<S: Steps> Work for Scan<'_, S> {
    type Result = S::Acc;

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) -> S::Acc {
        // SAFETY: the processor has the instructions of `L`. The run is in the memory, and not empty.
        unsafe { scan_rows::<L, S>(self.steps, self.memory, self.run, self.base, self.storing) }
    }
}

/// Scans `run` as [`scan`] does, inlined.
///
/// # Safety
/// The run is in `memory` and not empty, [`apply`] is true, and nothing else uses its output, or writes its input,
/// until `store::fence`. The processor has the instructions of `L`.
#[inline(always)]
unsafe fn scan_rows<L: Lanes, S: Steps>(
    steps: &S,
    memory: &Memory<S::In, S::Out>,
    run: Run,
    base: S::Acc,
    storing: &Storing<S::Acc>,
) -> S::Acc {
    let lanes = ROW_BYTES / size_of::<S::Acc>();
    let mut stage = Buffer::<TILE_BYTES>::new();
    let first = memory.at(if memory.reverse { run.start + run.len - 1 } else { run.start });
    // SAFETY: the processor has the instructions of `L`. The tile's elements are in the input and the output, from
    // `first` on. The stage has room for the results of a tile.
    unsafe {
        let before = every::<L, S>(steps.encode(base));
        let output = memory.output.add(first);
        let to = if storing.non_temporal { stage.start() } else { output };
        let mut ahead = Ahead::of_scan(memory, run, storing);
        let (_, size) = S::In::address(&memory.input, first);
        let bytes = run.len * size_of::<Out<S>>();
        let mut copy = StreamingCopy::<L>::new(to.cast_const().cast(), output.cast(), bytes);
        let mut total: Option<L::Row> = None;
        let mut group_totals = [before; TOP];
        // Offset of the next row from `first`.
        let (mut at, next) = if memory.reverse { (run.len - lanes, lanes.wrapping_neg()) } else { (0, lanes) };
        for group in 0..run.len / group_len::<S>() {
            let mut base = match total {
                Some(total) => combine::<L, S>(steps, before, total),
                None => before,
            };
            macro_rules! row {
                () => {{
                    let (here, to) = ((first + at, run.origin), to.add(at));
                    let rows = if const { L::IN_MEMORY } {
                        let mut rows = [base; 2];
                        let place = (&raw mut rows).cast();
                        L::call(ScanRow { steps, memory, at: here, exclusive: storing.exclusive, rows: place, to });
                        rows
                    } else {
                        row::<L, S>(steps, memory, here, storing.exclusive, base, to)
                    };
                    at = at.wrapping_add(next);
                    base = rows[0];
                    rows[1]
                }};
            }
            macro_rules! pair {
                () => {{
                    let (a, b) = (row!(), row!());
                    combine::<L, S>(steps, a, b)
                }};
            }
            macro_rules! four {
                () => {{
                    let (a, b) = (pair!(), pair!());
                    combine::<L, S>(steps, a, b)
                }};
            }
            const { assert!(GROUP == 8, "the tree below has so many leaves") };
            let group_total = {
                let (a, b) = (four!(), four!());
                combine::<L, S>(steps, a, b)
            };
            if !S::EXACT
                && let Some(kept) = group_totals.get_mut(group)
            {
                *kept = group_total;
            }
            total = Some(match total {
                Some(total) => combine::<L, S>(steps, total, group_total),
                None => group_total,
            });
            ahead.fetch(GROUP * lanes * size);
            if storing.non_temporal {
                // Copies earlier groups only: results of this group have not reached the cache yet.
                copy.copy(group * GROUP * lanes * size_of::<Out<S>>(), memory.reverse);
            }
        }
        if storing.non_temporal {
            copy.finish(memory.reverse);
        }
        // There was at least one group. The total of fewer groups than a tile is only a prefix of what follows, so its
        // grouping is free.
        let total = if S::EXACT || run.len < TOP * group_len::<S>() {
            total.unwrap_or(before)
        } else {
            tree::<L, S, TOP>(steps, &mut group_totals)
        };
        steps.decode((&raw const total).cast::<S::Acc>().read())
    }
}
