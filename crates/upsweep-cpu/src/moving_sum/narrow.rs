//! Moving sums down an image of few columns, where windows have one column each: the columns are series, and values of
//! a series are apart by the width.
//!
//! A column is cut into parts, each with a running sum of its own. Additions wait for each other, so [`TOGETHER`] parts
//! go on side by side, each in a lane, and squares of their values are transposed. The sums with which the parts begin
//! are added up together, too: windows overlap, and a value is added to all of those that have it, one in each lane.

use super::line::{add, is_finite, transposed};
use crate::tile::lanes::{Lanes, Work};
use std::marker::PhantomData;
use std::ops::Range;
use upsweep_core::operator::{Element, Function, Map, Number};
use upsweep_plan::moving_sum::{CHUNK, Windows};

/// Number of parts that go on side by side, one in each lane.
const TOGETHER: usize = CHUNK;
/// Number of first sums that are added up together.
const SUMS: usize = 32;

/// Kernel of some parts of columns: stores their moving sums.
///
/// # Safety
/// Conditions of the call: the input is the whole image, the output has room for as many values, and nobody else
/// touches the results of these parts meanwhile. Windows have one column.
pub(super) struct Narrow<'a, T, A, O, M, F> {
    pub(super) map: &'a M,
    pub(super) finish: &'a F,
    pub(super) input: &'a [T],
    pub(super) output: *mut O,
    pub(super) windows: &'a Windows,
    /// Number of rows of a part.
    pub(super) part: usize,
    /// Parts to process. Those of a column follow each other.
    pub(super) parts: Range<usize>,
    /// Scratch memory: a sum for each part.
    pub(super) sums: Vec<A>,
}

impl<T, A, O, M, F> Work for Narrow<'_, T, A, O, M, F>
where
    T: Element,
    A: Number,
    O: Element,
    M: Map<T, (T,), Output = A>,
    F: Function<(A, u64), Output = O>,
{
    type Result = ();

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) {
        let Self { map, finish, input, output, windows, part, parts, mut sums } = self;
        let [_, height, width, channels] = windows.shape;
        let (apart, of_column) = (width * channels, height.div_ceil(part));
        let mut next = parts.start;
        while next < parts.end {
            let (column, first) = (next / of_column, next % of_column);
            let some = first..of_column.min(first + parts.end - next);
            next += some.len();
            let at = column / apart * height * apart + column % apart;
            // SAFETY: the input and the output have all columns, and column `column` begins at `at`.
            let (input, output) = unsafe { (input.as_ptr().add(at), output.add(at)) };
            let column = Column { map, finish, input, output, apart, height, part, windows, sum: PhantomData };
            let sums = &mut sums[..some.len()];
            // SAFETY: the column has these parts, and nobody else touches their results.
            unsafe { column.go::<L>(some, sums) };
        }
    }
}

/// A column: a series whose values are `apart` elements apart.
struct Column<'a, T, A, O, M, F> {
    map: &'a M,
    finish: &'a F,
    input: *const T,
    output: *mut O,
    apart: usize,
    height: usize,
    part: usize,
    windows: &'a Windows,
    sum: PhantomData<fn() -> A>,
}

