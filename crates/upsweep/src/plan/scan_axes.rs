//! A scan along the two last axes of an array, in one pass: on a CUDA device (`kernels/device/scan_axes.cuh`) its strips and tiles, on the
//! CPU (`src/cpu/scan_axes.rs`) its tiles, threads and stores.

use super::constants::{Constants, constants};
use super::cpu::{NON_TEMPORAL_FROM_BYTES, PARALLEL_FROM_BYTES};
use super::memory::StatusWords;
use super::tile::WARP;
use super::tuning::Tuning;
use std::fmt;
use std::ops::Range;

/// The largest values that are combined: larger ones have no registers.
const MOST_STATE: usize = 16;
/// Columns of a lane in a tile, and rows of a warp: as many values as a thread has registers for.
const COLUMNS: usize = 4;
const ROWS: usize = 4;
/// Warps that compute.
const WARPS: usize = 8;
/// Strips of a group.
const GROUP: usize = 16;
/// Tiles that a block stages ahead, and that it holds from their scan to the store of their results, the most first.
const AHEAD: usize = 1;
const LAGS: [usize; 2] = [3, 1];
/// Sets of look-back warps, which take turns.
const LOOKERS: usize = 2;
/// Blocks that a multiprocessor should run.
const BLOCKS: usize = 2;
/// Strips that keep a device busy: with fewer, strips are of fewer rows.
const STRIPS: usize = 128;
/// The fewest strips of an array of wide rows, and how wide these may be for any number: a block goes along a row by itself.
const FEWEST_STRIPS: usize = 64;
const ALWAYS_WIDE: usize = 4096;

/// The most bytes of elements and results that take one pass on a GPU: none yet, since compute-sanitizer's racecheck reports hazards in the
/// kernel that are not explained, though all its results were right (H200, 2026-11-23). Then it will be what the L2 cache holds, some 32 MiB:
/// 1k x 1k f32 took 16 us; 16k x 16k 1,330, where two passes take some 1,120.
const MOST_BYTES: Option<usize> = None;

/// Bytes of an element, of what is combined, and of a result.
type Sizes = (usize, usize, usize);

/// A planned scan along two axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AxesPlan {
    /// Arrays, one after the other, and the rows and columns of each.
    pub shape: (usize, usize, usize),
    /// Of an element, of what is combined, and of a result.
    pub sizes: Sizes,
    /// Warps that compute.
    pub warps: usize,
    /// Rows of a warp.
    pub rows: usize,
    /// Vectors of a lane in a row of a tile.
    pub parts: usize,
    /// Columns of a vector.
    pub vector: usize,
    /// Blocks that a multiprocessor runs at once.
    pub blocks: usize,
    /// Tiles staged ahead.
    pub ahead: usize,
    /// Tiles held from their scan to the store of their results.
    pub lag: usize,
    /// Strips of a group.
    pub group: usize,
}

