//! Plans of merges and of sorts by a comparison on a CUDA device: tiles, cells, parts, and the passes of a sort.

use super::constants::{Constants, constants};

/// Number of threads of a block that merges two arrays, and of blocks per multiprocessor. H200, 2026-11-24, 2^28 u32 in
/// us: 4 of 512 with 15 elements a thread 562; with 13 566; 3 of 512 with 15 612, with 19 585; 6 of 256 with 17 573.
/// With values, 4 blocks spill registers.
const THREADS: usize = 512;
const BLOCKS: [usize; 2] = [4, 3];
/// Largest number of bytes of a thread's elements, without values and with values.
const THREAD_BYTES: [usize; 2] = [72, 60];
const MOST_ITEMS: [usize; 2] = [15, 15];
/// Number of tiles of a cell, a group of neighbouring tiles. For each cell, a warp searches both whole arrays for the
/// positions at which the cell begins (its split). Up to `FEW_TILES` tiles, each tile is a cell.
const CELL: usize = 256;
const FEW_TILES: usize = 4096;
/// Number of threads of a block that finds splits: the positions in both arrays at which a tile or cell of results
/// begins.
pub const SPLITTERS: usize = 128;
/// Number of threads of a block that sorts tiles, and of blocks per multiprocessor. H200, 2026-11-24, 2^28 u32 in us: 4
/// of 256 with 33 elements a thread 2,100; 5 with 25 2,085, which takes a pass more.
const SORTERS: usize = 256;
const SORTING_BLOCKS: usize = 4;
const SORTER_BYTES: [usize; 2] = [136, 68];
const MOST_SORTED: [usize; 2] = [33, 17];
/// Limits of short arrays: largest number of elements, and elements per thread, so that more threads have some. H200,
/// 2026-11-25, u32 in us: 2^8 10.0 (with 33 19.0), 2^10 10.7 (20.4), 2^12 17.2 (22.4), 2^13 23.7 (25.9).
const FEW_SORTED: [(usize, usize); 2] = [(5 * SORTERS, 5), (1 << 13, 17)];
/// Number of sorted runs that are merged at once. Below it, for the kernel that merges them: number of threads, blocks
/// per multiprocessor, bytes and largest number of elements of a thread. `FINDERS` is the number of threads of the warp
/// that brings tiles to these threads. H200, 2026-11-24, passes over 2^28 u32 in us: 4 of 224 with 17 elements a thread
/// 780, 4 of 256 with 15 790.
const WAYS: usize = 4;
const FOUR_THREADS: usize = 224;
const FOUR_BLOCKS: usize = 4;
const FOUR_BYTES: [usize; 2] = [68, 52];
const MOST_OF_FOUR: [usize; 2] = [17, 13];
/// Limits of short arrays for merges of four runs: largest number of elements, and elements per thread. H200,
/// 2026-11-25, sorts of u32 in us: 2^16 51.5 (with 17 54.9), 2^18 70.4 (74.2), 2^20 100.5 (101.4).
const FEW_OF_FOUR: [(usize, usize); 1] = [(1 << 19, 9)];
const FINDERS: usize = 32;
/// Largest number of tiles of a part (the results between two neighbouring pivots) in a merge of four runs. With more
/// tiles, a part's first tile costs less, and more blocks wait for the last parts. H200, 2026-11-24, sorts of 2^28 u32
/// in ms: 16 8.40; 8 8.50; 32 some 4 % more. Short arrays have shorter parts, of which `BUSY` keep a GPU busy.
const PART: usize = 16;
const BUSY: usize = 1024;

/// Types of a merge or sort.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MergeTypes {
    /// Bytes of a key.
    pub key: usize,
    /// Bytes of a value; 0 where there are none.
    pub value: usize,
    /// Alignment of values, in bytes.
    pub align: usize,
}

/// A pass of a sort: it merges runs of `run` elements, two or four at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MergePass {
    /// Number of elements of a run, except for the last run.
    pub run: usize,
    /// Number of neighbouring runs that are merged into one.
    pub ways: usize,
}

/// Step of a merge, one launch each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MergeStep {
    /// Finds where each cell (a group of neighbouring tiles) begins in both arrays; with four runs, where each part
    /// (the results between two pivots) begins in each run.
    Cells,
    /// Finds where each tile of results begins in both arrays, or in each run.
    Tiles,
    /// Merges the tiles, whose beginnings in the inputs are known.
    Merge,
}

/// A planned merge, or sort by merging.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MergePlan {
    /// Number of results of the merge, or of elements of the sort.
    pub len: usize,
    /// Types of keys and values.
    pub types: MergeTypes,
    /// Elements per thread of a two-way merge: an odd number, so that neighbouring threads access different banks of
    /// shared memory.
    pub items: usize,
    /// Number of elements per thread of a block that sorts a tile before any merge.
    pub sorted_items: usize,
    /// Number of elements per thread of a four-way merge.
    pub four_items: usize,
}

