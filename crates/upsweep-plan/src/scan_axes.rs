//! Plans of scans along the two last axes of an array, in one pass: on a CUDA device (`scan_axes/scan_axes.cuh`) the
//! strips and tiles, on the CPU (`upsweep-cpu/src/scan_axes.rs`) the tiles, threads and stores.

use super::constants::{Constants, constants};
use super::cpu::{NON_TEMPORAL_FROM_BYTES, PARALLEL_FROM_BYTES};
use super::memory::StatusWords;
use super::tile::WARP;
use super::tuning::Tuning;
use std::fmt;
use std::ops::Range;

/// Largest combined value, in bytes: registers do not hold larger ones.
const MOST_STATE: usize = 16;
/// Largest number of neighbouring columns of a lane. Below it, the largest number of bytes of these columns' values.
const COLUMNS: usize = 4;
const VECTOR_BYTES: usize = 32;
/// Number of strips (neighbouring columns, which a block scans from top to bottom) that keeps all multiprocessors busy.
/// If strips of 32 lanes per row are fewer, strips have fewer lanes. H200, 2026-11-25, in groups of 12, 1k x 1k f32:
/// 18.4 us with 4 lanes, 19.5 with 8; 4k x 4k: 75 with 8 lanes, 78 with 16.
const STRIPS: usize = 96;
const FEWEST_LANES: usize = 4;
/// Number of registers that hold a thread's values of a tile.
const VALUE_REGISTERS: usize = 32;
/// Smallest number of bytes of elements that a block copies to shared memory ahead. Below it, the smallest and the
/// largest number of tiles of these elements.
const AHEAD_BYTES: usize = 32 << 10;
const AHEAD: (usize, usize) = (2, 4);
/// Number of groups of strips whose totals a strip reads at once in its look-back: with many strips, all groups that
/// are in flight.
const GROUPS: usize = 12;

/// Numbers of warps and tiles of a block: warps that compute (or that reduce, if as many others finish); tiles that are
/// kept until the prefix from their left is known; look-back warps per tile. A block has barriers for 4 kept tiles if
/// warps have separate roles, else for 7.
type Team = (usize, usize, usize);
/// Team whose warps all reduce and finish. H200, 2026-11-25, 16k x 16k: f32 602 us (8 warps, 4 tiles, 2 look-back
/// warps: 644; 1: 799; 7 tiles of 32 rows: 650).
const TOGETHER: Team = (6, 6, 1);
/// Team of strips with fewer than 32 lanes per row. With four look-back warps a thread has 80 registers, which values
/// of 8 bytes spill.
const NARROW: Team = (8, 4, 2);
/// Team of strips with fewer than 32 lanes per row, for values of 4 bytes. H100, 2026-11-25, with two look-back warps
/// and with four: 1k x 1k f32 16.5 us and 13.8, 4k 75 and 69, 8k 251 and 220.
const NARROW_WORDS: Team = (8, 4, 4);
/// Team with separate roles: some warps reduce and others finish. H200, 2026-11-25, 16k x 16k: u8 to u32 427 us
/// (together 493; one look-back warp 624).
const APART: Team = (8, 4, 2);
/// Team with separate roles, for large values, of which a thread has twice as many rows: f32 to f64 917 us (8 warps of
/// half the rows: 1,059; together 1,015).
const APART_LARGE: Team = (4, 4, 1);

/// Cost model in microseconds. One pass costs `BLOCK_US` per block and `TILE_US` per tile of a block, with `BLOCKS`
/// blocks at once. Two scans cost `SCANS_US` for their launches. Per MiB of elements and results they cost
/// `MEBIBYTE_US` where a table has no border, and `BORDERED_MEBIBYTE_US` where it has one. With a border, one of the
/// two scans has to compute the positions of its elements.
const BLOCK_US: f64 = 10.0;
const TILE_US: f64 = 2.0;
const BLOCKS: usize = 128;
const SCANS_US: f64 = 25.0;
const MEBIBYTE_US: f64 = 0.6;
const BORDERED_MEBIBYTE_US: f64 = 8.0;

/// Sizes in bytes: of an element, of a combined value, and of a result.
type Sizes = (usize, usize, usize);

/// A planned scan along two axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AxesPlan {
    /// Number of arrays, one after the other, and the rows and columns of each.
    pub shape: (usize, usize, usize),
    /// Sizes in bytes: of an element, of a combined value, and of a result.
    pub sizes: Sizes,
    /// Number of lanes across a row of a strip (neighbouring columns, which a block scans from top to bottom).
    pub lanes: usize,
    /// Number of columns of a lane.
    pub vector: usize,
    /// Number of rows of a tile that a thread holds.
    pub rows: usize,
    /// Number of tiles that a block copies ahead.
    pub ahead: usize,
    /// Number of warps that compute, or that reduce where warps have separate roles.
    pub warps: usize,
    /// Number of tiles that a block keeps until the prefix from their left is known.
    pub kept: usize,
    /// Number of look-back warps per tile. There are as many teams of look-back warps as kept tiles.
    pub team: usize,
}

