//! Strips of columns, for lines along another axis than the last.

use std::ops::Range;
use upsweep_core::lanes::LEAF;
use upsweep_core::shape::{Pitch, Shape};

/// Bytes of a row of a strip (neighbouring columns that are combined together): a group of rows and its results fit
/// into a first-level cache.
pub const STRIP_BYTES: usize = 4096;
/// Number of units (strips of one matrix each) from which all threads have work without cutting units into blocks of
/// rows.
const MANY_UNITS: usize = 64;

/// A shape cut into strips, units and blocks:
///
/// ```text
/// strip    neighbouring columns that fit into a first-level cache with their running values
/// unit     a strip of one of the `outer` matrices: its rows are combined one after the other
/// block    all rows of a unit where there are many units, else some rows; a block's prefix is a vector
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strips {
    pub shape: Shape,
    /// Number of columns of a strip: neighbouring columns that are combined together.
    pub width: usize,
    /// Number of strips of one of the `outer` matrices.
    pub(super) strips: usize,
    /// Rows of the last axis of a matrix whose rows of the shape are several: without gaps, one that is the whole row.
    pitch: Pitch,
    pub units: usize,
    /// Number of rows of a block, the rows of a unit that a thread combines at once.
    pub(super) rows: usize,
    pub blocks_per_unit: usize,
    /// Number of units that a thread takes at once (with one ticket) if a unit is one block; else 1.
    pub(super) units_per_ticket: usize,
}

/// A strip of one of the `outer` matrices.
#[derive(Clone, Copy)]
pub struct Unit {
    /// Index of the first element of the unit's row 0.
    pub start: usize,
    /// Number of columns of the unit.
    pub width: usize,
    /// Index of the unit's first result in a reduction.
    pub result: usize,
}

impl Strips {
    // Never inlined, here and below, to be compiled once and not for each job.
    #[inline(never)]
    pub(super) fn new(shape: Shape, bytes: [usize; 3], block: usize, reduces: bool, pitch: Option<Pitch>) -> Self {
        let pitch = pitch.unwrap_or(Pitch { columns: shape.inner, pitch: shape.inner });
        let rows_in_one = shape.inner / pitch.pitch.max(1);
        let size = bytes.into_iter().max().unwrap_or(1).max(1);
        let width = (STRIP_BYTES / size).clamp(1, pitch.columns.max(1));
        let strips = rows_in_one * pitch.columns.div_ceil(width);
        let units = shape.outer.saturating_mul(strips);
        let whole = units >= MANY_UNITS || shape.len.saturating_mul(width) <= block;
        let most = (block / width).max(1);
        let rows = match reduces {
            _ if whole => shape.len.max(1),
            // A power of two of leaves: each block is a subtree.
            true => LEAF << (most / LEAF).max(1).ilog2(),
            false => most,
        };
        let blocks_per_unit = shape.len.div_ceil(rows);
        let units_per_ticket =
            if blocks_per_unit == 1 { (block / (rows.saturating_mul(width)).max(1)).max(1) } else { 1 };
        Self { shape, width, strips, pitch, units, rows, blocks_per_unit, units_per_ticket }
    }

    /// Returns the number of tickets (units of work that a thread takes) in a row of blocks: the blocks with the same
    /// index, of all units.
    pub fn tickets_across(&self) -> usize {
        self.units.div_ceil(self.units_per_ticket)
    }

    /// Returns the number of tickets (units of work that a thread takes), which are blocks or groups of units.
    #[must_use]
    #[inline(never)]
    pub fn tickets(&self) -> usize {
        self.tickets_across() * self.blocks_per_unit
    }

    /// Returns the units whose blocks a ticket (a unit of work that a thread takes) stands for, and the index of the
    /// block in each of these units. The tickets of a row of blocks are neighbours.
    #[inline(never)]
    pub fn ticket(&self, ticket: usize) -> (Range<usize>, usize) {
        let across = self.tickets_across();
        let first = ticket % across * self.units_per_ticket;
        (first..(first + self.units_per_ticket).min(self.units), ticket / across)
    }

    pub fn rows(&self, block: usize) -> Range<usize> {
        block * self.rows..((block + 1) * self.rows).min(self.shape.len)
    }

    #[inline(never)]
    pub fn unit(&self, unit: usize) -> Unit {
        let Pitch { columns, pitch } = self.pitch;
        let (outer, strip) = (unit / self.strips, unit % self.strips);
        let in_row = columns.div_ceil(self.width);
        let (row, column) = (strip / in_row, strip % in_row * self.width);
        let rows_in_one = self.strips / in_row;
        Unit {
            start: outer * self.shape.len * self.shape.inner + row * pitch + column,
            width: self.width.min(columns - column),
            result: (outer * rows_in_one + row) * columns + column,
        }
    }
}
