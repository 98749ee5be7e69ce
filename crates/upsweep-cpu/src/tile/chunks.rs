//! Totals of float sums and products, whose additions are grouped in one [tree](upsweep_core::lanes).
//!
//! ```text
//! whole chunk     the chains of its lanes in registers, folded to one row
//! two rows        row ⊕ row = lower halves of both, interleaved, ⊕ upper halves of both, interleaved
//! ```
//!
//! A row has what is left of a chunk: as many lanes as a register. A [join] of two rows folds both, and its lanes are those
//! of the first row and of the second in turn. When rows of 16 lanes have been joined four times, each lane is the total
//! of a chunk, and that of chunk 2i is half a row before that of chunk 2i + 1, as the bits of the chunks' numbers came in
//! from the right. So further joins add neighbouring totals, and one operation is the whole tree.
//!
//! Rows are joined [as they come](super::pairwise), and at the end with rows of the neutral value, which change no bits.

use super::hidden::hidden;
use super::lanes::{LOWER, Lanes, ROW_BYTES, UPPER, Work};
use super::pairwise::Pairwise;
use super::rows::{self, combine, every};
use super::run::{Memory, Run, load};
use super::store::Ahead;
use std::mem::MaybeUninit;
use upsweep_core::inputs::Read;
use upsweep_core::lanes::{MOST_LANES, ROWS};
use upsweep_core::steps::Steps;

/// Returns the number of lanes of a register.
const fn width<S: Steps>() -> usize {
    ROW_BYTES / size_of::<S::Acc>()
}

/// Reduction of a subtree: `run` begins at a multiple of its chunks from the line's beginning on. `None` if it is empty.
///
/// # Safety
/// The run is in the memory; nothing writes its input meanwhile. The job has the tree.
pub(super) struct ReduceChunks<'a, S: Steps> {
    pub(super) steps: &'a S,
    pub(super) memory: &'a Memory<S::In, S::Out>,
    pub(super) run: Run,
    pub(super) ahead: Ahead,
}

impl<S: Steps> Work for ReduceChunks<'_, S> {
    type Result = Option<S::Acc>;

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) -> Option<S::Acc> {
        let Self { steps, memory, run: Run { mut start, len, origin }, mut ahead } = self;
        let (chunk, end) = (ROWS * steps.lanes(), start + len);
        let bytes = chunk * S::In::address(&memory.input, start).1;
        let mut parts = Pairwise::<L::Row>::new();
        // SAFETY: the chunks are in the run.
        unsafe {
            while end - start >= chunk {
                ahead.fetch(bytes);
                let row = Chunk { steps, memory, start, origin }.row::<L>();
                parts.push(row, |a, b| join::<L, S>(steps, a, b));
                start += chunk;
            }
            if start < end {
                let row = some::<L, S>(steps, memory, Run { start, len: end - start, origin });
                parts.push(row, |a, b| join::<L, S>(steps, a, b));
            }
            let none = every::<L, S>(steps.tree().1);
            let row = parts.tree(|a, b| join::<L, S>(steps, a, b.unwrap_or(none)))?;
            let mut row = row;
            let values = (&raw mut row).cast();
            Some(if const { width::<S>() == 16 } { fold::<S, 16>(steps, values) } else { fold::<S, 8>(steps, values) })
        }
    }
}

/// Joins two rows: folds both.
///
/// # Safety
/// The processor has the instructions of `L`. Operands have 4 or 8 bytes.
#[inline(always)]
unsafe fn join<L: Lanes, S: Steps>(steps: &S, a: L::Row, b: L::Row) -> L::Row {
    // SAFETY: the processor has the instructions of `L`, and rows consist of operands.
    unsafe { combine::<L, S>(steps, L::two::<S::Acc, LOWER>(a, b), L::two::<S::Acc, UPPER>(a, b)) }
}

