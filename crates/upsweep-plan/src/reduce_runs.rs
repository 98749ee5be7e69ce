//! Plans of long reductions by keys: tiles whose results wait in shared memory, in a ring buffer, until their positions
//! are known. A head is the key of a run and its combined value. See `reduce/runs.cuh`.

use super::constants::{Constants, constants};
use super::memory::StatusWords;
use super::tile::{GROUP, LARGE, SPREAD, Sizes, TileShape, WARP};
use super::tuning::Tuning;

/// Number of elements from which a reduction by keys uses this plan. H200, 2026-11-25, sums of u32 with keys in runs of
/// 64, us: 2^20 11.5 (by a wave 12.6), 2^18 8.6 (8.8), 2^16 8.2 (8.0), 2^12 7.8 (6.3).
pub const FROM: usize = 1 << 16;
/// Bytes of shared memory besides the ring buffer and the tiles copied ahead: tickets, the sums of warps, entries of
/// the ring, alignment.
const OVERHEAD: usize = 1024;
/// Number of tiles that a block copies to shared memory ahead. Below it, the number of tiles whose results may wait in
/// the ring buffer.
const AHEAD: usize = 1;
const RING: usize = 6;
/// Number of warps of a block that look back and store.
const STORERS: usize = 2;
/// Bytes of a tile's entry in the ring buffer besides its heads (the keys and combined values of its runs).
const FIRST_BYTES: usize = 16;
/// Candidates of blocks per multiprocessor, and of the largest and smallest number of bytes of shared memory for the
/// elements and keys of a thread. The first candidate that fits is taken. H200, 2026-11-25, sums as for [`FROM`], us:
/// 96 bytes in three blocks 538 (where all elements are heads 1,235), 160 in two 530 (1,466).
const CHOICES: [(usize, usize, usize); 5] = [(3, 96, 72), (2, 160, 96), (2, 160, 0), (1, 160, 96), (1, 160, 0)];
/// Largest size of an element, of a key and of a combined value, in bytes: a thread holds them in registers.
const MOST_BYTES: usize = 16;

/// Sizes that a plan depends on besides [`Sizes`], in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunSizes {
    /// Size of a key.
    pub key: usize,
    /// Size of a combined value.
    pub acc: usize,
    /// Size of a head: a key and a combined value, side by side.
    pub head: usize,
    /// Size of a tile's look-back state: the value that it passes on to later tiles.
    pub state: usize,
}

/// Plan of a reduction by keys: each run of equal keys has one result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Runs {
    /// Shape of the tiles: their threads, and the elements of each thread.
    pub shape: TileShape,
    /// Number of tiles into which the input is cut.
    pub tiles: usize,
    /// Number of blocks that a multiprocessor should run at once.
    pub blocks: usize,
    /// Bytes of a block's ring, in which heads wait.
    pub ring: usize,
    /// Bytes of the elements and keys that a block copies to shared memory ahead.
    staged: usize,
    /// Bytes of a head (the key of a run and its combined value) in the ring buffer.
    head: usize,
    /// Number of status words (memory through which tiles pass on their totals) of the look-back.
    pub words: StatusWords,
    /// Tuning parameters of the device: see [`Tuning`].
    pub tuning: &'static Tuning,
}

impl Runs {
    /// Plans the reduction of `len` elements of one buffer, if the types are small and shared memory has room.
    /// `sizes.state` is `runs.state`.
    pub fn new(len: usize, sizes: Sizes, runs: RunSizes, tuning: &'static Tuning) -> Option<Self> {
        let largest = sizes.input.max(runs.key).max(runs.acc);
        if largest > MOST_BYTES || sizes.streams.is_some() {
            return None;
        }
        let most = tuning.blocks_for(runs.acc);
        let plan = |(blocks, bytes, fewest): (usize, usize, usize)| {
            let shape = TileShape::new(sizes, LARGE);
            let key_slot = (shape.vector * runs.key).next_multiple_of(16);
            let row = shape.slot + key_slot;
            let rows = ((bytes / row).min(63 / shape.vector).max(1) - 1) | 1;
            let shape = TileShape { rows, ..shape };
            let staged = AHEAD * (shape.bytes() + shape.warps() * (WARP * rows + 1) * key_slot);
            let ring = tuning.shared_of_block(blocks).checked_sub(OVERHEAD + staged)? / 16 * 16;
            let tiles = len.div_ceil(shape.elements());
            let words = StatusWords::of(tiles + 2 * SPREAD * (tiles / GROUP + 1), runs.state);
            let plan = Self { shape, tiles, blocks, ring, staged, head: runs.head, words, tuning };
            (blocks <= most && rows * row >= fewest && ring >= plan.most_results()).then_some(plan)
        };
        CHOICES.into_iter().find_map(plan)
    }

