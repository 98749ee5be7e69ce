//! Steps of the scan of a group of the [tree](upsweep_core::tree), in registers: a lane for each row.
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
//! Between the chain and the bases, the columns are in the first-level cache. The chain of a group goes from column to
//! column together with the bases of the group before ([`Kernel::columns`]): either alone would wait for its additions.
//!
//! An exclusive result has the same bases, without its element: it is the one of the column before, and that of the first
//! column is the bases alone. In a reversed scan the columns are taken from the last to the first, and so are the lanes.
//!
//! Source: the vertical scan of Zhang, Wang and Ross, "Parallel Prefix Sum with SIMD", 2020, whose lanes are parts of an
//! array. It gathers and scatters elements, in two passes; here a group is small, and squares are transposed in registers.

use super::lanes::{Lanes, ROW_BYTES};
use super::run::Memory;
use std::mem::MaybeUninit;
use upsweep_core::inputs::Read;
use upsweep_core::steps::{Out, Steps};
use upsweep_core::tree::ROWS;

/// Largest number of elements of a row.
const MOST: usize = 32;
/// Number of columns that are transposed at once.
const SQUARE: usize = 8;
/// Largest number of registers of a column.
const PARTS: usize = 2;

/// Column of a group: a lane for each row, in [`parts`] registers.
type Column<L> = [<L as Lanes>::Half; PARTS];

/// Returns the number of lanes of a register. Operands of other jobs may be of any size; their code is analysed, too.
const fn lanes<S: Steps>() -> usize {
    if S::TREE { ROW_BYTES / 2 / size_of::<S::Acc>() } else { ROWS }
}

/// Returns the number of registers of a column: one if operands have 4 bytes, two if they have 8.
const fn parts<S: Steps>() -> usize {
    ROWS / lanes::<S>()
}

/// Columns of a group: one more than a row has elements.
#[repr(C, align(64))]
pub(super) struct Columns<L: Lanes>(MaybeUninit<[Column<L>; MOST + 1]>);

impl<L: Lanes> Columns<L> {
    #[inline(always)]
    pub(super) fn new() -> Self {
        Self(MaybeUninit::uninit())
    }

    #[inline(always)]
    pub(super) fn start(&mut self) -> *mut L::Half {
        self.0.as_mut_ptr().cast()
    }
}

/// Makes the register whose lane `i` is `lane(i)`.
///
/// # Safety
/// The lanes `T` fill a register. The processor has the instructions of `L`.
#[inline(always)]
unsafe fn register<L: Lanes, T>(lane: impl Fn(usize) -> T) -> L::Half {
    let mut register = MaybeUninit::<L::Half>::uninit();
    // SAFETY: the lanes fill the register, and are all written.
    unsafe {
        for i in 0..ROW_BYTES / 2 / size_of::<T>() {
            register.as_mut_ptr().cast::<T>().add(i).write(lane(i));
        }
        L::opaque_half(register.assume_init())
    }
}

/// Returns lane `i` of a register.
///
/// # Safety
/// The register has a lane `i` that is a `T`.
#[inline(always)]
unsafe fn lane<T: Copy, R>(register: &R, i: usize) -> T {
    // SAFETY: the register has a lane `i`.
    unsafe { (&raw const *register).cast::<T>().add(i).read() }
}

/// Returns `a ⊕ b`, lane by lane.
///
/// # Safety
/// The lanes are operands. The processor has the instructions of `L`.
#[inline(always)]
unsafe fn combine<L: Lanes, S: Steps>(steps: &S, a: L::Half, b: L::Half) -> L::Half {
    // SAFETY: the lanes are operands.
    unsafe { register::<L, _>(|i| steps.combine(lane(&a, i), lane(&b, i))) }
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
pub(super) struct Entered<L: Lanes, A> {
    /// Chain of the rows before each row of the group.
    pub(super) rows: Column<L>,
    /// Total of the group.
    pub(super) total: A,
}

/// Group that enters: its rows are scanned.
pub(super) struct Enters<L: Lanes, A> {
    /// Lowest index in memory.
    pub(super) at: usize,
    pub(super) head: Option<Head<A>>,
    /// Place of the columns, if these are kept.
    pub(super) columns: Option<*mut L::Half>,
}

/// Group that leaves: its results are stored.
pub(super) struct Leaves<L: Lanes, S: Steps> {
    pub(super) columns: *mut L::Half,
    /// Chain of the rows before each row.
    pub(super) rows: Column<L>,
    pub(super) bases: Bases<S::Acc>,
    /// Place of the results.
    pub(super) to: *mut Out<S>,
}

/// Steps of the scan of a group. Its columns are kept in scan order: if exclusive, those before each element, and the one
/// after the last, else those after each element.
#[derive(Clone, Copy)]
pub(super) struct Kernel<'a, S: Steps> {
    pub(super) steps: &'a S,
    pub(super) memory: &'a Memory<S::In, S::Out>,
    /// Index in memory from which the positions given to the map count.
    pub(super) origin: usize,
    pub(super) exclusive: bool,
}

