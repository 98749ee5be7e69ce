//! Kogge-Stone in place: the inclusive scan yᵢ = x₀ ⊕ ... ⊕ xᵢ, one thread an element, in one buffer.
//!
//! In each step every word gets the word `stride` to its left in front, and the stride doubles: after k steps s[t]
//! holds the last 2ᵏ elements up to t.
//!
//! ```text
//!    3   1   7   0   4   1   6   3
//!    |\  |\  |\  |\  |\  |\  |\  |     stride 1: each adds the word
//!    3   4   8   7   4   5   7   9     one to its left
//!    |   |  \|  \|  \|  \|  \|  \|     stride 2
//!    3   4  11  11  12  12  11  14
//!    |   |   |   |    \   \   \   \    stride 4
//!    3   4  11  11  15  16  22  25
//! ```
//!
//! # Pseudocode
//!
//! ```text
//! s[t] = x[t]                                                        # load
//! for stride = 1, 2, 4, ... < n:
//!     barrier
//!     if t >= stride: temp = s[t - stride] ⊕ s[t]                    # add
//!     barrier                                      without it: a race
//!     if t >= stride: s[t] = temp                                    # write
//! y[t] = s[t]                                                        # store
//! ```
//!
//! The second barrier is there because thread t + stride reads the word that thread t writes. Within a warp the model
//! has lockstep, which orders the two; between warps nothing else does. So it reports the race of the form without it
//! (`kogge-stone-race`) for every n > 32, more than one warp. Since Volta the threads of a warp need not run in
//! lockstep, and the form is a race at any n. The first barrier is there because the next step reads what this one
//! writes.
//!
//! # Cost
//!
//! n log₂ n - (n - 1) operations for n a power of two, with n threads and two barriers a step. The depth is log₂ n.
//! Threads t < stride have nothing to do, so one warp diverges while stride < 32. Neighbouring threads access
//! neighbouring words: there are no bank conflicts.
//!
//! # On a GPU
//!
//! For 2²⁶ elements on an H200 the kernel takes 607 µs, and `double-buffered` 737 µs, with one barrier a step less. A
//! barrier is one instruction. But the two buffers swap, which moves two 64-bit addresses: 20 instructions a round,
//! where this kernel takes 12. Second forms say the same: two buffers whose offsets swap take 18 instructions and
//! 652 µs; this kernel, if all threads add, 13 and 589 µs. Blelloch's kernel, with a quarter of the additions, takes
//! 747 µs, and padded 537 µs.
//!
//! # What differs from the book
//!
//! Any n: nothing in it needs a power of two. The left operand comes first, so ⊕ need not commute.

use crate::algorithm::Input;
use crate::machine::{Array, Machine, Word};
use crate::variant::{Barriers, Variant};

pub(super) fn run<T: Word>(machine: &mut Machine<T>, input: &Input<'_, T>, variant: Variant) -> Array {
    let n = input.values.len();
    let (x, y) = (machine.array("x", input.values), machine.empty("y", n));
    machine.launch("kogge_stone", 1, n, |block| {
        let s = block.shared("s", n);
        block.step("load", |t| t.copy(x, t.index, s, t.index));
        let mut temp = vec![block.operator().identity; n];
        let mut stride = 1;
        while stride < n {
            block.barrier();
            block.step("add", |t| {
                if t.branch(t.index >= stride) {
                    let (left, own) = (t.read(s, t.index - stride), t.read(s, t.index));
                    let both = t.combine(left, own);
                    temp[t.index] = t.keep("temp", both);
                }
            });
            if variant.barriers == Barriers::Enough {
                block.barrier();
            }
            block.step("write", |t| {
                if t.branch(t.index >= stride) {
                    t.write(s, t.index, temp[t.index]);
                }
            });
            stride *= 2;
        }
        block.step("store", |t| t.copy(s, t.index, y, t.index));
    });
    y
}
