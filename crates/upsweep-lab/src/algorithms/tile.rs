//! Tile of a one-pass scan in shared memory, for `chained` and `look-back`.

use super::block_scan;
use crate::machine::{Array, Block, Shape, Word};

/// Sizes of the tile that one block scans.
#[derive(Clone, Copy, Debug)]
pub(super) struct Size {
    /// Number of elements of a tile.
    pub(super) tile: usize,
    /// Number of neighbouring elements that one thread scans.
    items: usize,
    /// Number of threads of the tile's block.
    pub(super) threads: usize,
}

impl Size {
    /// Returns the sizes: 1024 elements and 256 threads, unless the machine has small blocks.
    pub(super) fn of(shape: Shape) -> Self {
        let tile = shape.tile_or(1024);
        let items = shape.items(tile, 4);
        Self { tile, items, threads: tile / items }
    }
}

/// Arrays of a block in shared memory.
#[derive(Clone, Copy)]
pub(super) struct Tile {
    size: Size,
    /// Elements of the tile; later, for each thread, the inclusive scan of its own elements.
    elements: Array,
    /// Aggregate of each thread's elements; later the inclusive scan of these.
    totals: Array,
    /// One word: the combination of all tiles before this one; unwritten for the first tile.
    pub(super) before: Array,
}

impl Tile {
    /// Loads the block's tile and scans each thread's elements, and the threads' aggregates.
    pub(super) fn load<T: Word>(block: &mut Block<'_, T>, x: Array, n: usize) -> Self {
        let size @ Size { tile, items, threads } = Size::of(block.shape());
        let elements = block.shared("s", tile);
        let (totals, before) = (block.shared("totals", threads), block.shared("before", 1));
        block_scan::load(block, (x, n), block.index * tile, elements, tile);
        block.barrier();
        block.step("serial", |t| {
            let first = t.index * items;
            let mut sum = t.read(elements, first);
            for index in first + 1..first + items {
                let own = t.read(elements, index);
                sum = t.combine(sum, own);
                t.write(elements, index, sum);
            }
            t.write(totals, t.index, sum);
        });
        block_scan::inclusive(block, totals, threads);
        block.barrier();
        Self { size, elements, totals, before }
    }

    /// Returns the arrays of the tile that the block loaded in an earlier phase.
    pub(super) fn of<T: Word>(block: &Block<'_, T>) -> Self {
        let [elements, totals, before] = [0, 1, 2].map(|number| block.shared_before(number));
        Self { size: Size::of(block.shape()), elements, totals, before }
    }

    /// Array and index of the word that holds the aggregate of the tile.
    pub(super) fn total(self) -> (Array, usize) {
        (self.totals, self.size.threads - 1)
    }

    /// Puts all that lies before each thread in front of its elements, and stores them; `before` has been written.
    pub(super) fn store<T: Word>(self, block: &mut Block<'_, T>, y: Array, n: usize) {
        let (tile, Size { tile: elements, items, .. }) = (block.index, self.size);
        block.barrier();
        block.step("add", |t| {
            let lower = if t.branch(t.index > 0) { Some(t.read(self.totals, t.index - 1)) } else { None };
            let tiles = if t.branch(tile > 0) { Some(t.read(self.before, 0)) } else { None };
            let before = match (tiles, lower) {
                (Some(tiles), Some(lower)) => Some(t.combine(tiles, lower)),
                (one, other) => one.or(other),
            };
            if let Some(before) = before {
                for index in t.index * items..(t.index + 1) * items {
                    let own = t.read(self.elements, index);
                    let both = t.combine(before, own);
                    t.write(self.elements, index, both);
                }
            }
        });
        block.barrier();
        block_scan::store(block, self.elements, elements, (y, n), tile * elements);
    }
}
