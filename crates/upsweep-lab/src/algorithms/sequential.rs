//! The scan on a CPU, one thread: the exclusive scan yᵢ = x₀ ⊕ ... ⊕ xᵢ₋₁. What all others are measured by.
//!
//! ```text
//!    3   1   7   0   4   1   6   3
//!     \   \   \   \   \   \   \      each adds its element to the
//!    0 > 3 > 4 > 11> 11> 15> 16> 22  sum of those before
//! ```
//!
//! # Pseudocode
//!
//! ```text
//! sum = identity
//! y[0] = sum                                                         # first
//! for i = 1, ..., n - 1:
//!     sum = sum ⊕ x[i - 1]                                           # add
//!     y[i] = sum                                                     # add
//! ```
//!
//! # Cost
//!
//! n - 1 operations, all of which follow each other, with one thread. The last element is never looked at. The first
//! operation combines the identity with x₀; without it there would be n - 2. An inclusive scan needs n - 1, none of
//! them with the identity. No algorithm can do with fewer, so this is what work-efficient means: no more than a
//! constant times as many.
//!
//! # What differs from the lecture
//!
//! It says exactly n additions for a loop from 1 to n - 1, which are n - 1. And the sum stays in a register; the
//! lecture reads it back from the array.

use crate::algorithm::Input;
use crate::machine::{Array, Machine, Word};
use crate::variant::Variant;

pub(super) fn run<T: Word>(machine: &mut Machine<T>, input: &Input<'_, T>, _: Variant) -> Array {
    let n = input.values.len();
    let (x, y) = (machine.array("x", input.values), machine.empty("y", n));
    machine.launch("sequential", 1, 1, |block| {
        let mut sum = block.operator().identity;
        block.step("first", |t| t.write(y, 0, sum));
        for i in 1..n {
            block.step("add", |t| {
                let value = t.read(x, i - 1);
                sum = t.combine(sum, value);
                t.write(y, i, sum);
            });
        }
    });
    y
}
