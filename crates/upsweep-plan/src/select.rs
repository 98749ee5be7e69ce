//! Plans of stream compactions on a CUDA device, and of calls built on them: tiles whose results wait in shared memory
//! until their positions are known. See `select/select.cuh`.

use super::compaction::shape;
use super::constants::{Constants, constants};
use super::memory::StatusWords;
use super::partition;
use super::tile::{GROUP, SEGMENTS, SPREAD, Sizes, TileSize, WARP};

use super::tuning::Tuning;

pub use super::compaction::{SelectPlan, SelectSizes};

/// Bytes of shared memory of a block besides what grows with the tile: tickets, the numbers of elements that each warp
/// selects, alignment.
const OVERHEAD: usize = 512;
/// Number of tiles that a block copies to shared memory ahead. Below it, the number of tiles whose results may wait in
/// the ring buffer (a circular buffer in shared memory) until their positions are known.
const AHEAD: usize = 1;
const RING: usize = 6;
/// Number of warps of a block that look back and store.
const STORERS: usize = 2;
/// Candidates of tile size and blocks per multiprocessor. The first candidate is taken whose ring has room for the
/// results of enough tiles, if all elements are selected. Most of a warp's instructions are per tile, whatever its
/// size, so tiles are large (H200, 2026-11-24, a sixteenth of u32: 292 us; in tiles of 20 KiB 319, of 36 KiB 287, where
/// half of u32 takes 387 instead of 380).
const CHOICES: [(TileSize, usize); 5] = [(LARGEST, 2), (SEGMENTS, 2), (LARGEST, 1), (SEGMENTS, 1), (LAST, 1)];
const LARGEST: TileSize = TileSize { threads: 256, thread_bytes: 112 };
const LAST: TileSize = TileSize { threads: 256, thread_bytes: 16 };
/// Number of tiles for whose results the ring buffer must have room, if all elements are selected; in halves of a tile.
/// Below it, the smallest such number, which is allowed where otherwise a single block would fit.
const HALVES: usize = 4;
const FEWEST_HALVES: usize = 3;
/// Size of the input in bytes from which tiles are the largest: with fewer bytes each block has one tile at most, for
/// which it should not wait long.
const LARGEST_FROM: usize = 8 << 20;

impl SelectPlan {
    /// Plans a compaction of up to `len` elements on a device of this compute capability.
    #[must_use]
    pub fn new(len: usize, sizes: SelectSizes, capability: (u32, u32)) -> Self {
        let tuning = Tuning::of(capability);
        if sizes.others {
            return partition::plan(len, sizes, tuning);
        }
        let plan = |(size, blocks)| Self::within(len, sizes, size, blocks, tuning);
        let largest = len.saturating_mul(sizes.input) >= LARGEST_FROM;
        let choices = || CHOICES.into_iter().filter(|(size, _)| largest || *size != LARGEST);
        let with = |blocks: usize, halves: usize| {
            let mut plans = choices().map(plan);
            plans.find(|plan| plan.blocks >= blocks && 2 * plan.ring >= halves * plan.most_results())
        };
        let several = with(2, HALVES).or_else(|| with(2, FEWEST_HALVES));
        several.or_else(|| with(1, HALVES)).or_else(|| with(1, 2)).unwrap_or_else(|| plan((LAST, 1)))
    }

    /// Plans tiles of size `size`, with `blocks` blocks per multiprocessor.
    fn within(len: usize, sizes: SelectSizes, size: TileSize, blocks: usize, tuning: &'static Tuning) -> Self {
        let shape = shape(sizes.input, size);
        let tiles = len.div_ceil(shape.elements()).max(1);
        let number = if u32::try_from(len).is_ok() { 4 } else { 8 };
        let state = if sizes.run > 0 { 2 * number } else { number };
        let words = StatusWords::of(tiles + 2 * SPREAD * (tiles / GROUP + 1), state);
        let mut plan = Self { sizes, shape, tiles, state, blocks, ring: 0, lag: 0, words, tuning };
        plan.ring = tuning.shared_of_block(blocks).saturating_sub(OVERHEAD + plan.staged()) / 16 * 16;
        plan
    }

    /// Returns the largest number of bytes of a tile's results in the ring buffer: elements, their indices in the tile,
    /// or both.
    fn most_results(&self) -> usize {
        let SelectSizes { input, index, run, .. } = self.sizes;
        let elements = self.shape.elements();
        let values = if index == 0 { elements * input } else { 0 };
        let places = if index > 0 || run > 0 { 2 * elements } else { 0 };
        values.next_multiple_of(16) + places.next_multiple_of(16)
    }

    /// Returns the number of bytes of the elements and flags that a block copies to shared memory ahead.
    fn staged(&self) -> usize {
        let edges = if self.sizes.neighbours { self.shape.warps() * self.shape.slot } else { 0 };
        let elements = if self.sizes.reads_elements() { self.shape.bytes() + edges } else { 0 };
        AHEAD * (elements + if self.sizes.flags { self.shape.elements() } else { 0 })
    }

    /// Returns the number of threads per block, with the warps that store.
    #[must_use]
    pub fn threads(&self) -> usize {
        if self.sizes.others { partition::threads(self) } else { self.shape.threads + STORERS * WARP }
    }

