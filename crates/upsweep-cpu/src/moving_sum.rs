//! Moving sums (box filter) on the CPU: each thread takes parts of the image's rows, and of wide images strips of
//! columns. The order of additions of floats is that of the CUDA kernel, whose pseudocode is in
//! `upsweep-cuda/src/moving_sum/moving_sum.cuh`; that of integers does not show.
//!
//! ```text
//! narrow      windows of one column down an image of few columns: series, cut into parts that go on in turns
//! line        windows along a row, from the sums of its columns
//! otherwise   the sums of columns, side by side; each row's go through its line
//! ```
//!
//! **Integers** along single rows are taken as columns, where a sum goes on by an addition and a subtraction however
//! many values a window has. **Floats** along rows are added by chunks. Windows of more columns than CUDA has room for
//! have an order of their own, whose cost does not depend on the window (`line`).

mod line;
mod narrow;

use self::line::{Line, SQUARE, is_finite};
use self::narrow::Narrow;
use super::engine::apart;
use super::tile::lanes::{Lanes, Work};
use super::tile::simd::Set;
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};
use upsweep_core::buffer::View;
use upsweep_core::error::Result;
use upsweep_core::memory;
use upsweep_core::operator::{Element, Function, Map, Number};
use upsweep_core::outputs::Target;
use upsweep_core::steps::Held;
use upsweep_plan::moving_sum::{CHUNK, Windows};

/// Number of columns of a strip of a wide image, unless its windows are wider: its sums stay in the cache.
const STRIP: usize = 1 << 10;
/// Largest width of an image, in columns times channels, that is taken as series.
const NARROW: usize = CHUNK - 1;
/// Smallest number of rows of a part of a column of integers.
const LEAST_ROWS: usize = 1 << 12;

pub fn run<T, A, O, M, F>(
    map: M,
    finish: F,
    input: &View<'_, T>,
    output: &Target<'_, O>,
    windows: &Windows,
) -> Result<()>
where
    T: Element,
    A: Number,
    O: Element,
    M: Map<T, (T,), Output = A>,
    F: Function<(A, u64), Output = O>,
{
    let mut held = Held::nothing();
    held.add_function::<M>(|values| map.values(values))?;
    held.add_function::<F>(|values| finish.values(values))?;
    let (output, _) = output.on_host("output")?;
    let input = input.on_host("input")?;
    if input.is_empty() {
        return Ok(());
    }
    let windows = &if A::WHOLE { down(windows) } else { *windows };
    let [planes, height, width, channels] = windows.shape;
    let (part, row) = (part::<A>(windows), width * channels);
    let parts = height.div_ceil(part);
    let output = &Results(output);
    let failed = Mutex::new(Ok(()));
    let fail = |error| *failed.lock().unwrap_or_else(PoisonError::into_inner) = Err(error);
    if is_narrow(windows) {
        let compute = Set::widest().compiled::<Narrow<'_, T, A, O, M, F>>();
        let parts = planes * row * parts;
        // Few tasks: the first sums of neighbouring parts are added up together.
        let together = parts.div_ceil(rayon::current_num_threads());
        apart::run(parts.div_ceil(together), true, &|i| {
            let parts = i * together..parts.min((i + 1) * together);
            match memory::filled(parts.len(), A::ZERO) {
                Ok(sums) => {
                    let (map, finish, output) = (&map, &finish, output.0);
                    // SAFETY: the output has as many values as the input, and nobody else stores those of these parts.
                    // The processor has the instructions of every `Set`.
                    unsafe { compute(Narrow { map, finish, input, output, windows, part, parts, sums }) };
                }
                Err(error) => fail(error),
            }
        });
        return failed.into_inner().unwrap_or_else(PoisonError::into_inner);
    }
    let strip = strip(windows);
    let pieces = planes * parts * width.div_ceil(strip);
    let together = pieces.div_ceil(8 * rayon::current_num_threads());
    let compute = Set::widest().compiled::<Summing<'_, T, A, O, M, F>>();
    // Scratch memory that no thread uses now: there is one for each thread at most.
    let spare = Mutex::new(Vec::new());
    let spare = || spare.lock().unwrap_or_else(PoisonError::into_inner);
    apart::run(pieces.div_ceil(together), true, &|i| {
        let pieces = i * together..pieces.min((i + 1) * together);
        let [left, right] = windows.columns;
        let own = spare().pop();
        let own = own.map_or_else(
            || Ok((memory::filled((left + strip + right).min(width) * channels, A::ZERO)?, Line::new(windows, strip)?)),
            Ok,
        );
        match own {
            Ok((sums, line)) => {
                let (map, finish, output) = (&map, &finish, output.0);
                // SAFETY: the output has as many values as the input, and nobody else stores those of these pieces. The
                // processor has the instructions of every `Set`.
                let own = unsafe {
                    compute(Summing { map, finish, input, output, windows, part, strip, pieces, sums, line })
                };
                spare().push(own);
            }
            Err(error) => fail(error),
        }
    });
    failed.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the same windows down the columns of another image, if each has a single row.
fn down(windows: &Windows) -> Windows {
    let [planes, height, width, channels] = windows.shape;
    if !windows.has_one_row() {
        return *windows;
    }
    Windows { shape: [planes * height, width, 1, channels], rows: windows.columns, columns: [0, 0] }
}

fn is_narrow(windows: &Windows) -> bool {
    let [.., width, channels] = windows.shape;
    windows.columns == [0, 0] && width * channels <= NARROW
}

/// Returns the number of rows of a part of the image. For floats it is the plan's, because it decides the order of
/// additions. For integers each thread has some parts, which are not much lower than windows.
fn part<A: Number>(windows: &Windows) -> usize {
    let [above, below] = windows.rows;
    let [planes, height, ..] = windows.shape;
    if !A::WHOLE {
        return windows.part(size_of::<A>());
    }
    let parts = (8 * rayon::current_num_threads()).div_ceil(planes);
    let least = if is_narrow(windows) { LEAST_ROWS } else { windows.part(size_of::<A>()) };
    height.div_ceil(parts).max(least).max((above + below) / 4).min(height)
}

/// Returns the number of columns of a strip: a multiple of [`CHUNK`]. It has no part in the order of additions.
fn strip(windows: &Windows) -> usize {
    let ([.., width, _], [left, right]) = (windows.shape, windows.columns);
    if width <= 4 * STRIP {
        return width.next_multiple_of(CHUNK);
    }
    // A strip reads the columns beside it, too.
    let strip = STRIP.max(4 * (left + right)).min(width.div_ceil(rayon::current_num_threads()));
    strip.next_multiple_of(SQUARE)
}

/// Address of the output.
struct Results<O>(*mut O);

// SAFETY: each result is stored by one thread.
unsafe impl<O> Sync for Results<O> {}

/// Part of a plane: some of its rows and columns.
///
/// # Safety
/// The output has room for the plane's results, and nobody else touches those of these rows and columns meanwhile.
struct Part<'a, T, A, O, M, F> {
    map: &'a M,
    finish: &'a F,
    image: &'a [T],
    output: *mut O,
    rows: Range<usize>,
    /// The strip. It begins with a whole chunk.
    columns: Range<usize>,
    windows: &'a Windows,
    sum: PhantomData<fn() -> A>,
}

