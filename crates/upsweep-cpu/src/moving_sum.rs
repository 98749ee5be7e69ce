//! Moving sums (box filter) on the CPU: each thread takes parts of the image's rows. The order of additions is that of
//! the CUDA kernel, whose pseudocode is in `upsweep-cuda/src/moving_sum/moving_sum.cuh`.

use super::engine::apart;
use super::tile::lanes::{Lanes, Work};
use super::tile::simd::Set;
use std::marker::PhantomData;
use std::sync::{Mutex, PoisonError};
use upsweep_core::buffer::View;
use upsweep_core::error::Result;
use upsweep_core::memory;
use upsweep_core::operator::{Element, Function, Map, Number};
use upsweep_core::outputs::Target;
use upsweep_core::steps::Held;
use upsweep_plan::moving_sum::{CHUNK, Windows};

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
    let [planes, height, width, channels] = windows.shape;
    let (part, row) = (windows.part(size_of::<A>()), width * channels);
    let parts = height.div_ceil(part);
    let output = &Results(output);
    let compute = Set::widest().compiled::<Summing<'_, T, A, O, M, F>>();
    let failed = Mutex::new(Ok(()));
    apart::run(planes * parts, true, &|i| {
        let (sums, line) = match (memory::filled(row, A::ZERO), Line::new(windows)) {
            (Ok(sums), Ok(line)) => (sums, line),
            (Err(error), _) | (_, Err(error)) => {
                *failed.lock().unwrap_or_else(PoisonError::into_inner) = Err(error);
                return;
            }
        };
        let (plane, first) = (i / parts, i % parts * part);
        let rows = first..(first + part).min(height);
        let of_plane = plane * height * row;
        // SAFETY: the output has as many values as the input, and nobody else stores those of the part's rows. The
        // processor has the instructions of every `Set`.
        unsafe {
            let image = input.get_unchecked(of_plane..of_plane + height * row);
            let output = output.0.add(of_plane);
            let part = Part { map: &map, finish: &finish, image, output, rows, windows, sum: PhantomData };
            compute(Summing { part, sums, line });
        }
    });
    failed.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// Address of the output.
struct Results<O>(*mut O);

// SAFETY: each result is stored by one thread.
unsafe impl<O> Sync for Results<O> {}

/// Part of a plane: some of its rows.
///
/// # Safety
/// The output has room for the plane's results, and nobody else touches the results of these rows meanwhile.
struct Part<'a, T, A, O, M, F> {
    map: &'a M,
    finish: &'a F,
    image: &'a [T],
    output: *mut O,
    rows: std::ops::Range<usize>,
    windows: &'a Windows,
    sum: PhantomData<fn() -> A>,
}

