//! Plans of expansions on a CUDA device: see `expand/expand.cuh`.

use super::constants::{Constants, constants};
use super::memory::StatusWords;
use super::tile::{GROUP, LARGE, SPREAD, Sizes, TileShape, TileSize, WARP};
use super::tuning::Tuning;
use upsweep_core::call::expand::Expanded;

/// Number of results of a window, which a block stores at once: each has a mark of 2 bytes in shared memory. Windows of
/// ranks (the numbers of results within their count) are smaller, because shared memory also holds the positions where
/// counts begin.
const MARKS: usize = 8 << 10;
const MARKS_OF_RANKS: usize = 4 << 10;
/// Largest number of results of a tile that its own block stores. If a tile has more, they are cut into stretches of
/// this many, which several blocks store. A stretch takes a block about 10 us at its share of the memory bandwidth.
const LARGE_TILE: usize = 32 << 10;
/// Bytes of shared memory besides the parts that grow with the tile: tickets (by which blocks take tiles), alignment.
const OVERHEAD: usize = 2 << 10;
/// Candidates of tile size and blocks per multiprocessor. The first candidate is taken whose lag (the number of tiles
/// between summing and storing) is long enough for a tile's prefix to arrive.
const CHOICES: [(TileSize, usize); 5] = [(LARGE, 3), (LARGE, 2), (LARGE, 1), (SMALLER, 2), (SMALLER, 1)];
const SMALLER: TileSize = TileSize { threads: 256, thread_bytes: 16 };
const FEWEST_LAG: usize = 2;
/// Bytes of a tile's look-back state, the number of its results.
const STATE: usize = size_of::<u64>();

/// Parameters of a plan besides the number of counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExpandSizes {
    /// Kind of results.
    pub expanded: Expanded,
    /// Bytes of a count: the number of results of an element.
    pub count: usize,
    /// Bytes of a result.
    pub result: usize,
}

/// Plan of an expansion (a count `c` yields `c` results) on a CUDA device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExpandPlan {
    /// Parameters that the plan was made for.
    pub sizes: ExpandSizes,
    /// Shape of the tiles: their threads, and the elements of each thread.
    pub shape: TileShape,
    /// Number of tiles, for the capacity of counts.
    pub tiles: usize,
    /// Number of blocks that a multiprocessor should run at once.
    pub blocks: usize,
    /// Number of tiles that a block holds between summing their counts and storing their results.
    pub lag: usize,
    /// Number of status words (memory through which tiles pass on their totals) of the look-back.
    pub words: StatusWords,
    /// Tuning parameters of the device: see [`Tuning`].
    pub tuning: &'static Tuning,
}

impl ExpandPlan {
    /// Plans an expansion of up to `counts` counts on a device of this compute capability.
    #[must_use]
    pub fn new(counts: usize, sizes: ExpandSizes, capability: (u32, u32)) -> Self {
        let tuning = Tuning::of(capability);
        let plan = |(size, blocks)| Self::within(counts, sizes, size, blocks, tuning);
        let with = |lag: usize| CHOICES.into_iter().map(plan).find(|plan| plan.lag >= lag);
        with(FEWEST_LAG).or_else(|| with(1)).unwrap_or_else(|| plan((SMALLER, 1)))
    }

    /// Returns the plan with tiles of this size and `blocks` blocks per multiprocessor. Its lag, the number of tiles
    /// that a block holds between summing and storing, is the largest for which shared memory has room.
    fn within(counts: usize, sizes: ExpandSizes, size: TileSize, blocks: usize, tuning: &'static Tuning) -> Self {
        let shape = TileShape::new(Sizes::plain(sizes.count, 1, 1), size);
        let tiles = counts.div_ceil(shape.elements()).max(1);
        let words = StatusWords::of(tiles + 2 * SPREAD * (tiles / GROUP + 1), STATE);
        let mut plan = Self { sizes, shape, tiles, blocks, lag: 0, words, tuning };
        let room = tuning.shared_of_block(blocks).saturating_sub(OVERHEAD + plan.beside());
        let stages = room / (shape.bytes() + plan.stage_numbers());
        plan.lag = stages.saturating_sub(tuning.ahead + 1).min(tuning.lag);
        plan
    }

    /// Bytes of shared memory for the sums of a tile's counts: a number per thread, and some numbers per warp.
    fn stage_numbers(&self) -> usize {
        4 * self.shape.threads + (STATE + 4) * self.shape.warps() + 2 * STATE
    }

    fn marks(&self) -> usize {
        if self.sizes.expanded == Expanded::Rank { MARKS_OF_RANKS } else { MARKS }
    }

    /// Bytes of dynamic shared memory besides the tiles: marks of results, and positions where counts begin.
    fn beside(&self) -> usize {
        let starts = if self.sizes.expanded == Expanded::Rank { self.shape.elements() * self.sizes.result } else { 0 };
        2 * self.marks() + starts
    }

    fn stages(&self) -> usize {
        self.tuning.ahead + self.lag + 1
    }

    /// Number of threads per block, with the helper warps of the look-back.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.shape.threads + self.tuning.look_back_warps * WARP
    }

    /// Bytes of dynamic shared memory per block.
    #[must_use]
    pub fn shared_bytes(&self) -> usize {
        self.stages() * self.shape.bytes() + self.beside()
    }

    /// Largest number of stretches (the results that one block stores) into which the results of large tiles are cut,
    /// if the output has room for `room` results. Every stretch is full, except for the first and the last of its tile.
    /// All large tiles but one are stored whole.
    #[must_use]
    pub fn most_stretches(&self, room: usize) -> usize {
        let stretches = room / LARGE_TILE;
        stretches + 2 * self.tiles.min(stretches + 1)
    }

    /// Constants that the kernel is compiled with.
    #[must_use]
    pub fn constants(&self) -> Constants {
        let Tuning { ahead, look_back_warps, groups, .. } = *self.tuning;
        let ring = (self.lag + 1).next_multiple_of(look_back_warps);
        let index = if self.sizes.expanded == Expanded::Value { 0 } else { self.sizes.result };
        let mut constants = self.shape.constants(Sizes::plain(self.sizes.count, STATE, self.sizes.count));
        constants!(constants; "BLOCKS" = self.blocks, "AHEAD" = ahead, "LAG" = self.lag, "STAGES" = self.stages(), "RING" = ring, "LOOK_BACK_WARPS" = look_back_warps, "GROUPS" = groups, "INDEX_BYTES" = index, "COUNT_BYTES" = self.sizes.count, "EXPAND" = self.sizes.expanded as usize, "MARKS" = self.marks(), "LARGE_TILE" = LARGE_TILE);
        constants
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_block_holds_fits_its_share_of_shared_memory() {
        for capability in [(7, 5), (8, 0), (8, 6), (9, 0), (12, 0)] {
            for (expanded, result) in
                [(Expanded::Owner, 4), (Expanded::Rank, 4), (Expanded::Rank, 8), (Expanded::Value, 64)]
            {
                for count in [4, 8] {
                    let plan = ExpandPlan::new(1 << 30, ExpandSizes { expanded, count, result }, capability);
                    let fixed = plan.stages() * plan.stage_numbers() + OVERHEAD;
                    let most = plan.tuning.shared_of_block(plan.blocks);
                    assert!(plan.lag > 0 && plan.shared_bytes() + fixed <= most, "{capability:?}: {plan:?}");
                    // The kernel for large tiles holds one tile at a time, in static shared memory.
                    assert!(plan.shape.bytes() + plan.beside() + (1 << 10) <= 48 << 10, "{capability:?}: {plan:?}");
                }
            }
        }
    }
}