impl AxesPlan {
    /// The plan for arrays of `shape` (arrays, rows, columns), or none where a scan along each axis is faster, or all there is. It depends
    /// on the shape and the types alone.
    #[must_use]
    pub fn new(shape: (usize, usize, usize), sizes: Sizes, capability: (u32, u32)) -> Option<Self> {
        let (arrays, height, width) = shape;
        let (input, state, output) = sizes;
        let largest = input.max(state).max(output);
        if state > MOST_STATE || largest > 2 * MOST_STATE || arrays * height * width == 0 {
            return None;
        }
        let vector = [4, 2].into_iter().find(|vector| vector * largest <= 16).unwrap_or(1);
        let strips = |rows: usize| arrays * height.div_ceil(rows);
        // Tall strips have less to tell each other; as many as there must be are no taller than needed.
        let rows = [ROWS, 2, 1].into_iter().find(|rows| strips(WARPS * rows) >= STRIPS).unwrap_or(1);
        // Values of more than 8 bytes take as many registers as two of the others.
        let columns = if state > 8 { COLUMNS / 2 } else { COLUMNS };
        let parts = (columns * ROWS / (rows * vector)).min(2 * COLUMNS / vector).max(1);
        let strips = strips(WARPS * rows);
        let words = (2 * strips).checked_mul(width)?.checked_mul(2)?;
        if u32::try_from(words).is_err() || (strips < FEWEST_STRIPS && width > ALWAYS_WIDE) {
            return None;
        }
        let tuning = Tuning::of(capability);
        let plan = |lag, blocks| Self {
            shape,
            sizes,
            warps: WARPS,
            rows,
            parts,
            vector,
            blocks,
            ahead: AHEAD,
            lag,
            group: GROUP,
        };
        let fits = |&(lag, blocks): &(usize, usize)| plan(lag, blocks).shared_bytes() <= tuning.shared_of_block(blocks);
        // Few strips have a multiprocessor each.
        let blocks = if rows < ROWS { 1 } else { BLOCKS };
        let mut ways = (1..=blocks).rev().flat_map(|blocks| LAGS.map(|lag| (lag, blocks)));
        ways.find(fits).map(|(lag, blocks)| plan(lag, blocks))
    }

    /// Whether one pass is taken instead of a scan along each axis.
    #[must_use]
    pub fn pays(&self) -> bool {
        let ((arrays, height, width), (input, _, output)) = (self.shape, self.sizes);
        let bytes = (arrays * height * width).saturating_mul(input + output);
        MOST_BYTES.is_some_and(|most| bytes <= most)
    }

    /// Threads a block: those of the compute warps, and in each set of look-back warps one for each column of a tile.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.warps * WARP + LOOKERS * self.tile().1
    }

    /// Rows of a strip, and columns of a tile.
    fn tile(&self) -> (usize, usize) {
        (self.warps * self.rows, WARP * self.parts * self.vector)
    }

    /// Strips of an array, and groups of these.
    #[must_use]
    pub fn strips_each(&self) -> (usize, usize) {
        let strips = self.shape.1.div_ceil(self.tile().0);
        (strips, strips.div_ceil(self.group))
    }

    /// Strips of all arrays.
    #[must_use]
    pub fn strips(&self) -> usize {
        self.shape.0 * self.strips_each().0
    }

    /// Tiles of a strip.
    #[must_use]
    pub fn tiles(&self) -> usize {
        self.shape.2.div_ceil(self.tile().1)
    }

    /// Blocks to launch, of which so many run at once.
    #[must_use]
    pub fn grid(&self, resident: usize) -> usize {
        self.strips().min(resident)
    }

    /// A value for each column of each strip, and of each group.
    #[must_use]
    pub fn words(&self) -> StatusWords {
        let (arrays, _, width) = self.shape;
        StatusWords::of((self.strips() + arrays * self.strips_each().1) * width, self.sizes.1)
    }

    /// Dynamic shared memory a block.
    #[must_use]
    pub fn shared_bytes(&self) -> usize {
        let (input, state, output) = self.sizes;
        let (height, width) = self.tile();
        // For each tile that is held: its values, the warps' sums, the tile's own, and what lies above it.
        let held = (self.lag + 1) * (height + self.warps + 2) * width * state;
        held.next_multiple_of(16)
            + (self.warps * width * output).next_multiple_of(16)
            + 16
            + self.ahead * height * width * input
    }

    /// The bytes of a copy to shared memory, at most: as `access_width` of a vector of elements.
    #[must_use]
    pub fn copy_bytes(size: usize, vector: usize) -> usize {
        match 1 << (size * vector).trailing_zeros().min(4) {
            2 => 1,
            width => width,
        }
    }

    /// The numbers that the kernel is compiled with.
    #[must_use]
    pub fn constants(&self) -> Constants {
        let mut constants = StatusWords::constants(self.sizes.1);
        constants!(constants; "THREADS" = self.warps * WARP, "ROWS" = self.rows, "PARTS" = self.parts, "VECTOR" = self.vector, "AHEAD" = self.ahead, "LAG" = self.lag, "RING" = self.lag + 1, "LOOKERS" = LOOKERS, "BLOCKS" = self.blocks, "GROUP" = self.group);
        constants
    }
}

