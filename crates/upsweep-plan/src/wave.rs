//! Plans of short scans: arrays that one wave of blocks holds in shared memory at once. See `scan/wave.cuh`.

use super::constants::{Constants, constants};
use super::memory::StatusWords;
use super::tile::{LARGE, SMALL, Sizes, TileShape};
use super::tuning::Tuning;

/// Largest number of blocks of a wave (the blocks that run at once and hold a short array): an H200 runs 396 at once
/// (132 multiprocessors, three blocks each).
pub(super) const MOST_PARTS: usize = 384;
/// Largest number of tiles of a block, if its part of a multiprocessor's shared memory has room for them. It is bounded
/// because the number of groups of copies to wait for must be known when the kernel is compiled.
pub(super) const MOST_TILES: usize = 5;
/// Largest number of small tiles of an array that a single block scans: faster than a look-back between blocks (H200,
/// 2026-11-22: 2 tiles 0.4 us faster, 4 tiles 1 us slower; benches/notes/scan.md, "One block alone").
const MOST_TILES_OF_ONE_BLOCK: usize = 2;
/// Bytes of shared memory of a block besides its tiles: an upper bound for all kernels.
pub(super) const SHARED_RESERVED: usize = 14 << 10;

/// Plan of a short scan by one wave: blocks that run at once and together hold the whole array in shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wave {
    /// Shape of the tiles: their threads, and the elements of each thread.
    pub shape: TileShape,
    /// Number of tiles into which the input is cut.
    pub tiles: usize,
    /// Number of neighbouring tiles that each block scans; the last block may have fewer.
    pub part: usize,
    /// Number of blocks that a multiprocessor should run at once.
    pub blocks: usize,
    /// Number of status words of the look-back: the words in device memory through which blocks pass on their totals.
    pub words: StatusWords,
}

impl Wave {
    /// Returns the largest number of tiles of a block: at most one for each warp but one, as one warp finds the segment
    /// offsets of a tile and the others check them.
    fn most_tiles(shape: TileShape) -> usize {
        MOST_TILES.min(shape.warps() - 1)
    }

    /// Bytes of shared memory of a block besides its tiles. It is more than [`SHARED_RESERVED`] if threads keep more
    /// than 4 bytes of each tile.
    pub(super) fn reserved(sizes: Sizes, shape: TileShape) -> usize {
        // Blocks of the tree of float scans read the totals of all tiles before theirs, and keep them.
        let totals = if shape.tree { MOST_PARTS * Self::most_tiles(shape) * 34 / 32 * sizes.state } else { 0 };
        SHARED_RESERVED + totals + sizes.kept.saturating_sub(4) * shape.threads * Self::most_tiles(shape)
    }

    /// Plans the wave for `len` elements; `None` if no wave holds them in blocks of at most `longest` tiles.
    pub(super) fn new(len: usize, sizes: Sizes, tuning: &Tuning, longest: usize) -> Option<Self> {
        let blocks = tuning.blocks_for(sizes.state);
        let (small, large) = (TileShape::new(sizes, SMALL), TileShape::new(sizes, LARGE));
        let fit = |blocks: usize, shape: TileShape| {
            (tuning.shared_bytes / blocks).saturating_sub(Self::reserved(sizes, shape)) / shape.bytes()
        };
        let wave = |shape: TileShape, of_one_block: usize, most: usize| {
            let tiles = len.div_ceil(shape.elements()).max(1);
            let (part, most) =
                if tiles <= of_one_block { (tiles, of_one_block) } else { (tiles.div_ceil(MOST_PARTS), most) };
            let words = StatusWords::of(if shape.tree { tiles } else { tiles.div_ceil(part) }, sizes.state);
            (part <= most.min(longest)).then_some(Self { shape, tiles, part, blocks, words })
        };
        wave(small, fit(1, small).min(MOST_TILES_OF_ONE_BLOCK), fit(1, small).min(1))
            .or_else(|| wave(large, 0, fit(blocks, large).clamp(1, Self::most_tiles(large))))
    }

    /// Returns the number of blocks to launch.
    #[must_use]
    pub fn grid(&self) -> usize {
        self.tiles.div_ceil(self.part)
    }

    /// Returns the bytes of dynamic shared memory per block: its tiles.
    #[must_use]
    pub fn shared_bytes(&self) -> usize {
        self.part * self.shape.bytes()
    }

    /// Constants that the kernel is compiled with. They depend on the types and the device alone.
    #[must_use]
    pub fn constants(&self, sizes: Sizes) -> Constants {
        let mut constants = self.shape.constants(sizes);
        constants!(constants; "BLOCKS" = self.blocks, "MOST_PARTS" = MOST_PARTS, "MOST_TILES" = Self::most_tiles(self.shape));
        constants
    }
}
