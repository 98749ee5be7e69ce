//! Recursion: the exclusive scan yᵢ = x₀ ⊕ ... ⊕ xᵢ₋₁ of any length, whose blocks' sums are scanned by the same
//! function.
//!
//! ```text
//!    3   1   7   0 | 4   1   6   3 | 5   9   2   6   blocks of 4
//!    0   3   4  11 | 0   4   5  11 | 0   5  14  16   each is scanned
//!               11              14              22   sums, one a block
//!                0              11              25   the same function
//!    0   3   4  11 |11  15  16  22 |25  30  39  41   what lies before, in
//!                                                    front of each element
//! ```
//!
//! # Pseudocode
//!
//! ```text
//! scan(x, n):
//!     each block b of 512 elements:
//!         s = its elements                                           # load
//!         scan s, up and down                            # up, root, down
//!         sums[b] = what the block combines to                       # total
//!         y = s                                                      # store
//!     if there are blocks b > 0:
//!         before = scan(sums, blocks)
//!         y[i] = before[b] ⊕ y[i]      for the i of each block b > 0 # add
//!     return y
//! ```
//!
//! # Cost
//!
//! A level has 512 times fewer elements than the one above it, so all further levels together are 1/511 of the first.
//! Two kernels a level, but the last: log₅₁₂ n levels. A million elements need 3, which have 1954, 4 and 1 blocks.
//!
//! # What differs from the text
//!
//! Where a block is not full, it is filled up with the identity in shared memory, not the whole array to the next
//! power of two; and the order, `before ⊕ y`. The exclusive scan fits the recursion: before[b] is what lies before
//! block b, with no look at its neighbour, as in `three-kernel`.

use super::block_scan;
use crate::algorithm::Input;
use crate::machine::{Array, Machine, Word};
use crate::variant::Variant;

/// Number of elements that a block scans, two for each thread.
const SEGMENT: usize = 512;

pub(super) fn run<T: Word>(machine: &mut Machine<T>, input: &Input<'_, T>, _: Variant) -> Array {
    let x = machine.array("x", input.values);
    scan(machine, x, input.values.len())
}

fn scan<T: Word>(machine: &mut Machine<T>, x: Array, n: usize) -> Array {
    let segment = machine.shape().tile_or(SEGMENT);
    let blocks = n.div_ceil(segment);
    let (y, sums) = (machine.empty("y", n), machine.empty("sums", blocks));
    machine.launch("blocks", blocks, segment / 2, |block| {
        let s = block.shared("s", segment);
        let number = block.index;
        block_scan::load(block, (x, n), number * segment, s, segment);
        block_scan::exclusive(block, s, segment, (sums, number));
        block.barrier();
        block_scan::store(block, s, segment, (y, n), number * segment);
    });
    if blocks > 1 {
        let before = scan(machine, sums, blocks);
        block_scan::add_before(machine, (y, n), segment, before, |block| block);
    }
    y
}