impl<T, A, O, M, F> Column<'_, T, A, O, M, F>
where
    T: Element,
    A: Number,
    O: Element,
    M: Map<T, (T,), Output = A>,
    F: Function<(A, u64), Output = O>,
{
    /// Stores the moving sums of some parts. `sums` has room for one of each.
    ///
    /// # Safety
    /// The column has these parts, and nobody else touches their results.
    #[inline(always)]
    unsafe fn go<L: Lanes>(&self, parts: Range<usize>, sums: &mut [A]) {
        // SAFETY: the column has these parts.
        unsafe { self.begin(parts.clone(), sums) };
        let mut next = parts.start;
        while next < parts.end {
            // Integers need not wait, and go on fastest along neighbours.
            let together = !A::WHOLE
                && next + TOGETHER <= parts.end
                && self.is_within(next)
                && self.is_within(next + TOGETHER - 1);
            let sums = &sums[next - parts.start..];
            // SAFETY: these parts are among those of this call, and for the first of both they are whole, and their
            // windows are not clipped.
            unsafe {
                match sums.first_chunk::<TOGETHER>() {
                    Some(sums) if together => self.whole_parts::<L>(next, *sums),
                    _ => self.one_part(next, sums[0]),
                }
            }
            next += if together { TOGETHER } else { 1 };
        }
    }

    /// Returns the rows of the window of row `y`.
    #[inline(always)]
    fn window(&self, y: usize) -> Range<usize> {
        let [above, below] = self.windows.rows;
        y.saturating_sub(above)..(y + below + 1).min(self.height)
    }

    /// Whether the part is whole and no window of it is clipped.
    #[inline(always)]
    fn is_within(&self, part: usize) -> bool {
        let ([above, below], first) = (self.windows.rows, part * self.part);
        first >= above && first + self.part + below <= self.height
    }

    /// Returns the value of a row.
    ///
    /// # Safety
    /// The column has the row.
    #[inline(always)]
    unsafe fn value(&self, y: usize) -> A {
        // SAFETY: the column has the row.
        self.map.apply(unsafe { self.input.add(y * self.apart).read() }, 0)
    }

    /// Adds the values of some rows to a sum.
    ///
    /// # Safety
    /// The column has the rows.
    #[inline(always)]
    unsafe fn add(&self, sum: A, rows: Range<usize>) -> A {
        // SAFETY: the column has the rows.
        rows.fold(sum, |sum, y| A::add(sum, unsafe { self.value(y) }))
    }

    /// Stores the result of a row.
    ///
    /// # Safety
    /// The column has the row, and nobody else touches its result.
    #[inline(always)]
    unsafe fn store(&self, y: usize, sum: A, rows: usize) {
        // SAFETY: the column has the row.
        unsafe { self.output.add(y * self.apart).write(self.finish.call((sum, rows as u64)).canonical()) };
    }

    /// Computes the first sum of each part.
    ///
    /// # Safety
    /// The column has these parts.
    #[inline(always)]
    unsafe fn begin(&self, parts: Range<usize>, sums: &mut [A]) {
        sums.fill(A::ZERO);
        let window = |part: usize| self.window(part * self.part);
        // Windows that are clipped above begin with the same additions.
        let (mut sum, mut y) = (A::ZERO, 0);
        let clipped = parts.clone().take_while(|&part| window(part).start == 0).count();
        for (part, to) in parts.clone().zip(&mut sums[..clipped]) {
            // SAFETY: the rows are those of a window.
            sum = unsafe { self.add(sum, y..window(part).end) };
            (*to, y) = (sum, window(part).end);
        }
        // Now the sums of `from .. to` are being added up, and `y` is the next row.
        let first = parts.start;
        let mut from = first + clipped;
        let mut to = from;
        while from < parts.end {
            y = if from == to { window(from).start } else { y };
            while to < parts.end && window(to).start <= y {
                to += 1;
            }
            let end = window(from).end.min(if to < parts.end { window(to).start } else { usize::MAX });
            match &mut sums[from - first..to - first] {
                // SAFETY: the rows are those of a window.
                [sum] => *sum = unsafe { self.add(*sum, y..end) },
                sums => {
                    for sums in sums.chunks_mut(SUMS) {
                        let mut all = [A::ZERO; SUMS];
                        all[..sums.len()].copy_from_slice(sums);
                        for y in y..end {
                            // SAFETY: the rows are those of a window.
                            let x = unsafe { self.value(y) };
                            all.iter_mut().for_each(|sum| *sum = A::add(*sum, x));
                        }
                        sums.copy_from_slice(&all[..sums.len()]);
                    }
                }
            }
            y = end;
            while from < to && window(from).end <= y {
                from += 1;
            }
        }
    }

    /// Stores the results of [`TOGETHER`] parts from part `first` on, side by side.
    ///
    /// # Safety
    /// The column has these parts, which are whole, and no window is clipped. Nobody else touches the results. The
    /// processor has the instructions of `L`.
    #[inline(always)]
    unsafe fn whole_parts<L: Lanes>(&self, first: usize, mut sums: [A; TOGETHER]) {
        let ([above, below], one_row) = (self.windows.rows, self.windows.has_one_row());
        let row = |part: usize, i: usize| (first + part) * self.part + i;
        for (part, &sum) in sums.iter().enumerate() {
            // SAFETY: the row is the first one of one of these parts.
            unsafe { self.store(row(part, 0), sum, above + 1 + below) };
        }
        for i in (1..self.part).step_by(CHUNK) {
            let rows = CHUNK.min(self.part - i);
            let (mut entering, mut leaving) = ([[A::ZERO; CHUNK]; TOGETHER], [[A::ZERO; CHUNK]; TOGETHER]);
            for (part, (entering, leaving)) in entering.iter_mut().zip(&mut leaving).enumerate() {
                // SAFETY: the rows are in the windows of the part, or have left them.
                unsafe {
                    self.load(entering, row(part, i) + below, rows);
                    self.load(leaving, row(part, i) - 1 - above, rows);
                }
            }
            // SAFETY: the processor has the instructions of `L`.
            let (entering, leaving) = unsafe { (transposed::<L, A>(entering), transposed::<L, A>(leaving)) };
            let (before, mut results) = (sums, [[A::ZERO; TOGETHER]; CHUNK]);
            let mut finite = true;
            for (results, (entering, leaving)) in results.iter_mut().zip(entering.into_iter().zip(leaving)) {
                sums = add(if one_row { [A::ZERO; TOGETHER] } else { sums }, entering);
                if !one_row {
                    sums.iter_mut().zip(leaving).for_each(|(sum, x)| *sum = A::sub(*sum, x));
                }
                finite = sums.iter().fold(finite, |all, &sum| all & is_finite(sum));
                *results = sums;
            }
            // SAFETY: the processor has the instructions of `L`.
            let mut results = unsafe { transposed::<L, A>(results) };
            if !finite && !one_row {
                for (part, (results, sum)) in results.iter_mut().zip(&mut sums).enumerate() {
                    *sum = before[part];
                    for (y, result) in (row(part, i)..).zip(results).take(rows) {
                        // SAFETY: the rows are in the column.
                        *sum = unsafe { self.go_on(*sum, y) };
                        *result = *sum;
                    }
                }
            }
            for (part, results) in results.iter().enumerate() {
                // SAFETY: the rows are those of one of these parts.
                unsafe { self.store_all(row(part, i), results, rows) };
            }
        }
    }

    /// Loads the values of `rows` rows from row `y` on, at most a chunk.
    ///
    /// # Safety
    /// The column has the rows.
    #[inline(always)]
    unsafe fn load(&self, to: &mut [A; CHUNK], y: usize, rows: usize) {
        // SAFETY: the column has the rows.
        unsafe {
            if rows == CHUNK && self.apart == 1 {
                let from = self.input.add(y).cast::<[T; CHUNK]>().read();
                to.iter_mut().zip(from).for_each(|(to, x)| *to = self.map.apply(x, 0));
            } else {
                to.iter_mut().take(rows).zip(y..).for_each(|(to, y)| *to = self.value(y));
            }
        }
    }

    /// Stores the results of `rows` rows from row `y` on, at most a chunk, whose windows are not clipped.
    ///
    /// # Safety
    /// The column has the rows, and nobody else touches their results.
    #[inline(always)]
    unsafe fn store_all(&self, y: usize, sums: &[A; CHUNK], rows: usize) {
        let ([above, below], apart) = (self.windows.rows, self.apart);
        // SAFETY: the column has the rows.
        unsafe {
            let to = self.output.add(y * apart);
            let value = |sum: A| self.finish.call((sum, (above + 1 + below) as u64)).canonical();
            if rows == CHUNK && apart == 1 {
                sums.iter().enumerate().for_each(|(i, &sum)| to.add(i).write(value(sum)));
            } else {
                sums.iter().take(rows).enumerate().for_each(|(i, &sum)| to.add(i * apart).write(value(sum)));
            }
        }
    }

    /// Stores the results of a part, which begins with `sum`.
    ///
    /// # Safety
    /// The column has the part, and nobody else touches its results.
    #[inline(always)]
    unsafe fn one_part(&self, part: usize, mut sum: A) {
        let ([above, below], first) = (self.windows.rows, part * self.part);
        let end = self.height.min(first + self.part);
        // Rows whose windows are not clipped, and which follow one whose window is not.
        let from = if self.windows.has_one_row() { end } else { (first + 1).max(above + 1).min(end) };
        let to = (self.height - below).clamp(from, end);
        // SAFETY: the rows are in the column.
        unsafe {
            self.store(first, sum, self.window(first).len());
            for y in first + 1..from {
                sum = self.go_on(sum, y);
                self.store(y, sum, self.window(y).len());
            }
            let (entering, leaving) = (
                self.input.add((from + below) * self.apart),
                self.input.add((from - 1).saturating_sub(above) * self.apart),
            );
            for i in 0..to - from {
                let value = |from: *const T| self.map.apply(from.add(i * self.apart).read(), 0);
                sum = if A::WHOLE {
                    // The difference does not wait for the sum before.
                    A::add(sum, A::sub(value(entering), value(leaving)))
                } else {
                    A::sub(A::add(sum, value(entering)), value(leaving))
                };
                if !is_finite(sum) {
                    sum = self.add(A::ZERO, self.window(from + i));
                }
                self.store(from + i, sum, above + 1 + below);
            }
            for y in to..end {
                sum = self.go_on(sum, y);
                self.store(y, sum, self.window(y).len());
            }
        }
    }

    /// Returns the sum of the window of row `y`, from that of the row before. It is added up anew if it is not finite,
    /// because it would stay so after the value that made it so has left.
    ///
    /// # Safety
    /// The column has the row, and the one before.
    #[inline(always)]
    unsafe fn go_on(&self, mut sum: A, y: usize) -> A {
        let [above, below] = self.windows.rows;
        // SAFETY: the rows are in the column.
        unsafe {
            if self.windows.has_one_row() {
                return A::add(A::ZERO, self.value(y));
            }
            if y + below < self.height {
                sum = A::add(sum, self.value(y + below));
            }
            if y > above {
                sum = A::sub(sum, self.value(y - 1 - above));
            }
            if is_finite(sum) { sum } else { self.add(A::ZERO, self.window(y)) }
        }
    }
}
