//! Scan of whole groups of the [tree](upsweep_core::tree), in registers: a lane for each row.
//!
//! ```text
//! transpose      lane r of column c: element c of row r
//! chain          column[c] = column[c - 1] ⊕ column[c]               the y of all rows at once
//! rows' totals   R[r] = R[r - 1] ⊕ last column[r - 1]                from lane to lane
//! bases          column[c] = P ⊕ (G ⊕ (Q ⊕ (R ⊕ column[c])))
//! transpose, store
//! next group     Q = Q ⊕ (R[7] ⊕ last column[7])
//! ```
//!
//! The columns of a group are in the first-level cache: the registers of AVX2 do not hold them. The first three steps of
//! a group are taken before the last three of the group before: the chain from lane to lane takes as long as all others.
//!
//! An exclusive result has the same bases, without its element: column 0 then is the neutral value, and each result the
//! one of the column before. In a reversed scan columns and lanes are in memory order, and the chains descend.
//!
//! Source: the vertical scan of Zhang, Wang and Ross, "Parallel Prefix Sum with SIMD", 2020, whose lanes are parts of an
//! array. It gathers and scatters elements, in two passes; here a group is small, and squares are transposed in registers.

use super::lanes::{Lanes, Work};
use super::run::{Memory, Run, Storing};
use super::store::{Ahead, StreamingCopy};
use super::sweep::Buffer;
use std::mem::MaybeUninit;
use upsweep_core::inputs::Read;
use upsweep_core::steps::{Out, Steps};
use upsweep_core::tree::{GROUPS, ROWS};

/// Largest number of elements of a row.
const MOST: usize = 32;
/// Number of columns of a square, which is transposed at once.
const SQUARE: usize = ROWS;
/// Bytes of the results that are staged before they go to memory by non-temporal stores.
const STAGE_BYTES: usize = 12 << 10;

/// Column of a group in registers: eight lanes, one for each row.
trait Column<L: Lanes>: Copy {
    /// Returns the same column, and hides from the compiler how it was computed.
    ///
    /// # Safety
    /// The processor has the instructions of `L`.
    unsafe fn opaque(self) -> Self;
}

/// Column of numbers of 4 bytes.
struct Half<L: Lanes>(L::Half);

impl<L: Lanes> Clone for Half<L> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<L: Lanes> Copy for Half<L> {}

impl<L: Lanes> Column<L> for Half<L> {
    #[inline(always)]
    unsafe fn opaque(self) -> Self {
        // SAFETY: the processor has the instructions of `L`.
        Self(unsafe { L::opaque_half(self.0) })
    }
}

/// Column of numbers of 8 bytes.
struct Whole<L: Lanes>(L::Row);

impl<L: Lanes> Clone for Whole<L> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<L: Lanes> Copy for Whole<L> {}

impl<L: Lanes> Column<L> for Whole<L> {
    #[inline(always)]
    unsafe fn opaque(self) -> Self {
        // SAFETY: the processor has the instructions of `L`.
        Self(unsafe { L::opaque(self.0) })
    }
}

/// Makes the column whose lane `i` is `lane(i)`.
///
/// # Safety
/// A column has eight lanes `T`. The processor has the instructions of `L`.
#[inline(always)]
unsafe fn column<L: Lanes, C: Column<L>, T>(lane: impl Fn(usize) -> T) -> C {
    let mut column = MaybeUninit::<C>::uninit();
    // SAFETY: a column has eight lanes, which are all written.
    unsafe {
        for i in 0..ROWS {
            column.as_mut_ptr().cast::<T>().add(i).write(lane(i));
        }
        column.assume_init().opaque()
    }
}

/// Returns lane `i` of a column.
///
/// # Safety
/// The column has eight lanes `T`, and `i` is less than eight.
#[inline(always)]
unsafe fn lane<T: Copy, C>(column: &C, i: usize) -> T {
    // SAFETY: the column has a lane `i`.
    unsafe { (&raw const *column).cast::<T>().add(i).read() }
}

/// Returns `a ⊕ b`, lane by lane.
///
/// # Safety
/// A column has eight operands. The processor has the instructions of `L`.
#[inline(always)]
unsafe fn combine<L: Lanes, S: Steps, C: Column<L>>(steps: &S, a: C, b: C) -> C {
    // SAFETY: a column has eight operands.
    unsafe { column::<L, C, _>(|i| steps.combine(lane(&a, i), lane(&b, i))) }
}

/// Columns of a group: one more than a row has elements.
#[repr(C, align(64))]
struct Columns<C>(MaybeUninit<[C; MOST + 1]>);