/// Kernel of some pieces, with its scratch memory: stores the moving sums of these parts of rows and columns.
///
/// # Safety
/// Conditions of the call: the input is the whole image, the output has room for as many values, and nobody else
/// touches the results of these pieces meanwhile.
struct Summing<'a, T, A, O, M, F> {
    map: &'a M,
    finish: &'a F,
    input: &'a [T],
    output: *mut O,
    windows: &'a Windows,
    /// Number of rows of a part, and of columns of a strip.
    part: usize,
    strip: usize,
    /// Pieces to process: the strips of each part of each plane.
    pieces: Range<usize>,
    /// For each column that windows reach, and channel, the sum over the rows of the current window.
    sums: Vec<A>,
    line: Line<A>,
}

impl<T, A, O, M, F> Work for Summing<'_, T, A, O, M, F>
where
    T: Element,
    A: Number,
    O: Element,
    M: Map<T, (T,), Output = A>,
    F: Function<(A, u64), Output = O>,
{
    /// The scratch memory.
    type Result = (Vec<A>, Line<A>);

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) -> Self::Result {
        let Self { map, finish, input, output, windows, part, strip, pieces, mut sums, mut line } = self;
        let [_, height, width, channels] = windows.shape;
        let (parts, strips, plane) = (height.div_ceil(part), width.div_ceil(strip), height * width * channels);
        for piece in pieces {
            let (of_plane, first, left) =
                (piece / strips / parts * plane, piece / strips % parts * part, piece % strips * strip);
            let (rows, columns) = (first..(first + part).min(height), left..(left + strip).min(width));
            // SAFETY: the input and the output have all planes.
            let (image, output) = unsafe { (input.get_unchecked(of_plane..of_plane + plane), output.add(of_plane)) };
            let part = Part { map, finish, image, output, rows, columns, windows, sum: PhantomData };
            line.go_to(&part.columns);
            let sums = &mut sums[..part.reached().len() * channels];
            // SAFETY: the conditions of the part hold, and the processor has the instructions of `L`.
            unsafe { part.go::<L>(sums, &mut line) };
        }
        (sums, line)
    }
}

