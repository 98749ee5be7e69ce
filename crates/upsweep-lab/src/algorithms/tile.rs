//! A tile of a scan in one pass, in shared memory: what `chained` and `look-back` have in common.

use super::block_scan;
use crate::machine::{Array, Block, Shape, Word};

/// How large a tile is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Size {
    /// Its elements.
    pub(super) tile: usize,
    /// The neighbouring elements of a thread.
    items: usize,
    /// The threads of its block.
    pub(super) threads: usize,
}

impl Size {
    /// 1024 elements of 256 threads, unless the machine is a small one.
    pub(super) fn of(shape: Shape) -> Self {
        let tile = shape.tile_or(1024);
        let items = shape.items(tile, 4);
        Self { tile, items, threads: tile / items }
    }
}

/// A block's shared memory.
#[derive(Clone, Copy)]
pub(super) struct Tile {
    size: Size,
    /// The elements; then each thread's, scanned.
    elements: Array,
    /// What each thread's elements combine to; then scanned.
    totals: Array,
    /// What lies before the tile, if something does.
    pub(super) before: Array,
}

impl Tile {
    /// Loads the tile and scans it, as far as a block can by itself.
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

    /// The tile that an earlier phase loaded.
    pub(super) fn of<T: Word>(block: &Block<'_, T>) -> Self {
        let [elements, totals, before] = [0, 1, 2].map(|number| block.shared_before(number));
        Self { size: Size::of(block.shape()), elements, totals, before }
    }

    /// The word that holds what the whole tile combines to.
    pub(super) fn total(self) -> (Array, usize) {
        (self.totals, self.size.threads - 1)
    }

    /// Puts in front of each element what lies before its thread's, and stores. `before` was written before.
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
