//! Reduction with sequential addressing: y = x₀ ⊕ x₁ ⊕ ... ⊕ xₙ₋₁.
//!
//! ```text
//! threads  0   1   2   3
//!          3   1   7   0   4   1   6   3
//!          |   |   |   |   |   |   |   |   stride 4: the lower half adds
//!          7   2  13   3   .   .   .   .   the upper half
//!          |   |   |   |                   stride 2
//!         20   5   .   .
//!          |   |                           stride 1
//!         25   .
//! ```
//!
//! # Pseudocode
//!
//! ```text
//! s[t] = x[t]              ordered: x[r(t)], r reverses index bits   # load
//! for stride = n/2, n/4, ..., 1:
//!     barrier
//!     if t < stride: s[t] = s[t] ⊕ s[t + stride]                     # add
//! y = s[0]                                                           # store
//! ```
//!
//! # Cost
//!
//! For n a power of two: n - 1 operations. The depth is log₂ n. The threads that work are always the first ones, so
//! whole warps fall idle, and only the steps with fewer than 32 of them diverge, the last 5. No bank conflicts:
//! neighbouring threads access neighbouring words.
//!
//! `reduce-sequential` is the lecture's form, that of the picture. It combines x₀ with the first element of the upper
//! half, so it takes an operator that commutes. `reduce-sequential-ordered` takes any: word t of shared memory holds
//! element r(t), so each step combines neighbouring ranges of elements, in their order. The price are loads of global
//! memory that are not coalesced, which the model does not count.
//!
//! # What differs from the lecture
//!
//! Any n, by filling up with the identity to a power of two. And the loop: as it is printed it stops at stride 2, and
//! never changes the stride (`stride >> 1` assigns nothing).

use crate::algorithm::Input;
use crate::machine::{Array, Machine, Word};
use crate::variant::{Order, Variant};

/// Returns an index below `size`, a power of two, with the order of its log₂ `size` bits reversed.
pub(super) fn bit_reversed(index: usize, size: usize) -> usize {
    if size <= 1 { 0 } else { index.reverse_bits() >> (usize::BITS - size.trailing_zeros()) }
}

pub(super) fn run<T: Word>(machine: &mut Machine<T>, input: &Input<'_, T>, variant: Variant) -> Array {
    let (n, size) = (input.values.len(), input.values.len().next_power_of_two());
    let (x, y) = (machine.array("x", input.values), machine.empty("y", 1));
    machine.launch("reduce_sequential", 1, size, |block| {
        let identity = block.operator().identity;
        let s = block.shared("s", size);
        block.step("load", |t| {
            let from = match variant.order {
                Order::Halves => t.index,
                Order::Elements => bit_reversed(t.index, size),
            };
            let value = if t.branch(from < n) { t.read(x, from) } else { identity };
            t.write(s, t.index, value);
        });
        let mut stride = size / 2;
        while stride > 0 {
            block.barrier();
            block.step("add", |t| {
                if t.branch(t.index < stride) {
                    let (own, other) = (t.read(s, t.index), t.read(s, t.index + stride));
                    let both = t.combine(own, other);
                    t.write(s, t.index, both);
                }
            });
            stride /= 2;
        }
        block.step("store", |t| {
            if t.branch(t.index == 0) {
                t.copy(s, 0, y, 0);
            }
        });
    });
    y
}
