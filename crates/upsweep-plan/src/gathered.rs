//! Plans of reductions of segments by offsets whose map gathers from memory, as sparse products do: one block per tile.
//! See `reduce/gathered.cuh`.

use super::constants::{Constants, constants};
use super::memory::StatusWords;
use super::tile::{GROUP, LARGE, SPREAD, Sizes, TileShape};
use super::tuning::Tuning;
use std::fmt;

/// Number of threads per block.
const THREADS: usize = 256;
/// Largest number of elements that a thread loads at once. Below it, the largest number of bytes of these elements
/// before the map, and after it.
const MOST_ELEMENTS: usize = 16;
const MOST_INPUT: usize = 128;
const MOST_MAPPED: usize = 64;
/// Number of blocks that a multiprocessor should run: with this number, 2^26 random loads are as fast as in a kernel
/// that does nothing else (H200, 2026-11-24: benches/notes/trees-and-graphs.md). Combined values of more than
/// `LARGE_STATE` bytes need more registers, so that fewer blocks run.
const BLOCKS: usize = 5;
const BLOCKS_OF_LARGE: usize = 2;
/// Number of blocks that a multiprocessor should run if segments have fewer than `SHORT` elements on average. A block
/// is then busy with the segments for longer, and loads nothing meanwhile: 496 us instead of 504 for 8 elements per
/// segment, and 196 instead of 175 for 16 whose columns are neighbours (H200, 2026-11-25).
const BLOCKS_OF_SHORT: usize = 6;
const SHORT: usize = 12;
const LARGE_STATE: usize = 16;

/// A planned reduction of segments whose map gathers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GatheredPlan {
    /// Number of elements.
    pub len: usize,
    /// Number of neighbouring elements that a thread loads at once, as a vector.
    pub vector: usize,
    /// Number of vectors that a thread loads at once.
    pub depth: usize,
    /// Number of tiles, one per block.
    pub tiles: usize,
    /// Number of blocks that a multiprocessor should run at once.
    pub blocks: usize,
    /// Bytes of a tile's look-back state: the value that it passes on to later tiles.
    pub state: usize,
    /// Number of groups of tiles whose totals a tile's look-back reads at once.
    pub groups: usize,
    /// Number of status words (memory through which tiles pass on their totals) of the look-back.
    pub words: StatusWords,
}

impl GatheredPlan {
    /// Plans the reduction of `len` elements in `segments` segments. The elements have the sizes `sizes`, and are
    /// combined as values of `acc` bytes.
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

    /// Returns the number of threads per block.
    #[must_use]
    pub fn threads(&self) -> usize {
        THREADS
    }

    /// Returns the number of blocks of the kernel that finds the beginnings of tiles among `segments` segments, with
    /// eight threads per tile, and that stores the results of empty segments, 256 segments at a time, on a device with
    /// `multiprocessors` multiprocessors.
    #[must_use]
    pub fn starting_blocks(&self, segments: usize, multiprocessors: usize) -> usize {
        (8 * (self.tiles + 1)).max(segments / 256).div_ceil(THREADS).min(16 * multiprocessors)
    }

    /// Constants that the kernels are compiled with. They depend on the types, on whether segments are short, and on
    /// the device.
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
