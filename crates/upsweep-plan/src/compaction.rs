//! Common parts of the plans of stream compactions and partitions.

use super::memory::StatusWords;
use super::tile::{Sizes, TileShape, TileSize};
use super::tuning::Tuning;

/// Returns the shape of tiles of the given size for elements of `input` bytes: that of a scan, but without the limit
/// that a scan's registers set on the number of elements per thread.
pub(super) fn shape(input: usize, size: TileSize) -> TileShape {
    let shape = TileShape::new(Sizes::plain(input, 1, 1), size);
    TileShape { rows: ((size.thread_bytes / shape.slot).max(1) - 1) | 1, ..shape }
}

/// Parameters of a plan besides the number of elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SelectSizes {
    /// Bytes of an element.
    pub input: usize,
    /// Bytes of an index, where indices are stored; else 0.
    pub index: usize,
    /// Whether flags are read.
    pub flags: bool,
    /// Whether the comparison of an element with a neighbour decides whether it is selected.
    pub neighbours: bool,
    /// Whether that neighbour is the element after it, so that the last of equal elements is selected.
    pub last: bool,
    /// Whether the rejected elements are stored, too.
    pub others: bool,
    /// Bytes of the number that is stored with the first element of each run; 0 where runs are not asked for.
    pub run: usize,
    /// Whether the number stored with a run is its length, not its start.
    pub lengths: bool,
}

impl SelectSizes {
    pub(super) fn reads_elements(self) -> bool {
        !self.flags || self.index == 0
    }
}

/// A planned stream compaction or partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SelectPlan {
    /// Parameters that the plan was made for.
    pub sizes: SelectSizes,
    /// Shape of the tiles: their threads, and the elements of each thread.
    pub shape: TileShape,
    /// Number of tiles, for the capacity of the input.
    pub tiles: usize,
    /// Bytes of a tile's look-back state: the number of its selected elements and, with runs, an index.
    pub state: usize,
    /// Number of blocks that a multiprocessor should run at once.
    pub blocks: usize,
    /// Bytes of a block's ring buffer, in which results wait until their positions are known; 0 for a partition.
    pub ring: usize,
    /// Number of tiles that a partition's block holds between selecting and storing; 0 for a compaction.
    pub lag: usize,
    /// Number of status words (memory through which tiles pass on their totals) of the look-back.
    pub words: StatusWords,
    /// Tuning parameters of the device: see [`Tuning`].
    pub tuning: &'static Tuning,
}
