//! Scans of many short contiguous lines.
//!
//! ```text
//! for some lines, while their values fit on a stage in the cache
//!     for each of them
//!         chain = chain ⊕ x[i], and a value on the stage
//!     results of the stage's values: to the output, or to a second stage and from there past the cache
//! ```
//!
//! Results are made of values by vector instructions, which a chain has no use for: of a float, the canonical NaN or
//! the float. The processor begins a line while it waits for the chain of the line before, which has nothing to do with
//! it. Lines side by side would be more streams than its prefetcher follows. The grouping is that of a line by itself:
//! of float sums and products that of [`tree`](super::tree), of others that of a serial scan ([`scan`](super::scan)).
//!
//! An exclusive result is the inclusive one of the element before. So a chain puts its values one place further, and
//! what belongs before the next line's first element replaces the last of them.

use super::lanes::{Lanes, ROW_BYTES, Work};
use super::reduce::tile_len;
use super::rows;
use super::run::{Memory, Storing};
use super::scan::PIECE;
use super::simd::Set;
use super::store::StreamingCopy;
use super::windows::fetch_near;
use std::mem::MaybeUninit;
use upsweep_core::inputs::Read;
use upsweep_core::outputs::Write;
use upsweep_core::steps::{Out, Steps};
use upsweep_core::tree::{GROUPS, ROWS};

/// Least number of lines that are scanned here: a stage is not worth while for fewer.
pub(crate) const LEAST: usize = 4;
/// Bytes of the values or the results on a stage, if more lines make no better use of cache lines. Of more values,
/// reads and stores would take turns.
const FEW_BYTES: usize = 2 << 10;
/// Distance in bytes to the elements that are prefetched, if results are stored past the cache.
const AHEAD: usize = 6 << 10;
/// Largest number of these bytes, and of a line's.
const STAGE_BYTES: usize = 8 << 10;

/// Values of some lines, with room for one more at either end.
#[repr(C, align(64))]
struct Values([MaybeUninit<u8>; STAGE_BYTES + 2 * ROW_BYTES]);

/// Results of some lines.
#[repr(C, align(64))]
struct Results([MaybeUninit<u8>; STAGE_BYTES]);

/// Lines of `len` elements from element `start` on.
#[derive(Clone, Copy)]
pub(crate) struct Lines {
    pub(crate) start: usize,
    pub(crate) count: usize,
    pub(crate) len: usize,
}

/// Returns the bytes of a value or a result, whichever is larger; at least 1.
const fn bytes<S: Steps>() -> usize {
    let [_, value, result] = S::BYTES;
    let most = if value > result { value } else { result };
    if most > 0 { most } else { 1 }
}

/// Whether lines of `len` elements are scanned by [`scan`] with the results of a line by itself.
#[inline(always)]
pub(crate) fn apply<S: Steps>(steps: &S, len: usize) -> bool {
    let small = const { align_of::<Out<S>>() <= ROW_BYTES && size_of::<S::Acc>() <= ROW_BYTES };
    if !small || len == 0 || len > const { STAGE_BYTES / bytes::<S>() } {
        return false;
    }
    if const { S::TREE } {
        return len < GROUPS * ROWS * steps.tree().0;
    }
    if const { S::QUICK && size_of::<S::Acc>() == 8 } {
        // A chain is as fast as vectors, and every grouping gives the same bits.
        return true;
    }
    let long = const { if rows::apply::<S>() { rows::group_len::<S>() } else { tile_len::<S>() } };
    (long == 0 || len < long) && len <= PIECE
}