impl<C> Columns<C> {
    #[inline(always)]
    fn new() -> Self {
        Self(MaybeUninit::uninit())
    }

    #[inline(always)]
    fn start(&mut self) -> *mut C {
        self.0.as_mut_ptr().cast()
    }
}

/// Bases that all elements of a group have, and that of its rows: the chains of the levels above.
#[derive(Clone, Copy)]
pub(super) struct Bases<A> {
    pub(super) groups: A,
    pub(super) tiles: A,
    pub(super) spans: A,
}

/// Chain and first exclusive result of a run that begins with a head.
#[derive(Clone, Copy)]
pub(super) struct Head<A> {
    /// Initial value, or the neutral value.
    pub(super) y: A,
    /// Exclusive result of the first element.
    pub(super) before: A,
}

/// What the rows of a group make of its elements.
#[derive(Clone, Copy)]
struct Entered<A, C> {
    /// Chain of the rows before each row of the group.
    rows: C,
    total: A,
}

/// Scan of `run`, whole groups of one tile, of which the first begins at a multiple of a group's elements. Returns the
/// chain of the groups after it. Without `STORES` there are no results, and only `bases.groups` counts.
///
/// # Safety
/// The run is in `memory` and not empty. Nothing else writes its input, or uses its output if there are results, until
/// `store::fence`.
pub(super) struct ScanGroups<'a, S: Steps, const STORES: bool> {
    pub(super) steps: &'a S,
    pub(super) memory: &'a Memory<S::In, S::Out>,
    pub(super) run: Run,
    pub(super) bases: Bases<S::Acc>,
    pub(super) head: Option<Head<S::Acc>>,
    pub(super) storing: &'a Storing<S::Acc>,
}

impl<S: Steps, const STORES: bool> Work for ScanGroups<'_, S, STORES> {
    type Result = S::Acc;

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) -> S::Acc {
        // SAFETY: the run is in the memory, and the processor has the instructions of `L`.
        unsafe {
            match const { (size_of::<S::Acc>() == 4, STORES) } {
                (true, true) => self.scan::<L, Half<L>>(),
                (true, false) => self.total::<L, Half<L>>(),
                (false, true) => self.scan::<L, Whole<L>>(),
                (false, false) => self.total::<L, Whole<L>>(),
            }
        }
    }
}

impl<S: Steps, const STORES: bool> ScanGroups<'_, S, STORES> {
    /// Returns the chain of the groups after the run.
    ///
    /// # Safety
    /// The conditions of the type hold, and the processor has the instructions of `L`.
    #[inline(always)]
    unsafe fn total<L: Lanes, C: Column<L>>(self) -> S::Acc {
        let Self { steps, memory, run, bases, mut head, .. } = self;
        let len = ROWS * steps.tree().0;
        let mut groups = bases.groups;
        let mut columns = Columns::<C>::new();
        for k in (run.start..run.start + run.len).step_by(len) {
            // SAFETY: the group is in the run.
            let entered = unsafe {
                let at = memory.lowest(&(k..k + len));
                enter::<L, S, C, false>(steps, memory, (at, run.origin), head.take(), columns.start())
            };
            groups = steps.combine(groups, entered.total);
        }
        groups
    }

    /// Scans the run in parts whose results fit the stage.
    ///
    /// # Safety
    /// The conditions of the type hold, and the processor has the instructions of `L`.
    #[inline(always)]
    unsafe fn scan<L: Lanes, C: Column<L>>(self) -> S::Acc {
        let Self { steps, memory, run, mut bases, mut head, storing } = self;
        // Local copies, which no store of a result can change.
        let (steps, memory) = (&{ *steps }, &{ *memory });
        let mut stage = Buffer::<STAGE_BYTES>::new();
        let len = ROWS * steps.tree().0;
        let staged = (STAGE_BYTES / (len * size_of::<Out<S>>()).max(1)).min(GROUPS);
        let streams = storing.non_temporal && staged > 0;
        let part = len * if streams { staged } else { GROUPS };
        let mut ahead = Ahead::of_scan(memory, run, storing);
        let end = run.start + run.len;
        for start in (run.start..end).step_by(part) {
            let run = Run { start, len: part.min(end - start), origin: run.origin };
            let first = memory.lowest(&(start..start + run.len));
            // SAFETY: the part is in the run, and the stage has room for its results.
            unsafe {
                let output = memory.output.add(first);
                let part = Part { steps, memory, run, first, exclusive: storing.exclusive, head: head.take() };
                if streams {
                    let stage = stage.start::<Out<S>>();
                    let bytes = run.len * size_of::<Out<S>>();
                    let mut copy = StreamingCopy::<L>::new(stage.cast_const().cast(), output.cast(), bytes);
                    // Copies earlier groups only: results of this group have not reached the cache yet.
                    let copied = |done| copy.copy(done * size_of::<Out<S>>(), memory.reverse);
                    bases.groups = part.scan::<L, C>(bases, stage, &mut ahead, copied);
                    copy.finish(memory.reverse);
                } else {
                    bases.groups = part.scan::<L, C>(bases, output, &mut ahead, |_| {});
                }
            }
        }
        bases.groups
    }
}

