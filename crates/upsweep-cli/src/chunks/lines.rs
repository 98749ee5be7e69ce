//! Cut of an array of lines along an axis into chunks.
//!
//! A slab has the values of one index of the axes before: `inner` lines, whose values of one index are a row. Lines of
//! different slabs have nothing to do with each other. So a chunk has some slabs, and needs no turn. Of a longer slab it has
//! some rows of a strip of columns; the chunks of a strip follow each other, in the order of the scan.

use super::ArrayFile;
use crate::element::{Type, Values};
use crate::failure::{Failure, Result};
use crate::sums::Sums;
use std::ops::Range;
use upsweep::Shape;
use upsweep_dynamic::{Error, RunningCheck};

/// Bytes of a chunk in the type of the computation: fewer than the library shares among threads, as those of a strip are
/// computed in turns.
pub(super) const BYTES: usize = 1 << 20;
/// Bytes of a row of a strip, of which 64 are a chunk.
const STRIP: usize = BYTES / 64;

/// Array whose lines along an axis are cut into chunks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lines {
    shape: Shape,
    reverse: bool,
    cut: Cut,
}

#[derive(Clone, Copy, Debug)]
enum Cut {
    /// A number of slabs.
    Slabs(usize),
    /// Up to so many columns, and so many rows.
    Strips(usize, usize),
}

/// Chunk of such an array: some rows, the values of each beside each other.
#[derive(Debug)]
pub(super) struct Chunk {
    /// Index of its first value, and of the first value of its first line.
    start: usize,
    line: usize,
    pub(super) rows: usize,
    pub(super) width: usize,
    /// Number of values from a row to the next.
    stride: usize,
    /// Index of the first line among all lines.
    pub(super) result: usize,
    /// Whether its lines begin with it, and end.
    pub(super) is_first: bool,
    pub(super) is_last: bool,
    /// Shape of its slabs, if it has whole ones.
    pub(super) slabs: Option<[usize; 3]>,
}

/// Returns the number of bytes of a value in the file or in the computation, whichever is larger.
pub(super) fn bytes(file: &ArrayFile, sums: Sums) -> usize {
    // Sums of f16 are combined in f32.
    let combined = if sums.computed == Type::F16 { size_of::<f32>() } else { sums.computed.size() };
    combined.max(file.element.size())
}

impl Lines {
    /// Cuts an array of values that are not more than `size` bytes each in the file and in the computation. Slabs are cut only
    /// if they are long, or need not be `whole`. The rows of a chunk of long lines are this many times a power of two.
    pub(super) fn new(shape: Shape, size: usize, whole: bool, unit: usize, reverse: bool) -> Self {
        let Shape { len, inner, .. } = shape;
        let (most, slab) = (BYTES / size, len.saturating_mul(inner));
        if whole && slab <= most {
            return Self { shape, reverse, cut: Cut::Slabs(most / slab.max(1)) };
        }
        // A single column is no strip: its values would be beside each other, and have another order of additions.
        let widest = inner.min(STRIP / size);
        let width = (widest / 2 + 1..=widest).rev().find(|width| inner % width != 1 || inner == 1).unwrap_or(widest);
        let units = (most / width / unit).max(1);
        Self { shape, reverse, cut: Cut::Strips(width, unit << units.ilog2()) }
    }

    /// Returns the number of chunks.
    pub(super) fn chunks(&self) -> usize {
        let Shape { outer, inner, .. } = self.shape;
        match self.cut {
            Cut::Slabs(slabs) => outer.div_ceil(slabs),
            Cut::Strips(width, _) => outer * inner.div_ceil(width) * self.chunks_of_strip(),
        }
    }

    /// Returns the number of values of the longest chunk.
    pub(super) fn longest(&self) -> usize {
        let Shape { outer, len, inner } = self.shape;
        match self.cut {
            Cut::Slabs(slabs) => slabs.min(outer) * len * inner,
            Cut::Strips(width, rows) => rows.min(len) * width,
        }
    }

    /// Returns the number of rows of the longest chunk.
    pub(super) fn rows(&self) -> usize {
        match self.cut {
            Cut::Slabs(slabs) => slabs * self.shape.len,
            Cut::Strips(_, rows) => rows.min(self.shape.len),
        }
    }

    fn chunks_of_strip(&self) -> usize {
        match self.cut {
            Cut::Slabs(_) => 1,
            Cut::Strips(_, rows) => self.shape.len.div_ceil(rows),
        }
    }

