//! A tile: its shape, what a block holds of it in shared memory, and the sizes that these depend on.
//!
//! The shape depends on the types alone, so that a scan of floats groups its additions in the same way on every GPU of an
//! architecture.

use super::constants::{Constants, constants};
use super::memory::StatusWords;
use upsweep_core::inputs::Streams;

/// Lanes of a warp.
pub(super) const WARP: usize = 32;
/// Tiles of a look-back group.
pub(super) const GROUP: usize = WARP;
/// Entries from one group's status word to the next: a memory line of 8-byte words, so that blocks that poll different
/// groups poll different lines.
pub(super) const SPREAD: usize = 16;
/// Offsets of a tile that one warp finds and marks; all warps of a block share the others. Tiles of 3,072 elements and
/// segments of 8 have 384; see benches/notes/segments.md.
pub(super) const OFFSETS_A_WARP: usize = 768;
/// Tiles whose marks by offsets a scan keeps: those from one that is finished to one that is prepared (LAG + warps + 2).
pub(super) const MARK_SLOTS: usize = 8;
/// Shared memory that the driver reserves in each block (CUDA C++ Programming Guide, compute capability 8.0 and later).
pub(super) const DRIVER_RESERVED: usize = 1 << 10;

/// Threads that compute on a tile, and the bytes of input that each has of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TileSize {
    pub(super) threads: usize,
    pub(super) thread_bytes: usize,
}

/// Long arrays: three loads of 16 bytes a thread. 0.95 of a copy where 32 KiB reach 0.89 (H200, 2026-11-21: benches/notes/scan.md).
pub(super) const LARGE: TileSize = TileSize { threads: 256, thread_bytes: 48 };
/// Long arrays of several inputs, where a thread of [`LARGE`] has room for one vector: three for half as many threads. What a
/// tile costs beside its elements is then shared by more of them (H200, 2026-11-22: benches/notes/inputs-and-functions.md).
/// Three such tiles fit where a block has 64 KiB, unless it keeps the marks of segments by offsets, too.
const SEVERAL: TileSize = TileSize { threads: 128, thread_bytes: 160 };
const ROWS_OF_SEVERAL: usize = 3;
/// Of two inputs of 8 bytes a vector is one element of each: more of them share what a thread does beside (H200, 2026-11-24, sums of big
/// integers: benches/notes/trees-and-graphs.md).
pub(super) const SHORT_SLOT: usize = 16;
const ROWS_OF_SHORT: usize = 5;
/// The bytes of a tile of wider ones, at most: three fit there, too.
const SEVERAL_BYTES: usize = 18 << 10;
/// Short arrays, where every block has one such tile: straight-line code a third as long (H200, 2026-11-21: 6.6 to 6.4 us at
/// 2^16, benches/notes/scan.md, "Short arrays").
pub(super) const SMALL: TileSize = TileSize { threads: 512, thread_bytes: 16 };
/// Segmented reductions free a tile once it is reduced, so tiles can be larger, which amortises the work a tile (H200,
/// 2026-11-21: benches/notes/segments.md). Five vectors of 16 bytes, or three whose results take 32.
pub(super) const SEGMENTS: TileSize = TileSize { threads: 256, thread_bytes: 96 };
/// Of several inputs: one vector of two of them; three took as long (H200, 2026-11-23, sparse products: 897 us).
const SEGMENTS_OF_SEVERAL: usize = 80;

/// The sizes in bytes that a plan depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// Of an element; of several inputs, of all that is streamed of one.
    pub input: usize,
    /// The streams, where the input is not one buffer.
    pub streams: Option<Streams>,
    /// Of what one tile tells another: what the operator combines, with its segment heads.
    pub state: usize,
    /// Of a result.
    pub output: usize,
    /// Of an element's place in shared memory: of the element, or of a result that may take its place.
    pub place: usize,
    /// Of what a thread keeps of a tile from the first pass over it to the second.
    pub kept: usize,
    /// How segment heads are marked in shared memory.
    pub marks: Marks,
    /// Whether a state counts segment heads, in 8 bytes of it.
    pub counted: bool,
}

