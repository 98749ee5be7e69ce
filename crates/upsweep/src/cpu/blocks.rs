//! How an array is cut into blocks, and when the work is worth more than one thread.

use crate::plan::cpu::{AROUND_CACHE_FROM_BYTES, BLOCK_BYTES, PARALLEL_FROM_BYTES};
use crate::steps::Steps;
use std::ops::Range;

/// Sizes that decide how a job is cut and run. Tests make them small.
#[derive(Clone, Copy)]
pub(super) struct Tuning {
    /// The elements of a block. They decide the grouping, so they depend on the types alone.
    pub(super) block: usize,
    /// The elements below which the calling thread does everything: waking another costs microseconds.
    pub(super) parallel_from: usize,
    /// The bytes of output from which results are stored around the cache: what is smaller may be read again soon.
    pub(super) around_cache_from: usize,
}

impl Tuning {
    pub(super) fn of<S: Steps>() -> Self {
        let size = size_of::<S::In>().max(size_of::<S::Out>()).max(1);
        Self {
            block: (BLOCK_BYTES / size).max(1),
            parallel_from: PARALLEL_FROM_BYTES / size,
            around_cache_from: AROUND_CACHE_FROM_BYTES,
        }
    }

    /// The number of threads for `elements` elements.
    pub(super) fn threads(&self, elements: usize) -> usize {
        if elements < self.parallel_from { 1 } else { rayon::current_num_threads() }
    }
}

/// Lines cut into blocks: several blocks a line, or several whole lines a block.
#[derive(Clone, Copy)]
pub(super) struct Blocks {
    /// The elements of all lines.
    len: usize,
    /// The elements of a line, or of the lines of a block.
    line: usize,
    block: usize,
    per_line: usize,
    count: usize,
}

impl Blocks {
    /// The blocks of `len` elements in lines of `line`, which divides `len` and is not 0 unless `len` is.
    pub(super) fn new(len: usize, line: usize, block: usize) -> Self {
        if len <= block && len == line {
            // A division takes longer than a short scan.
            return Self { len, line, block, per_line: 1, count: usize::from(len > 0) };
        }
        let line = if line < block { (block / line.max(1)).saturating_mul(line) } else { line };
        let line = line.clamp(1, len.max(1));
        let per_line = line.div_ceil(block);
        let (whole, rest) = (len / line, len % line);
        Self { len, line, block, per_line, count: whole * per_line + rest.div_ceil(block) }
    }

    /// The number of blocks.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// The number of blocks of a line that is longer than a block; else 1.
    pub(super) fn per_line(&self) -> usize {
        self.per_line
    }

    /// The elements of block `index`.
    pub(super) fn range(&self, index: usize) -> Range<usize> {
        if self.count == 1 {
            return 0..self.len;
        }
        let line = index / self.per_line * self.line;
        let start = line + index % self.per_line * self.block;
        start..(start + self.block).min(line + self.line).min(self.len)
    }
}