/// Part of a run of groups.
struct Part<'a, S: Steps> {
    steps: &'a S,
    memory: &'a Memory<S::In, S::Out>,
    run: Run,
    /// Lowest index in memory.
    first: usize,
    exclusive: bool,
    head: Option<Head<S::Acc>>,
}

impl<S: Steps> Part<'_, S> {
    /// Scans the part, stores the results to `to`, and returns the chain of the groups after it. `stored` is called
    /// before each group, with the number of results that earlier groups have stored.
    ///
    /// # Safety
    /// The part is in the memory and not empty, and `to` has room for its results. Nothing else writes its input. The
    /// processor has the instructions of `L`.
    #[inline(always)]
    unsafe fn scan<L: Lanes, C: Column<L>>(
        self,
        mut bases: Bases<S::Acc>,
        to: *mut Out<S>,
        ahead: &mut Ahead,
        mut stored: impl FnMut(usize),
    ) -> S::Acc {
        let Self { steps, memory, run, first, exclusive, head } = self;
        let len = ROWS * steps.tree().0;
        let count = run.len / len;
        let (_, size) = S::In::address(&memory.input, first);
        let mut columns = [Columns::<C>::new(), Columns::<C>::new()];
        let [even, odd] = &mut columns;
        let [even, odd] = [even.start(), odd.start()];
        // Offset of a group from `first`.
        let at = |group: usize| len * if memory.reverse { count - 1 - group } else { group };
        // SAFETY: the groups are in the part, and `to` has room for their results.
        unsafe {
            let mut entered = enter::<L, S, C, true>(steps, memory, (first + at(0), run.origin), head, even);
            for group in 0..count {
                let (this, next) = if group.is_multiple_of(2) { (even, odd) } else { (odd, even) };
                let mut following = entered;
                if group + 1 < count {
                    let place = (first + at(group + 1), run.origin);
                    following = enter::<L, S, C, true>(steps, memory, place, None, next);
                }
                leave::<L, S, C>(steps, this, (memory.reverse, exclusive), entered.rows, bases, to.add(at(group)));
                if group == 0
                    && exclusive
                    && let Some(head) = head
                {
                    let last = if memory.reverse { len - 1 } else { 0 };
                    to.add(at(0) + last).write(steps.store(head.before));
                }
                bases.groups = steps.combine(bases.groups, entered.total);
                entered = following;
                ahead.fetch(len * size);
                stored(group * len);
            }
        }
        bases.groups
    }
}

/// Loads the group whose lowest index in memory is `at`, and scans its rows. With `KEEP` these are kept in `columns`: a
/// neutral column, and then those of the elements, in scan order. Positions given to the map count from `origin`.
///
/// # Safety
/// The group is in memory, and initialised. `columns` has one column more than a row has elements. The processor has
/// the instructions of `L`.
#[inline(always)]
unsafe fn enter<L: Lanes, S: Steps, C: Column<L>, const KEEP: bool>(
    steps: &S,
    memory: &Memory<S::In, S::Out>,
    (at, origin): (usize, usize),
    head: Option<Head<S::Acc>>,
    columns: *mut C,
) -> Entered<S::Acc, C> {
    let (row, neutral) = steps.tree();
    let reverse = memory.reverse;
    // SAFETY: there are `row + 1` columns, and the group is in memory.
    unsafe {
        let elements = columns.add(if reverse { 0 } else { 1 });
        load::<L, S, C>(steps, memory, (at, origin), elements);
        if let Some(head) = head {
            let first = if reverse { elements.add(row).cast::<S::Acc>().sub(1) } else { elements.cast() };
            first.write(steps.combine(head.y, first.read()));
        }
        let mut y;
        if reverse {
            y = elements.add(row - 1).read();
            for c in (0..row - 1).rev() {
                y = combine::<L, S, C>(steps, y, elements.add(c).read());
                if KEEP {
                    elements.add(c).write(y);
                }
            }
        } else {
            y = elements.read();
            for c in 1..row {
                y = combine::<L, S, C>(steps, y, elements.add(c).read());
                if KEEP {
                    elements.add(c).write(y);
                }
            }
        }
        if KEEP {
            columns.add(if reverse { row } else { 0 }).write(column::<L, C, _>(|_| neutral));
        }
        let mut rows = [neutral; ROWS];
        let mut total = neutral;
        if reverse {
            for r in (0..ROWS).rev() {
                rows[r] = total;
                total = steps.combine(total, lane(&y, r));
            }
        } else {
            for r in 0..ROWS {
                rows[r] = total;
                total = steps.combine(total, lane(&y, r));
            }
        }
        Entered { rows: column::<L, C, _>(|r| rows[r]), total }
    }
}

