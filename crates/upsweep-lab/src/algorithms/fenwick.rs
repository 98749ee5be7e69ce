//! A Fenwick tree, built by an up-sweep: the exclusive scan yᵢ = x₀ ⊕ ... ⊕ xᵢ₋₁, each prefix put together by a thread
//! of its own.
//!
//! ```text
//!    node     1   2   3   4   5   6   7   8
//!    x        3   1   7   0   4   1   6   3
//!              \  |    \  |    \  |    \  |      up, stride 1
//!             3   4   7   7   4   5   6   9
//!                  \      |        \      |      stride 2
//!             3   4   7  11   4   5   6  14
//!                          \              |      stride 4
//!             3   4   7  11   4   5   6  25
//!
//!    node i: the last (i & -i) elements up to the ith
//!    y₇ = the first 7 elements = node 4 ⊕ node 6 ⊕ node 7 = 11 ⊕ 5 ⊕ 6:
//!    node 7 is the 7th, node 6 the 5th and 6th, node 4 the 1st to 4th
//! ```
//!
//! # Pseudocode
//!
//! ```text
//! s[i] = x[i]                                 two elements a thread  # load
//! for stride = 1, 2, 4, ... < n:
//!     barrier
//!     right = 2 stride (t + 1) - 1                                   # up
//!     if right < n: s[right] = s[right - stride] ⊕ s[right]          # up
//! barrier
//! sum = identity                                                     # walk
//! for (i = t; i > 0; i -= i & -i):                                   # walk
//!     sum = s[i - 1] ⊕ sum                    node i is word i - 1
//! y[t] = sum                                                         # walk
//! ```
//!
//! # Cost
//!
//! n - 1 operations up, and for prefix i one less than i has bits set: (n / 2) log₂ n in all, for n a power of two. So
//! it is not work-efficient; but the walk needs no barrier, so there are half of those of two sweeps. A warp walks as
//! long as its slowest thread, and its threads meet in banks, as nodes of one size do.
//!
//! # What differs from the text
//!
//! Its down-sweep goes layer by layer (that is `blelloch`); here each prefix is a walk, which is the tree's own way to
//! it. And the order: the walk goes from the end of the range to its beginning, so each node comes in front of what
//! was found so far. No length has to be filled up: a node beyond the end is not there, and no walk passes it.
//! `fenwick-updates` builds the tree by one update an element; `upsweep_lab::fenwick::Fenwick` is the tree on the host.

use crate::algorithm::Input;
use crate::machine::{Array, Block, Machine, Word};
use crate::variant::Variant;

pub(super) fn run<T: Word>(machine: &mut Machine<T>, input: &Input<'_, T>, _: Variant) -> Array {
    let n = input.values.len();
    let threads = n.div_ceil(2);
    let (x, y) = (machine.array("x", input.values), machine.empty("y", n));
    machine.launch("fenwick", 1, threads, |block| {
        let s = block.shared("s", n);
        block.step("load", |t| {
            for index in [t.index, t.index + threads] {
                if t.branch(index < n) {
                    t.copy(x, index, s, index);
                }
            }
        });
        let mut stride = 1;
        while stride < n {
            block.barrier();
            block.step("up", |t| {
                let right = 2 * stride * (t.index + 1) - 1;
                if t.branch(right < n) {
                    let (left, own) = (t.read(s, right - stride), t.read(s, right));
                    let both = t.combine(left, own);
                    t.write(s, right, both);
                }
            });
            stride *= 2;
        }
        block.barrier();
        walk(block, s, y, n);
    });
    y
}

/// Stores in `y[i]` the prefix of the first i elements, for each i below n, from the nodes `s` of a Fenwick tree.
pub(super) fn walk<T: Word>(block: &mut Block<'_, T>, s: Array, y: Array, n: usize) {
    let threads = block.threads;
    block.step("walk", |t| {
        for index in [t.index, t.index + threads] {
            if t.branch(index < n) {
                let mut i = index;
                let mut sum = t.operator().identity;
                if t.branch(i > 0) {
                    sum = t.read(s, i - 1);
                    i &= i - 1;
                }
                while t.branch(i > 0) {
                    let node = t.read(s, i - 1);
                    sum = t.combine(node, sum);
                    // Clears the lowest set bit: the same as i -= i & -i.
                    i &= i - 1;
                }
                t.write(y, index, sum);
            }
        }
    });
}