impl AxesPlan {
    /// Plans arrays of `shape` (arrays, rows, columns); `None` where there is nothing to scan, or no room. The plan
    /// depends on the shape and the types alone.
    #[must_use]
    pub fn new(shape: (usize, usize, usize), sizes: Sizes, capability: (u32, u32)) -> Option<Self> {
        let (arrays, height, width) = shape;
        let (input, state, output) = sizes;
        let largest = input.max(state).max(output);
        if state > MOST_STATE || largest > 2 * MOST_STATE || arrays * height * width == 0 {
            return None;
        }
        let most = Tuning::of(capability).shared_of_block(1);
        let plan = |vector: usize, smaller: usize, fewer: usize| {
            let strips = |lanes: usize| arrays.saturating_mul(width.div_ceil(lanes * vector));
            let lanes = [WARP, WARP / 2, WARP / 4].into_iter().find(|&lanes| strips(lanes) >= STRIPS);
            let lanes = lanes.unwrap_or(FEWEST_LANES);
            // A value takes one, two or four registers.
            let registers = state.div_ceil(4).next_power_of_two();
            let ((warps, most_kept, team), more) = match (state > input, registers > 1) {
                (true, true) => (APART_LARGE, 2),
                (true, false) => (APART, 1),
                (false, _) if lanes == WARP => (TOGETHER, 1),
                (false, _) => (if state == 4 { NARROW_WORDS } else { NARROW }, 1),
            };
            let rows = ((more * VALUE_REGISTERS / (vector * registers)).min(lanes) / smaller).max(1);
            let tile = warps * WARP * rows * vector * input;
            let ahead = (AHEAD_BYTES / tile.max(1)).clamp(AHEAD.0, AHEAD.1);
            Self { shape, sizes, lanes, vector, rows, ahead, warps, kept: most_kept - fewer, team }
        };
        let vector = if COLUMNS * largest <= VECTOR_BYTES { COLUMNS } else { 1 };
        let plan = [vector, 1]
            .into_iter()
            .flat_map(|vector| [1, 2, 4, 8].map(|smaller| (vector, smaller)))
            .flat_map(|(vector, smaller)| [0, 1, 2].map(|fewer| plan(vector, smaller, fewer)))
            .find(|plan| plan.shared_bytes() <= most)?;
        (u32::try_from(plan.grid()).is_ok() && u32::try_from(2 * plan.entries()).is_ok()).then_some(plan)
    }

    /// Whether one pass replaces a scan along each axis, by the cost model. `bordered`: results have one more row and
    /// column.
    #[must_use]
    pub fn pays(&self, bordered: bool) -> bool {
        let ((arrays, height, width), (input, _, output)) = (self.shape, self.sizes);
        let mebibytes = (arrays * height * width).saturating_mul(input + output) as f64 / f64::from(1 << 20);
        let turns = self.grid().div_ceil(BLOCKS) as f64;
        let scans = SCANS_US + mebibytes * if bordered { BORDERED_MEBIBYTE_US } else { MEBIBYTE_US };
        turns * (BLOCK_US + TILE_US * self.tiles() as f64) <= scans
    }

    /// Returns the number of rows and of columns of a tile.
    fn tile(&self) -> (usize, usize) {
        (self.warps * WARP / self.lanes * self.rows, self.lanes * self.vector)
    }

    /// Returns the number of strips of an array.
    #[must_use]
    pub fn strips(&self) -> usize {
        self.shape.2.div_ceil(self.tile().1)
    }

    /// Returns the number of tiles of a strip.
    #[must_use]
    pub fn tiles(&self) -> usize {
        self.shape.1.div_ceil(self.tile().0)
    }

    /// Returns the number of neighbouring strips of a group, whose totals are added up for the look-back. Narrow strips
    /// form smaller groups, as they then wait for less.
    fn group(&self) -> usize {
        if self.lanes == WARP { 12 } else { 8 }
    }

    /// Returns the number of groups of an array's strips.
    #[must_use]
    pub fn groups(&self) -> usize {
        self.strips().div_ceil(self.group())
    }

    /// Whether warps have separate roles: some reduce and others finish. They do if a combined value is larger than an
    /// element, as memory then leaves less time for each element.
    fn apart(&self) -> bool {
        self.sizes.1 > self.sizes.0
    }

    /// Returns the number of threads per block.
    #[must_use]
    pub fn threads(&self) -> usize {
        ((1 + usize::from(self.apart())) * self.warps + self.team * self.kept) * WARP
    }

