//! What a sort by digits does on a CUDA device: its tiles, kernels and scratch.

use super::constants::{Constants, constants};
use super::tuning::Tuning;
use crate::key::KeyOrder;

/// The values of a digit.
const DIGITS: usize = 256;
/// Threads of a block that counts, and the vectors that each of them loads at once.
const COUNT_THREADS: usize = 1024;
const COUNT_DEPTH: usize = 2;
/// The bytes of counters of a block that counts, by the shared memory that a block may have: 128 KiB are a column for each
/// lane, of keys of 4 bytes.
const COUNTER_BYTES: [(usize, usize); 3] = [(160 << 10, 128 << 10), (96 << 10, 64 << 10), (0, 32 << 10)];
/// Keys that a block counts at least.
const LEAST_PART: usize = 8 << 10;
/// Threads of a block that fills in the results of a sort by counting, or moves values to their places.
const FILL_THREADS: usize = 256;
/// Bytes that a warp of it fills at a time.
const FILL_BYTES: usize = 8 << 10;
/// Threads that rank.
const RANKERS: usize = 512;
/// The lines of a run that one warp drains; of longer runs all warps drain the rest.
const LONG_LINES: usize = 16;
/// How long a thread sleeps between two looks at status words of which none was new.
const POLL_NANOSECONDS: usize = 20;
/// Keys of two bytes are counted from so many on: there are 65,536 counters to clear and to add up.
const TALLY_FROM: usize = 1 << 17;
/// Numbers in a status word of 4 bytes are below this.
const SMALL_STATUS: usize = 1 << 30;

/// What is sorted by, and what goes along.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SortTypes {
    /// Bytes of a key.
    pub key: usize,
    /// How keys' bits are ordered.
    pub order: KeyOrder,
    /// From the last to the first.
    pub descending: bool,
    /// Bytes of a value that follows its key; 0 without values.
    pub value: usize,
    /// Whether the values are the keys' positions in the input.
    pub indices: bool,
    /// Whether the sorted keys are wanted.
    pub keys_out: bool,
}

/// A planned sort.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SortPlan {
    /// Keys.
    pub len: usize,
    /// What is sorted.
    pub types: SortTypes,
    /// Whether the results take the place of the input.
    pub in_place: bool,
    /// Threads that rank, and those that store.
    pub rankers: usize,
    /// Threads that look back and store.
    pub storers: usize,
    /// Keys a ranker.
    pub keys: usize,
    /// Of the rows that are matched at once, those that are matched through shared memory.
    pub mask_rows: usize,
    /// Rows that are matched at once.
    pub rows: usize,
    /// Whether a tile's keys are copied to shared memory while the one before is ranked.
    pub staged: bool,
    /// Bytes of a status word.
    pub status: usize,
    /// Bytes of counters of a block that counts.
    pub counters: usize,
}

impl SortPlan {
    /// The plan for `len` keys on a device of this compute capability with so many multiprocessors.
    #[must_use]
    pub fn new(len: usize, types: SortTypes, in_place: bool, capability: (u32, u32), multiprocessors: usize) -> Self {
        let shared = Tuning::of(capability).shared_bytes;
        let status = if len < SMALL_STATUS { 4 } else { 8 };
        let mut plan = Self {
            len,
            types,
            in_place,
            rankers: RANKERS,
            storers: 256,
            keys: 2,
            mask_rows: 2,
            rows: 4,
            staged: true,
            status,
            counters: COUNTER_BYTES.iter().find(|(least, _)| shared >= *least).map_or(0, |(_, bytes)| *bytes),
        };
        // Registers: of 65,536 a thread has 80, or 96 where values need more of them; keys may take half.
        let (storers, most) = if types.value == 0 { (256, 160) } else { (128, 128) };
        plan.storers = storers;
        let most = (most / types.key.max(types.value)).min(most / 4);
        // A tile for each multiprocessor, if there are as many keys.
        let wanted = len.div_ceil(multiprocessors * RANKERS).max(4);
        let fits = |keys: usize| Self { keys, ..plan }.shared_bytes() <= shared;
        let candidates = [40, 32, 24, 20, 16, 12, 10, 8, 4, 2];
        let largest = candidates.into_iter().find(|&keys| keys <= most && fits(keys)).unwrap_or(2);
        plan.keys = candidates.into_iter().rev().find(|&keys| keys >= wanted).unwrap_or(largest).min(largest);
        plan.rows = if plan.keys.is_multiple_of(4) { 4 } else { 2 };
        plan.mask_rows = plan.rows / 2;
        plan
    }