/// How segment heads are marked in shared memory: see `tile/heads.cuh`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marks {
    /// They are not.
    None,
    /// In bytes, one or two for each vector of each tile there.
    Vectors,
    /// In bits, one for each element, of more tiles than are there: those that are prepared, too.
    Offsets,
}

impl Sizes {
    /// Of a scan that has no segments.
    #[must_use]
    pub fn plain(input: usize, state: usize, output: usize) -> Self {
        Self { input, streams: None, state, output, place: input, kept: 0, marks: Marks::None, counted: false }
    }
}

/// The fewest elements that are whole words of every stream and 16 bytes together, if a thread holds as many.
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

/// The bytes of a vector's slots, of several streams or none: as `slot_bytes` in `tile/stage.cuh`.
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

/// A tile's shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TileShape {
    /// Threads that compute on it.
    pub threads: usize,
    /// Neighbouring elements that a thread loads at once.
    pub vector: usize,
    /// Vectors that a thread has.
    pub rows: usize,
    /// Bytes of a vector's slots in shared memory: one for each stream.
    pub slot: usize,
}

impl TileShape {
    pub(super) fn new(sizes: Sizes, size: TileSize) -> Self {
        let TileSize { threads, thread_bytes } = size;
        let widest = sizes.state.max(sizes.output);
        // The fewest elements that are whole loads of 16 bytes, unless that is more than a thread holds or, of odd sizes, more
        // values than there are registers for.
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
        // An odd number, against bank conflicts; a thread's heads have a bit each in a word of 64, and one to spare.
        let rows = |bytes: usize| ((bytes / slot).min(63 / vector).max(1) - 1) | 1;
        let several = sizes.streams.is_some_and(|streams| streams.sizes().len() > 1);
        let thread_bytes = if several && size == SEGMENTS { SEGMENTS_OF_SEVERAL } else { thread_bytes };
        if size == LARGE && several && vector == 1 && slot <= SHORT_SLOT && sizes.marks == Marks::None {
            return Self { threads, vector, rows: ROWS_OF_SHORT, slot };
        }
        let one_row = size == LARGE && several && rows(thread_bytes) == 1;
        if one_row && ROWS_OF_SEVERAL * slot <= SEVERAL.thread_bytes && sizes.marks != Marks::Offsets {
            return Self { threads: SEVERAL.threads, vector, rows: ROWS_OF_SEVERAL, slot };
        }
        if one_row {
            let threads = (SEVERAL_BYTES / slot / WARP * WARP).clamp(3 * WARP, threads);
            return Self { threads, vector, rows: 1, slot };
        }
        Self { threads, vector, rows: rows(thread_bytes), slot }
    }

    /// Its elements.
    #[must_use]
    pub fn elements(&self) -> usize {
        self.threads * self.vector * self.rows
    }

    /// Its bytes in shared memory.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.threads * self.rows * self.slot
    }

    pub(super) fn warps(&self) -> usize {
        self.threads / WARP
    }

    /// A tile's share of shared memory beside its elements: the totals of its warps, their prefixes, what its threads
    /// keep, its marks.
    pub(super) fn beside(&self, sizes: Sizes) -> usize {
        // What follows each warp has 16 bytes at most, as vectors' bits are a multiple of 16.
        let marks = self.threads * self.rows * self.vector.div_ceil(8) + self.warps() * size_of::<u64>() + 16;
        2 * sizes.state * self.warps()
            + sizes.kept * self.threads
            + if sizes.marks == Marks::Vectors { marks } else { 0 }
    }

    /// What an offsets warp leaves of a tile: its marks, the range of its offsets and its first `ends`.
    pub(super) fn found(&self, sizes: Sizes, ends: usize) -> usize {
        if sizes.marks == Marks::Offsets { self.elements() / 8 + 48 + ends * size_of::<u16>() } else { 0 }
    }

    /// What kernels that scan tiles of this shape have to know.
    pub(super) fn constants(&self, sizes: Sizes) -> Constants {
        let mut constants = StatusWords::constants(sizes.state);
        constants!(constants; "GROUP" = GROUP, "SPREAD" = SPREAD, "OFFSETS_A_WARP" = OFFSETS_A_WARP, "THREADS" = self.threads, "VECTOR" = self.vector, "ROWS" = self.rows, "SLOT_BYTES" = self.slot);
        constants
    }
}
