//! Reductions of segments by offsets whose map reads memory apart from the streams, as sparse products do: a block for each tile. See
//! `reduce/gathered.cuh`.

use super::constants::{Constants, constants};
use super::memory::StatusWords;
use super::tile::{GROUP, LARGE, SPREAD, Sizes, TileShape};
use super::tuning::Tuning;
use std::fmt;

/// Threads a block.
const THREADS: usize = 256;
/// The most elements that a thread loads at once, and the most bytes of them before and after the map.
const MOST_ELEMENTS: usize = 16;
const MOST_INPUT: usize = 128;
const MOST_MAPPED: usize = 64;
/// Blocks that a multiprocessor should run: as many as make 2^26 loads from anywhere as fast as a kernel that does nothing else (H200,
/// 2026-11-24: benches/notes/trees-and-graphs.md). Of large states, so few that registers hold them.
const BLOCKS: usize = 5;
const BLOCKS_OF_LARGE: usize = 2;
/// The same where segments are shorter than so many elements in the mean. Then a block is busy with them for longer, and loads nothing: 496 us
/// instead of 504 for 8 elements a segment, and 196 instead of 175 for 16 whose columns are neighbours (H200, 2026-11-25).
const BLOCKS_OF_SHORT: usize = 6;
const SHORT: usize = 12;
const LARGE_STATE: usize = 16;

/// A planned reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GatheredPlan {
    /// Elements.
    pub len: usize,
    /// Neighbouring elements that a thread loads at once.
    pub vector: usize,
    /// Vectors that a thread loads at once.
    pub depth: usize,
    /// Tiles, each a block's.
    pub tiles: usize,
    /// Blocks that a multiprocessor should run.
    pub blocks: usize,
    /// Bytes of what one tile tells another.
    pub state: usize,
    /// Groups of tiles that a tile looks back over.
    pub groups: usize,
    /// Through which the blocks look back.
    pub words: StatusWords,
}

impl GatheredPlan {
    /// The reduction of `len` elements in so many segments, which are combined as values of `acc` bytes.
    #[must_use]
    pub fn new(len: usize, segments: usize, sizes: Sizes, acc: usize, capability: (u32, u32)) -> Self {
        let vector = TileShape::new(sizes, LARGE).vector;
        let depth = [MOST_ELEMENTS, MOST_INPUT / sizes.input.max(1), MOST_MAPPED / acc.max(1)]
            .map(|elements| elements / vector)
            .into_iter()
            .fold(usize::MAX, usize::min)
            .max(1);
        let tiles = len.div_ceil(THREADS * depth * vector).max(1);
        Self {
            len,
            vector,
            depth,
            tiles,
            blocks: if acc > LARGE_STATE {
                BLOCKS_OF_LARGE
            } else if len / SHORT < segments {
                BLOCKS_OF_SHORT
            } else {
                BLOCKS
            },
            state: sizes.state,
            groups: Tuning::of(capability).groups,
            words: StatusWords::of(tiles + 2 * SPREAD * (tiles / GROUP + 1), sizes.state),
        }
    }

    /// Threads a block.
    #[must_use]
    pub fn threads(&self) -> usize {
        THREADS
    }

    /// Blocks that find where tiles begin in so many segments, eight threads a tile, and see to shares of 256 empty ones, on a device of so
    /// many multiprocessors.
    #[must_use]
    pub fn starting_blocks(&self, segments: usize, multiprocessors: usize) -> usize {
        (8 * (self.tiles + 1)).max(segments / 256).div_ceil(THREADS).min(16 * multiprocessors)
    }

    /// The numbers that the kernels are compiled with. They depend on the types, on whether segments are short, and on the device.
    #[must_use]
    pub fn constants(&self) -> Constants {
        let mut constants = StatusWords::constants(self.state);
        constants!(constants; "THREADS" = THREADS, "VECTOR" = self.vector, "DEPTH" = self.depth, "APART_BLOCKS" = self.blocks, "GROUP" = GROUP, "SPREAD" = SPREAD, "GROUPS" = self.groups);
        constants
    }
}

impl fmt::Display for GatheredPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { len, vector, depth, tiles, blocks, groups, .. } = self;
        writeln!(f, "reduction by offsets, two kernels")?;
        writeln!(f, "  elements      {len}")?;
        writeln!(
            f,
            "  tiles         {tiles}, each a block's: {THREADS} threads x {depth} x {vector}; {blocks} blocks a multiprocessor"
        )?;
        write!(f, "  look-back     {groups} groups of {GROUP} tiles; {} bytes of status words", self.words.bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_fit_in_shared_memory() {
        for input in 1..=64 {
            for acc in [1, 2, 3, 4, 8, 12, 16, 24, 40, 64] {
                let plan = GatheredPlan::new(1 << 33, 1 << 29, Sizes::plain(input, acc + 8, acc), acc, (9, 0));
                let tile = THREADS * plan.vector * plan.depth;
                assert!(tile * acc * 33 / 32 + 2048 <= 48 << 10, "{plan:?}");
                assert!(tile * plan.tiles >= 1 << 33 && i32::try_from(plan.tiles).is_ok(), "{plan:?}");
            }
        }
    }
}