    /// Keys a tile.
    #[must_use]
    pub fn tile(&self) -> usize {
        self.rankers * self.keys
    }

    /// The tiles.
    #[must_use]
    pub fn tiles(&self) -> usize {
        self.len.div_ceil(self.tile())
    }

    /// Threads of a block of a pass.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.rankers + self.storers
    }

    /// Launches of a pass: one for each digit. In place their number is even, as one may have to be a copy.
    #[must_use]
    pub fn launches(&self) -> usize {
        if self.in_place { self.types.key.next_multiple_of(2) } else { self.types.key }
    }

    /// Shared memory of a block of a pass.
    #[must_use]
    pub fn shared_bytes(&self) -> usize {
        let SortTypes { key, value, .. } = self.types;
        let slots = (self.tile() * key.max(value)).next_multiple_of(128);
        let stage = if self.staged { (self.tile() * key).next_multiple_of(128) } else { 0 };
        let warps = self.rankers / 32;
        slots + stage + warps * DIGITS * (2 + 4 * self.mask_rows) + DIGITS * 24 + 64
    }

    /// Scratch memory through which a sort's kernels and blocks talk to each other: what has to be cleared, and the status words.
    #[must_use]
    pub fn header_bytes(&self) -> usize {
        self.types.key * DIGITS * 8 + 64 * (self.launches() + 1)
    }

    /// Status words.
    #[must_use]
    pub fn status_words(&self) -> usize {
        self.tiles() * DIGITS
    }

    /// The parts of the scratch memory: what kernels tell each other, status words, keys, values, and keys that nobody wants.
    #[must_use]
    pub fn scratch_parts(&self) -> ScratchParts {
        let SortTypes { key, value, keys_out, .. } = self.types;
        let keys = self.len * key;
        ScratchParts([
            self.header_bytes(),
            self.status_words() * self.status,
            keys,
            self.len * value,
            if keys_out { 0 } else { keys },
        ])
    }

    /// All scratch memory of a sort by passes: that of `n` keys and values, and what its blocks need.
    #[must_use]
    pub fn scratch_bytes(&self) -> usize {
        self.scratch_parts().bytes()
    }

    /// Blocks that count, threads of each, keys of each, and the shared memory of each.
    #[must_use]
    pub fn counting(&self, multiprocessors: usize) -> Counting {
        let part = self.len.div_ceil(multiprocessors).max(LEAST_PART).next_multiple_of(16);
        Counting { blocks: self.len.div_ceil(part), part, threads: COUNT_THREADS, shared_bytes: self.counters }
    }

    /// Whether the results are known when keys are counted: those of one or two bytes, without values.
    #[must_use]
    pub fn by_counting(&self) -> bool {
        let SortTypes { key, value, .. } = self.types;
        value == 0 && (key == 1 || (key == 2 && self.len >= TALLY_FROM && self.counters >= 2 << 16))
    }

    /// Blocks that tally keys of two bytes, which have two counters in a word, and the keys of each.
    #[must_use]
    pub fn tallying(&self, multiprocessors: usize) -> Counting {
        let part = self.len.div_ceil(multiprocessors).next_multiple_of(16);
        let shared_bytes = 2 << (8 * self.types.key);
        Counting { blocks: self.len.div_ceil(part), part, threads: COUNT_THREADS, shared_bytes }
    }

    /// Blocks that fill in the results, if each warp did one part.
    #[must_use]
    pub fn fill_blocks(&self) -> usize {
        (self.len * self.types.key).div_ceil(FILL_BYTES * FILL_THREADS / 32) + 1
    }

    /// Threads of a block that fills in the results.
    #[must_use]
    pub fn fill_threads() -> usize {
        FILL_THREADS
    }

    /// The numbers that the kernel which tallies is compiled with.
    #[must_use]
    pub fn tally_constants(&self) -> Constants {
        self.by_counting_constants(COUNT_THREADS)
    }

    /// The numbers that the kernel which fills is compiled with.
    #[must_use]
    pub fn fill_constants(&self) -> Constants {
        self.by_counting_constants(FILL_THREADS)
    }

    fn by_counting_constants(&self, threads: usize) -> Constants {
        let mut constants = self.constants(threads);
        constants!(constants; "FILL_BYTES" = FILL_BYTES);
        constants
    }

    /// Threads of a block that moves values to their places.
    #[must_use]
    pub fn moving_threads() -> usize {
        FILL_THREADS
    }

    /// The numbers that the kernel is compiled with which moves values of `units` parts of `unit` bytes to their places.
    #[must_use]
    pub fn moving_constants(&self, unit: usize, units: usize) -> Constants {
        let mut constants = self.constants(FILL_THREADS);
        constants!(constants; "UNIT_BYTES" = unit, "UNITS" = units);
        constants
    }

    /// The numbers that all kernels of the sort are compiled with.
    fn constants(&self, threads: usize) -> Constants {
        let SortTypes { key, order, descending, value, indices, keys_out } = self.types;
        let mut constants = Constants::default();
        constants!(
            constants;
            "KEY_BYTES" = key, "VALUE_BYTES" = value, "MANTISSA_BITS" = order.mantissa as usize,
            "SIGNED" = usize::from(order.signed), "DESCENDING" = usize::from(descending), "INDICES" = usize::from(indices),
            "KEYS_OUT" = usize::from(keys_out),
            "LAUNCHES" = self.launches(), "SORT_HEADER_BYTES" = self.header_bytes(), "STATUS_BYTES" = self.status,
            "THREADS" = threads,
        );
        constants
    }

    /// The numbers that the kernel which counts is compiled with.
    #[must_use]
    pub fn counting_constants(&self) -> Constants {
        let mut constants = self.constants(COUNT_THREADS);
        let columns = (self.counters / (4 * DIGITS * self.types.key)).min(32);
        constants!(constants; "DEPTH" = COUNT_DEPTH, "COLUMN_BITS" = columns.ilog2() as usize);
        constants
    }

    /// The numbers that the kernel of a pass is compiled with.
    #[must_use]
    pub fn pass_constants(&self) -> Constants {
        let mut constants = self.constants(self.threads());
        constants!(
            constants;
            "RANKERS" = self.rankers, "KEYS" = self.keys, "MASK_ROWS" = self.mask_rows, "ROWS_AT_ONCE" = self.rows, "STAGED" = usize::from(self.staged),
            "SORT_SHARED_BYTES" = self.shared_bytes(), "LONG_LINES" = LONG_LINES, "SORT_POLL_NANOSECONDS" = POLL_NANOSECONDS,
        );
        constants
    }
}

