//! Moving sums down an image of few columns, where windows have one column each: the columns are series, and values of
//! a series are apart by the width.
//!
//! A column is cut into parts, each with a running sum of its own. Additions wait for each other, so [`TOGETHER`] parts
//! go on in turns. The sums in which the parts begin are added up together, too: windows overlap, and a value is added
//! to all of those that have it, one in each lane.

use super::is_finite;
use crate::tile::lanes::{Lanes, Work};
use std::marker::PhantomData;
use std::ops::Range;
use upsweep_core::operator::{Element, Function, Map, Number};
use upsweep_plan::moving_sum::Windows;

/// Number of parts that go on in turns.
const TOGETHER: usize = 4;
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
            unsafe { column.go(some, sums) };
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
    unsafe fn go(&self, parts: Range<usize>, sums: &mut [A]) {
        // SAFETY: the column has these parts.
        unsafe { self.begin(parts.clone(), sums) };
        let mut next = parts.start;
        while next < parts.end {
            let together = next + TOGETHER <= parts.end && self.is_within(next) && self.is_within(next + TOGETHER - 1);
            let sums = &mut sums[next - parts.start..];
            // SAFETY: these parts are among those of this call, and for the first of both they are whole, and their
            // windows are not clipped.
            unsafe {
                match sums.first_chunk_mut::<TOGETHER>() {
                    Some(sums) if together => self.whole_parts(next, sums),
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

    /// Stores the results of [`TOGETHER`] parts from part `first` on, in turns.
    ///
    /// # Safety
    /// The column has these parts, which are whole, and no window is clipped. Nobody else touches the results.
    #[inline(always)]
    unsafe fn whole_parts(&self, first: usize, sums: &mut [A; TOGETHER]) {
        let ([above, below], one_row) = (self.windows.rows, self.windows.has_one_row());
        let mut sums = *sums;
        for i in 0..self.part {
            let rows: [usize; TOGETHER] = std::array::from_fn(|part| (first + part) * self.part + i);
            for (sum, y) in sums.iter_mut().zip(rows) {
                // SAFETY: the rows are in the windows of the parts, or the one that has left them.
                unsafe {
                    if one_row {
                        *sum = A::add(A::ZERO, self.value(y));
                    } else if i > 0 {
                        *sum = A::sub(A::add(*sum, self.value(y + below)), self.value(y - 1 - above));
                    }
                }
            }
            if !sums.iter().fold(true, |all, &sum| all & is_finite(sum)) {
                for (sum, y) in sums.iter_mut().zip(rows) {
                    // SAFETY: the rows are those of a window.
                    *sum = unsafe { self.finite_or_anew(*sum, y) };
                }
            }
            for (sum, y) in sums.iter().zip(rows) {
                // SAFETY: the row is in one of these parts.
                unsafe { self.store(y, *sum, above + 1 + below) };
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
        for y in first..self.height.min(first + self.part) {
            // SAFETY: the rows are in the image, and `y` is one of the part's.
            unsafe {
                if self.windows.has_one_row() {
                    sum = A::add(A::ZERO, self.value(y));
                } else if y > first {
                    if y + below < self.height {
                        sum = A::add(sum, self.value(y + below));
                    }
                    if y > above {
                        sum = A::sub(sum, self.value(y - 1 - above));
                    }
                    sum = self.finite_or_anew(sum, y);
                }
                self.store(y, sum, self.window(y).len());
            }
        }
    }

    /// Returns the sum of the window of row `y`, or computes it anew if it is not finite: it would stay so after the
    /// value that made it so has left.
    ///
    /// # Safety
    /// The column has the row.
    #[inline(always)]
    unsafe fn finite_or_anew(&self, sum: A, y: usize) -> A {
        // SAFETY: the rows are those of a window.
        if is_finite(sum) { sum } else { unsafe { self.add(A::ZERO, self.window(y)) } }
    }
}