/// Whole chunk, whose first element is `start`.
///
/// No closures: LLVM may leave them calls, which lack the instruction set. No loops over parts: LLVM would keep their
/// registers in memory.
struct Chunk<'a, S: Steps> {
    steps: &'a S,
    memory: &'a Memory<S::In, S::Out>,
    start: usize,
    origin: usize,
}

impl<S: Steps> Chunk<'_, S> {
    /// Returns the row that the chunk is folded to.
    ///
    /// # Safety
    /// The chunk is in the memory, and initialised. The processor has the instructions of `L`.
    #[inline(always)]
    unsafe fn row<L: Lanes>(&self) -> L::Row {
        // SAFETY: the parts are in the chunk, and the processor has the instructions of `L`.
        unsafe {
            match self.steps.lanes() / const { width::<S>() } {
                2 => self.two::<L>(),
                4 => self.four::<L, 1>(0),
                _ => combine::<L, S>(self.steps, self.four::<L, 2>(0), self.four::<L, 2>(1)),
            }
        }
    }

    /// Returns part `part` of row `row`: the lanes of a register.
    ///
    /// # Safety
    /// The part is in the chunk, and the conditions of [`row`](Self::row) hold.
    #[inline(always)]
    unsafe fn part<L: Lanes>(&self, row: usize, part: usize) -> L::Row {
        let Self { steps, memory, start, origin } = *self;
        let at = start + row * steps.lanes() + part * const { width::<S>() };
        // SAFETY: the part is in the chunk.
        unsafe { rows::load::<L, S>(steps, memory, at, origin) }
    }

    /// Returns the fold of the chains of the parts 0 and 1.
    ///
    /// # Safety
    /// A row has two parts, and the conditions of [`row`](Self::row) hold.
    #[inline(always)]
    unsafe fn two<L: Lanes>(&self) -> L::Row {
        // SAFETY: the parts are in the chunk, and the processor has the instructions of `L`.
        unsafe {
            let (mut a, mut b) = (self.part::<L>(0, 0), self.part::<L>(0, 1));
            for row in 1..ROWS {
                a = combine::<L, S>(self.steps, a, self.part::<L>(row, 0));
                b = combine::<L, S>(self.steps, b, self.part::<L>(row, 1));
            }
            combine::<L, S>(self.steps, a, b)
        }
    }

    /// Returns the fold of the chains of four parts from `first` on, each `BETWEEN` after the one before.
    ///
    /// # Safety
    /// A row has these parts, and the conditions of [`row`](Self::row) hold.
    #[inline(always)]
    unsafe fn four<L: Lanes, const BETWEEN: usize>(&self, first: usize) -> L::Row {
        let [p, q, r, s] = [first, first + BETWEEN, first + 2 * BETWEEN, first + 3 * BETWEEN];
        // SAFETY: the parts are in the chunk, and the processor has the instructions of `L`.
        unsafe {
            let (mut a, mut b) = (self.part::<L>(0, p), self.part::<L>(0, q));
            let (mut c, mut d) = (self.part::<L>(0, r), self.part::<L>(0, s));
            for row in 1..ROWS {
                a = combine::<L, S>(self.steps, a, self.part::<L>(row, p));
                b = combine::<L, S>(self.steps, b, self.part::<L>(row, q));
                c = combine::<L, S>(self.steps, c, self.part::<L>(row, r));
                d = combine::<L, S>(self.steps, d, self.part::<L>(row, s));
            }
            let (a, b) = (combine::<L, S>(self.steps, a, c), combine::<L, S>(self.steps, b, d));
            combine::<L, S>(self.steps, a, b)
        }
    }
}

