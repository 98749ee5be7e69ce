//! Plans of counting sorts, and of kernels that only move elements.

use super::{COUNT_THREADS, Counting, SortPlan};
use crate::constants::{Constants, constants};

/// Number of threads of a block that fills in the results of a counting sort, or moves values to their positions.
const FILL_THREADS: usize = 256;
/// Bytes of results that a warp fills in at a time if results are few; total bytes of results from which they are many;
/// and bytes at a time if they are many. Where a multiprocessor's warps each fill in a single piece, the reads at its
/// beginning are cheap.
const FILL_BYTES: (usize, usize, usize) = (512, 32 << 20, 8 << 10);

impl SortPlan {
    /// Returns the launch of the kernel that counts each value of keys of two bytes, with two counters per word.
    #[must_use]
    pub fn tallying(&self, multiprocessors: usize) -> Counting {
        let part = self.len.div_ceil(multiprocessors).next_multiple_of(16);
        let shared_bytes = 2 << (8 * self.types.key);
        Counting { blocks: self.len.div_ceil(part), part, threads: COUNT_THREADS, shared_bytes }
    }

    /// Returns the number of words that hold one bit for each of `keys` keys: the signs of the zeros among them.
    #[must_use]
    pub fn sign_words(keys: usize) -> usize {
        keys / 32 + 1
    }

    /// Returns the number of blocks that fill in the results of a counting sort, if each warp fills in one piece.
    #[must_use]
    pub fn fill_blocks(&self) -> usize {
        (self.len * self.types.key).div_ceil(self.fill_bytes() * FILL_THREADS / 32) + 1
    }

    fn fill_bytes(&self) -> usize {
        let (few, from, many) = FILL_BYTES;
        if self.len * self.types.key < from { few } else { many }
    }

    /// Returns the number of threads of a block that fills in the results.
    #[must_use]
    pub fn fill_threads() -> usize {
        FILL_THREADS
    }

    /// Returns the constants of the kernel that counts the values of keys.
    #[must_use]
    pub fn tally_constants(&self) -> Constants {
        self.by_counting_constants(COUNT_THREADS)
    }

    /// Returns the constants of the kernel that fills in the results.
    #[must_use]
    pub fn fill_constants(&self) -> Constants {
        self.by_counting_constants(FILL_THREADS)
    }

    fn by_counting_constants(&self, threads: usize) -> Constants {
        let mut constants = self.plain_constants(threads);
        constants!(constants; "FILL_BYTES" = self.fill_bytes());
        constants
    }

    /// Returns the number of threads of a block that moves values to their positions.
    #[must_use]
    pub fn moving_threads() -> usize {
        FILL_THREADS
    }

    /// Returns the constants of the kernel that moves values to their positions. A value is `units` units of `unit`
    /// bytes.
    #[must_use]
    pub fn moving_constants(&self, unit: usize, units: usize) -> Constants {
        let mut constants = self.plain_constants(FILL_THREADS);
        constants!(constants; "UNIT_BYTES" = unit, "UNITS" = units);
        constants
    }
}

/// Returns, for the kernel that copies interleaved lines to rows, with elements of `units` units of `unit` bytes: its
/// constants, the side of the squares that a block moves, and its threads per block.
#[must_use]
pub fn lines_constants(unit: usize, units: usize) -> (Constants, usize, usize) {
    let side = if unit * units <= 16 { 32 } else { 8 };
    let mut constants = Constants::default();
    constants!(constants; "UNIT_BYTES" = unit, "UNITS" = units, "SIDE" = side, "THREADS" = FILL_THREADS);
    (constants, side, FILL_THREADS)
}
