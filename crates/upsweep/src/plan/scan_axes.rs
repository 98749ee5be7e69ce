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
/// Columns of a lane in a tile, and rows of a warp: as many values as a thread has registers for. Of values of two or more registers there
/// are at least so many rows.
const COLUMNS: usize = 4;
const ROWS: usize = 8;
const FEWEST_ROWS: usize = 6;
/// Warps of a block, and blocks that a multiprocessor runs at once: the first that have room. H200, 2026-11-23, 16k x 16k f32: 913 us (12
/// warps in two blocks: 1,303; 16 in one: 1,153; 6 in three: 1,066; 4 in four: 1,439); of f64 from f32 six rows 1,812 (four: 2,211).
const BLOCKS: [(usize, usize); 4] = [(8, 2), (12, 1), (8, 1), (4, 1)];

/// Values travel down the bands one after the other, 1 to 3 us for each: the most bands of an array are these, and so many for each MiB of
/// its elements and results. Two scans take 0.6 us for a MiB of both; of a table with a border, for which the second one has to compute
/// where its elements lie, 8 us.
const BANDS: usize = 24;
const MEBIBYTES_OF_BAND: usize = 4;
const BORDERED_BANDS_OF_MEBIBYTE: usize = 2;

/// Bytes of an element, of what is combined, and of a result.
type Sizes = (usize, usize, usize);
/// Of what a block knows of a task: its ticket, array, band, place and kind.
const TASK_BYTES: usize = 20;
/// Bands whose rows are reduced before a band's tiles are computed. One: 993 us instead of 913.
const LEAD: usize = 2;

/// A planned scan along two axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AxesPlan {
    /// Arrays, one after the other, and the rows and columns of each.
    pub shape: (usize, usize, usize),
    /// Of an element, of what is combined, and of a result.
    pub sizes: Sizes,
    /// Warps of a block.
    pub warps: usize,
    /// Rows of a warp.
    pub rows: usize,
    /// Vectors of a lane in a row of a tile.
    pub parts: usize,
    /// Columns of a vector.
    pub vector: usize,
    /// Blocks that a multiprocessor runs at once.
    pub blocks: usize,
}

impl AxesPlan {
    /// The plan for arrays of `shape` (arrays, rows, columns), or none where there is nothing to scan, or no room. It depends on the shape
    /// and the types alone.
    #[must_use]
    pub fn new(shape: (usize, usize, usize), sizes: Sizes, capability: (u32, u32)) -> Option<Self> {
        let (arrays, height, width) = shape;
        let (input, state, output) = sizes;
        let largest = input.max(state).max(output);
        if state > MOST_STATE || largest > 2 * MOST_STATE || arrays * height * width == 0 {
            return None;
        }
        let vector = [4, 2].into_iter().find(|vector| vector * largest <= 16).unwrap_or(1);
        // A value takes one, two or four registers.
        let registers = state.div_ceil(4).next_power_of_two();
        let columns = if registers > 2 { COLUMNS / 2 } else { COLUMNS };
        let rows = (ROWS * COLUMNS / (columns * registers)).max(FEWEST_ROWS);
        let tuning = Tuning::of(capability);
        let plan =
            |(warps, blocks)| Self { shape, sizes, warps, rows, parts: (columns / vector).max(1), vector, blocks };
        let fits = |plan: &Self| plan.shared_bytes() <= tuning.shared_of_block(plan.blocks);
        let plan = BLOCKS.map(plan).into_iter().find(fits)?;
        let words = 2 * (plan.row_entries() + plan.bands() * width);
        (u32::try_from(2 * plan.tickets()).is_ok() && u32::try_from(words).is_ok()).then_some(plan)
    }

    /// Whether one pass is taken instead of a scan along each axis. `bordered`: results have a row and a column more.
    #[must_use]
    pub fn pays(&self, bordered: bool) -> bool {
        let ((arrays, height, width), (input, _, output)) = (self.shape, self.sizes);
        let mebibytes = (arrays * height * width).saturating_mul(input + output) >> 20;
        let most = if bordered { BORDERED_BANDS_OF_MEBIBYTE * mebibytes } else { mebibytes / MEBIBYTES_OF_BAND };
        self.tiles_each().0 <= BANDS + most
    }