/// Loads the elements of a group into `columns`, in memory order.
///
/// # Safety
/// The group is in memory, and initialised. There are as many columns as a row has elements. The processor has the
/// instructions of `L`.
#[inline(always)]
unsafe fn load<L: Lanes, S: Steps, C: Column<L>>(
    steps: &S,
    memory: &Memory<S::In, S::Out>,
    (at, origin): (usize, usize),
    columns: *mut C,
) {
    let row = steps.tree().0;
    // SAFETY: the elements are in the group, and the lanes in `columns`.
    unsafe {
        let element = |i: usize| steps.load(S::In::read(&memory.input, at + i), at - origin + i);
        if !row.is_multiple_of(SQUARE) {
            for c in 0..row {
                for r in 0..ROWS {
                    columns.add(c).cast::<S::Acc>().add(r).write(element(r * row + c));
                }
            }
            return;
        }
        for c in (0..row).step_by(SQUARE) {
            if S::same_map() {
                let from = S::In::address(&memory.input, at + c).0.cast();
                L::square::<S::Acc>((from, row), (columns.add(c).cast(), ROWS));
                continue;
            }
            let mut square = MaybeUninit::<[[S::Acc; SQUARE]; ROWS]>::uninit();
            let rows = square.as_mut_ptr().cast::<S::Acc>();
            for r in 0..ROWS {
                for i in 0..SQUARE {
                    rows.add(r * SQUARE + i).write(element(r * row + c + i));
                }
            }
            L::square::<S::Acc>((rows, SQUARE), (columns.add(c).cast(), ROWS));
        }
    }
}

/// Adds the bases to the columns of a group, and stores its results.
///
/// # Safety
/// [`enter`] has made the columns, and `to` has room for the results of a group. The processor has the instructions of
/// `L`.
#[inline(always)]
unsafe fn leave<L: Lanes, S: Steps, C: Column<L>>(
    steps: &S,
    columns: *mut C,
    (reverse, exclusive): (bool, bool),
    rows: C,
    Bases { groups, tiles, spans }: Bases<S::Acc>,
    to: *mut Out<S>,
) {
    let row = steps.tree().0;
    // Whether results take the place of operands.
    let same = const { S::NUMBERS[2] == 1 && size_of::<Out<S>>() == size_of::<S::Acc>() } && row.is_multiple_of(SQUARE);
    // SAFETY: there are `row + 1` columns, and `to` has room for the results.
    unsafe {
        let [groups, tiles, spans] = [groups, tiles, spans].map(|base| column::<L, C, _>(|_| base));
        let columns = columns.add(usize::from(reverse == exclusive));
        for c in 0..row {
            let to = columns.add(c);
            let mut result = combine::<L, S, C>(steps, rows, to.read());
            result = combine::<L, S, C>(steps, groups, result);
            result = combine::<L, S, C>(steps, tiles, result);
            result = combine::<L, S, C>(steps, spans, result);
            if same {
                result = column::<L, C, Out<S>>(|r| steps.store(lane(&result, r)));
            }
            to.write(result);
        }
        if same {
            for c in (0..row).step_by(SQUARE) {
                L::square::<Out<S>>((columns.add(c).cast(), ROWS), (to.add(c), row));
            }
        } else if row.is_multiple_of(SQUARE) {
            for c in (0..row).step_by(SQUARE) {
                let mut square = MaybeUninit::<[[S::Acc; SQUARE]; ROWS]>::uninit();
                let results = square.as_mut_ptr().cast::<S::Acc>();
                L::square::<S::Acc>((columns.add(c).cast(), ROWS), (results, SQUARE));
                for r in 0..ROWS {
                    for i in 0..SQUARE {
                        to.add(r * row + c + i).write(steps.store(results.add(r * SQUARE + i).read()));
                    }
                }
            }
        } else {
            for c in 0..row {
                for r in 0..ROWS {
                    to.add(r * row + c).write(steps.store(columns.add(c).cast::<S::Acc>().add(r).read()));
                }
            }
        }
    }
}
