//! A Fenwick tree, built by one update an element: the exclusive scan yᵢ = x₀ ⊕ ... ⊕ xᵢ₋₁, as a program would do it that
//! keeps prefixes of elements that change.
//!
//! ```text
//!    node     1   2   3   4   5   6   7   8      node i: the last (i & -i)
//!                                                elements up to the ith
//!    x₀ = 3   3   3   .   3   .   .   .   3
//!    x₁ = 1   3   4   .   4   .   .   .   4
//!    x₂ = 7   3   4   7  11   .   .   .  11
//!    x₃ = 0   3   4   7  11   .   .   .  11
//!    ...
//!    x₇ = 3   3   4   7  11   4   5   6  25
//!
//!    element 2 is in node 3; then 3 + (3 & -3) = 4, 4 + (4 & -4) = 8:
//!    one node of each size, from the smallest that holds it on
//! ```
//!
//! # Pseudocode
//!
//! ```text
//! s[i] = identity                             two words a thread     # clear
//! for k = 0, 1, ... n - 1:                    thread 0 alone
//!     for (i = k + 1; i <= n; i += i & -i):                          # update
//!         s[i - 1] = s[i - 1] ⊕ x[k]          node i is word i - 1
//! barrier
//! sum = identity                                                     # walk
//! for (i = t; i > 0; i -= i & -i):                                   # walk
//!     sum = s[i - 1] ⊕ sum
//! y[t] = sum                                                         # walk
//! ```
//!
//! # Cost
//!
//! An update changes at most log₂ n + 1 nodes. So the tree is built with up to n (log₂ n + 1) operations, one after the
//! other, where the up-sweep of `fenwick` takes n - 1, log₂ n of them one after the other. In return an element can
//! change later: log₂ n + 1 operations for an update, and log₂ n for a prefix. An array of prefixes has those the other
//! way round: none for a prefix, and n for an update.
//!
//! # What differs from the text
//!
//! The text names the update and shows the up-sweep only. Here the elements come in their order, so each goes behind what a
//! node has, and any operator gives the right result; later updates put what comes into a node's middle, which takes an
//! operator that commutes. There is no CUDA kernel of it: one thread would do it all.

use super::fenwick::walk;
use crate::algorithm::Input;
use crate::machine::{Array, Machine, Word};
use crate::variant::Variant;

pub(super) fn run<T: Word>(machine: &mut Machine<T>, input: &Input<'_, T>, _: Variant) -> Array {
    let n = input.values.len();
    let threads = n.div_ceil(2);
    let (x, y) = (machine.array("x", input.values), machine.empty("y", n));
    machine.launch("fenwick_updates", 1, threads, |block| {
        let s = block.shared("s", n);
        block.step("clear", |t| {
            for index in [t.index, t.index + threads] {
                if t.branch(index < n) {
                    t.write(s, index, t.operator().identity);
                }
            }
        });
        block.barrier();
        for element in 0..n {
            block.step("update", |t| {
                if t.branch(t.index == 0) {
                    let value = t.read(x, element);
                    let mut node = element + 1;
                    while t.branch(node <= n) {
                        let own = t.read(s, node - 1);
                        let both = t.combine(own, value);
                        t.write(s, node - 1, both);
                        node += node & node.wrapping_neg();
                    }
                }
            });
        }
        block.barrier();
        walk(block, s, y, n);
    });
    y
}
