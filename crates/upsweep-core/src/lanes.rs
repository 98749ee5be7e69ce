//! The tree of a float reduction: which partial results are added to a total, and in which order.
//!
//! As for scans ([`tree`](crate::tree)), the order of the additions of a float sum or product is the same on every
//! backend and processor, for every number of threads and every cut into blocks. It depends on an element's position in
//! the array and on the types alone.
//!
//! ```text
//! lanes    L, see lanes: 32, 64 or 128
//! chunk    ROWS rows of L elements
//!
//! v[l]               the chain of the chunk's elements in lane l:  ((x[l] ⊕ x[L + l]) ⊕ x[2L + l]) ⊕ ..
//! total of a chunk   for half in L/2, L/4 .. 1
//!                        v[l] = v[l] ⊕ v[l + half]  for l < half
//!                    v[0]
//! total of an array  while there are several totals t
//!                        t[i] = t[2i] ⊕ t[2i + 1]
//!                    init ⊕ t[0]
//! ```
//!
//! What is missing is left out: elements after the last one, and the last of an odd number of totals. Or the
//! [neutral value](crate::tree::neutral) is in its place, which changes no bits of a number on its left or right. So any
//! 2^k chunks of which the first has a number that is a multiple of 2^k are a subtree: blocks and threads may have any
//! such chunks.
//!
//! The lanes are what vectors are made for: a row is one load of many lanes, and the chains need no shuffle. The order
//! is not that of a scan. A scan's results are chains, so that sums never descend, and its last result goes through more
//! additions. So a total and the last result of a scan may differ in their last bits.
//!
//! Lines along the last axis have this tree, each from its own beginning. Segments have other groupings.
//!
//! **Columns.** The lines along another axis than the last have a tree without lanes: their neighbours are in the lanes.
//!
//! ```text
//! chain             CHAIN elements of the line, one after the other
//! leaf              CHAIN chains, whose totals are added one after the other
//! total of a line   the tree of the leaves' totals, as above
//! ```
//!
//! **Error.** An element goes through at most ROWS - 1 + log2(L) + ceil(log2(number of chunks)) additions, so that the
//! relative error of a sum of n numbers that are not negative is at most that many times half a unit in the last place, to
//! first order. With 2^30 f32 that is 34 additions.

/// Number of rows of a chunk.
pub const ROWS: usize = 8;
/// Largest number of lanes.
pub const MOST_LANES: usize = 128;
/// Number of elements of a chain of a column.
pub const CHAIN: usize = 8;
/// Number of elements of a leaf of a column. Balanced trees of 64 elements or fewer took twice as long: the serial
/// additions of one leaf overlap with those of the next.
pub const LEAF: usize = CHAIN * CHAIN;
/// Smallest number of lanes.
pub const FEWEST_LANES: usize = 32;
/// Bytes of a row, unless it has the fewest or the most lanes.
const ROW_BYTES: usize = 512;

/// Returns the number of lanes of elements of `input` bytes that are combined as operands of `acc` bytes.
#[must_use]
pub const fn lanes(input: usize, acc: usize) -> usize {
    let size = if input > acc { input } else { acc };
    if !input.is_power_of_two() || size > ROW_BYTES / FEWEST_LANES {
        return FEWEST_LANES;
    }
    let most = 1 << (ROW_BYTES / size).ilog2();
    if most < MOST_LANES { most } else { MOST_LANES }
}

/// Returns the number of elements of a chunk, or 1 for jobs without a tree. `bytes`: those of an element, an operand and a
/// result.
#[must_use]
pub const fn chunk_len(tree: bool, [input, acc, _]: [usize; 3]) -> usize {
    if tree { ROWS * lanes(input, acc) } else { 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_of_types() {
        let all = [
            ((4, 4), 128),
            ((8, 8), 64),
            ((2, 4), 128),
            ((1, 4), 128),
            ((1, 8), 64),
            ((16, 8), 32),
            ((64, 8), 32),
            ((12, 4), 32),
            ((3, 4), 32),
            ((0, 4), 32),
        ];
        for ((input, acc), expected) in all {
            assert_eq!(lanes(input, acc), expected, "{input} and {acc} bytes");
        }
    }
}
