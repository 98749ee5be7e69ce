//! Tiles: their shape, their shared memory, and the sizes that these depend on.
//!
//! The shape depends on the types alone, so that a scan of floats groups its additions in the same way on every GPU of
//! an architecture.

use super::constants::{Constants, constants};
use super::memory::StatusWords;
use upsweep_core::inputs::Streams;
use upsweep_core::tree;

/// Number of lanes of a warp.
pub(super) const WARP: usize = 32;
/// Number of tiles of a look-back group.
pub(super) const GROUP: usize = WARP;
/// Distance, in entries, from one group's status word to the next: a memory line of 8-byte words, so that blocks that
/// poll different groups poll different lines.
pub(super) const SPREAD: usize = 16;
/// Largest number of segment offsets of a tile that one warp finds and marks alone; if a tile has more, all warps of a
/// block share them. Tiles of 3,072 elements and segments of 8 have 384; see benches/notes/segments.md.
pub(super) const OFFSETS_A_WARP: usize = 768;
/// Number of tiles of a block, one after the other, for which a scan by segment offsets keeps the marks of segment
/// heads: from the finished tile to the prepared tile (LAG + warps + 2).
pub(super) const MARK_SLOTS: usize = 8;
/// Bytes of shared memory that the driver reserves in each block (CUDA C++ Programming Guide, compute capability 8.0
/// and later).
pub(super) const DRIVER_RESERVED: usize = 1 << 10;

/// Size of a tile: number of threads that compute on it, and bytes of its input per thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TileSize {
    pub(super) threads: usize,
    pub(super) thread_bytes: usize,
}

/// Tiles of long arrays: three loads of 16 bytes per thread. With them a scan reaches 0.95 of a copy's bandwidth, with
/// tiles of 32 KiB 0.89 (H200, 2026-11-21: benches/notes/scan.md).
pub(super) const LARGE: TileSize = TileSize { threads: 256, thread_bytes: 48 };
/// Tiles of long arrays of several inputs, where a thread of [`LARGE`] has room for one vector: three vectors for half
/// as many threads. More elements then share the overhead of a tile (H200, 2026-11-22:
/// benches/notes/inputs-and-functions.md). Three such tiles fit where a block has 64 KiB, unless it also keeps the
/// marks of segments by offsets.
const SEVERAL: TileSize = TileSize { threads: 128, thread_bytes: 160 };
const ROWS_OF_SEVERAL: usize = 3;
/// Bytes of shared memory of a vector that is one element of each of two inputs of 8 bytes. Below it, the number of
/// such vectors per thread: more vectors share the thread's overhead (H200, 2026-11-24, sums of big integers:
/// benches/notes/trees-and-graphs.md).
pub(super) const SHORT_SLOT: usize = 16;
const ROWS_OF_SHORT: usize = 5;
/// Largest tile of several inputs with wider vectors than [`SHORT_SLOT`], in bytes: three such tiles fit into a block's
/// shared memory, too.
const SEVERAL_BYTES: usize = 18 << 10;
/// Tiles of short arrays, one per block: straight-line code a third as long (H200, 2026-11-21: 6.6 to 6.4 us at 2^16,
/// benches/notes/scan.md, "Short arrays").
pub(super) const SMALL: TileSize = TileSize { threads: 512, thread_bytes: 16 };
/// Tiles of segmented reductions, which free a tile once it is reduced: tiles can be larger, which amortises the work
/// per tile (H200, 2026-11-21: benches/notes/segments.md). Five vectors of 16 bytes, or three whose results take 32.
pub(super) const SEGMENTS: TileSize = TileSize { threads: 256, thread_bytes: 96 };
/// Bytes per thread of segmented reductions of several inputs: one vector of two inputs; three took as long (H200,
/// 2026-11-23, sparse products: 897 us).
const SEGMENTS_OF_SEVERAL: usize = 80;