    pub(super) fn chunk(&self, ticket: usize) -> Chunk {
        let Shape { outer, len, inner } = self.shape;
        match self.cut {
            Cut::Slabs(slabs) => {
                let first = ticket * slabs;
                let slabs = slabs.min(outer - first);
                let (start, result) = (first * len * inner, first * inner);
                let (is_first, is_last, shape) = (true, true, Some([slabs, len, inner]));
                Chunk {
                    start,
                    line: start,
                    rows: slabs * len,
                    width: inner,
                    stride: inner,
                    result,
                    is_first,
                    is_last,
                    slabs: shape,
                }
            }
            Cut::Strips(width, rows) => {
                let (chunks, strips) = (self.chunks_of_strip(), inner.div_ceil(width));
                let (strip, k) = (ticket / chunks, ticket % chunks);
                let (slab, column) = (strip / strips, strip % strips * width);
                let rows = k * rows..((k + 1) * rows).min(len);
                let first = if self.reverse { len - rows.end } else { rows.start };
                let line = slab * len * inner + column;
                Chunk {
                    start: line + first * inner,
                    line,
                    rows: rows.len(),
                    width: width.min(inner - column),
                    stride: inner,
                    result: slab * inner + column,
                    is_first: k == 0,
                    is_last: k + 1 == chunks,
                    slabs: None,
                }
            }
        }
    }

    /// Returns the index in the array of the value at a position of the line of `chunk`, from which its scan begins.
    fn at(&self, chunk: &Chunk, position: usize) -> usize {
        chunk.line + if self.reverse { self.shape.len - 1 - position } else { position }
    }

    /// Returns an error about a value of the single line of `chunk` with the index of the value in the array.
    pub(super) fn of_line(&self, chunk: &Chunk, error: Error) -> Error {
        match error {
            Error::Overflow { op, element, index, value } => {
                Error::Overflow { op, element, index: self.at(chunk, index), value }
            }
            other => chunk.in_file(other),
        }
    }

    /// Checks each line of a strip by itself, which reads all of it once more. `ticket` is its last.
    pub(super) fn check(
        &self,
        file: &ArrayFile,
        sums: Sums,
        ticket: usize,
        check: &RunningCheck,
        failed: &(dyn Fn(&Error) -> Failure + Sync),
    ) -> Result<()> {
        let mut stored = super::room(file.element, self.longest(), &file.name)?;
        let mut lines = check.lines(self.chunk(ticket).width).map_err(|e| failed(&e))?;
        for ticket in ticket + 1 - self.chunks_of_strip()..=ticket {
            let chunk = self.chunk(ticket);
            let x = chunk
                .read(file, &mut stored)
                .and_then(|()| sums.converted(stored.view()).map_err(|e| failed(&chunk.in_file(e))))?;
            let x = x.as_ref().unwrap_or(&stored).view();
            for k in 0..chunk.rows {
                let row = if self.reverse { chunk.rows - 1 - k } else { k };
                lines.add(x.part(row * chunk.width..(row + 1) * chunk.width), chunk.start + row * chunk.stride);
            }
        }
        lines.finish().map_err(|e| failed(&e))
    }
}

impl Chunk {
    pub(super) fn len(&self) -> usize {
        self.rows * self.width
    }

    /// Reads the values of the chunk.
    pub(super) fn read(&self, file: &ArrayFile, values: &mut Values) -> Result<()> {
        super::resize(values, self.len());
        file.read_rows(self.start, (self.width, self.stride), values)
    }

    /// Lets `write` write the results of the chunk, of this type: the bytes in a range, at the index of a value in the array.
    pub(super) fn write(&self, element: Type, write: &dyn Fn(Range<usize>, usize) -> Result<()>) -> Result<()> {
        let row = self.width * element.size();
        if self.width == self.stride {
            return write(0..self.rows * row, self.start);
        }
        (0..self.rows).try_for_each(|k| write(k * row..(k + 1) * row, self.start + k * self.stride))
    }

    /// Returns an error about a value of the chunk with the index of the value in the array.
    pub(super) fn in_file(&self, error: Error) -> Error {
        let at = |index: usize| self.start + index / self.width.max(1) * self.stride + index % self.width.max(1);
        match error {
            Error::Inexact { what, index: Some(index), number, element } => {
                Error::Inexact { what, index: Some(at(index)), number, element }
            }
            Error::Overflow { op, element, index, value } => Error::Overflow { op, element, index: at(index), value },
            other => other,
        }
    }
}
