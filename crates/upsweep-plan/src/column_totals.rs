//! Plans of float sums and products of columns on a CUDA device: each has the tree of columns
//! ([`lanes`](upsweep_core::lanes)). See `reduce/column_totals.cuh`.

use super::constants::{Constants, constants};
use std::fmt;
use upsweep_core::lanes::LEAF;
use upsweep_core::shape::Shape;

/// Threads per block.
const THREADS: usize = 256;
/// Number of threads up to which columns are cut into parts, a thread each: some 64 MB of loads are under way.
const MOST_THREADS: usize = 1 << 18;
/// Number of totals of parts that a thread joins, a power of two.
const JOINED: usize = 32;

/// A planned float sum or product of columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColumnTotalsPlan {
    pub shape: Shape,
    /// Number of elements of a part of a column, a power of two of leaves, which one thread reduces.
    pub part: usize,
    /// Number of parts of a column. If there are several, further launches join their totals.
    pub parts: usize,
}

impl ColumnTotalsPlan {
    /// Plans the totals of the lines of a shape that has elements.
    #[must_use]
    pub fn new(shape: Shape) -> Self {
        let leaves = shape.len.div_ceil(LEAF);
        let most = (MOST_THREADS / shape.lines().max(1)).max(1);
        let part = LEAF * leaves.div_ceil(most).next_power_of_two();
        Self { shape, part, parts: shape.len.div_ceil(part) }
    }

    /// Returns the number of parts of a column after each launch, from the first to the one that leaves a single part.
    pub fn launches(&self) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(self.parts), |&parts| (parts > 1).then(|| parts.div_ceil(JOINED)))
    }

    /// Returns the number of blocks of a launch that leaves `parts` parts of a column.
    #[must_use]
    pub fn grid(&self, parts: usize) -> usize {
        (self.shape.lines() * parts).div_ceil(THREADS)
    }

    /// Returns the number of threads of a block.
    #[must_use]
    pub fn threads(&self) -> usize {
        THREADS
    }

    /// Constants that the kernels are compiled with.
    #[must_use]
    pub fn constants() -> Constants {
        let mut constants = Constants::default();
        constants!(constants; "THREADS" = THREADS, "VECTOR" = 1, "DEPTH" = 1, "PARTS_JOINED" = JOINED);
        constants
    }
}

impl fmt::Display for ColumnTotalsPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { shape, part, parts } = self;
        let launches = self.launches().count();
        writeln!(f, "sums or products of columns, {launches} {}", if launches == 1 { "launch" } else { "launches" })?;
        writeln!(f, "  columns       {} of {} elements", shape.lines(), shape.len)?;
        writeln!(f, "  thread        a part of {part} elements; {parts} parts a column")?;
        write!(f, "  block         {THREADS} threads")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_subtrees() {
        for len in [1, 2, 63, 64, 65, 1000, 1 << 20, (1 << 33) + 1] {
            for (outer, inner) in [(1, 2), (3, 2), (1, 1000), (1 << 10, 1 << 10), (1, 1 << 25)] {
                let plan = ColumnTotalsPlan::new(Shape { outer, len, inner });
                let ColumnTotalsPlan { part, parts, .. } = plan;
                assert!(part.is_multiple_of(LEAF) && (part / LEAF).is_power_of_two(), "{plan:?}");
                assert!(part * (parts - 1) < len && len <= part * parts, "{plan:?}");
                assert!(parts == 1 || outer * inner * parts <= MOST_THREADS, "{plan:?}");
                assert_eq!(plan.launches().last(), Some(1), "{plan:?}");
            }
        }
    }
}