    /// Threads a block.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.warps * WARP
    }

    /// Rows and columns of a tile.
    fn tile(&self) -> (usize, usize) {
        (self.warps * self.rows, WARP * self.parts * self.vector)
    }

    /// Bands of an array, and tiles of a band.
    #[must_use]
    pub fn tiles_each(&self) -> (usize, usize) {
        let (height, width) = self.tile();
        (self.shape.1.div_ceil(height), self.shape.2.div_ceil(width))
    }

    /// Bands of all arrays.
    #[must_use]
    pub fn bands(&self) -> usize {
        self.shape.0 * self.tiles_each().0
    }

    /// Tasks of a band that reduce rows, and rows of each. Of a row the parts in all tiles but the last are reduced, in a task at most
    /// as many as a tile has rows; those of a longer row one after the other.
    #[must_use]
    pub fn rows_tasks(&self) -> (usize, usize) {
        let (height, parts) = (self.tile().0, self.tiles_each().1 - 1);
        let rows = height.checked_div(parts).unwrap_or(0).max(1);
        (if parts == 0 { 0 } else { height.div_ceil(rows) }, rows)
    }

    /// Tasks of all bands, and of those that only lead.
    #[must_use]
    pub fn tickets(&self) -> usize {
        (self.bands() + LEAD).saturating_mul(self.rows_tasks().0 + self.tiles_each().1)
    }

    /// Blocks to launch, of which so many run at once.
    #[must_use]
    pub fn grid(&self, resident: usize) -> usize {
        self.tickets().min(resident)
    }

    /// The entries of rows: one for each tile; behind them is one for each column of each band.
    #[must_use]
    pub fn row_entries(&self) -> usize {
        self.shape.0 * self.shape.1 * self.tiles_each().1
    }

    /// What tiles are told.
    #[must_use]
    pub fn words(&self) -> StatusWords {
        StatusWords::of(self.row_entries() + self.bands() * self.shape.2, self.sizes.1)
    }

    /// Dynamic shared memory a block.
    #[must_use]
    pub fn shared_bytes(&self) -> usize {
        let (input, state, output) = self.sizes;
        let (height, width) = self.tile();
        // The warps' sums and results in a row, parts of rows, four tasks, and the elements of the next tile.
        let shared = (self.warps * width * state).next_multiple_of(16)
            + (self.warps * width * output).next_multiple_of(16)
            + 2 * (height * state).next_multiple_of(16)
            + state.next_multiple_of(16)
            + (4 * TASK_BYTES).next_multiple_of(16);
        shared + height * width * input
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
        constants!(constants; "THREADS" = self.threads(), "ROWS" = self.rows, "PARTS" = self.parts, "VECTOR" = self.vector, "BLOCKS" = self.blocks, "LEAD" = LEAD);
        constants
    }
}

impl fmt::Display for AxesPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { shape: (arrays, height, width), warps, rows, parts, vector, blocks, .. } = *self;
        let (tall, wide) = self.tile();
        let ((bands, tiles), (tasks, each)) = (self.tiles_each(), self.rows_tasks());
        writeln!(f, "scan along two axes, one kernel (device/scan_axes.cuh)")?;
        writeln!(f, "  arrays        {arrays} of {height} x {width}")?;
        writeln!(
            f,
            "  bands         {bands} in each, of {tiles} tiles of {tall} x {wide}: {warps} warps x {rows} rows, {parts} x {vector} columns a lane"
        )?;
        writeln!(f, "  rows          {tasks} tasks a band of {each}, {LEAD} bands ahead")?;
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
            let all = [1, 4, 8, 16, 3, 12];
            let sizes = all.map(|size| (size, size, size)).into_iter().chain([(1, 4, 4), (4, 8, 8), (1, 16, 32)]);
            for (sizes, height) in sizes.flat_map(|sizes| [1, 100, 1 << 14].map(|height| (sizes, height))) {
                let plan = AxesPlan::new((1, height, 4096), sizes, tuning.capability).expect("tiles may be small");
                assert!(plan.shared_bytes() <= tuning.shared_of_block(plan.blocks), "{plan:?}");
                assert!(plan.tile().1 <= plan.threads() && plan.rows <= WARP, "{plan:?}");
                assert_eq!(plan.tiles_each().0, height.div_ceil(plan.tile().0));
            }
        }
    }

    #[test]
    fn tiles_of_as_many_values_as_there_are_registers() {
        let tile = |shape, sizes| AxesPlan::new(shape, sizes, (9, 0)).map(|plan| plan.tile());
        let square = (1, 1 << 14, 1 << 14);
        assert_eq!(tile(square, (4, 4, 4)), Some((64, 128)));
        assert_eq!(tile(square, (4, 8, 8)), Some((48, 128)));
        assert_eq!(tile((1, 1 << 10, 0), (4, 4, 4)), None);
        assert_eq!(tile(square, (4, 32, 32)), None, "large values");
    }

    #[test]
    fn one_pass_is_taken_where_bands_are_few_for_the_memory() {
        let pays = |height, width, bordered| {
            let plan = AxesPlan::new((1, height, width), (4, 4, 4), (9, 0)).expect("there are elements");
            plan.pays(bordered)
        };
        assert!(pays(1 << 14, 1 << 14, false) && pays(1 << 10, 1 << 10, false));
        assert!(!pays(1 << 20, 8, false) && !pays(1 << 20, 8, true));
        assert!(!pays(1 << 12, 1 << 12, false) && pays(1 << 12, 1 << 12, true));
    }

    #[test]
    fn tasks_have_all_parts_of_rows() {
        for width in [1, 128, 129, 5_000, 1 << 14, 1 << 20] {
            let plan = AxesPlan::new((3, 1_000, width), (4, 4, 4), (9, 0)).expect("there are elements");
            let ((bands, tiles), (tasks, rows)) = (plan.tiles_each(), plan.rows_tasks());
            let height = plan.tile().0;
            assert!(tasks * rows >= height || tiles == 1, "{plan:?}");
            assert!(rows == 1 || rows * (tiles - 1) <= height, "{plan:?}");
            assert_eq!(plan.tickets(), (3 * bands + LEAD) * (tasks + tiles));
        }
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
