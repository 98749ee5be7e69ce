//! Plans of histograms on a CUDA device: counters, slices and parts.
//!
//! A slot is the index of a counter: a bin of a channel, or a value of a byte of a channel. A slice is the slots that a
//! block counts, where a block has no room for all. A part is the elements that a block reads.

use super::constants::{Constants, constants};
use super::tuning::Tuning;
use std::fmt;
use std::ops::Range;
use upsweep_core::tally::Amount;

/// Number of values of an element of one byte. Values are counted before they are put into bins.
const VALUES: usize = 256;
/// Number of vectors of elements that a thread loads at once, while it counts the elements of as many vectors.
const DEPTH: usize = 2;
/// Number of lanes of a warp; each lane has its own bank of shared memory.
const LANES: usize = 32;
/// Number of elements that a block counts between two inspections of its 16-bit counters. Below it, the count from
/// which an inspection empties a counter: see `histogram/halves.cuh`. The number of elements is the largest that leaves
/// room for that count (H200, 2026-11-25: benches/notes/histogram.md).
const HALVES_TURN: usize = 56 << 10;
const HALF_FULL: usize = 4 << 10;
/// Number of 16-bit counters of a row in shared memory, and number of words of the row, one of which is padding. All
/// rows together are padded to whole vectors of words.
const HALVES_ROW: (usize, usize) = (64, 33);
const WORDS_AT_ONCE: usize = 4;
/// Number of words of shared memory besides 16-bit counters: a spare word for each lane, three words for each of the
/// 256 places of slots that are counted apart because they are frequent, and a flag.
const BESIDE_HALVES: usize = LANES + 3 * 256 + 1;
/// Largest number of elements that a block counts, because its counters have 32 bits.
const MOST_OF_PART: usize = 1 << 31;
/// Bytes of shared memory that the driver reserves in every block.
const DRIVER_RESERVED: usize = 1 << 10;

/// Parameters of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HistogramJob {
    /// Number of elements.
    pub len: usize,
    /// Bytes of an element.
    pub input: usize,
    /// Whether elements are numbers, so that vectors of them can be loaded.
    pub number: bool,
    /// Bins per channel.
    pub bins: usize,
    /// Number of channels of the input, and number of channels that are counted.
    pub channels: (usize, usize),
    /// Quantity that is added up in each bin.
    pub amount: Amount,
    /// Whether bins are found by a search among edges.
    pub by_edges: bool,
    /// Number of rows or segments, each of which has bins of its own.
    pub rows: usize,
}

impl HistogramJob {
    /// Creates the job that counts `len` elements of `T`.
    #[must_use]
    pub fn plain<T>(len: usize, bins: usize) -> Self {
        let (input, number) = (size_of::<T>(), align_of::<T>() == size_of::<T>());
        Self { len, input, number, bins, channels: (1, 1), amount: Amount::One, by_edges: false, rows: 1 }
    }
}

/// Plan of a histogram on a CUDA device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HistogramPlan {
    /// Parameters that the plan was made for.
    pub job: HistogramJob,
    /// Whether a block counts the 256 values of a byte, and puts the counts into bins afterwards.
    pub by_value: bool,
    /// Number of neighbouring elements that a thread loads at once, as a vector.
    pub vector: usize,
    /// Number of counters of each bin or byte value, to which different lanes of a warp add.
    pub columns: usize,
    /// Whether a counter has 16 bits, so that two are in a word.
    pub halves: bool,
    /// Number of slots (bins, or byte values, of all channels) that a block counts: all slots, or those of a slice.
    pub slice: usize,
    /// Number of slices into which all slots (bins, or byte values, of all channels) are cut, as a block has no room
    /// for more.
    pub slices: usize,
    /// Number of elements of a part, which one block reads for each slice.
    pub part: usize,
    /// Number of parts, each of which has a block for each slice.
    pub parts: usize,
    /// Number of threads per block.
    pub threads: usize,
    /// Number of blocks that a multiprocessor runs at once.
    pub resident: usize,
}

