//! Plans of float sums and products of rows on a CUDA device: each row has the tree of a whole array
//! ([`lanes`](upsweep_core::lanes)). See `reduce/row_totals.cuh`.

use super::constants::{Constants, constants};
use super::tile::WARP;
use std::fmt;
use upsweep_core::lanes::ROWS;

/// Threads per block.
const THREADS: usize = 256;
/// Number of blocks that a multiprocessor should run: their registers hold the loads of [`BYTES`].
const BLOCKS: usize = 4;
/// Largest number of bytes of a chunk that a thread loads at once, and the number of loads from short rows.
const BYTES: usize = 128;
const LOADS: usize = 8;
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
    /// Number of threads of a row, and number of lanes of each.
    team: usize,
    each: usize,
    /// Number of rows of lanes of a chunk that a thread loads at once.
    deep: usize,
    /// Number of rows that a team reduces at once, if a row is one chunk.
    at_once: usize,
    /// Number of elements of a part of a row, a power of two of chunks, which one warp reduces.
    pub part: usize,
    /// Number of parts of a row. If there are several, a second kernel joins their totals.
    pub parts: usize,
}

impl RowTotalsPlan {
    /// Plans the totals of `rows` rows of `len` elements, at least one, whose tree has `lanes` lanes. An element, or what
    /// is combined if that is larger, has `size` bytes.
    #[must_use]
    pub fn new((rows, len): (usize, usize), lanes: usize, size: usize) -> Self {
        let chunk = ROWS * lanes;
        let used = lanes.min(len.checked_next_power_of_two().unwrap_or(lanes));
        let (team, each) = if used <= WARP { (used, 1) } else { (WARP, used / WARP) };
        let fitting = (BYTES / (each * size)).max(1);
        let deep = 1 << len.div_ceil(lanes).next_power_of_two().min(ROWS).min(fitting).ilog2();
        let at_once = if len <= deep * lanes { (LOADS.min(fitting * each) / (each * deep)).max(1) } else { 1 };
        let chunks = len.div_ceil(chunk);
        let most = (WARPS / rows.max(1)).max(1);
        let part = chunk * chunks.div_ceil(most).next_power_of_two();
        Self { rows, len, lanes, team, each, deep, at_once, part, parts: len.div_ceil(part) }
    }

    /// Returns the number of blocks of the kernel that reduces elements.
    #[must_use]
    pub fn grid(&self) -> usize {
        let warps =
            if self.is_short() { self.rows.div_ceil(WARP / self.team * self.at_once) } else { self.rows * self.parts };
        warps.div_ceil(THREADS / WARP)
    }

    /// Returns the number of blocks of the kernel that joins the totals of parts: a warp has a row.
    #[must_use]
    pub fn joining_grid(&self) -> usize {
        self.rows.div_ceil(THREADS / WARP)
    }

    /// Returns the number of threads of a block of both kernels.
    #[must_use]
    pub fn threads(&self) -> usize {
        THREADS
    }

    /// Returns whether a row is one chunk.
    fn is_short(&self) -> bool {
        self.len <= ROWS * self.lanes
    }

    /// Constants that the kernels are compiled with.
    #[must_use]
    pub fn constants(&self) -> Constants {
        let Self { lanes, team, each, deep, at_once, .. } = *self;
        let mut constants = Constants::default();
        constants!(constants; "THREADS" = THREADS, "VECTOR" = 1, "DEPTH" = 1, "ROW_LANES" = lanes, "ROW_TEAM" = team, "ROW_EACH" = each, "ROW_DEEP" = deep, "ROWS_AT_ONCE" = at_once, "ROW_SHORT" = usize::from(self.is_short()), "ROWS_BLOCKS" = BLOCKS);
        constants
    }
}

impl fmt::Display for RowTotalsPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rows, len, lanes, team, at_once, part, parts, .. } = self;
        writeln!(f, "sums or products of rows, {}", if *parts > 1 { "two kernels" } else { "one kernel" })?;
        writeln!(f, "  rows          {rows} of {len} elements, each a tree of {lanes} lanes")?;
        if self.is_short() {
            writeln!(f, "  warp          {} rows of {team} threads at once", WARP / team * at_once)?;
        } else {
            writeln!(f, "  warp          a part of {part} elements; {parts} parts a row")?;
        }
        write!(f, "  block         {THREADS} threads; {BLOCKS} blocks a multiprocessor")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use upsweep_core::lanes::lanes;

    #[test]
    fn every_element_has_a_thread() {
        for size in [2, 4, 8, 16, 24, 64] {
            let lanes = lanes(size, size.max(4));
            for len in [1, 2, 3, 5, 31, 32, 33, 63, 64, 65, 100, 127, 128, 129, 255, 1023, 1024, 1025, 1 << 20, 1 << 33]
            {
                for rows in [2, 3, 100, 4095, 5000, 1 << 20] {
                    let plan = RowTotalsPlan::new((rows, len), lanes, size.max(4));
                    let RowTotalsPlan { team, each, deep, at_once, part, parts, .. } = plan;
                    assert!(team * each >= len.min(lanes) && team * each <= lanes && team <= WARP, "{plan:?}");
                    assert!(each == 1 || team == WARP, "{plan:?}");
                    assert!(ROWS.is_multiple_of(deep) && (at_once == 1 || len <= deep * lanes), "{plan:?}");
                    assert!((part / (ROWS * lanes)).is_power_of_two() && part.is_multiple_of(ROWS * lanes), "{plan:?}");
                    assert!(part * (parts - 1) < len && len <= part * parts, "{plan:?}");
                    assert!(parts == 1 || rows * parts <= WARPS, "{plan:?}");
                    assert_eq!(plan.is_short(), parts == 1 && len <= ROWS * lanes, "{plan:?}");
                }
            }
        }
    }
}