/// Returns the row of a chunk that has no more than the elements of `run`.
///
/// # Safety
/// The run is in the memory, and initialised. The processor has the instructions of `L`.
#[inline(always)]
unsafe fn some<L: Lanes, S: Steps>(steps: &S, memory: &Memory<S::In, S::Out>, run: Run) -> L::Row {
    let (lanes, width, neutral) = (steps.lanes(), const { width::<S>() }, steps.tree().1);
    let mut values = [MaybeUninit::new(neutral); MOST_LANES];
    let values = values.as_mut_ptr().cast::<S::Acc>();
    let (mut k, end) = (run.start, run.start + run.len);
    // SAFETY: the elements are in the run, and all values are initialised.
    unsafe {
        while k < end {
            let len = lanes.min(end - k);
            for i in 0..len {
                values.add(i).write(steps.combine(values.add(i).read(), load(steps, memory, k + i, run.origin)));
            }
            k += len;
        }
        let mut half = lanes / 2;
        while half >= width {
            for i in 0..half {
                values.add(i).write(steps.combine(values.add(i).read(), values.add(i + half).read()));
            }
            half /= 2;
        }
        values.cast::<L::Row>().read_unaligned()
    }
}

/// Returns the fold of the first `LEN` values, a power of two.
///
/// # Safety
/// The values are initialised, and may be overwritten.
#[inline(always)]
unsafe fn fold<S: Steps, const LEN: usize>(steps: &S, values: *mut S::Acc) -> S::Acc {
    let mut half = LEN / 2;
    // SAFETY: the indices are less than `LEN`.
    unsafe {
        while half > 0 {
            for i in 0..half {
                values.add(i).write(steps.combine(values.add(i).read(), values.add(i + half).read()));
            }
            half /= 2;
        }
        values.read()
    }
}

/// Largest number of elements of a [`short`] total, if a row of a chunk is not shorter.
pub(super) const SHORT: usize = 64;
/// Number of values that short totals combine in one turn: a vector of every processor.
const TURN: usize = 4;

/// Returns the total of `run`, which has no more elements than [`SHORT`] or a row of a chunk, and one at least. It needs
/// no long vectors: the call of the kernel of an instruction set would take as long.
///
/// The first two folds are one: then no element is copied.
///
/// # Safety
/// The run is in the memory; nothing writes its input meanwhile.
#[inline(always)]
pub(super) unsafe fn short<S: Steps>(steps: &S, memory: &Memory<S::In, S::Out>, run: Run) -> S::Acc {
    let Run { start, len, origin } = run;
    // SAFETY: the element is in the run.
    let element = |i: usize| unsafe { load(steps, memory, start + i, origin) };
    if len <= 2 {
        return if len == 1 { element(0) } else { steps.combine(element(0), element(1)) };
    }
    let mut values: [MaybeUninit<S::Acc>; SHORT / 4] = [MaybeUninit::uninit(); SHORT / 4];
    let values = values.as_mut_ptr().cast::<S::Acc>();
    // Each of the first values has three or four elements, and each of the others one less.
    let mut count = len.next_power_of_two() / 4;
    let two = |i: usize| steps.combine(element(i), element(i + count));
    let outer = |i: usize| steps.combine(element(i), element(i + 2 * count));
    let three = |i: usize| steps.combine(outer(i), element(i + count));
    let four = |i: usize| steps.combine(outer(i), steps.combine(element(i + count), element(i + 3 * count)));
    // SAFETY: there is room for `count` values, which are initialised.
    unsafe {
        // LLVM would make vectors of more values than there are.
        let mut i = 0;
        if len <= 3 * count {
            while i < len - 2 * count {
                values.add(i).write(three(i));
                i = hidden(i + 1);
            }
            while i < count {
                values.add(i).write(two(i));
                i = hidden(i + 1);
            }
        } else {
            while i < len - 3 * count {
                values.add(i).write(four(i));
                i = hidden(i + 1);
            }
            while i < count {
                values.add(i).write(three(i));
                i = hidden(i + 1);
            }
        }
        while count > TURN {
            count /= 2;
            for i in (0..count).step_by(TURN) {
                for i in i..i + TURN {
                    values.add(i).write(steps.combine(values.add(i).read(), values.add(i + count).read()));
                }
            }
        }
        let at = |i: usize| values.add(i).read();
        match count {
            1 => at(0),
            2 => steps.combine(at(0), at(1)),
            _ => steps.combine(steps.combine(at(0), at(2)), steps.combine(at(1), at(3))),
        }
    }
}