impl HistogramPlan {
    /// Plans the job for a device with `multiprocessors` multiprocessors.
    #[must_use]
    pub fn new(job: HistogramJob, capability: (u32, u32), multiprocessors: usize) -> Self {
        let shared = Tuning::of(capability).shared_bytes;
        let counter = job.amount.counter_bytes();
        let counted = job.channels.1;
        let by_value = job.input == 1 && job.amount == Amount::One && (counted * VALUES + 1) * counter <= shared;
        let slots = counted * if by_value { VALUES } else { job.bins };
        let vector = if job.amount == Amount::One && job.number && 16usize.is_multiple_of(job.input) {
            16 / job.input
        } else {
            1
        };
        // One more counter is for elements in no bin.
        let most = shared / counter - 1;
        // Between two inspections, 16-bit counters have room for a batch of vectors of up to 8 elements of each thread.
        let halves = job.amount == Amount::One && !by_value && slots > most && vector <= 8;
        let rows = (shared / counter - BESIDE_HALVES - WORDS_AT_ONCE) / HALVES_ROW.1;
        let slices = slots.div_ceil(if halves { rows * HALVES_ROW.0 } else { most });
        let slice = slots.div_ceil(slices);
        let columns = if halves { 1 } else { 1 << (shared / ((slice + 1) * counter)).clamp(1, LANES).ilog2() };
        let bytes = shared_bytes(slice, columns, halves, counter);
        let side_by_side = (shared + DRIVER_RESERVED) / (bytes + DRIVER_RESERVED);
        // Rules, the functions from elements to bins, need so many registers that a multiprocessor runs 1,024 threads.
        let (threads, resident) =
            if side_by_side >= 2 { (512, side_by_side.min(if by_value { 3 } else { 2 })) } else { (1024, 1) };
        let step = threads * vector;
        let waves = (multiprocessors * resident / slices).max(1);
        // The elements before the first whole vector count as a vector.
        let places = job.len + vector - 1;
        let parts = waves.min(places.div_ceil(step)).max(places.div_ceil(MOST_OF_PART)).max(1);
        let part = places.div_ceil(parts).max(1).next_multiple_of(step);
        let parts = places.div_ceil(part).max(1);
        Self { job, by_value, vector, columns, halves, slice, slices, part, parts, threads, resident }
    }

    /// Returns the pieces into which rows or segments are cut, each of which one block counts for each slice: the first
    /// element, the number of elements, and the row. There is one at least.
    pub fn pieces(&self, rows: impl Iterator<Item = Range<usize>>) -> impl Iterator<Item = [u64; 3]> {
        // Whole pixels.
        let part = self.part - self.part % self.job.channels.0;
        let of_row = move |(row, range): (usize, Range<usize>)| {
            let end = range.end;
            range.step_by(part).map(move |begin| [begin as u64, part.min(end - begin) as u64, row as u64])
        };
        let mut pieces = rows.enumerate().flat_map(of_row);
        let first = pieces.next().unwrap_or([0; 3]);
        std::iter::once(first).chain(pieces)
    }

    /// Returns the number of blocks of the launch.
    #[must_use]
    pub fn grid(&self) -> usize {
        self.parts * self.slices
    }

    /// Returns the number of bytes of shared memory of a block.
    #[must_use]
    pub fn shared_bytes(&self) -> usize {
        shared_bytes(self.slice, self.columns, self.halves, self.job.amount.counter_bytes())
    }

    /// Constants that the kernel is compiled with.
    #[must_use]
    pub fn constants(&self) -> Constants {
        let mut constants = Constants::default();
        let (channels, counted) = self.job.channels;
        constants!(constants;
            "THREADS" = self.threads, "COUNTING_BLOCKS" = self.resident, "VECTOR" = self.vector, "DEPTH" = DEPTH,
            "COLUMNS" = self.columns, "CHANNELS" = channels, "COUNTED_CHANNELS" = counted, "WEIGHTS" = self.job.amount.code(),
            "HALVES" = usize::from(self.halves), "HALVES_TURN" = HALVES_TURN, "HALF_FULL" = HALF_FULL,
            "BY_VALUE" = usize::from(self.by_value), "BY_EDGES" = usize::from(self.job.by_edges),
            "SLICED" = usize::from(self.slices > 1), "ROWS" = usize::from(self.job.rows != 1));
        constants
    }
}

/// Returns the number of bytes of shared memory of a block that counts `slice` slots (bins or byte values). Each has
/// `columns` counters of `counter` bytes or, with `halves`, one counter of 16 bits.
fn shared_bytes(slice: usize, columns: usize, halves: bool, counter: usize) -> usize {
    if halves {
        let (slots, words) = HALVES_ROW;
        ((slice.div_ceil(slots) * words).next_multiple_of(WORDS_AT_ONCE) + BESIDE_HALVES) * counter
    } else {
        (slice + 1) * columns * counter
    }
}

