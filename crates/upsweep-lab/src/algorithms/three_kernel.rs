//! Three kernels: the inclusive scan yᵢ = x₀ ⊕ ... ⊕ xᵢ of any length, by segments that a block can hold.
//!
//! ```text
//!    3   1   7   0 | 4   1   6   3 | 5   9   2   6      segments of 4
//!    3   4  11  11 | 4   5  11  14 | 5  14  16  22      kernel 1 scans each segment
//!               11              14              22      and writes the segments' sums
//!               11              25              47      kernel 2 scans the sums
//!    3   4  11  11 |15  16  22  25 |30  39  41  47      kernel 3 puts what lies before in front of each element
//! ```
//!
//! ```text
//! kernel 1, a block b for each segment of 512:
//!     s = segment b;  scan s;  y's segment b = s
//!     if t == 0: sums[b] = s[511]
//! kernel 2, one block:
//!     for each 512 of the sums:
//!         s = these sums;  scan s;  put the carry in front;  carry = s[511]
//! kernel 3, a block b > 0 for each segment:
//!     y[i] = sums[b - 1] ⊕ y[i]      for the segment's i
//! ```
//!
//! Cost: less than 2 n operations in the segments and n more for what lies before. Elements are read and written twice, but
//! for those of the first segment. The end of a kernel is the barrier of all blocks: sums are complete when the next kernel begins.
//!
//! What differs from the lecture: it takes a segment's sum from the word at the block's size less one, which is the middle
//! of an array of twice that size; the sum is the last word. It scans the sums once, with the same block scan, so that its
//! limit is 512 segments of 512 elements: 2¹⁸, or 2²² with the largest blocks. Here the block goes on to the next 512 sums
//! and carries along what it has so far, so that any length works; but one block does it while all others are idle. The
//! last segment is filled up with the identity, in shared memory only.

use super::block_scan;
use crate::algorithm::Input;
use crate::machine::{Array, Machine, Word};
use crate::variant::Variant;

/// Threads of a block.
const THREADS: usize = 256;
/// Elements of a segment.
const SEGMENT: usize = 2 * THREADS;

pub(super) fn run<T: Word>(machine: &mut Machine<T>, input: &Input<'_, T>, _: Variant) -> Array {
    let n = input.values.len();
    let segments = n.div_ceil(SEGMENT);
    let (x, y) = (machine.array("x", input.values), machine.empty("y", n));
    let sums = machine.empty("sums", segments);
    machine.launch("segments", segments, THREADS, |block| {
        let s = block.shared("s", SEGMENT);
        let first = block.index * SEGMENT;
        block_scan::load(block, (x, n), first, s, SEGMENT);
        block_scan::inclusive(block, s, SEGMENT);
        block.barrier();
        block_scan::store(block, s, SEGMENT, (y, n), first);
        let segment = block.index;
        block.step("sum", |t| {
            if t.branch(t.index == 0) {
                t.copy(s, SEGMENT - 1, sums, segment);
            }
        });
    });
    if segments == 1 {
        return y;
    }
    scan_sums(machine, sums, segments);
    block_scan::add_before(machine, (y, n), SEGMENT, sums, |segment| segment - 1);
    y
}

/// One block scans the sums, a segment of them after the other.
fn scan_sums<T: Word>(machine: &mut Machine<T>, sums: Array, segments: usize) {
    machine.launch("sums", 1, THREADS, |block| {
        let (s, carry) = (block.shared("s", SEGMENT), block.shared("carry", 1));
        for first in (0..segments).step_by(SEGMENT) {
            if first > 0 {
                block.barrier();
            }
            block_scan::load(block, (sums, segments), first, s, SEGMENT);
            block_scan::inclusive(block, s, SEGMENT);
            block.barrier();
            if first > 0 {
                block.step("carry", |t| {
                    let before = t.read(carry, 0);
                    for word in [t.index, t.index + THREADS] {
                        let own = t.read(s, word);
                        let both = t.combine(before, own);
                        t.write(s, word, both);
                    }
                });
                block.barrier();
            }
            block_scan::store(block, s, SEGMENT, (sums, segments), first);
            block.step("next carry", |t| {
                if t.branch(t.index == 0) {
                    t.copy(s, SEGMENT - 1, carry, 0);
                }
            });
        }
    });
}