/// Scans `lines`, each from its head, whose initial value is `init`.
///
/// # Safety
/// [`apply`] is true. The lines are in the memory. Nothing else uses their results or writes their elements meanwhile.
/// If `storing` requests non-temporal stores, nothing reads the results before `store::fence`.
#[inline(always)]
pub(crate) unsafe fn scan<S: Steps>(
    set: Set,
    steps: &S,
    memory: &Memory<S::In, S::Out>,
    init: Option<S::Acc>,
    Lines { start, count, len }: Lines,
    storing: &Storing<S::Acc>,
) {
    // Local copies, which no store of a value can change: so they stay in registers.
    let (steps, memory) = (&{ *steps }, &{ *memory });
    let mut stage = Values([MaybeUninit::uninit(); _]);
    // SAFETY: the stage has room for a value before those of the lines.
    let values = unsafe { stage.0.as_mut_ptr().add(ROW_BYTES).cast::<S::Acc>() };
    // Exclusive result of a line's first element, encoded.
    let head = init.or(storing.identity).filter(|_| storing.exclusive).map(|head| steps.encode(head));
    let streamed = storing.non_temporal && S::Out::PLAIN;
    let finish = set.compiled::<Finish<'_, S>>();
    let lowest = |done: usize, some: usize| memory.lowest(&(start + done * len..start + (done + some) * len));
    // As many lines as have results of whole cache lines, if the stage has room for them.
    let [few, most] = [FEW_BYTES, STAGE_BYTES].map(|room| room / (len * const { bytes::<S>() }));
    let unit = ROW_BYTES >> (len * const { size_of::<Out<S>>() }).trailing_zeros().min(const { ROW_BYTES.ilog2() });
    let unit = if unit > most || !streamed { 1 } else { unit };
    let batch = few.max(1).next_multiple_of(unit).min(most / unit * unit);
    let mut done = 0;
    while done < count {
        let rest = count - done;
        // The first lines end, or begin if they are reversed, where a cache line does.
        let is_edge = |some: &usize| {
            let at = lowest(done, *some) + if memory.reverse { 0 } else { some * len };
            memory.output.wrapping_add(at).addr().is_multiple_of(ROW_BYTES)
        };
        let some =
            if done == 0 { (1..unit.min(rest)).find(is_edge).unwrap_or(batch).min(rest) } else { batch.min(rest) };
        let (lowest, number) = (lowest(done, some), some * len);
        let lines = Lines { start: lowest, count: some, len };
        // Address that the value of the memory's first element would have.
        let origin = values.wrapping_sub(lowest);
        let output = memory.output.wrapping_add(lowest);
        if streamed {
            // Past the cache the stores take so long that the hardware's prefetcher falls behind.
            let (this, size) = S::In::address(&memory.input, lowest);
            let ahead = if memory.reverse { this.wrapping_sub(AHEAD) } else { this.wrapping_add(AHEAD) };
            for line in (0..number * size).step_by(ROW_BYTES) {
                fetch_near(ahead.wrapping_add(line));
            }
        }
        // SAFETY: the lines are in the memory, and the stage has room for their values. Then all of these are there.
        // Their results are in the memory, where nothing else uses them. The processor has the instructions of every
        // `Set`.
        unsafe {
            if memory.reverse {
                scan_some::<S, true>(steps, &memory.input, origin, lines, init, head);
            } else {
                scan_some::<S, false>(steps, &memory.input, origin, lines, init, head);
            }
            finish(Finish { steps, values, output, number, streamed });
        }
        done += some;
    }
}

/// Stores the results of `number` values of a stage at `output`, with non-temporal stores if `streamed`.
///
/// # Safety
/// There are as many values, which fit on a stage, and `output` is valid for writes of their results. If `streamed`,
/// nothing reads them before this thread has called `store::fence`.
struct Finish<'a, S: Steps> {
    steps: &'a S,
    values: *const S::Acc,
    output: *mut Out<S>,
    number: usize,
    streamed: bool,
}

impl<S: Steps> Work for Finish<'_, S> {
    type Result = ();

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) {
        let Self { steps, values, output, number, streamed } = self;
        let steps = &{ *steps };
        let mut stage = Results([MaybeUninit::uninit(); _]);
        let results = if streamed { stage.0.as_mut_ptr().cast() } else { output };
        // SAFETY: there are `number` values, and the output and the stage have room for as many results. The processor
        // has the instructions of `L`.
        unsafe {
            for i in 0..number {
                results.add(i).write(steps.store_encoded(values.add(i).read()));
            }
            if streamed {
                let bytes = number * size_of::<Out<S>>();
                StreamingCopy::<L>::new(results.cast_const().cast(), output.cast(), bytes).finish(false);
            }
        }
    }
}

/// Scans lines, counted in memory, to a stage. `head` is the exclusive result of a line's first element, and `None` in
/// an inclusive scan.
///
/// # Safety
/// The lines are in the memory, nothing else writes their elements, and the stage has room for their values.
#[inline(always)]
unsafe fn scan_some<S: Steps, const REVERSE: bool>(
    steps: &S,
    input: &<S::In as Read>::Place,
    values: *mut S::Acc,
    Lines { start, count, len }: Lines,
    init: Option<S::Acc>,
    head: Option<S::Acc>,
) {
    let place = if head.is_some() { Line::<'_, S, REVERSE>::STEP } else { 0 };
    for line in 0..count {
        let line = if REVERSE { count - 1 - line } else { line };
        let line = Line::<'_, S, REVERSE> { steps, input, values, len, lowest: start + line * len };
        // SAFETY: the line is in the memory, and the stage has room for its values.
        unsafe {
            if let Some(head) = head {
                line.put(line.first(), head);
            }
            if const { S::TREE } {
                line.scan_tree(init, place);
            } else {
                line.scan_chain(init, place);
            }
        }
    }
}

/// Scan of a line to a stage. Elements are counted in memory.
struct Line<'a, S: Steps, const REVERSE: bool> {
    steps: &'a S,
    input: &'a <S::In as Read>::Place,
    /// Address that the value of the memory's first element would have.
    values: *mut S::Acc,
    len: usize,
    /// Element of the line with the lowest index, from which positions are counted.
    lowest: usize,
}