impl fmt::Display for HistogramPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { job, by_value, vector, columns, halves, slice, slices, part, parts, threads, resident } = self;
        writeln!(f, "histogram, one kernel")?;
        writeln!(f, "  elements      {} of {} bytes into {} bins", job.len, job.input, job.bins)?;
        let values = if *by_value { ", of the 256 values of a byte" } else { "" };
        let halves = if *halves { ", of 16 bits" } else { "" };
        writeln!(f, "  counters      {columns} columns of {slice}{values}{halves}; {slices} slices")?;
        writeln!(
            f,
            "  parts         {parts} of {part} elements, for each slice a block of {threads} threads that load {DEPTH} times {vector} at once; \
             {resident} blocks a multiprocessor"
        )?;
        write!(f, "  shared memory {} bytes a block", self.shared_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn jobs() -> impl Iterator<Item = HistogramJob> {
        let sizes = [(1, true), (2, true), (3, false), (4, true), (8, true), (16, false)];
        let amounts = [Amount::One, Amount::Whole(4), Amount::Whole(8), Amount::Float, Amount::Exponent];
        let bins = [1, 2, 256, 1792, 1793, 57_344, 65_536, 1 << 20];
        let lens = [0, 1, 1023, 100_003, 1 << 24, (1 << 33) + 7];
        let channels = [(1, 1), (3, 3), (4, 3)];
        sizes.into_iter().flat_map(move |(input, number)| {
            amounts.into_iter().flat_map(move |amount| {
                bins.into_iter().flat_map(move |bins| {
                    lens.into_iter().flat_map(move |len| {
                        channels.into_iter().map(move |channels| HistogramJob {
                            len,
                            input,
                            number,
                            bins,
                            channels,
                            amount,
                            by_edges: false,
                            rows: 1,
                        })
                    })
                })
            })
        })
    }

    #[test]
    fn parts_and_slices_cover_everything() {
        for capability in [(7, 5), (9, 0)] {
            for job in jobs() {
                let plan = HistogramPlan::new(job, capability, 132);
                let places = job.len + plan.vector - 1;
                assert!(plan.parts * plan.part >= places && (plan.parts - 1) * plan.part <= places, "{plan:?}");
                let slots = job.channels.1 * if plan.by_value { VALUES } else { job.bins };
                assert!(plan.slices * plan.slice >= slots && (plan.slices - 1) * plan.slice < slots, "{plan:?}");
                assert!(plan.shared_bytes() <= Tuning::of(capability).shared_bytes, "{plan:?}");
                assert!(plan.part <= MOST_OF_PART + plan.threads * plan.vector && LANES.is_multiple_of(plan.columns));
                assert!(!(plan.by_value && plan.slices > 1) && plan.resident * plan.threads <= 2048);
            }
        }
    }

    #[test]
    fn pieces_are_the_rows_in_whole_pixels() {
        let job = HistogramJob { channels: (3, 2), rows: 4, ..HistogramJob::plain::<u8>(30_000, 256) };
        let plan = HistogramPlan { part: 8192, ..HistogramPlan::new(job, (9, 0), 132) };
        let rows = [0..0, 0..9_000, 9_000..9_000, 9_000..30_000];
        let expected = [[0, 8190, 1], [8190, 810, 1], [9_000, 8190, 3], [17_190, 8190, 3], [25_380, 4620, 3]];
        assert_eq!(plan.pieces(rows.into_iter()).collect::<Vec<_>>(), expected);
        assert_eq!(plan.pieces(std::iter::empty()).collect::<Vec<_>>(), [[0; 3]]);
    }

    /// Checks the plans of the calls for which figures are published.
    #[test]
    fn few_bins_have_a_bank_for_each_lane() {
        let plan = |input, bins| {
            let job = HistogramJob { input, ..HistogramJob::plain::<u32>(1 << 28, bins) };
            let plan = HistogramPlan::new(job, (9, 0), 132);
            (plan.by_value, plan.columns, plan.slices, plan.threads * plan.resident)
        };
        assert_eq!(plan(1, 256), (true, 32, 1, 1536));
        assert_eq!(plan(4, 256), (false, 32, 1, 1024));
        assert_eq!(plan(4, 2048), (false, 16, 1, 1024));
        assert_eq!(plan(4, 65_536), (false, 1, 1, 1024));
    }
}
