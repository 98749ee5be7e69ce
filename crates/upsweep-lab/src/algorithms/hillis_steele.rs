//! Hillis and Steele's scan, the naive parallel one: the inclusive scan yᵢ = x₀ ⊕ ... ⊕ xᵢ in global memory, of any
//! length.
//!
//! After k steps word i holds the last 2ᵏ elements up to i. The end of a launch is the only thing for which all blocks
//! wait, so each step is a launch. Nothing orders the blocks within one: a single buffer would be read and written by
//! different blocks at the same time, so there are two.
//!
//! ```text
//! x        3   1   7   0   4   1   6   3
//!          |\  |\  |\  |\  |\  |\  |\  |     launch 1, stride 1: each
//! even     3   4   8   7   4   5   7   9     adds the word to its left
//!          |   |  \|  \|  \|  \|  \|  \|     launch 2, stride 2
//! odd      3   4  11  11  12  12  11  14
//!          |   |   |   |    \   \   \   \    launch 3, stride 4
//! even     3   4  11  11  15  16  22  25
//! ```
//!
//! # Pseudocode
//!
//! ```text
//! for stride = 1, 2, 4, ... < n:          one launch each, 256 threads a block
//!     i = 256 block + t
//!     if i < n:                                                      # add
//!         if i >= stride: to[i] = from[i - stride] ⊕ from[i]
//!         else:           to[i] = from[i]
//!     swap from and to
//! ```
//!
//! # Cost
//!
//! n log₂ n - (n - 1) operations for n a power of two, the sum of n - stride over all strides, in log₂ n launches.
//! Each reads about 2 n words of global memory and writes n: 20 passes over a million elements where a good scan makes
//! one.
//!
//! # What differs from the course's pseudocode
//!
//! Its loop counts `i` from 1 while i < log₂ n, one step too few; and it compares with 2ⁱ where it reaches back by
//! 2ⁱ⁻¹, which leaves out the threads between the two. The strides here are 1, 2, 4, ... while less than n, and the
//! comparison has the same stride. Any n: bounds are checked. The left operand comes first.

use crate::algorithm::Input;
use crate::machine::{Array, Machine, Word};
use crate::variant::Variant;

/// Number of threads of a block.
const THREADS: usize = 256;

pub(super) fn run<T: Word>(machine: &mut Machine<T>, input: &Input<'_, T>, _: Variant) -> Array {
    let (n, threads) = (input.values.len(), machine.shape().tile_or(THREADS));
    let mut from = machine.array("x", input.values);
    let (mut to, mut other) = (machine.empty("even", n), machine.empty("odd", n));
    let mut stride = 1;
    while stride < n {
        machine.launch("hillis_steele", n.div_ceil(threads), threads, |block| {
            block.step("add", |t| {
                let i = t.block * threads + t.index;
                if t.branch(i < n) {
                    let own = t.read(from, i);
                    if t.branch(i >= stride) {
                        let left = t.read(from, i - stride);
                        let both = t.combine(left, own);
                        t.write(to, i, both);
                    } else {
                        t.write(to, i, own);
                    }
                }
            });
        });
        // The array that was read is written next, except x, which stays as it is: `other` takes its place.
        (from, to, other) = (to, other, to);
        stride *= 2;
    }
    from
}
