//! Plans of long scans and of segmented reductions: persistent blocks take tiles by ticket and overlap the stages of
//! several tiles. See `tile/pipeline.cuh`.

use super::constants::{Constants, constants};
use super::memory::StatusWords;
use super::tile::{
    GROUP, LARGE, MARK_SLOTS, Marks, OFFSETS_A_WARP, SEGMENTS, SHORT_SLOT, SPREAD, Sizes, TileShape, WARP,
};
use super::tuning::Tuning;

/// Bytes of shared memory of a block besides what it has for each tile: tickets (by which blocks take tiles),
/// alignment.
const OVERHEAD: usize = 512;
/// Number of warps of a block that find segment offsets, in a scan and in a reduction. If segments are short, a
/// reduction waits for these warps; a scan has more work of its own (H200, 2026-11-22: benches/notes/segments.md).
const OFFSETS_WARPS_OF_SCAN: usize = 2;
const OFFSETS_WARPS_OF_REDUCTION: usize = 3;
/// Largest lag (number of tiles that a block holds between reducing and finishing them) for several inputs. H200,
/// 2026-11-23, a recurrence of two arrays of f32, share of a copy's bandwidth: 0.94 (four tiles: 0.86).
const LAG_OF_SEVERAL: usize = 3;
/// Largest lag (see [`LAG_OF_SEVERAL`]) if a thread loads one element of each input at a time. H200, 2026-11-24, sums
/// of two integers of 2^30 bits: 120 us (three tiles: 129, four: 129).
const LAG_OF_SHORT: usize = 2;
/// Limits of a segmented reduction: the largest number of tiles that a block copies ahead. Below it, the number of
/// tiles that may wait for the total of the tiles before them.
const MOST_AHEAD: usize = 3;
const INCOMPLETE: usize = 4;

/// A planned pipeline. The number of tiles in flight, which changes nothing in the result, is chosen by the [tuning
/// rows](super::tuning).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pipeline {
    /// Shape of the tiles: their threads, and the elements of each thread.
    pub shape: TileShape,
    /// Number of tiles into which the input is cut.
    pub tiles: usize,
    /// Number of blocks that a multiprocessor should run at once.
    pub blocks: usize,
    /// Number of tiles that a block copies to shared memory ahead of the tile that it reduces.
    pub ahead: usize,
    /// Number of tiles that a block holds between reducing and finishing them: 0 in a reduction by segment.
    pub lag: usize,
    /// Number of tiles that a block has in shared memory.
    pub stages: usize,
    /// Number of tiles whose look-back may be in flight, a multiple of the look-back warps.
    pub ring: usize,
    /// Number of warps of a block that look back: that find the prefix of a tile from the totals of the tiles before
    /// it.
    pub look_back_warps: usize,
    /// Number of warps of a block that find segment offsets.
    pub offsets_warps: usize,
    /// Number of groups of tiles whose totals a tile's look-back reads at once.
    pub groups: usize,
    /// Number of status words (memory through which tiles pass on their totals and prefixes) of the look-back.
    pub words: StatusWords,
    /// Tuning parameters of the device: see [`Tuning`].
    pub tuning: &'static Tuning,
}

impl Pipeline {
    /// Plans the scan of `len` elements.
    pub(super) fn of_scan(len: usize, sizes: Sizes, tuning: &'static Tuning) -> Self {
        let (shape, blocks) = (TileShape::new(sizes, LARGE), Self::blocks_for(sizes, tuning));
        let beside = OVERHEAD + shape.found(sizes, 0) * MARK_SLOTS;
        let fit = tuning.shared_of_block(blocks).saturating_sub(beside) / (shape.bytes() + shape.beside(sizes));
        // Offsets warps use some of a block's 16 barriers, which leaves barriers for one tile less.
        let several = sizes.streams.is_some_and(|streams| streams.sizes().len() > 1);
        let most = match (several, sizes.marks) {
            (true, Marks::None) if shape.vector == 1 && shape.slot <= SHORT_SLOT => LAG_OF_SHORT,
            (false, Marks::None) => tuning.lag,
            _ => tuning.lag.min(LAG_OF_SEVERAL),
        };
        // Where a block alone has no room for three tiles, none is copied ahead. As many look-back warps are told of the
        // end as there are tiles whose tickets are drawn.
        let alone = tuning.shared_of_block(1).saturating_sub(beside) / (shape.bytes() + shape.beside(sizes));
        let (ahead, look_back_warps) =
            if alone < tuning.ahead + 2 { (0, 1) } else { (tuning.ahead, tuning.look_back_warps) };
        let lag = most.min(fit.saturating_sub(ahead + 1)).max(1);
        let ring = (lag + 1).next_multiple_of(look_back_warps);
        let offsets_warps = if sizes.marks == Marks::Offsets { OFFSETS_WARPS_OF_SCAN } else { 0 };
        Self {
            ahead,
            lag,
            stages: ahead + lag + 1,
            ring,
            look_back_warps,
            offsets_warps,
            ..Self::of(len, sizes, tuning, shape)
        }
    }

