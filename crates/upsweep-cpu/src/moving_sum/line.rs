//! Sums over the windows along one row, from the sums of its columns.
//!
//! Columns are added by chunks of [`CHUNK`]. A window is the suffix of a chunk, whole chunks, and the prefix of a chunk.
//! All windows of a row reach equally far, so these are the chunks `c`, `c + 1 ..` and `c + ends` or one later, for the
//! windows of chunk `c`. Which ones depends on the place in the chunk alone. So a square of [`CHUNK`] chunks is
//! transposed: each chunk has a lane, and a window's parts are contiguous loads.

use crate::tile::lanes::Lanes;
use std::ops::Range;
use upsweep_core::error::Result;
use upsweep_core::memory;
use upsweep_core::operator::Number;
use upsweep_plan::moving_sum::{CHUNK, MovingSumPlan, Windows};

/// Number of columns of a square, which is [`CHUNK`] chunks.
pub(super) const SQUARE: usize = CHUNK * CHUNK;
/// Number of sums of chunks that are added up together: a multiple of [`CHUNK`].
const TOGETHER: usize = 32;
/// Largest number of chunks that are added one by one where the order does not show.
const FEW_CHUNKS: usize = 8;

/// Sums of the columns of a strip, for a row and channel. Columns outside the image (the halo) are 0.
pub(super) struct Line<A> {
    /// Place in `sums` of the first of the strip's columns, and of the first that its windows reach.
    begin: usize,
    reached: usize,
    windows: Windows,
    /// Index in the image of the strip's first chunk.
    chunk: usize,
    /// Number of the strip's chunks, in whole squares.
    chunks: usize,
    /// Number of chunks after the one in which the window of a chunk's first column begins, up to that in which it
    /// ends.
    ends: usize,
    /// Whether the chunks of a window are added by blocks: see [`Line::between_by_blocks`].
    by_blocks: bool,
    sums: Vec<A>,
    /// Inclusive prefix sums and suffix sums within each chunk: for each column of a chunk, those of all chunks.
    prefixes: [Vec<A>; CHUNK],
    suffixes: [Vec<A>; CHUNK],
    /// For each chunk, the sum of the chunks after it which are wholly within its windows, but for the last of these.
    between: Vec<A>,
}

impl<A: Number> Line<A> {
    /// Returns a line for strips of up to `strip` columns.
    pub(super) fn new(windows: &Windows, strip: usize) -> Result<Self> {
        let ([_, right], [before, _]) = (windows.columns, windows.reach());
        let chunks = strip.div_ceil(SQUARE) * CHUNK;
        let ends = before + right / CHUNK;
        let between = (chunks + 1).next_multiple_of(TOGETHER);
        let room = (between + ends + 1).next_multiple_of(CHUNK);
        let (mut prefixes, mut suffixes) = ([const { Vec::new() }; CHUNK], [const { Vec::new() }; CHUNK]);
        if !windows.has_few_columns() {
            for sums in prefixes.iter_mut().chain(&mut suffixes) {
                *sums = memory::filled(room, A::ZERO)?;
            }
        }
        Ok(Self {
            begin: before * CHUNK,
            reached: 0,
            windows: *windows,
            chunk: 0,
            chunks,
            ends,
            by_blocks: if A::WHOLE { ends > FEW_CHUNKS } else { MovingSumPlan::new(windows, size_of::<A>()).is_err() },
            sums: memory::filled(room * CHUNK, A::ZERO)?,
            prefixes,
            suffixes,
            between: memory::filled(between, A::ZERO)?,
        })
    }

    /// Goes to the strip `columns`, which begins with a whole chunk.
    pub(super) fn go_to(&mut self, columns: &Range<usize>) {
        let ([.., width, _], [left, right]) = (self.windows.shape, self.windows.columns);
        (self.reached, self.chunk) = (self.begin - left.min(columns.start), columns.start / CHUNK);
        if columns.start < left || columns.end + right > width {
            // The halo, where another strip had columns.
            self.sums.fill(A::ZERO);
        }
    }

    /// Loads the sums of the columns that the strip's windows reach.
    #[inline(always)]
    pub(super) fn load(&mut self, columns: impl Iterator<Item = A>) {
        self.sums[self.reached..].iter_mut().zip(columns).for_each(|(sum, column)| *sum = column);
    }

    /// Computes the prefix and suffix sums of the columns within each chunk.
    ///
    /// # Safety
    /// The processor has the instructions of `L`.
    #[inline(always)]
    pub(super) unsafe fn prepare<L: Lanes>(&mut self) {
        if self.windows.has_few_columns() {
            return;
        }
        let (squares, _) = self.sums.as_chunks::<CHUNK>().0.as_chunks::<CHUNK>();
        for (square, at) in squares.iter().zip((0..).step_by(CHUNK)) {
            // SAFETY: the processor has the instructions of `L`.
            let v = unsafe { transposed::<L, A>(*square) };
            let (mut prefix, mut suffix) = (v[0], v[CHUNK - 1]);
            self.prefixes[0][at..at + CHUNK].copy_from_slice(&prefix);
            self.suffixes[CHUNK - 1][at..at + CHUNK].copy_from_slice(&suffix);
            for j in 1..CHUNK {
                prefix = add(prefix, v[j]);
                suffix = add(v[CHUNK - 1 - j], suffix);
                self.prefixes[j][at..at + CHUNK].copy_from_slice(&prefix);
                self.suffixes[CHUNK - 1 - j][at..at + CHUNK].copy_from_slice(&suffix);
            }
        }
        if self.by_blocks {
            self.between_by_blocks();
        } else {
            self.between_one_by_one();
        }
    }