impl MergePlan {
    /// Plans a merge to `len` results, or a sort of `len` elements.
    #[must_use]
    pub fn new(len: usize, types: MergeTypes) -> Self {
        let pairs = usize::from(types.value > 0);
        let items =
            |bytes: [usize; 2], most: [usize; 2]| ((bytes[pairs] / types.key.max(1)).clamp(1, most[pairs]) - 1) | 1;
        let few =
            |sizes: &[(usize, usize)]| sizes.iter().find(|(most, _)| len <= *most).map_or(usize::MAX, |few| few.1);
        Self {
            len,
            types,
            items: items(THREAD_BYTES, MOST_ITEMS),
            sorted_items: items(SORTER_BYTES, MOST_SORTED).min(few(&FEW_SORTED)),
            four_items: items(FOUR_BYTES, MOST_OF_FOUR).min(few(&FEW_OF_FOUR)),
        }
    }

    /// Returns the number of results of a tile, which one block merges.
    #[must_use]
    pub fn tile(&self) -> usize {
        THREADS * self.items
    }

    /// Returns the number of threads of a block that merges two arrays.
    #[must_use]
    pub fn threads(&self) -> usize {
        THREADS
    }

    /// Returns the number of tiles of the results.
    #[must_use]
    pub fn tiles(&self) -> usize {
        self.len.div_ceil(self.tile())
    }

    /// Returns the number of tiles of a cell: a group of neighbouring tiles, whose beginning in both arrays is searched
    /// first.
    #[must_use]
    pub fn cell(&self) -> usize {
        if self.tiles() > FEW_TILES { CELL } else { 1 }
    }

    /// Returns the number of elements of a tile that one block sorts.
    #[must_use]
    pub fn sorted_tile(&self) -> usize {
        SORTERS * self.sorted_items
    }

    /// Returns the number of threads of a block that sorts a tile.
    #[must_use]
    pub fn sorters(&self) -> usize {
        SORTERS
    }

    /// Returns the number of threads of a block that merges four runs.
    #[must_use]
    pub fn four_threads(&self) -> usize {
        FOUR_THREADS + FINDERS
    }

    /// Returns the number of groups of four runs of `run` elements, and the number of pivots per group: the elements
    /// that separate the parts of its results.
    #[must_use]
    pub fn groups_and_pivots(&self, run: usize) -> (usize, usize) {
        let tile = FOUR_THREADS * self.four_items;
        let part = (self.len / tile / BUSY).clamp(1, PART) * tile;
        (self.len.div_ceil(WAYS * run), WAYS * (run / part).max(1))
    }

    /// Returns the passes after which a sort's tiles are one run: four runs at once where more than two are left.
    pub fn passes(&self) -> impl Iterator<Item = MergePass> + use<> {
        let (len, mut run) = (self.len, self.sorted_tile());
        std::iter::from_fn(move || {
            let pass = MergePass { run, ways: if run.saturating_mul(2) < len { WAYS } else { 2 } };
            run = run.saturating_mul(pass.ways);
            (pass.run < len).then_some(pass)
        })
    }

    /// Returns the constants of the kernel that sorts tiles; with `positions`, its values are the elements' indices in
    /// the input.
    #[must_use]
    pub fn sort_constants(&self, positions: bool) -> Constants {
        let mut constants = self.with_threads(SORTERS, self.sorted_items, SORTING_BLOCKS, MergeStep::Merge);
        constants!(constants; "POSITIONS" = usize::from(positions));
        constants
    }

    /// Constants of the kernel that does a step of a merge of two arrays.
    #[must_use]
    pub fn constants(&self, step: MergeStep) -> Constants {
        self.with_threads(THREADS, self.items, BLOCKS[usize::from(self.types.value > 0)], step)
    }

    /// Constants of the kernel that does a step of a merge of four runs.
    #[must_use]
    pub fn four_constants(&self, step: MergeStep) -> Constants {
        self.with_threads(FOUR_THREADS, self.four_items, FOUR_BLOCKS, step)
    }

    fn with_threads(&self, threads: usize, items: usize, blocks: usize, step: MergeStep) -> Constants {
        let MergeTypes { value, align, .. } = self.types;
        let mut constants = Constants::default();
        constants!(constants; "THREADS" = threads, "SPLITTERS" = SPLITTERS, "MERGE_ITEMS" = items, "BLOCKS" = blocks, "VALUE_BYTES" = value, "VALUE_ALIGN" = align, "MERGE_STEP" = step as usize);
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
                // Static shared memory of 48 KiB holds the elements (with four runs, three copies of them), their
                // indices if there are values, and the data of two tiles.
                let places = if value > 0 { 2 } else { 0 };
                let fits =
                    |elements: usize, each: usize| assert!(elements * each + 17 * key + 512 <= 48 << 10, "{key}");
                fits(plan.sorted_tile(), key + places);
                fits(plan.tile(), key + places);
                fits(FOUR_THREADS * plan.four_items, 3 * key + 2 * places);
                assert!((FOUR_THREADS - 1) * plan.four_items / WAYS >= 32, "{key}");
                assert!(plan.sorted_tile() < 1 << 16 && plan.tile() < 1 << 16, "{key}");
                let mut run = plan.sorted_tile();
                for pass in plan.passes() {
                    assert_eq!(pass.run, run, "{key} {len}");
                    let (groups, pivots) = plan.groups_and_pivots(run);
                    assert!(groups * WAYS * run >= len && pivots.is_multiple_of(WAYS), "{key} {len}");
                    run *= pass.ways;
                }
                assert!(run >= len, "{key} {len}");
            }
        }
    }
}
