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
/// Warps that compute, and rows of a thread in a tile: as many values as it has registers for.
const WARPS: usize = 8;
const VALUES: usize = 32;
/// Strips that keep all multiprocessors busy: a strip of fewer columns is taken where there are fewer.
const STRIPS: usize = 96;
const FEWEST_LANES: usize = 8;
/// Strips of a group, and groups that a strip looks back over.
const GROUP: usize = 8;
const GROUPS: usize = 32;
/// Tiles that are copied ahead, and tiles between the reduction of one and its end, at most.
const AHEAD: usize = 2;
const LAG: usize = 3;
/// Look-back warps that a block has, at most.
const LOOK_BACK_WARPS: usize = 8;

/// Bytes of an element, of what is combined, and of a result.
type Sizes = (usize, usize, usize);

/// A planned scan along two axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AxesPlan {
    /// Arrays, one after the other, and the rows and columns of each.
    pub shape: (usize, usize, usize),
    /// Of an element, of what is combined, and of a result.
    pub sizes: Sizes,
    /// Lanes of a row of a strip.
    pub lanes: usize,
    /// Columns of a lane.
    pub vector: usize,
    /// Rows of a thread in a tile.
    pub rows: usize,
    /// Tiles between the reduction of one and its end.
    pub lag: usize,
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
        let strips = |lanes: usize| arrays.saturating_mul(width.div_ceil(lanes * vector));
        let lanes = [WARP, WARP / 2].into_iter().find(|&lanes| strips(lanes) >= STRIPS).unwrap_or(FEWEST_LANES);
        let plan = |(rows, lag)| Self { shape, sizes, lanes, vector, rows, lag };
        let most = VALUES / vector / state.div_ceil(4).next_power_of_two();
        let tuning = Tuning::of(capability);
        let plan = [(most, LAG), (most, 1), (1, LAG), (1, 1)]
            .map(plan)
            .into_iter()
            .find(|plan| plan.shared_bytes() <= tuning.shared_of_block(1))?;
        let tiles = u32::try_from(arrays.saturating_mul(plan.tiles().saturating_mul(plan.strips())));
        (tiles.is_ok() && u32::try_from(2 * plan.entries()).is_ok()).then_some(plan)
    }

    /// Whether one pass is taken instead of a scan along each axis. `bordered`: results have a row and a column more.
    #[must_use]
    pub fn pays(&self, _bordered: bool) -> bool {
        true
    }

    /// Rows and columns of a tile.
    fn tile(&self) -> (usize, usize) {
        (WARPS * WARP / self.lanes * self.rows, self.lanes * self.vector)
    }

    /// Strips of an array.
    #[must_use]
    pub fn strips(&self) -> usize {
        self.shape.2.div_ceil(self.tile().1)
    }
    /// Tiles of a strip.
    #[must_use]
    pub fn tiles(&self) -> usize {
        self.shape.1.div_ceil(self.tile().0)
    }

    /// Groups of an array's strips.
    #[must_use]
    pub fn groups(&self) -> usize {
        self.strips().div_ceil(GROUP)
    }

    /// Look-back warps of a tile, and teams of them, which take tiles in turn.
    fn teams(&self) -> (usize, usize) {
        let turns = self.lag + 1;
        let team = self.tile().0.div_ceil(WARP).min(LOOK_BACK_WARPS / turns.min(LOOK_BACK_WARPS)).max(1);
        (team, turns)
    }

    /// Threads a block.
    #[must_use]
    pub fn threads(&self) -> usize {
        let (team, teams) = self.teams();
        (WARPS + team * teams) * WARP
    }

    /// Blocks to launch.
    #[must_use]
    pub fn grid(&self) -> usize {
        self.shape.0 * self.strips()
    }

    /// The entries of rows: one for each strip; behind them are two for each group.
    #[must_use]
    pub fn row_entries(&self) -> usize {
        let rows = self.shape.0.saturating_mul(self.tiles() * self.tile().0);
        rows.saturating_mul(self.strips())
    }
    fn entries(&self) -> usize {
        let rows = self.shape.0.saturating_mul(self.tiles() * self.tile().0);
        self.row_entries().saturating_add(rows.saturating_mul(2 * self.groups()))
    }

    /// What strips are told.
    #[must_use]
    pub fn words(&self) -> StatusWords {
        StatusWords::of(self.entries(), self.sizes.1)
    }

    /// Dynamic shared memory a block.
    #[must_use]
    pub fn shared_bytes(&self) -> usize {
        let (input, state, output) = self.sizes;
        let (height, width) = self.tile();
        let kept = self.lag + 1;
        let sums = 2 * (WARPS * width * state).next_multiple_of(16) + 2 * (width * state).next_multiple_of(16);
        let lefts = (kept * height * state).next_multiple_of(16);
        let rows = (WARPS * WARP * self.vector * output).next_multiple_of(16);
        sums + 64 + lefts + rows + kept * height * width * state + AHEAD * height * width * input
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
        let (team, teams) = self.teams();
        constants!(constants; "THREADS" = WARPS * WARP, "LANES" = self.lanes, "VECTOR" = self.vector, "ROWS" = self.rows, "AHEAD" = AHEAD, "KEPT" = self.lag + 1, "TEAM" = team, "TEAMS" = teams, "GROUP" = GROUP, "GROUPS" = GROUPS, "BLOCKS" = 1);
        constants
    }
}

impl fmt::Display for AxesPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { shape: (arrays, height, width), lanes, vector, rows, lag, .. } = *self;
        let (tall, wide) = self.tile();
        let (team, teams) = self.teams();
        writeln!(f, "scan along two axes, one kernel (device/scan_axes.cuh)")?;
        writeln!(f, "  arrays        {arrays} of {height} x {width}")?;
        writeln!(f, "  strips        {} in each, of {} tiles of {tall} x {wide}: {WARPS} warps x {} x {rows} rows, {lanes} lanes x {vector} columns", self.strips(), self.tiles(), WARP / lanes)?;
        writeln!(f, "  look back     {teams} teams of {team} warps, over groups of {GROUP} strips, {lag} tiles ahead")?;
        writeln!(f, "  status words  {} bytes", self.words().bytes())?;
        write!(f, "  shared memory {} bytes a block", self.shared_bytes())
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