    /// Returns the number of blocks to launch: one for each strip.
    #[must_use]
    pub fn grid(&self) -> usize {
        self.shape.0 * self.strips()
    }

    /// Returns the number of look-back entries of single strips: one for each row of each strip. Two entries for each
    /// row of each group of strips follow them in memory.
    #[must_use]
    pub fn row_entries(&self) -> usize {
        self.rows_of_tiles().saturating_mul(self.strips())
    }
    fn rows_of_tiles(&self) -> usize {
        self.shape.0.saturating_mul(self.tiles() * self.tile().0)
    }
    fn entries(&self) -> usize {
        self.row_entries().saturating_add(self.rows_of_tiles().saturating_mul(2 * self.groups()))
    }

    /// Returns the number of status words through which strips communicate.
    #[must_use]
    pub fn words(&self) -> StatusWords {
        StatusWords::of(self.entries(), self.sizes.1)
    }

    /// Bytes of dynamic shared memory per block, as in `Shared` of `scan_axes/strips.cuh`.
    #[must_use]
    pub fn shared_bytes(&self) -> usize {
        let (input, state, output) = self.sizes;
        let ((height, width), Self { rows, vector, ahead, warps, kept, .. }) = (self.tile(), *self);
        let lowest_bit = 1 << state.trailing_zeros();
        let pitch = self.lanes + (access_width(rows * state) / lowest_bit).max(1);
        [
            2 * warps * width * state,
            2 * width * state,
            kept * height * state,
            2 * warps * WARP * vector * output,
            warps * WARP / self.lanes * rows * pitch * state,
            kept * height * width * state,
            ahead * height * width * input,
        ]
        .map(|bytes| bytes.next_multiple_of(16))
        .into_iter()
        .sum()
    }

    /// Returns the number of bytes of the widest copy to shared memory: `access_width` of a vector of elements.
    #[must_use]
    pub fn copy_bytes(size: usize, vector: usize) -> usize {
        access_width(size * vector)
    }

    /// Constants that the kernel is compiled with.
    #[must_use]
    pub fn constants(&self) -> Constants {
        let mut constants = StatusWords::constants(self.sizes.1);
        constants!(constants; "THREADS" = self.warps * WARP, "LANES" = self.lanes, "VECTOR" = self.vector, "ROWS" = self.rows, "AHEAD" = self.ahead, "KEPT_TILES" = self.kept, "APART" = usize::from(self.apart()), "TEAM_WARPS" = self.team, "GROUP" = self.group(), "GROUPS" = GROUPS);
        constants
    }
}

/// Returns the widest access, in bytes, that divides `bytes`, as in `memory/access.cuh`.
fn access_width(bytes: usize) -> usize {
    match 1 << bytes.trailing_zeros().min(4) {
        2 => 1,
        width => width,
    }
}

impl fmt::Display for AxesPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { shape: (arrays, height, width), lanes, vector, rows, ahead, warps, kept, team, .. } = *self;
        let (tall, wide) = self.tile();
        writeln!(f, "scan along two axes, one kernel")?;
        writeln!(f, "  arrays        {arrays} of {height} x {width}")?;
        writeln!(
            f,
            "  strips        {} in each, of {} tiles of {tall} x {wide}: {warps} warps x {} x {rows} rows, {lanes} lanes x {vector} columns",
            self.strips(),
            self.tiles(),
            WARP / lanes
        )?;
        writeln!(f, "  tiles         {ahead} copied ahead, {kept} kept")?;
        writeln!(f, "  look back     over strips in groups of {}, {team} warps a tile", self.group())?;
        writeln!(f, "  status words  {} bytes", self.words().bytes())?;
        write!(f, "  shared memory {} bytes a block", self.shared_bytes())
    }
}

/// Number of chunks (neighbouring columns) of a row on the CPU: as many threads as this can follow each other along a
/// row of tiles. Below it, the smallest number of columns and the largest number of bytes of a chunk. A scanned row of
/// a chunk must stay in a first-level cache, and the overhead of a chunk must not show.
const CHUNKS: usize = 8;
const COLUMNS_AT_LEAST: usize = 128;
const CHUNK_BYTES: usize = 8 << 10;
/// Number of rows of a tile on the CPU.
pub const TILE_ROWS: usize = 32;

/// A planned scan along two axes on the CPU. Its cut depends on the shape and the types alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CpuAxesPlan {
    /// Number of arrays, one after the other, and the rows and columns of each.
    pub shape: (usize, usize, usize),
    /// Number of columns of a chunk: the neighbouring columns that a tile spans.
    pub columns: usize,
    /// Number of threads that share the work.
    pub threads: usize,
    /// Whether stores are non-temporal, past the cache.
    pub non_temporal: bool,
}

