//! Three kernels: the inclusive scan yᵢ = x₀ ⊕ ... ⊕ xᵢ of any length, by segments that a block can hold.
//!
//! The end of a kernel is the barrier of all blocks: sums are complete when the next kernel begins.
//!
//! ```text
//!    3   1   7   0 | 4   1   6   3 | 5   9   2   6   segments of 4
//!    3   4  11  11 | 4   5  11  14 | 5  14  16  22   kernel 1 scans each
//!               11              14              22   and writes the sums
//!               11              25              47   kernel 2 scans them
//!    3   4  11  11 |15  16  22  25 |30  39  41  47   kernel 3 puts what is
//!                                                    before in front
//! ```
//!
//! # Pseudocode
//!
//! ```text
//! kernel 1, a block b for each segment of 512:
//!     s = segment b                                        # segments: load
//!     scan s, up and down                              # segments: up, down
//!     y's segment b = s                                   # segments: store
//!     if t == 0: sums[b] = s[511]                           # segments: sum
//! kernel 2, one block, for each 512 of the sums:
//!     s = these sums                                           # sums: load
//!     scan s, up and down                                  # sums: up, down
//!     put the carry in front                                  # sums: carry
//!     the sums = s                                            # sums: store
//!     carry = s[511]                                     # sums: next carry
//! kernel 3, a block b > 0 for each segment:
//!     y[i] = sums[b - 1] ⊕ y[i]      for the segment's i         # add: add
//! ```
//!
//! # Cost
//!
//! Less than 2 n operations in the segments and n more for what lies before. Elements are read and written twice, but
//! for those of the first segment.
//!
//! # What differs from the lecture
//!
//! It takes a segment's sum from the word at the block's size less one, which is the middle of an array of twice that
//! size; the sum is the last word. It scans the sums once, with the same block scan, so that its limit is 512 segments
//! of 512 elements: 2¹⁸, or 2²² with the largest blocks. Here the block goes on to the next 512 sums and carries along
//! what it has so far, so that any length works; but one block does it while all others are idle. The last segment is
//! filled up with the identity, in shared memory only.

use super::block_scan;
use crate::algorithm::Input;
use crate::machine::{Array, Machine, Word};
use crate::variant::Variant;

/// Number of elements of a segment, two for each thread of a block.
const SEGMENT: usize = 512;

pub(super) fn run<T: Word>(machine: &mut Machine<T>, input: &Input<'_, T>, _: Variant) -> Array {
    let n = input.values.len();
    let segment = machine.shape().tile_or(SEGMENT);
    let segments = n.div_ceil(segment);
    let (x, y) = (machine.array("x", input.values), machine.empty("y", n));
    let sums = machine.empty("sums", segments);
    machine.launch("segments", segments, segment / 2, |block| {
        let s = block.shared("s", segment);
        let first = block.index * segment;
        block_scan::load(block, (x, n), first, s, segment);
        block_scan::inclusive(block, s, segment);
        block.barrier();
        block_scan::store(block, s, segment, (y, n), first);
        let number = block.index;
        block.step("sum", |t| {
            if t.branch(t.index == 0) {
                t.copy(s, segment - 1, sums, number);
            }
        });
    });
    if segments == 1 {
        return y;
    }
    scan_sums(machine, segment, (sums, segments));
    block_scan::add_before(machine, (y, n), segment, sums, |block| block - 1);
    y
}

/// Launches one block that scans the sums of all segments, `segment` of the sums at a time.
fn scan_sums<T: Word>(machine: &mut Machine<T>, segment: usize, (sums, segments): (Array, usize)) {
    machine.launch("sums", 1, segment / 2, |block| {
        let (s, carry) = (block.shared("s", segment), block.shared("carry", 1));
        for first in (0..segments).step_by(segment) {
            if first > 0 {
                block.barrier();
            }
            block_scan::load(block, (sums, segments), first, s, segment);
            block_scan::inclusive(block, s, segment);
            block.barrier();
            if first > 0 {
                block.step("carry", |t| {
                    let before = t.read(carry, 0);
                    for word in [t.index, t.index + segment / 2] {
                        let own = t.read(s, word);
                        let both = t.combine(before, own);
                        t.write(s, word, both);
                    }
                });
                block.barrier();
            }
            block_scan::store(block, s, segment, (sums, segments), first);
            block.step("next carry", |t| {
                if t.branch(t.index == 0) {
                    t.copy(s, segment - 1, carry, 0);
                }
            });
        }
    });
}
