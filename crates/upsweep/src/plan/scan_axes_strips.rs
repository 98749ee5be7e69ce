//! A scan along the two last axes of a large array in one pass on a CUDA device: the strips of `kernels/device/scan_axes_strips.cuh`.

use super::constants::{Constants, constants};
use super::memory::StatusWords;
use super::tile::WARP;
use super::tuning::Tuning;
use std::fmt;

/// Columns of a lane in a strip.
const COLUMNS: usize = 4;
/// Compute warps of a block.
const WARPS: usize = 8;
/// Rows that strips tell each other of at once.
const TRIO: usize = 3;
/// Strips of a group, and groups of a span: see the kernel.
const GROUP_STRIPS: usize = 8;
const SPAN_GROUPS: usize = 16;
/// Rows of a warp in a tile, tiles that are staged ahead, and tiles between what a block tells and what it scans: the first that have room.
/// H200, 2026-11-24, 16k x 16k: f32 6, 2, 5: 874 us (6, 3, 4: 886; 12, 1, 2: 909); u8 to u32 12, 3, 4: 615 (6, 3, 4: 763); f32 to f64
/// 3, 3, 5: 1,563 (6, 2, 2: 2,364).
const TILES: [(usize, usize, usize); 3] = [(12, 3, 4), (6, 2, 5), (3, 3, 5)];
/// Values of more than a word have registers for so many rows.
const WIDE_ROWS: usize = 3;
const MOST_STATE: usize = 8;
/// Tiles until a group is told of.
const GROUP_LAG: usize = 1;
/// Strips that keep a GPU busy; at least three quarters of them are wanted, also in the last turn. Tiles of a strip, so that its begin and its
/// end do not show.
const STRIPS: usize = 128;
const TILES_AT_LEAST: usize = 32;
/// Bytes of what a block knows of a strip: its ticket, array and place; and the strips that it knows.
const STRIP_BYTES: usize = 12;
const STRIPS_KNOWN: usize = 32;

/// A planned scan along two axes by strips.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StripsPlan {
    /// Arrays, one after the other, and the rows and columns of each.
    pub shape: (usize, usize, usize),
    /// Bytes of an element, of what is combined, and of a result.
    pub sizes: (usize, usize, usize),
    /// Rows of a warp in a tile.
    pub rows: usize,
    /// Vectors of a lane in a row of a tile.
    pub parts: usize,
    /// Columns of a vector.
    pub vector: usize,
    /// Tiles that are staged ahead.
    pub ahead: usize,
    /// Tiles between what is told and what is scanned.
    pub lag: usize,
}

impl StripsPlan {
    /// The plan for arrays of `shape` (arrays, rows, columns), or none where strips are few or short, or values large. It depends on the shape,
    /// the types and the architecture alone.
    #[must_use]
    pub fn new(shape: (usize, usize, usize), sizes: (usize, usize, usize), capability: (u32, u32)) -> Option<Self> {
        let (input, state, output) = sizes;
        let plan = Self::of(shape, sizes, capability)?;
        let (tiles, strips) = (plan.tiles_each().0, plan.strips());
        let busy = 4 * strips >= 3 * STRIPS * strips.div_ceil(STRIPS);
        let words = plan.entries().saturating_mul((TRIO * state).div_ceil(TRIO * 4));
        let fits =
            u32::try_from(2 * strips).is_ok() && u32::try_from(words).is_ok() && u32::try_from(2 * shape.1).is_ok();
        (input.max(output) <= MOST_STATE
            && input.max(state).max(output).is_power_of_two()
            && busy
            && tiles >= TILES_AT_LEAST
            && fits)
            .then_some(plan)
    }

    /// The same for arrays of any shape.
    #[must_use]
    pub fn of(shape: (usize, usize, usize), sizes: (usize, usize, usize), capability: (u32, u32)) -> Option<Self> {
        let (input, state, output) = sizes;
        let largest = input.max(state).max(output);
        if state > MOST_STATE || capability < (9, 0) {
            return None;
        }
        let vector = [4, 2].into_iter().find(|vector| vector * largest <= 16).unwrap_or(1);
        let parts = COLUMNS / vector;
        let room = Tuning::of(capability).shared_of_block(1);
        let plan = |(rows, ahead, lag)| Self { shape, sizes, rows, parts, vector, ahead, lag };
        TILES
            .into_iter()
            .filter(|&(rows, ..)| state <= 4 || rows <= WIDE_ROWS)
            .map(plan)
            .find(|plan| plan.shared_bytes() <= room)
    }

    /// Trios of rows of a tile.
    fn trios(&self) -> usize {
        WARPS * self.rows / TRIO
    }

    /// Warps that look back, of four trios each or eight, and as many that tell of groups.
    fn look_back_warps(&self) -> usize {
        (self.trios() / 4).min(4)
    }

    /// Threads a block.
    #[must_use]
    pub fn threads(&self) -> usize {
        (WARPS + 2 * self.look_back_warps()) * WARP
    }

