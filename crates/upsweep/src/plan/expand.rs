//! Expand on a CUDA device: see `kernels/device/expand.cuh`.

use super::constants::{Constants, constants};

/// Threads a block, and the counts and results that each has of a tile: an odd number, so that the threads' 16-bit marks lie in
/// different banks of shared memory.
const THREADS: usize = 256;
const ITEMS: usize = 31;
/// Blocks a multiprocessor.
const BLOCKS: usize = 6;

/// What a result is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expanded {
    /// The index of its count.
    Owner,
    /// Its place among the results of its count.
    Rank,
    /// The value beside its count.
    Value,
}

/// A planned expansion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExpandPlan {
    /// Blocks, of as many counts and results as there is room for.
    pub tiles: usize,
    expanded: Expanded,
    /// The bytes of an owner or a rank.
    index: usize,
}

impl ExpandPlan {
    /// The plan for `counts` of up to `room` results.
    #[must_use]
    pub fn new(counts: usize, room: usize, expanded: Expanded, index: usize) -> Self {
        Self { tiles: counts.saturating_add(room).div_ceil(THREADS * ITEMS).max(1), expanded, index }
    }

    /// Threads a block.
    #[must_use]
    pub fn threads(&self) -> usize {
        THREADS
    }

    /// The numbers that the kernel is compiled with.
    #[must_use]
    pub fn constants(&self) -> Constants {
        let mut constants = Constants::default();
        constants!(constants; "THREADS" = THREADS, "EXPAND_ITEMS" = ITEMS, "BLOCKS" = BLOCKS, "EXPAND" = self.expanded as usize, "INDEX_BYTES" = self.index);
        constants
    }
}