impl<S: Steps, const REVERSE: bool> Line<'_, S, REVERSE> {
    /// Distance from an element to the next.
    const STEP: usize = if REVERSE { usize::MAX } else { 1 };

    /// Returns the index of the first element.
    #[inline(always)]
    fn first(&self) -> usize {
        if REVERSE { self.lowest + self.len - 1 } else { self.lowest }
    }

    /// Returns the element at `at`, encoded.
    ///
    /// # Safety
    /// The element is in the line.
    #[inline(always)]
    unsafe fn element(&self, at: usize) -> S::Acc {
        // SAFETY: the element is in the memory.
        let x = unsafe { S::In::read(self.input, at) };
        self.steps.encode(self.steps.load(x, at.wrapping_sub(self.lowest)))
    }

    /// Puts a value on the stage.
    ///
    /// # Safety
    /// An element of the line, or the place after its last, is at `at`.
    #[inline(always)]
    unsafe fn put(&self, at: usize, value: S::Acc) {
        // SAFETY: the stage has room for the value.
        unsafe { self.values.wrapping_add(at).write(value) };
    }

    /// Scans a line of an operator with a tree. A value is put `place` further than its last element.
    ///
    /// # Safety
    /// The line is in the memory, nothing else writes its elements, and the stage has room for its values.
    #[inline(always)]
    unsafe fn scan_tree(&self, init: Option<S::Acc>, place: usize) {
        let combine = |a, b| self.steps.combine(a, b);
        let (row, neutral) = self.steps.tree();
        let before = init.unwrap_or(neutral);
        let (mut i, mut at) = (row.min(self.len), self.first());
        // A loop for each number of levels: a line's first rows are not to pay for those that they lack.
        // SAFETY: the elements are in the line.
        let mut rows = unsafe { self.scan_row(before, at, i, place, |y| y) };
        let mut groups = neutral;
        while i < self.len {
            at = at.wrapping_add(row.wrapping_mul(Self::STEP));
            let number = row.min(self.len - i);
            // SAFETY: the elements are in the line.
            let y = unsafe {
                if i < ROWS * row {
                    self.scan_row(neutral, at, number, place, |y| combine(rows, y))
                } else {
                    self.scan_row(neutral, at, number, place, |y| combine(groups, combine(rows, y)))
                }
            };
            (i, rows) = (i + number, combine(rows, y));
            if i.is_multiple_of(ROWS * row) {
                (groups, rows) = (combine(groups, rows), neutral);
            }
        }
    }

    /// Scans a part of a row, `number` elements from `at` on, and returns its chain. `y` is the chain before it, and
    /// `result` makes the value to put of a chain.
    ///
    /// # Safety
    /// The part is in the line. The conditions of [`scan_tree`](Self::scan_tree) hold.
    #[inline(always)]
    unsafe fn scan_row(
        &self,
        mut y: S::Acc,
        mut at: usize,
        number: usize,
        place: usize,
        result: impl Fn(S::Acc) -> S::Acc,
    ) -> S::Acc {
        let next = |y, at: usize| {
            // SAFETY: the element is in the line.
            unsafe {
                let y = self.steps.combine(y, self.element(at));
                self.put(at.wrapping_add(place), result(y));
                y
            }
        };
        if number == self.steps.tree().0 {
            // A loop of a constant number, which the compiler unrolls.
            for i in 0..self.steps.tree().0 {
                y = next(y, at.wrapping_add(i.wrapping_mul(Self::STEP)));
            }
            return y;
        }
        repeat(number, || {
            y = next(y, at);
            at = at.wrapping_add(Self::STEP);
        });
        y
    }

    /// Scans a line as one chain. A value is put `place` further than its last element.
    ///
    /// # Safety
    /// The line is in the memory, nothing else writes its elements, and the stage has room for its values.
    #[inline(always)]
    unsafe fn scan_chain(&self, init: Option<S::Acc>, place: usize) {
        let steps = self.steps;
        let base = init.map(|init| steps.encode(init));
        // Where every grouping has the same bits, the initial value is the chain's first.
        let (first, base) = if const { S::EXACT } { (base, None) } else { (None, base) };
        let result = |value: S::Acc| base.map_or(value, |base| steps.combine_encoded(base, value));
        // SAFETY: the elements are in the line, which is not empty.
        unsafe {
            let mut at = self.first();
            let x = self.element(at);
            let mut value = first.map_or(x, |first| steps.combine_encoded(first, x));
            self.put(at.wrapping_add(place), result(value));
            let mut next = || {
                at = at.wrapping_add(Self::STEP);
                value = steps.combine_encoded(value, self.element(at));
                self.put(at.wrapping_add(place), result(value));
            };
            // With the first element, four.
            let mut left = self.len - 1;
            if left >= 3 {
                (0..3).for_each(|_| next());
                left -= 3;
            }
            repeat(left, next);
        }
    }
}

/// Calls `step` `number` times, four times in turn: a loop of its own for each element takes as long as the element.
#[inline(always)]
fn repeat(number: usize, mut step: impl FnMut()) {
    for _ in 0..number / 4 {
        (0..4).for_each(|_| step());
    }
    (0..number % 4).for_each(|_| step());
}
