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

    /// Transposes a square of columns or parts of rows.
    ///
    /// # Safety
    /// The processor has the instructions of `L`.
    unsafe fn transposed(square: [Self; ROWS]) -> [Self; ROWS];
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

    #[inline(always)]
    unsafe fn transposed(square: [Self; ROWS]) -> [Self; ROWS] {
        let [a, b, c, d, e, f, g, h] = square;
        // SAFETY: the processor has the instructions of `L`.
        let [a, b, c, d, e, f, g, h] = unsafe { L::transposed_halves([a.0, b.0, c.0, d.0, e.0, f.0, g.0, h.0]) };
        [Self(a), Self(b), Self(c), Self(d), Self(e), Self(f), Self(g), Self(h)]
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

    #[inline(always)]
    unsafe fn transposed(square: [Self; ROWS]) -> [Self; ROWS] {
        let [a, b, c, d, e, f, g, h] = square;
        // SAFETY: the processor has the instructions of `L`, and a row has eight lanes of 8 bytes.
        let [a, b, c, d, e, f, g, h] = unsafe { L::transposed([a.0, b.0, c.0, d.0, e.0, f.0, g.0, h.0]) };
        [Self(a), Self(b), Self(c), Self(d), Self(e), Self(f), Self(g), Self(h)]
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

/// A group whose rows are scanned, each by itself.
#[derive(Clone, Copy)]
struct Entered<A, C> {
    /// Chain of the rows before each row of the group.
    rows: C,
    /// Total of the group.
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
        let kernel = Kernel { steps, memory, origin: run.origin, exclusive: false };
        for k in (run.start..run.start + run.len).step_by(len) {
            // SAFETY: the group is in the run.
            unsafe {
                let enters = Enters { at: memory.lowest(&(k..k + len)), head: head.take(), columns: None };
                let y = kernel.columns::<L, C>(Some(enters), None);
                groups = steps.combine(groups, kernel.rows::<L, C>(&y).total);
            }
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
                let kernel = Kernel { steps, memory, origin: run.origin, exclusive: storing.exclusive };
                let part = Part { kernel, first, count: run.len / len, head: head.take() };
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

/// Neighbouring groups.
struct Part<'a, S: Steps> {
    kernel: Kernel<'a, S>,
    /// Lowest index in memory.
    first: usize,
    /// Number of groups.
    count: usize,
    head: Option<Head<S::Acc>>,
}

impl<S: Steps> Part<'_, S> {
    /// Scans the groups, stores the results to `to`, and returns the chain of the groups after them. `stored` is called
    /// after each group, with the number of results that earlier groups have stored.
    ///
    /// # Safety
    /// The groups are in the memory, there is one at least, and `to` has room for their results. Nothing else writes
    /// their elements. The processor has the instructions of `L`.
    #[inline(always)]
    unsafe fn scan<L: Lanes, C: Column<L>>(
        self,
        mut bases: Bases<S::Acc>,
        to: *mut Out<S>,
        ahead: &mut Ahead,
        mut stored: impl FnMut(usize),
    ) -> S::Acc {
        let Self { kernel, first, count, head } = self;
        let Kernel { steps, memory, exclusive, .. } = kernel;
        let len = ROWS * steps.tree().0;
        let (_, size) = S::In::address(&memory.input, first);
        let mut columns = [Columns::<C>::new(), Columns::<C>::new()];
        let [even, odd] = &mut columns;
        let [mut this, mut next] = [even.start(), odd.start()];
        // Offset of a group from `first`.
        let at = |group: usize| len * if memory.reverse { count - 1 - group } else { group };
        // SAFETY: the groups are in the part, and `to` has room for their results.
        unsafe {
            let enters = Enters { at: first + at(0), head, columns: Some(this) };
            let y = kernel.columns::<L, C>(Some(enters), None);
            let mut entered = kernel.rows::<L, C>(&y);
            for group in 0..count {
                let Entered { rows, total } = entered;
                let leaves = Leaves { columns: this, rows, bases, to: to.add(at(group)) };
                if group + 1 < count {
                    let enters = Enters { at: first + at(group + 1), head: None, columns: Some(next) };
                    let y = kernel.columns::<L, C>(Some(enters), Some(leaves));
                    entered = kernel.rows::<L, C>(&y);
                } else {
                    kernel.columns::<L, C>(None, Some(leaves));
                }
                if group == 0
                    && exclusive
                    && let Some(head) = head
                {
                    let last = if memory.reverse { len - 1 } else { 0 };
                    to.add(at(0) + last).write(steps.store(head.before));
                }
                bases.groups = steps.combine(bases.groups, total);
                (this, next) = (next, this);
                ahead.fetch(len * size);
                stored(group * len);
            }
        }
        bases.groups
    }
}

/// Group that enters: its rows are scanned.
struct Enters<A, C> {
    /// Lowest index in memory.
    at: usize,
    head: Option<Head<A>>,
    /// Place of the columns, if these are kept.
    columns: Option<*mut C>,
}

/// Group that leaves: its results are stored.
struct Leaves<S: Steps, C> {
    columns: *mut C,
    /// Chain of the rows before each row.
    rows: C,
    bases: Bases<S::Acc>,
    /// Place of the results.
    to: *mut Out<S>,
}

/// Steps of the scan of a group. Its columns are kept in scan order: if exclusive, those before each element, and the one
/// after the last, else those after each element.
#[derive(Clone, Copy)]
struct Kernel<'a, S: Steps> {
    steps: &'a S,
    memory: &'a Memory<S::In, S::Out>,
    /// Index in memory from which the positions given to the map count.
    origin: usize,
    exclusive: bool,
}

impl<S: Steps> Kernel<'_, S> {
    /// Scans the rows of the group that enters, and returns their totals. Adds the bases to the columns of the group that
    /// leaves, and stores its results. Both at once: a chain of additions takes longer than the instructions of the other.
    ///
    /// # Safety
    /// The group that enters is in memory, and initialised, and there is room for its columns. The columns of the group
    /// that leaves are kept, and there is room for its results. The processor has the instructions of `L`.
    #[inline(always)]
    unsafe fn columns<L: Lanes, C: Column<L>>(
        self,
        enters: Option<Enters<S::Acc, C>>,
        leaves: Option<Leaves<S, C>>,
    ) -> C {
        let Self { steps, memory, exclusive, .. } = self;
        let (row, neutral) = steps.tree();
        let width = row.min(SQUARE);
        // SAFETY: the columns and elements are those of the groups, and the processor has the instructions of `L`.
        unsafe {
            let mut y = column::<L, C, _>(|_| neutral);
            let mut square = [y; SQUARE];
            if let Some(Enters { head, columns, .. }) = &enters {
                if let Some(head) = head {
                    let first = if memory.reverse { ROWS - 1 } else { 0 };
                    y = column::<L, C, _>(|r| if r == first { head.y } else { neutral });
                }
                if let Some(columns) = columns {
                    columns.write(y);
                }
            }
            let bases =
                leaves.as_ref().map_or([y; 4], |Leaves { rows, bases: Bases { groups, tiles, spans }, .. }| {
                    let [groups, tiles, spans] = [groups, tiles, spans].map(|&base| column::<L, C, _>(|_| base));
                    [*rows, groups, tiles, spans]
                });
            for c in (0..row).step_by(SQUARE) {
                if let Some(Enters { at, .. }) = enters {
                    square = self.load::<L, C>(at, c);
                }
                for i in 0..width {
                    if let Some(Enters { columns, .. }) = enters {
                        y = combine::<L, S, C>(steps, y, square[i]);
                        if let Some(columns) = columns {
                            columns.add(usize::from(exclusive) + c + i).write(y);
                        }
                    }
                    if let Some(Leaves { columns, .. }) = leaves {
                        let mut result = columns.add(c + i).read();
                        for base in bases {
                            result = combine::<L, S, C>(steps, base, result);
                        }
                        square[i] = result;
                    }
                }
                if let Some(Leaves { to, .. }) = leaves {
                    self.store::<L, C>(square, c, to);
                }
            }
            y
        }
    }

    /// Scans the totals of a group's rows, which are the lanes of `y`.
    ///
    /// # Safety
    /// A column has eight operands. The processor has the instructions of `L`.
    #[inline(always)]
    unsafe fn rows<L: Lanes, C: Column<L>>(self, y: &C) -> Entered<S::Acc, C> {
        let Self { steps, memory, .. } = self;
        let neutral = steps.tree().1;
        let mut rows = [neutral; ROWS];
        let mut total = neutral;
        // SAFETY: a column has eight operands.
        unsafe {
            if memory.reverse {
                for r in (0..ROWS).rev() {
                    rows[r] = total;
                    total = steps.combine(total, lane(y, r));
                }
            } else {
                for r in 0..ROWS {
                    rows[r] = total;
                    total = steps.combine(total, lane(y, r));
                }
            }
            Entered { rows: column::<L, C, _>(|r| rows[r]), total }
        }
    }

    /// Returns the index in memory, from that of a row's lowest element, of the element after `c` others in scan order.
    #[inline(always)]
    fn place(self, c: usize) -> usize {
        if self.memory.reverse { self.steps.tree().0 - 1 - c } else { c }
    }

    /// Returns the columns of the elements `c` to `c + 7` of the rows, in scan order. `at` is the group's lowest index in
    /// memory.
    ///
    /// # Safety
    /// The group is in memory, and initialised. The processor has the instructions of `L`.
    #[inline(always)]
    unsafe fn load<L: Lanes, C: Column<L>>(self, at: usize, c: usize) -> [C; SQUARE] {
        let Self { steps, memory, origin, .. } = self;
        let (row, neutral) = steps.tree();
        // SAFETY: the elements are in the group. With the same map they are the operands.
        unsafe {
            let element = |i: usize| steps.load(S::In::read(&memory.input, at + i), at - origin + i);
            let mut square = [column::<L, C, _>(|_| neutral); SQUARE];
            if !row.is_multiple_of(SQUARE) {
                for i in 0..row {
                    square[i] = column::<L, C, _>(|r| element(r * row + self.place(i)));
                }
                return square;
            }
            let first = self.place(c).min(self.place(c + SQUARE - 1));
            for r in 0..ROWS {
                square[r] = if S::same_map() {
                    S::In::address(&memory.input, at + r * row + first).0.cast::<C>().read_unaligned()
                } else {
                    column::<L, C, _>(|i| element(r * row + first + i))
                };
            }
            in_order(C::transposed(square), memory.reverse)
        }
    }

    /// Stores the results `c` to `c + 7` of the rows, whose columns are in scan order, to `to`.
    ///
    /// # Safety
    /// There is room for the results of a group. The processor has the instructions of `L`.
    #[inline(always)]
    unsafe fn store<L: Lanes, C: Column<L>>(self, mut square: [C; SQUARE], c: usize, to: *mut Out<S>) {
        let Self { steps, memory, .. } = self;
        let row = steps.tree().0;
        // SAFETY: the results are in the group. Numbers of one size are results in the place of operands.
        unsafe {
            if !row.is_multiple_of(SQUARE) {
                for i in 0..row {
                    for r in 0..ROWS {
                        to.add(r * row + self.place(i)).write(steps.store(lane(&square[i], r)));
                    }
                }
                return;
            }
            let first = self.place(c).min(self.place(c + SQUARE - 1));
            let same = const { S::NUMBERS[2] == 1 && size_of::<Out<S>>() == size_of::<S::Acc>() };
            if same {
                for column_of in &mut square {
                    *column_of = column::<L, C, Out<S>>(|r| steps.store(lane(column_of, r)));
                }
            }
            let square = C::transposed(in_order(square, memory.reverse));
            for r in 0..ROWS {
                let to = to.add(r * row + first);
                if same {
                    to.cast::<C>().write_unaligned(square[r]);
                } else {
                    for i in 0..SQUARE {
                        to.add(i).write(steps.store(lane(&square[r], i)));
                    }
                }
            }
        }
    }
}

/// Returns the columns of a square in reverse order, if `reverse`.
#[inline(always)]
fn in_order<C: Copy>(square: [C; SQUARE], reverse: bool) -> [C; SQUARE] {
    let [a, b, c, d, e, f, g, h] = square;
    if reverse { [h, g, f, e, d, c, b, a] } else { square }
}