    /// Rows and columns of a tile.
    fn tile(&self) -> (usize, usize) {
        (WARPS * self.rows, WARP * self.parts * self.vector)
    }

    /// Tiles of a strip, and strips of an array.
    #[must_use]
    pub fn tiles_each(&self) -> (usize, usize) {
        let (height, width) = self.tile();
        (self.shape.1.div_ceil(height), self.shape.2.div_ceil(width))
    }

    /// Strips of all arrays.
    #[must_use]
    pub fn strips(&self) -> usize {
        self.shape.0 * self.tiles_each().1
    }

    /// Of three rows, the entries of what strips tell, groups of strips, and spans.
    #[must_use]
    pub fn entries_each(&self) -> (usize, usize, usize) {
        let strips = self.tiles_each().1;
        (
            strips.next_multiple_of(GROUP_STRIPS),
            strips.div_ceil(GROUP_STRIPS),
            strips.div_ceil(GROUP_STRIPS * SPAN_GROUPS),
        )
    }

    /// The first entries of groups and of spans, which lie behind those of strips.
    #[must_use]
    pub fn first_entries(&self) -> (usize, usize) {
        let trios = self.shape.0 * self.tiles_each().0 * self.trios();
        let (near, far, _) = self.entries_each();
        (trios * near, trios * (near + far))
    }

    fn entries(&self) -> usize {
        self.first_entries().1 + self.shape.0 * self.tiles_each().0 * self.trios() * self.entries_each().2
    }

    /// What strips tell each other.
    #[must_use]
    pub fn words(&self) -> StatusWords {
        StatusWords::of(self.entries(), TRIO * self.sizes.1)
    }

    /// Dynamic shared memory a block.
    #[must_use]
    pub fn shared_bytes(&self) -> usize {
        let (input, state, output) = self.sizes;
        let (height, width) = self.tile();
        // What lies before vectors, the warps' sums, what lies to the left of rows, their totals, results in a row, strips, and elements.
        let shared = ((self.lag + 1) * height * WARP * self.parts * state).next_multiple_of(16)
            + (WARPS * width * state).next_multiple_of(16)
            + (2 * height * state).next_multiple_of(16)
            + (height * state).next_multiple_of(16)
            + (WARPS * width * output).next_multiple_of(16)
            + (STRIPS_KNOWN * STRIP_BYTES).next_multiple_of(16);
        shared + (self.ahead + self.lag) * height * width * input
    }

    /// The numbers that the kernel is compiled with.
    #[must_use]
    pub fn constants(&self) -> Constants {
        let mut constants = StatusWords::constants(TRIO * self.sizes.1);
        let Self { rows, parts, vector, ahead, lag, .. } = *self;
        constants!(constants; "THREADS" = WARPS * WARP, "LOOK_BACK_WARPS" = self.look_back_warps(), "ROWS" = rows, "PARTS" = parts, "VECTOR" = vector, "AHEAD" = ahead, "LAG" = lag, "RING" = ahead + lag, "GROUP_STRIPS" = GROUP_STRIPS, "SPAN_GROUPS" = SPAN_GROUPS, "GROUP_LAG" = GROUP_LAG);
        constants
    }
}

impl fmt::Display for StripsPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { shape: (arrays, height, width), rows, parts, vector, ahead, lag, .. } = *self;
        let ((tall, wide), (tiles, strips)) = (self.tile(), self.tiles_each());
        writeln!(f, "scan along two axes, one kernel (device/scan_axes_strips.cuh)")?;
        writeln!(f, "  arrays        {arrays} of {height} x {width}")?;
        writeln!(f, "  strips        {strips} in each, of {wide} columns: {parts} x {vector} a lane")?;
        writeln!(f, "  tiles         {tiles} in each, of {tall} rows: {WARPS} warps of {rows}")?;
        writeln!(f, "  ring          {ahead} tiles staged ahead, {lag} between what is told and what is scanned")?;
        writeln!(f, "  status words  {} bytes", self.words().bytes())?;
        write!(f, "  shared memory {} bytes a block", self.shared_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_arrays_have_strips() {
        let tile = |shape, sizes| StripsPlan::new(shape, sizes, (9, 0)).map(|plan| plan.tile());
        let square = (1, 1 << 14, 1 << 14);
        assert_eq!(tile(square, (4, 4, 4)), Some((48, 128)));
        assert_eq!(tile(square, (1, 4, 4)), Some((96, 128)));
        assert_eq!(tile(square, (4, 8, 8)), Some((24, 128)));
        assert_eq!(tile((1, 1 << 10, 1 << 10), (4, 4, 4)), None, "few strips");
        assert_eq!(tile((1, 1 << 14, 17_000), (4, 4, 4)), None, "few strips are left for the last turn");
        assert_eq!(tile((1, 100, 1 << 20), (4, 4, 4)), None, "short strips");
        assert_eq!(tile(square, (16, 16, 16)), None, "large values");
        assert_eq!(StripsPlan::new(square, (4, 4, 4), (7, 5)), None, "little shared memory");
    }
}