    /// Returns the number of bytes of dynamic shared memory per block.
    #[must_use]
    pub fn shared_bytes(&self) -> usize {
        if self.sizes.others { partition::shared_bytes(self) } else { self.ring + self.staged() }
    }

    /// Constants that the kernel is compiled with.
    #[must_use]
    pub fn constants(&self) -> Constants {
        if self.sizes.others {
            return partition::constants(self);
        }
        let SelectSizes { index, last, run, lengths, .. } = self.sizes;
        let mut constants = self.shape.constants(Sizes::plain(self.sizes.input, self.state, self.sizes.input));
        constants!(constants; "BLOCKS" = self.blocks, "AHEAD" = AHEAD, "RING" = RING, "RING_BYTES" = self.ring, "STORING_WARPS" = STORERS, "GROUPS" = self.tuning.groups, "INDEX_BYTES" = index, "KEEP_LAST" = usize::from(last), "RUN_BYTES" = run, "RUN_LENGTHS" = usize::from(lengths));
        constants
    }
}

/// Bytes of the elements of a block, which a thread compacts at once on the CPU: elements and selected elements stay in
/// a second-level cache. If one thread does everything, blocks are small, because memory that an allocator has to
/// request from the system is slow the first time: calls of 128 KiB took 4 times as long.
const BLOCK_BYTES: usize = 128 << 10;
const SMALL_BLOCK_BYTES: usize = 32 << 10;
/// Bytes of input below which the calling thread does everything and nothing is prefetched; and bytes from which stores
/// are non-temporal, past the cache.
const PARALLEL_FROM_BYTES: usize = 2 << 20;
const NON_TEMPORAL_FROM_BYTES: usize = 32 << 20;

/// Sizes that decide how the CPU compacts. Tests make them small.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CpuSelectPlan {
    /// Number of elements of a block, which a thread compacts at once.
    pub block: usize,
    /// Number of threads that share the work.
    pub threads: usize,
    /// Whether the next elements are prefetched.
    pub ahead: bool,
    /// Whether stores are non-temporal, past the cache.
    pub non_temporal: bool,
}

impl CpuSelectPlan {
    /// Plans a compaction of `len` elements of `size` bytes for the threads of the current rayon pool.
    pub fn new(len: usize, size: usize, in_place: bool) -> Self {
        let bytes = len.saturating_mul(size);
        let parallel = bytes >= PARALLEL_FROM_BYTES;
        let block = (if parallel { BLOCK_BYTES } else { SMALL_BLOCK_BYTES } / size.max(1)).max(1);
        let threads = if parallel { rayon::current_num_threads() } else { 1 };
        Self {
            block,
            threads: threads.clamp(1, len.div_ceil(block).max(1)),
            ahead: parallel,
            non_temporal: !in_place && bytes >= NON_TEMPORAL_FROM_BYTES,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tests [`CHOICES`] and [`LARGEST_FROM`].
    #[test]
    fn long_selections_have_the_largest_tiles_and_room_for_two() {
        let plain = SelectSizes {
            input: 4,
            index: 0,
            flags: false,
            neighbours: true,
            last: false,
            others: false,
            run: 0,
            lengths: false,
        };
        for sizes in [plain, SelectSizes { flags: true, neighbours: false, ..plain }, SelectSizes { run: 4, ..plain }] {
            let plan = SelectPlan::new(1 << 28, sizes, (9, 0));
            assert_eq!((plan.shape.rows, plan.blocks), (7, 2), "{sizes:?}");
            assert!(plan.ring >= 2 * plan.most_results(), "{sizes:?}");
            assert_eq!(SelectPlan::new(1 << 20, sizes, (9, 0)).shape.rows, 5, "{sizes:?}");
        }
    }

    #[test]
    fn what_a_block_holds_fits_its_share_of_shared_memory() {
        for capability in [(7, 5), (8, 0), (8, 6), (9, 0), (12, 0)] {
            for input in [1, 2, 3, 4, 8, 12, 16, 24, 48, 64] {
                for (flags, neighbours, index, run) in [
                    (false, false, 0, 0),
                    (true, false, 0, 0),
                    (false, true, 8, 0),
                    (false, false, 4, 0),
                    (false, true, 0, 8),
                ] {
                    let sizes =
                        SelectSizes { input, index, flags, neighbours, last: false, others: false, run, lengths: true };
                    for len in [1 << 20, 1 << 33] {
                        let plan = SelectPlan::new(len, sizes, capability);
                        let most = plan.tuning.shared_bytes;
                        let most = (most + (1 << 10)) / plan.blocks - (1 << 10);
                        let fixed =
                            64 + RING * (8 + plan.state) + 2 * plan.shape.warps() * 8 + AHEAD * plan.shape.warps() * 8;
                        assert!(
                            fixed <= OVERHEAD && plan.shared_bytes() + OVERHEAD <= most,
                            "{capability:?} {sizes:?}: {plan:?}"
                        );
                        assert!(plan.ring >= plan.most_results(), "{capability:?} {sizes:?}: {plan:?}");
                        let numbers = if run > 0 { 2 } else { 1 };
                        assert_eq!(plan.state, numbers * if len > u32::MAX as usize { 8 } else { 4 });
                    }
                }
            }
        }
    }
}