    /// Returns the largest number of bytes that the heads (a key and a combined value for each run) of a tile take in
    /// the ring.
    fn most_results(&self) -> usize {
        FIRST_BYTES + (self.shape.elements() * self.head).next_multiple_of(16)
    }

    /// Number of threads per block, with the warps that store.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.shape.threads + STORERS * WARP
    }

    /// Bytes of dynamic shared memory per block.
    #[must_use]
    pub fn shared_bytes(&self) -> usize {
        self.ring + self.staged
    }

    /// Constants that the kernel is compiled with.
    #[must_use]
    pub fn constants(&self, sizes: Sizes) -> Constants {
        let mut constants = self.shape.constants(sizes);
        constants!(constants; "BLOCKS" = self.blocks, "AHEAD" = AHEAD, "RING" = RING, "RING_BYTES" = self.ring, "STORING_WARPS" = STORERS, "GROUPS" = self.tuning.groups, "HEAD_BYTES" = self.head);
        constants
    }
}

#[cfg(test)]
mod tests {
    use super::super::tuning::TUNING;
    use super::*;

    fn sizes(input: usize, key: usize, acc: usize, number: usize) -> (Sizes, RunSizes) {
        let together = |a: usize, b: usize| (a.next_multiple_of(b) + b).next_multiple_of(a.max(b));
        let runs = RunSizes { key, acc, head: together(key, acc), state: together(acc, number) };
        (Sizes::plain(input, runs.state, acc), runs)
    }

    /// Tests the first of [`CHOICES`].
    #[test]
    fn long_reductions_of_words_have_three_blocks_and_room_for_two_tiles_of_heads() {
        let (sizes, runs) = sizes(4, 4, 4, 4);
        let plan = |len| Runs::new(len, sizes, runs, Tuning::of((9, 0)));
        let found = plan(1 << 28).unwrap();
        assert_eq!((found.shape.rows, found.shape.vector, found.blocks), (3, 4, 3));
        assert!(found.ring >= 2 * found.most_results(), "{found:?}");
        assert_eq!(plan(1).unwrap().shape, found.shape);
    }

    #[test]
    fn what_a_block_holds_fits_its_share_of_shared_memory() {
        for tuning in TUNING {
            let mut found = 0;
            for case in 0..4 * 5 * 5 * 5usize {
                let size = |i: u32| [1, 2, 4, 8, 16][case / 5usize.pow(i) % 5];
                let (sizes, runs) = sizes(size(0), size(1), size(2), [4, 8][case / 125 % 2]);
                let Some(plan) = Runs::new(1 << 33, sizes, runs, tuning) else { continue };
                found += 1;
                let warps = plan.shape.warps();
                let fixed = 64
                    + RING * (8 + runs.state.next_multiple_of(16))
                    + 2 * warps * 2 * runs.acc.max(4)
                    + 8 * AHEAD * warps;
                let most = tuning.shared_of_block(plan.blocks);
                assert!(fixed <= OVERHEAD && plan.shared_bytes() + OVERHEAD <= most, "{fixed} {runs:?}: {plan:?}");
                assert!(plan.ring >= plan.most_results() && plan.shape.elements() < 1 << 16, "{plan:?}");
                assert!(plan.shape.rows % 2 == 1 && plan.shape.rows * plan.shape.vector < 64, "{plan:?}");
            }
            assert!(found > 150, "{found} {tuning:?}");
        }
    }
}
