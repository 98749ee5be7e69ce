//! What the plans of selections and of partitions have in common.

use super::memory::StatusWords;
use super::tile::{Sizes, TileShape, TileSize};
use super::tuning::Tuning;

/// The shape of tiles of this size: as a scan's, but for what a scan's registers hold.
pub(super) fn shape(input: usize, size: TileSize) -> TileShape {
    let shape = TileShape::new(Sizes::plain(input, 1, 1), size);
    TileShape { rows: ((size.thread_bytes / shape.slot).max(1) - 1) | 1, ..shape }
}

/// What decides a plan beside the number of elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SelectSizes {
    /// The bytes of an element.
    pub input: usize,
    /// The bytes of an index, where indices are stored; else 0.
    pub index: usize,
    /// Whether flags are read.
    pub flags: bool,
    /// Whether an element's neighbour decides.
    pub neighbours: bool,
    /// Of these, whether it is the one after it.
    pub last: bool,
    /// Whether the others are stored, too.
    pub others: bool,
    /// The bytes of what is stored of each run beside its element; 0 where what is kept are no runs.
    pub run: usize,
    /// Whether that is how long it is, instead of where it begins.
    pub lengths: bool,
}

impl SelectSizes {
    pub(super) fn reads_elements(self) -> bool {
        !self.flags || self.index == 0
    }
}

/// A planned select.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SelectPlan {
    /// What it was made for.
    pub sizes: SelectSizes,
    /// The tiles' shape.
    pub shape: TileShape,
    /// Tiles, of as many elements as the input has room for.
    pub tiles: usize,
    /// The bytes of what tiles tell each other: a number of elements, and with runs an index.
    pub state: usize,
    /// Blocks that a multiprocessor should run.
    pub blocks: usize,
    /// Bytes of results that wait in a block; of a partition 0.
    pub ring: usize,
    /// Tiles that a partition's block holds between finding what is kept and storing it; of others 0.
    pub lag: usize,
    /// Through which the blocks look back.
    pub words: StatusWords,
    /// See [`Tuning`].
    pub tuning: &'static Tuning,
}