/// Kernel of a part, with its scratch memory: stores the moving sums of the part's rows.
///
/// # Safety
/// The conditions of [`Part`] hold.
struct Summing<'a, T, A, O, M, F> {
    part: Part<'a, T, A, O, M, F>,
    /// For each column and channel, the sum over the rows of the current window. Zeros at first.
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
    type Result = ();

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) {
        let Self { part, mut sums, mut line } = self;
        let [_, height, width, channels] = part.windows.shape;
        let [above, below] = part.windows.rows;
        let row = width * channels;
        for y in part.rows.start.saturating_sub(above)..(part.rows.start + below + 1).min(height) {
            part.add(&mut sums, y);
        }
        for y in part.rows.clone() {
            let n = y.min(above) + 1 + (height - 1 - y).min(below);
            for channel in 0..channels {
                line.prepare(&sums, channel, channels);
                // SAFETY: the output has room for the row, and `channel` is one of its channels.
                let to = unsafe { part.output.add(y * row + channel) };
                for begin in (0..width).step_by(CHUNK) {
                    let of_chunk = line.windows_from(begin);
                    let value = |sum: A, columns: usize| part.finish.call((sum, (n * columns) as u64)).canonical();
                    if let Some(columns) = line.columns_of_all(begin) {
                        // All windows of the chunk have equal width, and the loop has a constant length.
                        for (i, sum) in of_chunk.into_iter().enumerate() {
                            // SAFETY: the output has room for the row, and the column is in it.
                            unsafe { to.add((begin + i) * channels).write(value(sum, columns)) };
                        }
                    } else {
                        for (x, sum) in (begin..width).zip(of_chunk) {
                            // SAFETY: the output has room for the row, and the column is in it.
                            unsafe { to.add(x * channels).write(value(sum, line.columns_at(x))) };
                        }
                    }
                }
            }
            if y + 1 < part.rows.end {
                part.go_on(&mut sums, y + 1);
            }
        }
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
    #[inline(always)]
    fn row(&self, y: usize) -> &[T] {
        let [_, _, width, channels] = self.windows.shape;
        self.image.get(y * width * channels..(y + 1) * width * channels).unwrap_or(&[])
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

#[inline(always)]
fn is_finite<A: Number>(x: A) -> bool {
    let nothing = A::sub(x, x);
    A::le(nothing, nothing)
}

/// Sums of the columns of a row and channel, by chunks. Columns outside the image (the halo) are 0.
struct Line<A> {
    reach: [usize; 2],
    columns: [usize; 2],
    width: usize,
    few: bool,
    sums: Vec<A>,
    /// Inclusive prefix sums within each chunk of `CHUNK` columns.
    prefixes: Vec<A>,
    /// Inclusive suffix sums within each chunk of `CHUNK` columns.
    suffixes: Vec<A>,
}

impl<A: Number> Line<A> {
    fn new(windows: &Windows) -> Result<Self> {
        let [_, _, width, _] = windows.shape;
        let reach = windows.reach();
        let room = || memory::filled((reach[0] + width.div_ceil(CHUNK) + reach[1]) * CHUNK, A::ZERO);
        let (sums, prefixes, suffixes) = (room()?, room()?, room()?);
        Ok(Self { reach, columns: windows.columns, width, few: windows.has_few_columns(), sums, prefixes, suffixes })
    }

    /// Loads the sums of one channel from `columns`, where channels are interleaved, and computes their prefix and
    /// suffix sums within each chunk.
    #[inline(always)]
    fn prepare(&mut self, columns: &[A], channel: usize, channels: usize) {
        let begin = self.reach[0] * CHUNK;
        let sums = &mut self.sums[begin..begin + self.width];
        if channels == 1 {
            sums.copy_from_slice(columns);
        } else {
            let of_channel = columns.iter().skip(channel).step_by(channels);
            sums.iter_mut().zip(of_channel).for_each(|(sum, &column)| *sum = column);
        }
        if self.few {
            return;
        }
        let (sums, _) = self.sums.as_chunks::<CHUNK>();
        let (prefixes, _) = self.prefixes.as_chunks_mut::<CHUNK>();
        let (suffixes, _) = self.suffixes.as_chunks_mut::<CHUNK>();
        for ((v, prefix), suffix) in sums.iter().zip(prefixes).zip(suffixes) {
            (*prefix, *suffix) = (*v, *v);
            for j in 1..CHUNK {
                prefix[j] = A::add(prefix[j - 1], v[j]);
                suffix[CHUNK - 1 - j] = A::add(v[CHUNK - 1 - j], suffix[CHUNK - j]);
            }
        }
    }

    /// Returns the width of the window at column `x`, clipped at the borders.
    #[inline(always)]
    fn columns_at(&self, x: usize) -> usize {
        let [left, right] = self.columns;
        x.min(left) + 1 + (self.width - 1 - x).min(right)
    }

    /// Returns the width of each window of the chunk that begins at `begin`, if the chunk is whole and no window is
    /// clipped.
    #[inline(always)]
    fn columns_of_all(&self, begin: usize) -> Option<usize> {
        let [left, right] = self.columns;
        (begin >= left && begin + CHUNK + right <= self.width).then_some(left + 1 + right)
    }

    /// Returns the sums over the windows of the columns of the chunk that begins at `begin`.
    #[inline(always)]
    fn windows_from(&self, begin: usize) -> [A; CHUNK] {
        let [left, right] = self.columns;
        let at = self.reach[0] * CHUNK + begin;
        let (first, last) = (at - left, at + right);
        let mut all = [A::ZERO; CHUNK];
        if self.few {
            all.copy_from_slice(&self.sums[first..first + CHUNK]);
            for next in first + 1..=last {
                let sums = &self.sums[next..next + CHUNK];
                all.iter_mut().zip(sums).for_each(|(all, &sum)| *all = A::add(*all, sum));
            }
            return all;
        }
        // Sum of the whole chunks between the chunk in which a window begins and the chunk in which it ends. The window
        // of the first column begins in chunk `begins` and ends in chunk `ends`. Windows of later columns may begin, or
        // end, one chunk further.
        let (begins, ends) = (first / CHUNK, last / CHUNK);
        let (chunks, _) = self.prefixes.as_chunks::<CHUNK>();
        let total = |sum: A, chunk: &[A; CHUNK]| A::add(sum, chunk[CHUNK - 1]);
        let between = |from: usize| chunks[from.min(ends)..ends].iter().fold(A::ZERO, total);
        let further = |sum: A, from: usize| if from <= ends { total(sum, &chunks[ends]) } else { sum };
        let (sooner, later) = (between(begins + 1), between(begins + 2));
        let (sooner_further, later_further) = (further(sooner, begins + 1), further(later, begins + 2));
        let (suffixes, prefixes) = (&self.suffixes[first..first + CHUNK], &self.prefixes[last..last + CHUNK]);
        let (begins_later, ends_later) = (CHUNK - first % CHUNK, CHUNK - last % CHUNK);
        for (i, (all, (&suffix, &prefix))) in all.iter_mut().zip(suffixes.iter().zip(prefixes)).enumerate() {
            // Two-way selections, which the compiler vectorises.
            let here = if i < begins_later { sooner } else { later };
            let there = if i < begins_later { sooner_further } else { later_further };
            *all = A::add(A::add(suffix, if i < ends_later { here } else { there }), prefix);
        }
        all
    }
}