impl CpuAxesPlan {
    /// Plans arrays of `shape` (arrays, rows, columns), none of which is 0, of elements and results of these sizes in
    /// bytes.
    pub fn new(shape: (usize, usize, usize), (input, output): (usize, usize)) -> Self {
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

    /// Returns the number of chunks of a row.
    pub fn chunks(&self) -> usize {
        self.shape.2.div_ceil(self.columns)
    }

    /// Returns the number of tiles below each other in an array.
    pub fn rows_of_tiles(&self) -> usize {
        self.shape.1.div_ceil(TILE_ROWS)
    }

    /// Returns the range of the rows of the tiles number `row` from above, within their array; `row` counts through all
    /// arrays.
    pub fn rows(&self, row: usize) -> Range<usize> {
        let first = row % self.rows_of_tiles() * TILE_ROWS;
        first..self.shape.1.min(first + TILE_ROWS)
    }

    /// Returns the range of the columns of a chunk.
    pub fn columns(&self, chunk: usize) -> Range<usize> {
        let first = chunk * self.columns;
        first..self.shape.2.min(first + self.columns)
    }

    /// Returns the number of tickets. Tickets count along the diagonals of tiles, one diagonal after the other; a
    /// ticket past an end of its diagonal has no tile.
    pub fn tickets(&self) -> usize {
        (self.shape.0 * self.rows_of_tiles() + self.chunks() - 1) * self.chunks()
    }

    /// Returns the ticket of the tile in row `row` of tiles and in chunk `chunk`.
    pub fn ticket(&self, row: usize, chunk: usize) -> usize {
        (row + chunk) * self.chunks() + chunk
    }

    /// Returns the row of tiles and the chunk of a ticket's tile, if the ticket has a tile.
    pub fn tile(&self, ticket: usize) -> Option<(usize, usize)> {
        let (diagonal, chunk) = (ticket / self.chunks(), ticket % self.chunks());
        let row = diagonal.checked_sub(chunk)?;
        (row < self.shape.0 * self.rows_of_tiles()).then_some((row, chunk))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tuning::TUNING;

    #[test]
    fn blocks_fit_on_every_gpu() {
        for tuning in TUNING {
            let all = [1, 4, 8, 16, 3, 12];
            let sizes = all.map(|size| (size, size, size)).into_iter().chain([(1, 4, 4), (4, 8, 8), (1, 16, 32)]);
            for (sizes, width) in sizes.flat_map(|sizes| [1, 1000, 1 << 14].map(|width| (sizes, width))) {
                let plan = AxesPlan::new((1, 4096, width), sizes, tuning.capability).expect("tiles may be small");
                assert!(plan.shared_bytes() <= tuning.shared_of_block(1), "{plan:?}");
                assert!(plan.lanes.is_multiple_of(plan.rows) && plan.threads() <= 1024, "{plan:?}");
            }
        }
    }

    #[test]
    fn strips_are_as_wide_as_leaves_enough_of_them() {
        let tile = |shape, sizes| AxesPlan::new(shape, sizes, (9, 0)).map(|plan| (plan.tile(), plan.kept));
        assert_eq!(tile((1, 1 << 14, 1 << 14), (4, 4, 4)), Some(((48, 128), 6)));
        assert_eq!(tile((1, 1 << 14, 1 << 14), (4, 8, 8)), Some(((32, 128), 4)));
        assert_eq!(tile((1, 1 << 12, 1 << 12), (4, 4, 4)), Some(((256, 32), 4)));
        assert_eq!(tile((1, 1 << 10, 1 << 10), (4, 4, 4)), Some(((256, 16), 4)));
        assert_eq!(tile((16, 1 << 10, 1 << 10), (4, 4, 4)), Some(((48, 128), 6)), "of all arrays");
        assert_eq!(tile((1, 1 << 10, 0), (4, 4, 4)), None);
        let team = |side, sizes| AxesPlan::new((1, side, side), sizes, (9, 0)).map(|plan| plan.team);
        assert_eq!([1 << 12, 1 << 14].map(|side| team(side, (4, 4, 4))), [Some(4), Some(1)]);
        assert_eq!([(8, 8, 8), (1, 4, 4)].map(|sizes| team(1 << 12, sizes)), [Some(2), Some(2)]);
        assert_eq!(tile((1, 1 << 14, 1 << 14), (4, 32, 32)), None, "large values");
    }

    #[test]
    fn one_pass_is_taken_where_strips_are_many_and_neither_low_nor_high() {
        let pays = |height, width, bordered| {
            let plan = AxesPlan::new((1, height, width), (4, 4, 4), (9, 0)).expect("there are elements");
            plan.pays(bordered)
        };
        assert!(pays(1 << 14, 1 << 14, false) && pays(1 << 12, 1 << 12, false) && pays(1 << 10, 1 << 10, false));
        assert!(!pays(1 << 20, 8, false) && !pays(1 << 20, 8, true));
        assert!(!pays(16, 1 << 24, false));
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
