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
/// Number of sums of chunks that are added up together.
const TOGETHER: usize = SQUARE;
/// Smallest number of chunks for which the sums of chunks are put in lanes of their own before they are added up.
const LANES_FROM: usize = 2 * CHUNK;
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
    /// Inclusive prefix sums and suffix sums within each chunk: for each column of a chunk those of all chunks, `room` of
    /// them.
    prefixes: Vec<A>,
    suffixes: Vec<A>,
    room: usize,
    /// Parts of the windows of each column of a chunk.
    parts: [Parts; CHUNK],
    /// For each chunk, the sum of the chunks after it which are wholly within its windows, but for the last of these.
    between: Vec<A>,
    /// The sums of chunks in lanes: see [`Line::between_in_lanes`].
    lanes: Vec<Aligned<A>>,
}

/// A chunk of sums in a cache line of its own.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Aligned<A>([A; CHUNK]);

/// Where the parts of the windows of a column are: the suffix and the prefix of chunk 0, and which chunks are between.
#[derive(Clone, Copy)]
struct Parts {
    suffix: usize,
    prefix: usize,
    /// 1 if the window begins in the next chunk, and 2 if it ends in the next one.
    whole: usize,
}

impl<A: Number> Line<A> {
    /// Returns a line for strips of up to `strip` columns.
    pub(super) fn new(windows: &Windows, strip: usize) -> Result<Self> {
        let ([left, right], [before, _]) = (windows.columns, windows.reach());
        let chunks = strip.div_ceil(SQUARE) * CHUNK;
        let ends = before + right / CHUNK;
        let between = (chunks + 1).next_multiple_of(TOGETHER);
        let room = (between + ends + 1).next_multiple_of(CHUNK);
        let of_chunks = if windows.has_few_columns() { 0 } else { room * CHUNK };
        let mut parts = [Parts { suffix: 0, prefix: 0, whole: 0 }; CHUNK];
        for (i, parts) in parts.iter_mut().enumerate() {
            let (begin, end) = (before * CHUNK - left + i, right % CHUNK + i);
            parts.suffix = begin % CHUNK * room + begin / CHUNK;
            parts.prefix = end % CHUNK * room + ends + end / CHUNK;
            parts.whole = begin / CHUNK + 2 * (end / CHUNK);
        }
        let by_blocks = if A::WHOLE { ends > FEW_CHUNKS } else { MovingSumPlan::new(windows, size_of::<A>()).is_err() };
        let by_lanes = !by_blocks && ends.saturating_sub(2) >= LANES_FROM;
        Ok(Self {
            begin: before * CHUNK,
            reached: 0,
            windows: *windows,
            chunk: 0,
            chunks,
            ends,
            by_blocks,
            sums: memory::filled(room * CHUNK, A::ZERO)?,
            prefixes: memory::filled(of_chunks, A::ZERO)?,
            suffixes: memory::filled(of_chunks, A::ZERO)?,
            room,
            parts,
            between: memory::filled(between, A::ZERO)?,
            lanes: memory::filled(if by_lanes { between / CHUNK + ends } else { 0 }, Aligned([A::ZERO; CHUNK]))?,
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
        let (squares, room) = (self.sums.as_chunks::<CHUNK>().0.as_chunks::<CHUNK>().0, self.room);
        for (square, at) in squares.iter().zip((0..).step_by(CHUNK)) {
            // SAFETY: the processor has the instructions of `L`.
            let v = unsafe { transposed::<L, A>(*square) };
            let (mut prefix, mut suffix) = (v[0], v[CHUNK - 1]);
            for j in 0..CHUNK {
                if j > 0 {
                    prefix = add(prefix, v[j]);
                    suffix = add(v[CHUNK - 1 - j], suffix);
                }
                let (of_prefix, of_suffix) = (j * room + at, (CHUNK - 1 - j) * room + at);
                self.prefixes[of_prefix..of_prefix + CHUNK].copy_from_slice(&prefix);
                self.suffixes[of_suffix..of_suffix + CHUNK].copy_from_slice(&suffix);
            }
        }
        if self.by_blocks {
            self.between_by_blocks();
        } else if self.lanes.is_empty() {
            self.between_one_by_one();
        } else {
            // SAFETY: the processor has the instructions of `L`.
            unsafe { self.between_in_lanes::<L>() };
        }
    }

    /// Adds the chunks between one by one, as CUDA does.
    #[inline(always)]
    fn between_one_by_one(&mut self) {
        let totals = &self.prefixes[(CHUNK - 1) * self.room..];
        for (between, at) in self.between.as_chunks_mut::<TOGETHER>().0.iter_mut().zip((1..).step_by(TOGETHER)) {
            let mut all = [[A::ZERO; CHUNK]; TOGETHER / CHUNK];
            let terms = totals[at..at + self.ends.saturating_sub(2) + TOGETHER - 1].windows(TOGETHER);
            for term in terms.take(self.ends.saturating_sub(2)) {
                for (all, term) in all.iter_mut().zip(term.as_chunks::<CHUNK>().0) {
                    *all = add(*all, *term);
                }
            }
            between.copy_from_slice(all.as_flattened());
        }
    }

    /// Adds the chunks between one by one, in the same order. Lane `l` has those of the `l`-th part of the line: loads of
    /// neighbours of one line would cross a cache line each, which takes twice as long as an addition.
    ///
    /// # Safety
    /// The processor has the instructions of `L`.
    #[inline(always)]
    unsafe fn between_in_lanes<L: Lanes>(&mut self) {
        let (totals, part, terms) =
            (&self.prefixes[(CHUNK - 1) * self.room..], self.between.len() / CHUNK, self.ends - 2);
        for (at, lanes) in (1..).zip(&mut self.lanes[..part + terms - 1]) {
            lanes.0 = std::array::from_fn(|lane| totals[at + lane * part]);
        }
        for first in (0..part).step_by(CHUNK) {
            let mut sums = [[A::ZERO; CHUNK]; CHUNK];
            for term in self.lanes[first..first + terms + CHUNK - 1].windows(CHUNK) {
                for (sum, term) in sums.iter_mut().zip(term) {
                    *sum = add(*sum, term.0);
                }
            }
            // SAFETY: the processor has the instructions of `L`.
            let of_lanes = unsafe { transposed::<L, A>(sums) };
            for (lane, sums) in of_lanes.iter().enumerate() {
                self.between[lane * part + first..][..CHUNK].copy_from_slice(sums);
            }
        }
    }

    /// Adds the chunks between by blocks that are as long: they are a suffix of a block and a prefix of the next one.
    /// Blocks are counted from the image's border, so that strips have no part in the order.
    #[inline(always)]
    fn between_by_blocks(&mut self) {
        let totals = &self.prefixes[(CHUNK - 1) * self.room..];
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
        let (chunk, ends, totals) = (first / CHUNK, self.ends, &self.prefixes[(CHUNK - 1) * self.room..]);
        // Sum of the whole chunks between the one in which a window begins and the one in which it ends. Windows of
        // later columns may begin, or end, one chunk further.
        let whole = |chunk: usize| {
            let between = neighbours(&self.between, chunk);
            if ends > 1 { add(between, neighbours(totals, chunk + ends - 1)) } else { between }
        };
        let sooner = whole(chunk);
        let sooner_further = add(sooner, neighbours(totals, chunk + ends));
        let whole = [sooner, neighbours(&self.between, chunk + 1), sooner_further, whole(chunk + 1)];
        for (all, parts) in all.iter_mut().zip(&self.parts) {
            let suffix = neighbours(&self.suffixes, parts.suffix + chunk);
            let prefix = neighbours(&self.prefixes, parts.prefix + chunk);
            *all = add(add(suffix, whole[parts.whole & 3]), prefix);
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
