//! Merges on a CUDA device: tiles, and which of them a block has.

use super::constants::{Constants, constants};

/// Threads that merge, and the warp that finds where tiles begin, of a block.
const THREADS: usize = 224;
const FINDERS: usize = 32;
/// Threads of a block that sorts a tile.
const SORTERS: usize = 512;
/// Bytes of a thread's elements, without values and with. Their number is odd, so that those of neighbouring threads lie in different
/// banks of shared memory.
const THREAD_BYTES: [usize; 2] = [68, 60];
const MOST_ITEMS: usize = 17;
/// Blocks a multiprocessor that merge, and that sort tiles. H200, 2026-11-22, 2^28 u32 in us: 4 of 224 threads 705; 3 of 352 727; 2 of 512
/// 759; 2 of 480 795; 5 of 224 821; 3 of 480, which leaves them 40 registers, 1,080.
const BLOCKS: usize = 4;
const SORTING_BLOCKS: usize = 3;

/// What is merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MergeTypes {
    /// Bytes of a key.
    pub key: usize,
    /// Bytes of a value; 0 where there are none.
    pub value: usize,
    /// What a value's address is a multiple of.
    pub align: usize,
}

/// A planned merge, or sort by merging.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MergePlan {
    /// Results.
    pub len: usize,
    /// What is merged.
    pub types: MergeTypes,
    /// Threads of a block that merge.
    pub mergers: usize,
    /// Elements of a thread.
    pub items: usize,
    /// Blocks a multiprocessor.
    pub blocks: usize,
}

impl MergePlan {
    /// The plan for so many results.
    #[must_use]
    pub fn new(len: usize, types: MergeTypes) -> Self {
        let pairs = usize::from(types.value > 0);
        let items = ((THREAD_BYTES[pairs] / types.key.max(1)).clamp(1, MOST_ITEMS) - 1) | 1;
        Self { len, types, mergers: THREADS, items, blocks: BLOCKS }
    }

    /// Results of a tile.
    #[must_use]
    pub fn tile(&self) -> usize {
        self.mergers * self.items
    }

    /// Elements of a tile that one block sorts.
    #[must_use]
    pub fn sorted_tile(&self) -> usize {
        SORTERS * self.items
    }

    /// Threads of a block that merges.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.mergers + FINDERS
    }

    /// Threads of a block that sorts a tile.
    #[must_use]
    pub fn sorters(&self) -> usize {
        SORTERS
    }

    /// The blocks where so many are resident at once, and the results of each.
    #[must_use]
    pub fn parts(&self, resident: usize) -> (usize, usize) {
        let tiles = self.len.div_ceil(self.tile()).max(1);
        let part = tiles.div_ceil(resident.max(1)) * self.tile();
        (self.len.div_ceil(part).max(1), part)
    }

    /// Merges of neighbouring runs, after each of which runs are twice as long, until a sort's tiles are one run.
    #[must_use]
    pub fn passes(&self) -> usize {
        self.len.div_ceil(self.sorted_tile()).max(1).next_power_of_two().ilog2() as usize
    }

    /// The numbers that the kernel which sorts tiles is compiled with; with `positions` these are the values.
    #[must_use]
    pub fn sort_constants(&self, positions: bool) -> Constants {
        let mut constants = self.with_threads(SORTERS, SORTING_BLOCKS);
        constants!(constants; "POSITIONS" = usize::from(positions));
        constants
    }

    /// The numbers that the kernel which merges is compiled with.
    #[must_use]
    pub fn constants(&self) -> Constants {
        self.with_threads(self.mergers, self.blocks)
    }

    fn with_threads(&self, threads: usize, blocks: usize) -> Constants {
        let MergeTypes { value, align, .. } = self.types;
        let mut constants = Constants::default();
        constants!(constants; "THREADS" = threads, "MERGE_ITEMS" = self.items, "BLOCKS" = blocks, "VALUE_BYTES" = value, "VALUE_ALIGN" = align);
        constants
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_fit_and_cover_all_results() {
        for key in 1..=64 {
            for (len, value) in [(1, 0), (7680, 4), (1 << 20, 0), ((1 << 28) + 5, 4)] {
                let plan = MergePlan::new(len, MergeTypes { key, value, align: 4 });
                // Static shared memory is 48 KiB: keys, places where there are values, and two tiles' splits.
                let bytes = key + if value > 0 { 2 } else { 0 };
                assert!((plan.sorted_tile() + plan.items) * bytes + 256 <= 48 << 10, "{key}");
                assert!(plan.sorted_tile() << plan.passes() >= len && plan.passes() < 32, "{key} {len}");
                assert!(plan.sorted_tile() < 1 << 16 && plan.items % 2 == 1, "{key}");
                for resident in [1, 7, 396] {
                    let (blocks, part) = plan.parts(resident);
                    assert!(blocks <= resident && blocks * part >= len && (blocks - 1) * part < len, "{key} {len}");
                }
            }
        }
    }
}
