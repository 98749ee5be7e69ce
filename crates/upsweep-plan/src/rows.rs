//! Plans of reductions of many rows that are not short: one warp per row. See `reduce/rows.cuh`.

use super::constants::{Constants, constants};
use super::reduce::loads;
use super::tile::WARP;
use std::fmt;
use upsweep_core::inputs::Streams;

/// Threads per block.
const THREADS: usize = 256;
/// Smallest row in bytes, and the smallest where order matters: lanes combine their values once for two steps of 2 KiB.
/// H200, 2026-11-24, share of a copy's bandwidth, first of the pipeline, then of this plan (benches/notes/segments.md,
/// "Rows on the GPU"): sums of f32 of 256 bytes 0.95 and 0.40, of 512 0.96 and 0.76, of 1,024 0.96 and 1.03; an
/// operator on 8 bytes whose order matters of 1,024 0.83 and 0.74, of 4,096 0.87 and 1.04.
const LEAST_ROW: usize = 1 << 10;
const LEAST_ROW_IN_ORDER: usize = 4 << 10;
/// Smallest number of rows, each reduced by a warp: as many keep an H200 busy. In the measurement of [`LEAST_ROW`],
/// 1,024 rows of 1 MiB reach 0.95 (pipeline) and 0.81 (this plan) of a copy's bandwidth, 4,096 rows of 256 KiB 0.95 and
/// 0.98.
const FEWEST_ROWS: usize = 1 << 12;
/// Number of blocks that a multiprocessor should run: as many as give it all its threads if a lane keeps few values;
/// else as many as registers allow. H200, 2026-11-24, log-sum-exp of rows of 1,024 f32, us: 366 with 3, 328 with 4, 293
/// with 5, 314 with 6.
const BLOCKS: usize = 8;
const BLOCKS_IN_ORDER: usize = 5;
const BLOCKS_OF_LARGE: usize = 4;
const BLOCKS_OF_LARGER: usize = 2;

/// A planned reduction of rows, each by a warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowsPlan {
    /// Number of rows.
    pub rows: usize,
    /// Number of elements of a row.
    pub len: usize,
    /// Number of neighbouring elements that a thread loads at once, as a vector.
    pub vector: usize,
    /// Number of vectors that a thread loads at once.
    pub depth: usize,
    /// Threads per block.
    pub threads: usize,
    /// Number of blocks that a multiprocessor should run at once.
    pub blocks: usize,
}

impl RowsPlan {
    /// Plans the reduction of `rows` rows of `len` elements, which are combined as values of `state` bytes. An element
    /// has `input` bytes, in one buffer or in several `streams`. `commutes`: the operator does. `None` if another
    /// kernel is faster. The plan depends on lengths and types alone.
    #[must_use]
    pub fn new(
        (rows, len): (usize, usize),
        (input, streams): (usize, Option<Streams>),
        state: usize,
        commutes: bool,
    ) -> Option<Self> {
        let (vector, depth) = loads(input, streams);
        let bytes = len.saturating_mul(input);
        let whole = len.is_multiple_of(vector) && (vector * input).is_multiple_of(16);
        let least = if commutes { LEAST_ROW } else { LEAST_ROW_IN_ORDER };
        let blocks = match state {
            0..=8 if commutes => BLOCKS,
            0..=8 => BLOCKS_IN_ORDER,
            9..=16 => BLOCKS_OF_LARGE,
            _ => BLOCKS_OF_LARGER,
        };
        let pays = whole && bytes >= least && rows >= FEWEST_ROWS;
        pays.then_some(Self { rows, len, vector, depth, threads: THREADS, blocks })
    }

    /// Returns the number of blocks to launch: a warp for each row.
    #[must_use]
    pub fn grid(&self) -> usize {
        self.rows.div_ceil(self.threads / WARP)
    }

    /// Constants that the kernel is compiled with.
    #[must_use]
    pub fn constants(&self) -> Constants {
        let mut constants = Constants::default();
        constants!(constants; "THREADS" = self.threads, "VECTOR" = self.vector, "DEPTH" = self.depth, "ROWS_BLOCKS" = self.blocks);
        constants
    }
}

impl fmt::Display for RowsPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rows, len, vector, depth, threads, blocks } = self;
        writeln!(f, "reduction of rows, one kernel")?;
        writeln!(
            f,
            "  rows          {rows} of {len} elements, each a warp's: {depth} loads of {vector} elements at once"
        )?;
        write!(f, "  block         {threads} threads; {blocks} blocks a multiprocessor")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_whole_vectors() {
        for input in 1..=64 {
            for len in [1, 255, 1024, 4095, 4096, 5000, 1 << 16] {
                for commutes in [false, true] {
                    let Some(plan) = RowsPlan::new((5000, len), (input, None), 8, commutes) else { continue };
                    assert!(
                        len % plan.vector == 0 && plan.vector * input % 16 == 0 && len * input >= LEAST_ROW,
                        "{plan:?}"
                    );
                    assert!(plan.grid() * plan.threads / WARP >= 5000, "{plan:?}");
                }
            }
        }
        let plan = |rows, len, commutes| RowsPlan::new((rows, len), (4, None), 4, commutes);
        assert!(plan(1 << 12, 1 << 8, true).is_some() && plan(1 << 12, 1 << 8, false).is_none());
        assert!(plan(1 << 12, 1 << 10, false).is_some() && plan(1 << 11, 1 << 10, false).is_none());
        assert!(plan(1 << 12, 1023, true).is_none());
    }
}
