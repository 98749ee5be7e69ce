//! Plans of float sums and products of rows on a CUDA device: each row has the tree of a whole array
//! ([`lanes`](upsweep_core::lanes)). See `reduce/row_totals.cuh` and `reduce/short_rows.cuh`.

use super::constants::{Constants, constants};
use super::reduce::loads;
use super::tile::WARP;
use std::fmt;
use upsweep_core::inputs::Streams;
use upsweep_core::lanes::ROWS;

/// Threads per block, and threads of a block of short rows, which has as many rows in shared memory.
const THREADS: usize = 256;
const SHORT_THREADS: usize = 128;
/// Number of blocks that a multiprocessor should run: their registers hold the loads of [`BYTES`].
const BLOCKS: usize = 4;
/// Largest number of bytes of a chunk that a thread loads at once, and the largest number of vectors of short rows.
const BYTES: usize = 128;
const MOST_VECTORS: usize = 8;
/// Number of warps up to which rows are cut into parts, a warp each. 4,096 warps have some 16 MB of loads under way.
const WARPS: usize = 1 << 12;

/// A planned float sum or product of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowTotalsPlan {
    /// Number of rows.
    pub rows: usize,
    /// Number of elements of a row.
    pub len: usize,
    /// Number of lanes of the tree.
    lanes: usize,
    /// Bytes of what is combined.
    acc: usize,
    /// Number of neighbouring elements that a thread of short rows loads at once, as a vector, and number of such vectors.
    vector: usize,
    vectors: usize,
    /// Number of rows of lanes of a chunk that a thread loads at once.
    deep: usize,
    /// Number of elements of a part of a row, a power of two of chunks, which one warp reduces.
    pub part: usize,
    /// Number of parts of a row. If there are several, a second kernel joins their totals.
    pub parts: usize,
}

impl RowTotalsPlan {
    /// Plans the totals of `rows` rows of `len` elements, at least one, whose tree has `lanes` lanes. An element has `input`
    /// bytes, in one buffer or in several `streams`; what is combined has `acc` bytes.
    #[must_use]
    pub fn new(
        (rows, len): (usize, usize),
        lanes: usize,
        (input, streams): (usize, Option<Streams>),
        acc: usize,
    ) -> Self {
        let chunk = ROWS * lanes;
        let (vector, _) = loads(input, streams);
        let vectors = 1 << len.div_ceil(vector).clamp(1, MOST_VECTORS).ilog2();
        let fitting = (BYTES / (lanes / WARP * input.max(acc))).max(1);
        let deep = 1 << len.div_ceil(lanes).next_power_of_two().min(ROWS).min(fitting).ilog2();
        let chunks = len.div_ceil(chunk);
        let most = (WARPS / rows.max(1)).max(1);
        let part = chunk * chunks.div_ceil(most).next_power_of_two();
        Self { rows, len, lanes, acc, vector, vectors, deep, part, parts: len.div_ceil(part) }
    }

    /// Returns whether rows have no more elements than lanes: then a thread folds a row in shared memory.
    #[must_use]
    pub fn is_short(&self) -> bool {
        self.len <= self.lanes
    }

    /// Returns the number of blocks of the kernel that reduces elements.
    #[must_use]
    pub fn grid(&self) -> usize {
        if self.is_short() {
            self.rows.div_ceil(SHORT_THREADS)
        } else {
            (self.rows * self.parts).div_ceil(THREADS / WARP)
        }
    }

    /// Returns the number of blocks of the kernel that joins the totals of parts: a warp has a row.
    #[must_use]
    pub fn joining_grid(&self) -> usize {
        self.rows.div_ceil(THREADS / WARP)
    }

    /// Returns the number of threads of a block.
    #[must_use]
    pub fn threads(&self) -> usize {
        if self.is_short() { SHORT_THREADS } else { THREADS }
    }

    /// Returns the bytes of dynamic shared memory of a block: short rows lie at an odd distance.
    #[must_use]
    pub fn shared_bytes(&self) -> usize {
        if self.is_short() { SHORT_THREADS * (self.len | 1) * self.acc } else { 0 }
    }

    /// Constants that the kernels are compiled with.
    #[must_use]
    pub fn constants(&self) -> Constants {
        let Self { len, lanes, vector, vectors, deep, .. } = *self;
        let mut constants = Constants::default();
        if self.is_short() {
            constants!(constants; "THREADS" = SHORT_THREADS, "VECTOR" = vector, "DEPTH" = vectors, "ROW_USED" = len.next_power_of_two());
        } else {
            constants!(constants; "THREADS" = THREADS, "VECTOR" = 1, "DEPTH" = 1, "ROW_LANES" = lanes, "ROW_DEEP" = deep, "ROWS_BLOCKS" = BLOCKS);
        }
        constants
    }
}

impl fmt::Display for RowTotalsPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rows, len, lanes, part, parts, .. } = self;
        writeln!(f, "sums or products of rows, {}", if *parts > 1 { "two kernels" } else { "one kernel" })?;
        writeln!(f, "  rows          {rows} of {len} elements, each a tree of {lanes} lanes")?;
        if self.is_short() {
            writeln!(f, "  thread        a row, in {} bytes of shared memory of the block", self.shared_bytes())?;
        } else {
            writeln!(f, "  warp          a part of {part} elements; {parts} parts a row")?;
        }
        write!(f, "  block         {} threads", self.threads())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use upsweep_core::lanes::lanes;

    #[test]
    fn parts_are_subtrees_and_short_rows_fit() {
        for size in [2, 4, 8, 16, 24, 64] {
            let acc = size.clamp(4, 8);
            let lanes = lanes(size, acc);
            for len in [1, 2, 3, 5, 31, 32, 33, 63, 64, 65, 100, 127, 128, 129, 255, 1023, 1024, 1025, 1 << 20, 1 << 33]
            {
                for rows in [2, 3, 100, 4095, 5000, 1 << 20] {
                    let plan = RowTotalsPlan::new((rows, len), lanes, (size, None), acc);
                    let RowTotalsPlan { deep, part, parts, .. } = plan;
                    assert!(ROWS.is_multiple_of(deep) && plan.shared_bytes() <= 68 << 10, "{plan:?}");
                    assert!((part / (ROWS * lanes)).is_power_of_two() && part.is_multiple_of(ROWS * lanes), "{plan:?}");
                    assert!(part * (parts - 1) < len && len <= part * parts, "{plan:?}");
                    assert!(parts == 1 || rows * parts <= WARPS, "{plan:?}");
                }
            }
        }
    }
}
