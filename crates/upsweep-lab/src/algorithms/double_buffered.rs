//! Kogge-Stone with two buffers: the inclusive scan yᵢ = x₀ ⊕ ... ⊕ xᵢ, or the exclusive one, yᵢ = x₀ ⊕ ... ⊕ xᵢ₋₁.
//!
//! ```text
//! s0       3   1   7   0   4   1   6   3
//!          |\  |\  |\  |\  |\  |\  |\  |     stride 1: each adds the
//! s1       3   4   8   7   4   5   7   9     word one to its left
//!          |   |  \|  \|  \|  \|  \|  \|     stride 2
//! s0       3   4  11  11  12  12  11  14
//!          |   |   |   |    \   \   \   \    stride 4
//! s1       3   4  11  11  15  16  22  25
//! ```
//!
//! # Pseudocode
//!
//! ```text
//! from[t] = x[t]                   exclusive: x[t - 1], the identity # load
//! for stride = 1, 2, 4, ... < n:   for t = 0
//!     barrier
//!     if t >= stride: to[t] = from[t - stride] ⊕ from[t]             # add
//!     else:           to[t] = from[t]                                # add
//!     swap from and to
//! y[t] = from[t]                                                     # store
//! ```
//!
//! The words that a step reads are not those that it writes, so one barrier a step is enough, half of what
//! `kogge-stone` needs. What was read in one step is overwritten in the next, behind a barrier. It costs twice the
//! shared memory, and the threads that add nothing have to copy.
//!
//! # Cost
//!
//! n log₂ n - (n - 1) operations for n a power of two, with n threads. The depth is log₂ n. The exclusive form does as
//! many: it is the inclusive scan of the elements shifted by one, which is the lecture's first attempt. In each step
//! one of its additions, that of thread t = stride, has the identity to its left; the first of them is the identity of
//! an empty sum.
//!
//! # What differs from the lecture
//!
//! Nothing in the algorithm. For the additions of its steps it lists n/2 + n/2 - 1, then n/4 + n/2 - 1, and so on;
//! they are n - 1, n - 2, n - 4, ..., n/2. Its total, n (log₂ n - 1) + 1, is right. Any n: nothing in it needs a power
//! of two.

use crate::algorithm::Input;
use crate::machine::{Array, Machine, Word};
use crate::variant::{Shift, Variant};

pub(super) fn run<T: Word>(machine: &mut Machine<T>, input: &Input<'_, T>, variant: Variant) -> Array {
    let n = input.values.len();
    let (x, y) = (machine.array("x", input.values), machine.empty("y", n));
    machine.launch("double_buffered", 1, n, |block| {
        let identity = block.operator().identity;
        let (mut from, mut to) = (block.shared("s0", n), block.shared("s1", n));
        block.step("load", |t| match variant.shift {
            Shift::None => t.copy(x, t.index, from, t.index),
            Shift::ByOne => {
                let value = if t.branch(t.index > 0) { t.read(x, t.index - 1) } else { identity };
                t.write(from, t.index, value);
            }
        });
        let mut stride = 1;
        while stride < n {
            block.barrier();
            block.step("add", |t| {
                if t.branch(t.index >= stride) {
                    let (left, own) = (t.read(from, t.index - stride), t.read(from, t.index));
                    let both = t.combine(left, own);
                    t.write(to, t.index, both);
                } else {
                    t.copy(from, t.index, to, t.index);
                }
            });
            (from, to) = (to, from);
            stride *= 2;
        }
        block.step("store", |t| t.copy(from, t.index, y, t.index));
    });
    y
}