    /// Plans the reduction of `len` elements by rows or offsets.
    pub(super) fn of_segments(len: usize, sizes: Sizes, tuning: &'static Tuning) -> Self {
        let blocks = Self::blocks_for(sizes, tuning);
        let offsets_warps = if sizes.marks == Marks::Offsets { OFFSETS_WARPS_OF_REDUCTION } else { 0 };
        let plan = |shape: TileShape, ahead: usize| Self {
            ahead,
            stages: ahead + 2,
            ring: INCOMPLETE.next_multiple_of(tuning.look_back_warps),
            offsets_warps,
            ..Self::of(len, sizes, tuning, shape)
        };
        // Plans tiles of this shape, if at least three of them fit.
        let fitting = |shape: TileShape| {
            let room = tuning.shared_of_block(blocks).saturating_sub(OVERHEAD + Self::beside_segments(sizes, shape));
            let ahead = MOST_AHEAD.min((room / shape.bytes()).checked_sub(2)?);
            (ahead > 0).then(|| plan(shape, ahead))
        };
        let (larger, large) = (TileShape::new(sizes, SEGMENTS), TileShape::new(sizes, LARGE));
        fitting(larger).or_else(|| fitting(large)).unwrap_or_else(|| plan(large, 1))
    }

    /// Number of blocks per multiprocessor, by the size of a combined value. The number of segment heads that a state
    /// may contain does not count, as a thread holds it only briefly.
    fn blocks_for(sizes: Sizes, tuning: &Tuning) -> usize {
        tuning.blocks_for(sizes.state - if sizes.counted { 8 } else { 0 })
    }

    fn of(len: usize, sizes: Sizes, tuning: &'static Tuning, shape: TileShape) -> Self {
        let tiles = len.div_ceil(shape.elements()).max(1);
        let words = words(tiles, sizes);
        Self {
            shape,
            tiles,
            blocks: Self::blocks_for(sizes, tuning),
            ahead: 0,
            lag: 0,
            stages: 0,
            ring: 0,
            look_back_warps: tuning.look_back_warps,
            offsets_warps: 0,
            groups: tuning.groups,
            words,
            tuning,
        }
    }

    /// Returns the status words of a chain that has up to `before` tiles more than the array.
    pub(super) fn words_after(&self, before: usize, sizes: Sizes) -> StatusWords {
        words(self.tiles + before, sizes)
    }

    /// Bytes of shared memory of a segmented reduction besides its tiles: the states of the tiles that wait for their
    /// prefix, and the segment offsets found for the tiles that are being stored, reduced, and prepared.
    pub(super) fn beside_segments(sizes: Sizes, shape: TileShape) -> usize {
        INCOMPLETE * (2 * sizes.state + 16) * shape.warps()
            + shape.found(sizes, OFFSETS_A_WARP) * (OFFSETS_WARPS_OF_REDUCTION + 2)
    }

    /// Bytes of shared memory of a scan's block besides its tiles.
    #[cfg(test)]
    pub(super) fn beside_scan(&self, sizes: Sizes) -> usize {
        OVERHEAD + self.stages * self.shape.beside(sizes) + MARK_SLOTS * self.shape.found(sizes, 0)
    }

    /// Number of threads per block, with the warps that look back and that find offsets.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.shape.threads + (self.look_back_warps + self.offsets_warps) * WARP
    }

    /// Bytes of dynamic shared memory per block: its tiles.
    #[must_use]
    pub fn shared_bytes(&self) -> usize {
        self.stages * self.shape.bytes()
    }

    /// Constants that the kernel is compiled with. They depend on the types and the device alone.
    #[must_use]
    pub fn constants(&self, sizes: Sizes) -> Constants {
        let Self { blocks, ahead, lag, stages, ring, look_back_warps, offsets_warps, groups, .. } = *self;
        let mark_slots = match sizes.marks {
            Marks::Offsets if lag > 0 => MARK_SLOTS,
            Marks::Offsets => offsets_warps + 2,
            Marks::None | Marks::Vectors => stages,
        };
        let mut constants = self.shape.constants(sizes);
        constants!(constants; "BLOCKS" = blocks, "AHEAD" = ahead, "LAG" = lag, "STAGES" = stages, "RING" = ring, "LOOK_BACK_WARPS" = look_back_warps, "OFFSETS_WARPS" = offsets_warps, "MARK_SLOTS" = mark_slots, "GROUPS" = groups);
        constants
    }
}

/// Returns the status words of a chain of `tiles`.
fn words(tiles: usize, sizes: Sizes) -> StatusWords {
    StatusWords::of(tiles + 2 * SPREAD * (tiles / GROUP + 1), sizes.state)
}