/// The bytes of parts of a block of memory, each of which begins at a multiple of 256.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScratchParts([usize; 5]);

impl ScratchParts {
    const ALIGN: usize = 256;

    fn bytes(&self) -> usize {
        self.0.iter().map(|bytes| bytes.next_multiple_of(Self::ALIGN)).sum()
    }

    /// Where the parts are in the block at `address`.
    #[must_use]
    pub fn starts(&self, address: u64) -> [u64; 5] {
        let mut next = address;
        self.0.map(|bytes| {
            let start = next;
            next += bytes.next_multiple_of(Self::ALIGN) as u64;
            start
        })
    }
}

/// How keys are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counting {
    /// Blocks.
    pub blocks: usize,
    /// Keys of each.
    pub part: usize,
    /// Threads of each.
    pub threads: usize,
    /// Shared memory of each.
    pub shared_bytes: usize,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::tuning::TUNING;

    #[test]
    fn every_sort_fits_every_gpu() {
        for row in TUNING {
            for key in [1, 2, 4, 8, 16] {
                for value in [0, 1, 2, 4, 8] {
                    for len in [1, 1 << 12, 1 << 16, 1 << 20, 1 << 28, 1 << 33] {
                        let order = KeyOrder { signed: false, mantissa: 0 };
                        let types = SortTypes { key, order, descending: false, value, indices: false, keys_out: true };
                        let plan = SortPlan::new(len, types, false, row.capability, 100);
                        let (tile, rows) = (plan.tile(), plan.rows);
                        assert!(plan.shared_bytes() <= row.shared_bytes, "{plan:?}");
                        // Ranks and slots have 15 bits; two ranks are in a word.
                        assert!(
                            tile <= 1 << 15 && plan.keys.is_multiple_of(rows) && rows.is_multiple_of(2),
                            "{plan:?}"
                        );
                        assert!(plan.tiles() * tile >= len && u32::try_from(plan.tiles()).is_ok(), "{plan:?}");
                        // Counters, what is beside them, and what the driver takes.
                        assert!(plan.counters + (4 << 10) <= row.shared_bytes, "{plan:?}");
                        assert!(plan.counters >= 4 * DIGITS * key, "{plan:?}");
                        // A status word holds the number of keys beside two bits.
                        assert!((len as u128) < 1 << (8 * plan.status - 2), "{plan:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn parts_of_scratch_are_apart_and_aligned() {
        let parts = ScratchParts([1, 256, 0, 257, 10]);
        assert_eq!(parts.starts(4096), [4096, 4352, 4608, 4608, 5120]);
        assert_eq!(parts.bytes(), 5376 - 4096);
    }
}