impl fmt::Display for AxesPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { shape: (arrays, height, width), warps, rows, parts, vector, blocks, ahead, lag, group, .. } = *self;
        let (tall, wide) = self.tile();
        let (strips, groups) = self.strips_each();
        writeln!(f, "scan along two axes, one kernel (device/scan_axes.cuh)")?;
        writeln!(f, "  arrays        {arrays} of {height} x {width}")?;
        writeln!(f, "  strips        {strips} of {tall} rows in each, in {groups} groups of {group}")?;
        writeln!(
            f,
            "  tiles         of {wide} columns, {ahead} staged ahead, {lag} held back: {warps} warps x {rows} rows, {parts} x {vector} columns a lane"
        )?;
        writeln!(f, "  status words  {} bytes", self.words().bytes())?;
        write!(f, "  shared memory {} bytes a block, {blocks} blocks a multiprocessor", self.shared_bytes())
    }
}

/// Chunks of a row on the CPU, as many as threads can follow each other along it, and the columns of one at least and at most: the line of a
/// chunk stays in a first-level cache, and what is done once for each must not show.
const CHUNKS: usize = 8;
const COLUMNS_AT_LEAST: usize = 128;
const CHUNK_BYTES: usize = 8 << 10;
/// Rows of a tile on the CPU.
const TILE_ROWS: usize = 16;

/// A planned scan along two axes on the CPU. How it is cut depends on the shape and the types alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CpuAxesPlan {
    /// Arrays, one after the other, and the rows and columns of each.
    pub(crate) shape: (usize, usize, usize),
    /// Columns of a chunk.
    pub(crate) columns: usize,
    /// The threads that share the work.
    pub(crate) threads: usize,
    /// Whether results are stored past the cache.
    pub(crate) non_temporal: bool,
}

impl CpuAxesPlan {
    /// For arrays of `shape` (arrays, rows, columns), none of which is 0, of elements and results of so many bytes.
    pub(crate) fn new(shape: (usize, usize, usize), (input, output): (usize, usize)) -> Self {
        let (arrays, height, width) = shape;
        let size = input.max(output).max(1);
        let bytes = (arrays * height * width).saturating_mul(size);
        let most = (CHUNK_BYTES / size).max(COLUMNS_AT_LEAST);
        let columns = width.div_ceil(CHUNKS).next_multiple_of(64).clamp(COLUMNS_AT_LEAST, most);
        Self {
            shape,
            columns,
            threads: if bytes < PARALLEL_FROM_BYTES { 1 } else { rayon::current_num_threads() },
            non_temporal: cfg!(target_arch = "x86_64") && bytes / size * output >= NON_TEMPORAL_FROM_BYTES,
        }
    }

    /// Chunks of a row.
    pub(crate) fn chunks(&self) -> usize {
        self.shape.2.div_ceil(self.columns)
    }

    /// Rows of tiles in an array.
    pub(crate) fn rows_of_tiles(&self) -> usize {
        self.shape.1.div_ceil(TILE_ROWS)
    }

    /// The rows, in their array, of a row of tiles, which are counted through all arrays.
    pub(crate) fn rows(&self, row: usize) -> Range<usize> {
        let first = row % self.rows_of_tiles() * TILE_ROWS;
        first..self.shape.1.min(first + TILE_ROWS)
    }

    /// The columns of a chunk.
    pub(crate) fn columns(&self, chunk: usize) -> Range<usize> {
        let first = chunk * self.columns;
        first..self.shape.2.min(first + self.columns)
    }