/// Sizes in bytes that a plan depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// Size of an element; for several inputs, the sum of the sizes of an element of each.
    pub input: usize,
    /// Element sizes of the streams, if the input is not one buffer.
    pub streams: Option<Streams>,
    /// Size of a tile's look-back state: a combined value, together with the number or flag of its segment heads.
    pub state: usize,
    /// Size of a result.
    pub output: usize,
    /// Size of an element's slot (its place in shared memory), which also holds the result that may replace the
    /// element.
    pub place: usize,
    /// Number of bytes of a tile's values that a thread keeps from the first pass over the tile to the second.
    pub kept: usize,
    /// Kind of marks of segment heads in shared memory.
    pub marks: Marks,
    /// Whether a state counts segment heads, in 8 bytes of it.
    pub counted: bool,
    /// Number of elements of a row of the tree of float scans ([`tree`]), or 0 if the grouping is that of the tile.
    pub row: usize,
}

/// Kind of marks of segment heads in shared memory: see `tile/heads.cuh`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marks {
    /// No marks.
    None,
    /// Marks of one or two bytes for each vector of each tile in shared memory.
    Vectors,
    /// Marks of one bit for each element, of the tiles in shared memory and of prepared tiles.
    Offsets,
}

impl Sizes {
    /// Returns the sizes of a scan without segments.
    #[must_use]
    pub fn plain(input: usize, state: usize, output: usize) -> Self {
        Self { input, streams: None, state, output, place: input, kept: 0, marks: Marks::None, counted: false, row: 0 }
    }
}

/// Returns the number of neighbouring elements of several `streams` (input buffers) that a thread loads at once: the
/// smallest number that is whole words of every stream and at least 16 bytes together; 1 if that is more than 64 bytes.
/// Without streams, it is a power of two, at most 4, of results of `output` bytes that fit into 16 bytes.
fn vector_of(streams: Streams, output: usize) -> usize {
    if streams.sizes().is_empty() {
        return 1 << (16 / output.max(1)).clamp(1, 4).ilog2();
    }
    let words = |elements: usize| streams.sizes().iter().all(|size| (elements * size).is_multiple_of(4));
    let bytes = |elements: usize| elements * streams.bytes();
    [1, 2, 4, 8, 16]
        .into_iter()
        .find(|&elements| words(elements) && bytes(elements) >= 16)
        .filter(|&elements| bytes(elements) <= 64)
        .unwrap_or(1)
}

/// Returns the bytes of shared memory of a vector of `vector` elements of each of `streams`, which are several or none.
/// An element of the first stream takes `place` bytes. As `slot_bytes` in `tile/stage.cuh`.
fn slots(streams: Streams, vector: usize, place: usize) -> usize {
    let several = streams.sizes().len() > 1;
    let slot = |bytes: usize| match bytes {
        0..=4 if several => 4,
        5..=8 if several => 8,
        _ => bytes.next_multiple_of(16),
    };
    let others: usize = streams.sizes().iter().skip(1).map(|size| slot(vector * size)).sum();
    slot(vector * place) + others
}

/// Shape of a tile: its threads, the vectors of each, and their slots in shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TileShape {
    /// Number of threads that compute on the tile.
    pub threads: usize,
    /// Number of neighbouring elements that a thread loads at once, as a vector.
    pub vector: usize,
    /// Number of vectors per thread.
    pub rows: usize,
    /// Bytes of a vector in shared memory, where each input buffer has a slot for its elements of the vector.
    pub slot: usize,
    /// Whether it is a tile of the tree of float scans: then the elements of a thread are a row.
    pub tree: bool,
}

