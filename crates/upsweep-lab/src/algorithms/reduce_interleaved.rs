//! Reduction with interleaved addressing: y = x₀ ⊕ x₁ ⊕ ... ⊕ xₙ₋₁, each thread at its own word.
//!
//! It is the first form that comes to mind, and a slow one.
//!
//! ```text
//! threads  0   1   2   3   4   5   6   7
//!          3   1   7   0   4   1   6   3
//!          | /     | /     | /     | /      stride 1: threads 0, 2, 4, 6
//!          4   .   7   .   5   .   9   .    add the word to their right
//!          | ____/         | ____/          stride 2: threads 0, 4
//!         11   .   .   .  14   .   .   .
//!          | ____________/                  stride 4: thread 0
//!         25   .   .   .   .   .   .   .
//! ```
//!
//! # Pseudocode
//!
//! ```text
//! s[t] = x[t]                                                        # load
//! for stride = 1, 2, 4, ... < n:
//!     barrier
//!     if t % (2 stride) == 0 and t + stride < n:                     # add
//!         s[t] = s[t] ⊕ s[t + stride]
//! y = s[0]                                                           # store
//! ```
//!
//! # Cost
//!
//! n - 1 operations, with n threads. The depth is log₂ n. While stride < 32 every warp holds threads that add and
//! threads that do not: all warps diverge for 5 steps. From then on a warp has one thread at work or none. Half the
//! threads have nothing to do from the first step, and over all steps of a block of 512 only one thread in nine adds.
//!
//! Bank conflicts it has none, though the lecture says so: thread t stays at word t, and the threads of a warp that
//! still work have words of different banks.
//!
//! # What differs from the lecture
//!
//! The second half of the condition, for lengths that are no power of two. Neighbouring ranges are combined, the left
//! one first, so ⊕ need not commute.

use crate::algorithm::Input;
use crate::machine::{Array, Machine, Word};
use crate::variant::Variant;

pub(super) fn run<T: Word>(machine: &mut Machine<T>, input: &Input<'_, T>, _: Variant) -> Array {
    let n = input.values.len();
    let (x, y) = (machine.array("x", input.values), machine.empty("y", 1));
    machine.launch("reduce_interleaved", 1, n, |block| {
        let s = block.shared("s", n);
        block.step("load", |t| t.copy(x, t.index, s, t.index));
        let mut stride = 1;
        while stride < n {
            block.barrier();
            block.step("add", |t| {
                if t.branch(t.index.is_multiple_of(2 * stride) && t.index + stride < n) {
                    let (own, other) = (t.read(s, t.index), t.read(s, t.index + stride));
                    let both = t.combine(own, other);
                    t.write(s, t.index, both);
                }
            });
            stride *= 2;
        }
        block.step("store", |t| {
            if t.branch(t.index == 0) {
                t.copy(s, 0, y, 0);
            }
        });
    });
    y
}