    /// Tickets: along the diagonals of tiles, one after the other, and past their ends.
    pub(crate) fn tickets(&self) -> usize {
        (self.shape.0 * self.rows_of_tiles() + self.chunks() - 1) * self.chunks()
    }

    /// The ticket of the tile of this row and chunk.
    pub(crate) fn ticket(&self, row: usize, chunk: usize) -> usize {
        (row + chunk) * self.chunks() + chunk
    }

    /// The row and the chunk of a ticket's tile, if it has one.
    pub(crate) fn tile(&self, ticket: usize) -> Option<(usize, usize)> {
        let (diagonal, chunk) = (ticket / self.chunks(), ticket % self.chunks());
        let row = diagonal.checked_sub(chunk)?;
        (row < self.shape.0 * self.rows_of_tiles()).then_some((row, chunk))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::tuning::TUNING;

    #[test]
    fn blocks_fit_on_every_gpu() {
        for tuning in TUNING {
            for sizes in [
                (1, 1, 1),
                (1, 4, 4),
                (4, 4, 4),
                (4, 8, 8),
                (8, 8, 8),
                (16, 16, 16),
                (3, 3, 3),
                (12, 12, 12),
                (1, 16, 32),
            ] {
                for height in [1, 100, 1 << 10, 1 << 12, 1 << 14] {
                    let Some(plan) = AxesPlan::new((1, height, 4096), sizes, tuning.capability) else {
                        assert!(
                            tuning.shared_bytes < 200 << 10 || sizes.1 > 8,
                            "{sizes:?}: a GPU with so much has room"
                        );
                        continue;
                    };
                    assert!(plan.shared_bytes() <= tuning.shared_of_block(plan.blocks), "{plan:?}");
                    assert!(plan.threads() <= 1024, "{plan:?}");
                    assert_eq!(plan.strips_each().0, height.div_ceil(plan.tile().0));
                }
            }
        }
    }

    #[test]
    fn tall_strips_where_there_are_many_rows() {
        let rows = |shape| AxesPlan::new(shape, (4, 4, 4), (9, 0)).map(|plan| plan.tile().0);
        assert_eq!(rows((1, 1 << 14, 1 << 14)), Some(32));
        assert_eq!(rows((1, 1 << 11, 1 << 14)), Some(16));
        assert_eq!(rows((1, 1 << 10, 1 << 10)), Some(8));
        assert_eq!(rows((64, 1 << 10, 1 << 10)), Some(32));
        assert_eq!(rows((1, 100, 1 << 20)), None, "few blocks would go a long way");
        assert_eq!(rows((1, 1 << 10, 0)), None);
        assert_eq!(AxesPlan::new((1, 1 << 14, 1 << 14), (4, 32, 32), (9, 0)), None, "large values");
        let pays = |side| AxesPlan::new((1, side, side), (4, 4, 4), (9, 0)).is_some_and(|plan| plan.pays());
        assert!(!pays(1 << 10) && !pays(1 << 14));
    }

    #[test]
    fn tickets_come_after_what_they_wait_for() {
        for shape in [(1, 1, 1), (1, 100, 8192), (3, 17, 700), (2, 33, 5000)] {
            let plan = CpuAxesPlan::new(shape, (4, 4));
            let mut seen = vec![false; shape.0 * plan.rows_of_tiles() * plan.chunks()];
            for ticket in 0..plan.tickets() {
                let Some((row, chunk)) = plan.tile(ticket) else { continue };
                assert_eq!(plan.ticket(row, chunk), ticket);
                assert!(chunk == 0 || plan.ticket(row, chunk - 1) < ticket);
                assert!(row == 0 || plan.ticket(row - 1, chunk) < ticket);
                assert!(!plan.rows(row).is_empty() && !plan.columns(chunk).is_empty());
                seen[row * plan.chunks() + chunk] = true;
            }
            assert!(seen.iter().all(|&seen| seen), "{plan:?}");
        }
    }
}
