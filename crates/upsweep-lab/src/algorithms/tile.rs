//! A tile of a scan in one pass, in shared memory: what `chained` and `look-back` have in common.

use super::block_scan;
use crate::machine::{Array, Block, Word};

/// Threads of a block.
pub(super) const THREADS: usize = 256;
/// Neighbouring elements of a thread.
const ITEMS: usize = 4;
/// Elements of a tile.
pub(super) const TILE: usize = THREADS * ITEMS;

/// A block's shared memory.
#[derive(Clone, Copy)]
pub(super) struct Tile {
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
        let elements = block.shared("s", TILE);
        let (totals, before) = (block.shared("totals", THREADS), block.shared("before", 1));
        block_scan::load(block, (x, n), block.index * TILE, elements, TILE);
        block.barrier();
        block.step("serial", |t| {
            let first = t.index * ITEMS;
            let mut sum = t.read(elements, first);
            for index in first + 1..first + ITEMS {
                let own = t.read(elements, index);
                sum = t.combine(sum, own);
                t.write(elements, index, sum);
            }
            t.write(totals, t.index, sum);
        });
        block_scan::inclusive(block, totals, THREADS);
        block.barrier();
        Self { elements, totals, before }
    }

    /// The tile that an earlier phase loaded.
    pub(super) fn of<T: Word>(block: &Block<'_, T>) -> Self {
        Self { elements: block.shared_before(0), totals: block.shared_before(1), before: block.shared_before(2) }
    }

    /// The word that holds what the whole tile combines to.
    pub(super) fn total(self) -> (Array, usize) {
        (self.totals, THREADS - 1)
    }

    /// Puts in front of each element what lies before its thread's, and stores. `before` was written before.
    pub(super) fn store<T: Word>(self, block: &mut Block<'_, T>, y: Array, n: usize) {
        let tile = block.index;
        block.barrier();
        block.step("add", |t| {
            let lower = if t.branch(t.index > 0) { Some(t.read(self.totals, t.index - 1)) } else { None };
            let tiles = if t.branch(tile > 0) { Some(t.read(self.before, 0)) } else { None };
            let before = match (tiles, lower) {
                (Some(tiles), Some(lower)) => Some(t.combine(tiles, lower)),
                (one, other) => one.or(other),
            };
            if let Some(before) = before {
                for index in t.index * ITEMS..(t.index + 1) * ITEMS {
                    let own = t.read(self.elements, index);
                    let both = t.combine(before, own);
                    t.write(self.elements, index, both);
                }
            }
        });
        block.barrier();
        block_scan::store(block, self.elements, TILE, (y, n), tile * TILE);
    }
}