    /// Adds the chunks between one by one, as CUDA does.
    #[inline(always)]
    fn between_one_by_one(&mut self) {
        let [.., totals] = &self.prefixes;
        for (between, at) in self.between.as_chunks_mut::<TOGETHER>().0.iter_mut().zip((1..).step_by(TOGETHER)) {
            let mut all = [[A::ZERO; CHUNK]; TOGETHER / CHUNK];
            for at in at..at + self.ends.saturating_sub(2) {
                for (all, at) in all.iter_mut().zip((at..).step_by(CHUNK)) {
                    *all = add(*all, neighbours(totals, at));
                }
            }
            between.copy_from_slice(all.as_flattened());
        }
    }

    /// Adds the chunks between by blocks that are as long: they are a suffix of a block and a prefix of the next one.
    /// Blocks are counted from the image's border, so that strips have no part in the order.
    #[inline(always)]
    fn between_by_blocks(&mut self) {
        let [.., totals] = &self.prefixes;
        let (block, len) = (self.ends - 2, self.chunks + 1);
        let mut at = 0;
        while at < len {
            // The chunks between that belong to `at` begin with chunk `at + 1`, the chunk `skipped` of a block.
            let skipped = (self.chunk + at + 1) % block;
            let end = at + block - skipped;
            let mut suffix = A::ZERO;
            for i in (at..end).rev() {
                suffix = A::add(totals[i + 1], suffix);
                if i < len {
                    self.between[i] = suffix;
                }
            }
            let (of_next, next) = totals[end + 1..].split_at(skipped);
            let mut prefix = of_next.iter().fold(A::ZERO, |sum, &total| A::add(sum, total));
            for (between, &total) in self.between[at..end.min(len)].iter_mut().zip(next) {
                *between = A::add(*between, prefix);
                prefix = A::add(prefix, total);
            }
            at = end;
        }
    }

    /// Returns the sums over the windows of the square of columns from `first` on, counted from the strip's first one.
    ///
    /// # Safety
    /// The processor has the instructions of `L`.
    #[inline(always)]
    pub(super) unsafe fn windows_from<L: Lanes>(&self, first: usize) -> [[A; CHUNK]; CHUNK] {
        let mut all = [[A::ZERO; CHUNK]; CHUNK];
        let [left, right] = self.windows.columns;
        if self.windows.has_few_columns() {
            let from = self.begin + first - left;
            for (chunk, from) in all.iter_mut().zip((from..).step_by(CHUNK)) {
                *chunk = neighbours(&self.sums, from);
                for next in from + 1..=from + left + right {
                    *chunk = add(*chunk, neighbours(&self.sums, next));
                }
            }
            return all;
        }
        let (chunk, ends, [.., totals]) = (first / CHUNK, self.ends, &self.prefixes);
        // Sum of the whole chunks between the one in which a window begins and the one in which it ends. Windows of
        // later columns may begin, or end, one chunk further.
        let whole = |chunk: usize| {
            let between = neighbours(&self.between, chunk);
            if ends > 1 { add(between, neighbours(totals, chunk + ends - 1)) } else { between }
        };
        let sooner = whole(chunk);
        let sooner_further = add(sooner, neighbours(totals, chunk + ends));
        let (later, later_further) = (neighbours(&self.between, chunk + 1), whole(chunk + 1));
        let (begins_at, ends_at) = (self.begin - left, right % CHUNK);
        for (i, all) in all.iter_mut().enumerate() {
            let (begins_at, ends_at) = (begins_at + i, ends_at + i);
            let suffix = neighbours(&self.suffixes[begins_at % CHUNK], chunk + begins_at / CHUNK);
            let prefix = neighbours(&self.prefixes[ends_at % CHUNK], chunk + ends + ends_at / CHUNK);
            let whole = match (begins_at < CHUNK, ends_at < CHUNK) {
                (true, true) => sooner,
                (true, false) => sooner_further,
                (false, true) => later,
                (false, false) => later_further,
            };
            *all = add(add(suffix, whole), prefix);
        }
        // SAFETY: the processor has the instructions of `L`.
        unsafe { transposed::<L, A>(all) }
    }
}

#[inline(always)]
pub(super) fn add<A: Number>(mut a: [A; CHUNK], b: [A; CHUNK]) -> [A; CHUNK] {
    a.iter_mut().zip(b).for_each(|(a, b)| *a = A::add(*a, b));
    a
}

#[inline(always)]
fn neighbours<A: Number>(sums: &[A], first: usize) -> [A; CHUNK] {
    let mut all = [A::ZERO; CHUNK];
    all.copy_from_slice(&sums[first..first + CHUNK]);
    all
}

/// Returns the columns of a square as rows.
///
/// # Safety
/// The processor has the instructions of `L`.
#[inline(always)]
pub(super) unsafe fn transposed<L: Lanes, A: Number>(square: [[A; CHUNK]; CHUNK]) -> [[A; CHUNK]; CHUNK] {
    if A::LANE && size_of::<A>() == 8 {
        // SAFETY: a row has 8 lanes of 8 bytes, as many as a chunk.
        return unsafe {
            let rows: [L::Row; CHUNK] = std::mem::transmute_copy(&square);
            std::mem::transmute_copy(&L::transposed(rows))
        };
    }
    let mut columns = square;
    for (i, column) in columns.iter_mut().enumerate() {
        column.iter_mut().zip(&square).for_each(|(to, row)| *to = row[i]);
    }
    columns
}

#[inline(always)]
pub(super) fn is_finite<A: Number>(x: A) -> bool {
    let nothing = A::sub(x, x);
    A::le(nothing, nothing)
}
