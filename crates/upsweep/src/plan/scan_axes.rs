//! A scan along the two last axes of an array on a CUDA device, in one pass: see `kernels/device/scan_axes.cuh`.

use super::constants::{Constants, constants};
use super::memory::StatusWords;
use super::tile::WARP;
use super::tuning::Tuning;
use std::fmt;

/// The largest values that are combined: larger ones have no registers.
const MOST_STATE: usize = 16;
/// Columns of a lane in a tile, and rows of a warp: as many values as a thread has registers for.
const COLUMNS: usize = 4;
const ROWS: usize = 4;
/// Warps of a block where there are many rows, and where there are few.
const WARPS: usize = 16;
const FEW_WARPS: usize = 8;
/// Strips of a group.
const GROUP: usize = 16;
/// Tiles that a block stages ahead.
const AHEAD: usize = 2;
/// Strips that keep a device busy: with fewer, strips are of fewer rows.
const STRIPS: usize = 128;
/// The fewest strips of an array of wide rows, and how wide these may be for any number: a block goes along a row by itself.
const FEWEST_STRIPS: usize = 64;
const ALWAYS_WIDE: usize = 4096;

/// Bytes of an element, of what is combined, and of a result.
type Sizes = (usize, usize, usize);

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
    /// Tiles staged ahead.
    pub ahead: usize,
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
        let tall = strips(WARPS * ROWS) >= STRIPS;
        let (warps, rows) = match [ROWS, 2, 1].into_iter().find(|rows| strips(FEW_WARPS * rows) >= STRIPS) {
            _ if tall => (WARPS, ROWS),
            rows => (FEW_WARPS, rows.unwrap_or(1)),
        };
        // Values of more than 8 bytes take as many registers as two of the others.
        let columns = if state > 8 { COLUMNS / 2 } else { COLUMNS };
        let parts = (columns * ROWS / (rows * vector)).min(4 * COLUMNS / vector).max(1);
        let strips = strips(warps * rows);
        let words = (2 * strips).checked_mul(width)?.checked_mul(2)?;
        if u32::try_from(words).is_err() || (strips < FEWEST_STRIPS && width > ALWAYS_WIDE) {
            return None;
        }
        let tuning = Tuning::of(capability);
        let mut plan = Self { shape, sizes, warps, rows, parts, vector, blocks: 1, ahead: AHEAD, group: GROUP };
        let room = |blocks: usize| tuning.shared_of_block(blocks);
        while plan.ahead > 1 && plan.shared_bytes() > room(1) {
            plan.ahead -= 1;
        }
        let most = if warps == WARPS { 2 } else { 4 };
        if let Ok(text) = std::env::var("UPSWEEP_AXES") { // TUNING
            let n: Vec<usize> = text.split(',').map(|x| x.parse().unwrap_or(0)).collect(); // TUNING
            (plan.warps, plan.rows, plan.parts, plan.ahead, plan.group, plan.blocks) = (n[0], n[1], n[2] / vector, n[3], n[4], n[5]); // TUNING
            return Some(plan); // TUNING
        } // TUNING
        plan.blocks = (1..=most).rev().find(|&blocks| plan.shared_bytes() <= room(blocks))?;
        Some(plan)
    }

    /// Threads a block.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.warps * WARP
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
        let sums = (2 * self.warps * width * state).next_multiple_of(16);
        let rows = (self.warps * width * output).next_multiple_of(16);
        sums + rows + 16 + self.ahead * height * width * input
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
        constants!(constants; "THREADS" = self.threads(), "ROWS" = self.rows, "PARTS" = self.parts, "VECTOR" = self.vector, "AHEAD" = self.ahead, "BLOCKS" = self.blocks, "GROUP" = self.group);
        constants
    }
}

impl fmt::Display for AxesPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { shape: (arrays, height, width), warps, rows, parts, vector, blocks, ahead, group, .. } = *self;
        let (tall, wide) = self.tile();
        let (strips, groups) = self.strips_each();
        writeln!(f, "scan along two axes, one kernel (device/scan_axes.cuh)")?;
        writeln!(f, "  arrays        {arrays} of {height} x {width}")?;
        writeln!(f, "  strips        {strips} of {tall} rows in each, in {groups} groups of {group}")?;
        writeln!(
            f,
            "  tiles         of {wide} columns, {ahead} staged ahead: {warps} warps x {rows} rows, {parts} x {vector} columns a lane"
        )?;
        writeln!(f, "  status words  {} bytes", self.words().bytes())?;
        write!(f, "  shared memory {} bytes a block, {blocks} blocks a multiprocessor", self.shared_bytes())
    }
}