impl<T, A, O, M, F> Part<'_, T, A, O, M, F>
where
    T: Element,
    A: Number,
    O: Element,
    M: Map<T, (T,), Output = A>,
    F: Function<(A, u64), Output = O>,
{
    /// Stores the moving sums of the part.
    ///
    /// # Safety
    /// The conditions of [`Part`] hold, and the processor has the instructions of `L`.
    #[inline(always)]
    unsafe fn go<L: Lanes>(&self, sums: &mut [A], line: &mut Line<A>) {
        let [_, height, width, channels] = self.windows.shape;
        let [above, below] = self.windows.rows;
        let row = width * channels;
        // The rows of one channel whose windows have one row are loaded as they are.
        let direct = self.windows.has_one_row() && channels == 1;
        if !direct {
            sums.fill(A::ZERO);
            for y in self.rows.start.saturating_sub(above)..(self.rows.start + below + 1).min(height) {
                self.add(sums, y);
            }
        }
        for y in self.rows.clone() {
            let n = y.min(above) + 1 + (height - 1 - y).min(below);
            for channel in 0..channels {
                match (direct, channels) {
                    (true, 1) => line.load(self.row(y).iter().map(|&x| A::add(A::ZERO, self.map.apply(x, 0)))),
                    (_, 1) => line.load(sums.iter().copied()),
                    _ => line.load(sums.iter().skip(channel).step_by(channels).copied()),
                }
                // SAFETY: the processor has the instructions of `L`.
                unsafe { line.prepare::<L>() };
                for begin in self.columns.clone().step_by(SQUARE) {
                    // SAFETY: the processor has the instructions of `L`.
                    let windows = unsafe { line.windows_from::<L>(begin - self.columns.start) };
                    let at = y * row + begin * channels + channel;
                    // SAFETY: the output has room for the row, and these columns and the channel are in it.
                    unsafe { self.store(at, begin, n, windows.as_flattened()) };
                }
            }
            if !direct && y + 1 < self.rows.end {
                self.go_on(sums, y + 1);
            }
        }
    }

    /// Returns the columns that the windows of this part reach.
    #[inline(always)]
    fn reached(&self) -> Range<usize> {
        let ([.., width, _], [left, right]) = (self.windows.shape, self.windows.columns);
        self.columns.start.saturating_sub(left)..(self.columns.end + right).min(width)
    }

    /// Returns the values of a row in these columns.
    #[inline(always)]
    fn row(&self, y: usize) -> &[T] {
        let ([_, _, width, channels], reached) = (self.windows.shape, self.reached());
        let begin = y * width * channels;
        self.image.get(begin + reached.start * channels..begin + reached.end * channels).unwrap_or(&[])
    }

    /// Stores the results of the columns from `begin` on: `sums` has their sums over windows of `rows` rows. The first
    /// one is at `at`.
    ///
    /// # Safety
    /// The conditions of [`Part`] hold, and the columns are among its own, but for a rest that is not stored.
    #[inline(always)]
    unsafe fn store(&self, at: usize, begin: usize, rows: usize, sums: &[A]) {
        let ([.., width, channels], [left, right]) = (self.windows.shape, self.windows.columns);
        let value = |sum: A, columns: usize| self.finish.call((sum, (rows * columns) as u64)).canonical();
        // SAFETY: the output has room for these results.
        let to = unsafe { self.output.add(at) };
        let inside = begin >= left && begin + SQUARE + right <= width && begin + SQUARE <= self.columns.end;
        // SAFETY: the output has room for these results, `channels` apart.
        unsafe {
            if inside && channels == 1 {
                // All windows have equal width, and the loop has a constant length.
                sums.iter()
                    .take(SQUARE)
                    .enumerate()
                    .for_each(|(i, &sum)| to.add(i).write(value(sum, left + 1 + right)));
            } else {
                for (i, (x, &sum)) in (begin..self.columns.end).zip(sums).enumerate() {
                    let columns = x.min(left) + 1 + (width - 1 - x).min(right);
                    to.add(i * channels).write(value(sum, columns));
                }
            }
        }
    }

    #[inline(always)]
    fn add(&self, sums: &mut [A], y: usize) {
        for (sum, &x) in sums.iter_mut().zip(self.row(y)) {
            *sum = A::add(*sum, self.map.apply(x, 0));
        }
    }

    /// Updates the sums from the windows of row `y - 1` to those of row `y`.
    #[inline(always)]
    fn go_on(&self, sums: &mut [A], y: usize) {
        let [_, height, ..] = self.windows.shape;
        let [above, below] = self.windows.rows;
        if self.windows.has_one_row() {
            sums.fill(A::ZERO);
            return self.add(sums, y);
        }
        if y + below < height {
            self.add(sums, y + below);
        }
        if y > above {
            for (sum, &x) in sums.iter_mut().zip(self.row(y - 1 - above)) {
                *sum = A::sub(*sum, self.map.apply(x, 0));
            }
        }
        // An infinity or NaN would stay in its sum forever: such sums are recomputed.
        if sums.iter().fold(true, |all, &sum| all & is_finite(sum)) {
            return;
        }
        for (column, sum) in sums.iter_mut().enumerate().filter(|(_, sum)| !is_finite(**sum)) {
            let rows = y.saturating_sub(above)..(y + below + 1).min(height);
            let values = rows.filter_map(|y| self.row(y).get(column));
            *sum = values.fold(A::ZERO, |sum, &x| A::add(sum, self.map.apply(x, 0)));
        }
    }
}
