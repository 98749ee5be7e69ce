//! Plans of float sums and products of columns on a CUDA device: each has the tree of columns
//! ([`lanes`](upsweep_core::lanes)). See `reduce/column_totals.cuh` and
//! `reduce/narrow_columns.cuh`.

use super::constants::{Constants, constants};
use super::reduce::loads;
use std::fmt;
use upsweep_core::inputs::Streams;
use upsweep_core::lanes::{CHAIN, LEAF};
use upsweep_core::shape::Shape;

/// Threads per block.
const THREADS: usize = 256;
/// Number of threads up to which columns are cut into parts, a thread each: some 8 MB of loads are under way. And the same
/// for blocks, each of which has a part of few columns.
const MOST_THREADS: usize = 1 << 17;
const MOST_BLOCKS: usize = 1 << 10;
/// Largest number of columns that a block reduces together.
const NARROW: usize = 16;
/// Number of totals of parts that a thread joins, a power of two.
const JOINED: usize = 64;

/// A planned float sum or product of columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColumnTotalsPlan {
    pub shape: Shape,
    /// Number of leaves of each column that a block has at once, a power of two, if columns are few; else 0.
    leaves: usize,
    /// Number of elements of a part of a column, a power of two of leaves, which one thread, or block, reduces.
    pub part: usize,
    /// Number of parts of a column. If there are several, further launches join their totals.
    pub parts: usize,
}

impl ColumnTotalsPlan {
    /// Plans the totals of the lines of a shape that has elements.
    #[must_use]
    pub fn new(shape: Shape) -> Self {
        let Shape { outer, len, inner } = shape;
        // A thread of a block has a chain of a column.
        let leaves = if inner <= NARROW { 1 << (THREADS / CHAIN / inner.max(1)).ilog2() } else { 0 };
        let (least, workers) = if leaves > 0 {
            (leaves * LEAF, MOST_BLOCKS / outer.max(1))
        } else {
            (LEAF, MOST_THREADS / shape.lines().max(1))
        };
        let part = least * len.div_ceil(least).div_ceil(workers.max(1)).next_power_of_two();
        Self { shape, leaves, part, parts: len.div_ceil(part) }
    }

    /// Returns the number of parts of a column after each launch, from the first to the one that leaves a single part.
    pub fn launches(&self) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(self.parts), |&parts| (parts > 1).then(|| parts.div_ceil(JOINED)))
    }

    /// Returns whether a block reduces columns together, as they are few.
    #[must_use]
    pub fn is_narrow(&self) -> bool {
        self.leaves > 0
    }

    /// Returns the number of blocks of a launch that leaves `parts` parts of a column. `joins`: of totals.
    #[must_use]
    pub fn grid(&self, parts: usize, joins: bool) -> usize {
        if self.is_narrow() && !joins {
            self.shape.outer * parts
        } else {
            (self.shape.lines() * parts).div_ceil(THREADS)
        }
    }

    /// Returns the number of threads of a block.
    #[must_use]
    pub fn threads(&self) -> usize {
        THREADS
    }

    /// Constants that the kernels are compiled with: the one that reduces elements of `input` bytes, in one buffer or in
    /// several `streams`, and the one that joins totals.
    #[must_use]
    pub fn constants(&self, (input, streams): (usize, Option<Streams>)) -> [Constants; 2] {
        let (mut reducing, mut joining) = (Constants::default(), Constants::default());
        if self.is_narrow() {
            let (vector, depth) = loads(input, streams);
            constants!(reducing; "THREADS" = THREADS, "VECTOR" = vector, "DEPTH" = depth, "NARROW_LEAVES" = self.leaves);
        } else {
            constants!(reducing; "THREADS" = THREADS, "VECTOR" = 1, "DEPTH" = 1);
        }
        constants!(joining; "THREADS" = THREADS, "VECTOR" = 1, "DEPTH" = 1, "PARTS_JOINED" = JOINED);
        [reducing, joining]
    }
}

impl fmt::Display for ColumnTotalsPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { shape, part, parts, .. } = self;
        let worker = if self.is_narrow() { "block " } else { "thread" };
        let launches = self.launches().count();
        writeln!(f, "sums or products of columns, {launches} {}", if launches == 1 { "launch" } else { "launches" })?;
        writeln!(f, "  columns       {} of {} elements", shape.lines(), shape.len)?;
        writeln!(f, "  {worker}        a part of {part} elements; {parts} parts a column")?;
        write!(f, "  block         {THREADS} threads")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_subtrees() {
        for len in [1, 2, 63, 64, 65, 1000, 1 << 20, (1 << 33) + 1] {
            for (outer, inner) in [(1, 2), (3, 2), (1, 1000), (1 << 10, 1 << 10), (1, 1 << 25), (2000, 3)] {
                let plan = ColumnTotalsPlan::new(Shape { outer, len, inner });
                let ColumnTotalsPlan { part, parts, .. } = plan;
                assert!(part.is_multiple_of(LEAF) && (part / LEAF).is_power_of_two(), "{plan:?}");
                assert!(part * (parts - 1) < len && len <= part * parts, "{plan:?}");
                let workers = if plan.is_narrow() { (outer, MOST_BLOCKS) } else { (outer * inner, MOST_THREADS) };
                assert!(parts == 1 || workers.0 * parts <= workers.1, "{plan:?}");
                assert!(!plan.is_narrow() || plan.leaves * CHAIN * inner <= THREADS && plan.leaves >= 2, "{plan:?}");
                assert_eq!(plan.launches().last(), Some(1), "{plan:?}");
            }
        }
    }
}