#[allow(clippy::needless_range_loop, reason = "iterators may stay calls, which lack the instruction set")]
impl<S: Steps> Kernel<'_, S> {
    /// Scans the rows of the group that enters, and returns their totals. Adds the bases to the columns of the group that
    /// leaves, and stores its results. Both at once: a chain of additions takes longer than the instructions of the other.
    ///
    /// # Safety
    /// The group that enters is in memory, and initialised, and there is room for its columns. The columns of the group
    /// that leaves are kept, and there is room for its results. The processor has the instructions of `L`.
    #[inline(always)]
    pub(super) unsafe fn columns<L: Lanes>(
        self,
        enters: Option<Enters<L, S::Acc>>,
        leaves: Option<Leaves<L, S>>,
    ) -> Entered<L, S::Acc> {
        let Self { steps, memory, .. } = self;
        let (row, neutral) = steps.tree();
        let (parts, lanes) = const { (parts::<S>(), lanes::<S>()) };
        // SAFETY: the columns and elements are those of the groups, and the processor has the instructions of `L`.
        unsafe {
            let of = |value: S::Acc| register::<L, _>(|_| value);
            let mut y = [of(neutral); PARTS];
            if let Some(Enters { head: Some(head), .. }) = &enters {
                let first = if memory.reverse { ROWS - 1 } else { 0 };
                for part in 0..parts {
                    y[part] = register::<L, _>(|i| if part * lanes + i == first { head.y } else { neutral });
                }
            }
            if let Some(Enters { columns: Some(columns), .. }) = &enters {
                for part in 0..parts {
                    columns.add(part).write(y[part]);
                }
            }
            let mut bases = [y[0]; 3];
            if let Some(Leaves { bases: Bases { groups, tiles, spans }, .. }) = leaves {
                bases = [of(groups), of(tiles), of(spans)];
            }
            // No loop over the parts: LLVM would keep their registers in memory.
            let [mut first, mut second] = y;
            for c in (0..row).step_by(SQUARE) {
                first = self.square(0, c, first, &enters, &leaves, bases);
                if parts == 2 {
                    second = self.square(1, c, second, &enters, &leaves, bases);
                }
            }
            self.rows::<L>([first, second])
        }
    }

    /// Does so for the columns `c` to `c + 7` and one of the parts of their lanes. `y` is the column before.
    ///
    /// # Safety
    /// The conditions of [`columns`](Self::columns) hold. There are `bases` if a group leaves.
    #[inline(always)]
    unsafe fn square<L: Lanes>(
        self,
        part: usize,
        c: usize,
        mut y: L::Half,
        enters: &Option<Enters<L, S::Acc>>,
        leaves: &Option<Leaves<L, S>>,
        bases: [L::Half; 3],
    ) -> L::Half {
        let Self { steps, exclusive, .. } = self;
        let (parts, lanes) = const { (parts::<S>(), lanes::<S>()) };
        let mut square = [y; SQUARE];
        // SAFETY: the columns and elements are those of the groups, and the processor has the instructions of `L`.
        unsafe {
            if let Some(enters) = enters {
                square = self.load::<L>(enters.at, part * lanes, c);
            }
            for i in 0..steps.tree().0.min(SQUARE) {
                if let Some(enters) = enters {
                    y = combine::<L, S>(steps, y, square[i]);
                    if let Some(columns) = enters.columns {
                        columns.add((usize::from(exclusive) + c + i) * parts + part).write(y);
                    }
                }
                if let Some(leaves) = leaves {
                    let result = leaves.columns.add((c + i) * parts + part).read();
                    let mut result = combine::<L, S>(steps, leaves.rows[part], result);
                    for base in bases {
                        result = combine::<L, S>(steps, base, result);
                    }
                    square[i] = result;
                }
            }
            if let Some(leaves) = leaves {
                self.store::<L>(square, part * lanes, c, leaves.to);
            }
        }
        y
    }

    /// Scans the totals of a group's rows, which are the lanes of `y`.
    ///
    /// # Safety
    /// The lanes are operands. The processor has the instructions of `L`.
    #[inline(always)]
    unsafe fn rows<L: Lanes>(self, y: Column<L>) -> Entered<L, S::Acc> {
        let Self { steps, memory, .. } = self;
        let neutral = steps.tree().1;
        let (mut chain, mut total) = ([neutral; ROWS], neutral);
        // SAFETY: the lanes are operands.
        unsafe {
            let totals = |r: usize| lane(&y[r / const { lanes::<S>() }], r % const { lanes::<S>() });
            if memory.reverse {
                for r in (0..ROWS).rev() {
                    chain[r] = total;
                    total = steps.combine(total, totals(r));
                }
            } else {
                for r in 0..ROWS {
                    chain[r] = total;
                    total = steps.combine(total, totals(r));
                }
            }
            let mut rows = y;
            for part in 0..const { parts::<S>() } {
                rows[part] = register::<L, _>(|i| chain[part * const { lanes::<S>() } + i]);
            }
            Entered { rows, total }
        }
    }

    /// Returns the index in memory, from that of a row's lowest element, of the element after `c` others in scan order.
    #[inline(always)]
    fn place(self, c: usize) -> usize {
        if self.memory.reverse { self.steps.tree().0 - 1 - c } else { c }
    }

    /// Returns the columns of the elements `c` to `c + 7` in scan order, of the rows that begin with row `from` in memory
    /// and fill a register. `at` is the group's lowest index in memory.
    ///
    /// # Safety
    /// The group is in memory, and initialised. The processor has the instructions of `L`.
    #[inline(always)]
    unsafe fn load<L: Lanes>(self, at: usize, from: usize, c: usize) -> [L::Half; SQUARE] {
        let Self { steps, memory, origin, .. } = self;
        let (row, neutral) = steps.tree();
        // SAFETY: the elements are in the group. With the same map they are the operands.
        unsafe {
            let element = |i: usize| steps.load(S::In::read(&memory.input, at + i), at.wrapping_sub(origin) + i);
            if !row.is_multiple_of(SQUARE) {
                let mut square = [register::<L, _>(|_| neutral); SQUARE];
                for i in 0..row {
                    square[i] = register::<L, _>(|r| element((from + r) * row + self.place(i)));
                }
                return square;
            }
            let first = from * row + self.place(c).min(self.place(c + SQUARE - 1));
            if S::same_map() {
                let elements = S::In::address(&memory.input, at + first).0.cast::<S::Acc>();
                return in_order(L::columns(elements, row), memory.reverse);
            }
            let mut square = MaybeUninit::<[[S::Acc; SQUARE]; ROWS]>::uninit();
            let operands = square.as_mut_ptr().cast::<S::Acc>();
            for r in 0..const { lanes::<S>() } {
                for i in 0..SQUARE {
                    operands.add(r * SQUARE + i).write(element(first + r * row + i));
                }
            }
            in_order(L::columns(operands.cast_const(), SQUARE), memory.reverse)
        }
    }

    /// Stores the results `c` to `c + 7` of the same rows to `to`, the place of the group's results. Their columns are in
    /// scan order.
    ///
    /// # Safety
    /// There is room for the results of a group. The processor has the instructions of `L`.
    #[inline(always)]
    unsafe fn store<L: Lanes>(self, mut square: [L::Half; SQUARE], from: usize, c: usize, to: *mut Out<S>) {
        let Self { steps, memory, .. } = self;
        let row = steps.tree().0;
        // SAFETY: the results are in the group. Numbers of one size are results in the place of operands.
        unsafe {
            if !row.is_multiple_of(SQUARE) {
                for i in 0..row {
                    for r in 0..const { lanes::<S>() } {
                        to.add((from + r) * row + self.place(i)).write(steps.store(lane(&square[i], r)));
                    }
                }
                return;
            }
            let to = to.add(from * row + self.place(c).min(self.place(c + SQUARE - 1)));
            if const { S::NUMBERS[2] == 1 && size_of::<Out<S>>() == size_of::<S::Acc>() } {
                for column in &mut square {
                    *column = register::<L, Out<S>>(|r| steps.store(lane(column, r)));
                }
                L::store_columns(in_order(square, memory.reverse), to, row);
                return;
            }
            let mut results = MaybeUninit::<[[S::Acc; SQUARE]; ROWS]>::uninit();
            let results = results.as_mut_ptr().cast::<S::Acc>();
            L::store_columns(in_order(square, memory.reverse), results, SQUARE);
            for r in 0..const { lanes::<S>() } {
                for i in 0..SQUARE {
                    to.add(r * row + i).write(steps.store(results.add(r * SQUARE + i).read()));
                }
            }
        }
    }
}

/// Returns the columns of a square in reverse order, if `reverse`.
#[inline(always)]
fn in_order<R: Copy>(square: [R; SQUARE], reverse: bool) -> [R; SQUARE] {
    let [a, b, c, d, e, f, g, h] = square;
    if reverse { [h, g, f, e, d, c, b, a] } else { square }
}