impl TileShape {
    pub(super) fn new(sizes: Sizes, size: TileSize) -> Self {
        if sizes.row > 0 {
            return Self::of_tree(sizes);
        }
        let TileSize { threads, thread_bytes } = size;
        let widest = sizes.state.max(sizes.output);
        // The smallest number of elements that are whole loads of 16 bytes, unless a thread does not hold as many or,
        // with odd sizes, registers do not hold their values.
        let whole = [1, 2, 4, 8, 16].into_iter().find(|elements| (elements * sizes.input).is_multiple_of(16));
        let few = |&elements: &usize| {
            elements * sizes.input <= 16 || (elements <= 4 && elements * sizes.input <= thread_bytes)
        };
        let vector = match sizes.streams {
            None => whole.filter(few).unwrap_or(1),
            Some(streams) => vector_of(streams, sizes.output),
        };
        let vector = vector.min(1 << (64 / widest).max(1).ilog2());
        let slot = match sizes.streams {
            None => (vector * sizes.place).next_multiple_of(16),
            Some(streams) => slots(streams, vector, sizes.place),
        };
        // The number of vectors per thread is odd, against bank conflicts. The segment heads of a thread's elements are
        // bits of a word of 64, with one bit to spare.
        let rows = |bytes: usize| ((bytes / slot).min(63 / vector).max(1) - 1) | 1;
        let several = sizes.streams.is_some_and(|streams| streams.sizes().len() > 1);
        let thread_bytes = if several && size == SEGMENTS { SEGMENTS_OF_SEVERAL } else { thread_bytes };
        if size == LARGE && several && vector == 1 && slot <= SHORT_SLOT && sizes.marks == Marks::None {
            return Self { threads, vector, rows: ROWS_OF_SHORT, slot, tree: false };
        }
        let one_row = size == LARGE && several && rows(thread_bytes) == 1;
        if one_row && ROWS_OF_SEVERAL * slot <= SEVERAL.thread_bytes && sizes.marks != Marks::Offsets {
            return Self { threads: SEVERAL.threads, vector, rows: ROWS_OF_SEVERAL, slot, tree: false };
        }
        if one_row {
            let threads = (SEVERAL_BYTES / slot / WARP * WARP).clamp(3 * WARP, threads);
            return Self { threads, vector, rows: 1, slot, tree: false };
        }
        Self { threads, vector, rows: rows(thread_bytes), slot, tree: false }
    }

    /// Returns the shape of a tile of the tree of float scans: a row for each thread, a group for eight.
    fn of_tree(sizes: Sizes) -> Self {
        let vector = match sizes.streams {
            None => [1, 2, 4, 8].into_iter().find(|elements| (elements * sizes.input).is_multiple_of(16)).unwrap_or(16),
            Some(streams) => vector_of(streams, sizes.output),
        };
        let vector = vector.min(sizes.row);
        let slot = match sizes.streams {
            None => (vector * sizes.place).next_multiple_of(16),
            Some(streams) => slots(streams, vector, sizes.place),
        };
        Self { threads: tree::ROWS * tree::GROUPS, vector, rows: sizes.row / vector, slot, tree: true }
    }

    /// Returns the number of elements of the tile.
    #[must_use]
    pub fn elements(&self) -> usize {
        self.threads * self.vector * self.rows
    }

    /// Returns the number of bytes of the tile's elements in shared memory.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.threads * self.rows * self.slot
    }

    pub(super) fn warps(&self) -> usize {
        self.threads / WARP
    }

    /// Bytes of shared memory of a tile besides its elements: the totals of its warps, their prefixes, the values that
    /// its threads keep, its marks.
    pub(super) fn beside(&self, sizes: Sizes) -> usize {
        // The marks of what follows each warp, a byte each, take 16 bytes at most with padding, as the bytes of
        // vectors' bits before them are a multiple of 16.
        let marks = self.threads * self.rows * self.vector.div_ceil(8) + self.warps() * size_of::<u64>() + 16;
        let states = if self.tree { 2 * tree::GROUPS + 2 } else { 2 * self.warps() };
        states * sizes.state + sizes.kept * self.threads + if sizes.marks == Marks::Vectors { marks } else { 0 }
    }

    /// Bytes of what a warp that finds segment offsets stores in shared memory for a tile: the tile's marks of segment
    /// heads, the range of its offsets, and its first `ends` segment ends.
    pub(super) fn found(&self, sizes: Sizes, ends: usize) -> usize {
        if sizes.marks == Marks::Offsets { self.elements() / 8 + 48 + ends * size_of::<u16>() } else { 0 }
    }

    /// Constants of kernels that scan tiles of this shape.
    pub(super) fn constants(&self, sizes: Sizes) -> Constants {
        let mut constants = StatusWords::constants(sizes.state);
        constants!(constants; "GROUP" = GROUP, "SPREAD" = SPREAD, "OFFSETS_A_WARP" = OFFSETS_A_WARP, "THREADS" = self.threads, "VECTOR" = self.vector, "ROWS" = self.rows, "SLOT_BYTES" = self.slot, "TREE" = usize::from(self.tree));
        constants
    }
}
