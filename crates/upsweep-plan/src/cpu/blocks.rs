//! Blocks of neighbouring elements.

use std::ops::Range;

/// A cut of lines into blocks: several blocks per line, or several whole lines per block. In a reduction by offsets,
/// the end of each segment counts as an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Blocks {
    /// Number of elements of all lines.
    len: usize,
    /// Number of elements of a line, or of all lines of a block if a block has several lines.
    pub(super) line: usize,
    pub(super) block: usize,
    per_line: usize,
    count: usize,
}

impl Blocks {
    /// Cuts `len` elements in lines of `line`, which divides `len` and is not 0 unless `len` is.
    #[inline]
    pub fn new(len: usize, line: usize, block: usize) -> Self {
        if len <= block && len == line {
            // One block needs no division, which would take longer than a short scan.
            return Self { len, line, block, per_line: 1, count: usize::from(len > 0) };
        }
        Self::several(len, line, block)
    }

    // Never inlined, here and below, to be compiled once and not for each job: short arrays do not take this path.
    #[inline(never)]
    fn several(len: usize, line: usize, block: usize) -> Self {
        let line = if line < block { (block / line.max(1)).saturating_mul(line) } else { line };
        let line = line.clamp(1, len.max(1));
        let per_line = line.div_ceil(block);
        let (whole, rest) = (len / line, len % line);
        Self { len, line, block, per_line, count: whole * per_line + rest.div_ceil(block) }
    }

    /// Returns the number of blocks.
    #[must_use]
    #[inline]
    pub fn count(&self) -> usize {
        self.count
    }

    /// Returns the number of blocks into which each line is cut; 1 if lines are not longer than a block.
    pub fn per_line(&self) -> usize {
        self.per_line
    }

    /// Returns the range of the elements of block `index`.
    #[inline]
    pub fn range(&self, index: usize) -> Range<usize> {
        if self.count == 1 {
            return 0..self.len;
        }
        self.range_of_several(index)
    }

    #[inline(never)]
    fn range_of_several(&self, index: usize) -> Range<usize> {
        let line = index / self.per_line * self.line;
        let start = line + index % self.per_line * self.block;
        start..(start + self.block).min(line + self.line).min(self.len)
    }
}
