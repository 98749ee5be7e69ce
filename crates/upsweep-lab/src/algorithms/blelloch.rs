//! Blelloch's work-efficient scan: the exclusive scan yᵢ = x₀ ⊕ ... ⊕ xᵢ₋₁, a tree of sums up and a tree of prefixes
//! down.
//!
//! On the way up each node of a binary tree gets the sum of its elements. On the way down each node learns what lies
//! before it: the root has nothing before it, a left child has before it what its parent has, and a right child has
//! that and the left child's sum.
//!
//! ```text
//!    3   1   7   0   4   1   6   3
//!     \  |    \  |    \  |    \  |      up, stride 1
//!    3   4   7   7   4   5   6   9
//!         \      |        \      |      stride 2
//!    3   4   7  11   4   5   6  14
//!                 \              |      stride 4
//!    3   4   7  11   4   5   6  25
//!                                0      the root becomes the identity
//!    3   4   7   0   4   5   6  11      down, stride 4: left gets right,
//!    3   0   7   4   4  11   6  16      right gets right ⊕ left; stride 2
//!    0   3   4  11  11  15  16  22      stride 1
//! ```
//!
//! # Pseudocode
//!
//! ```text
//! s[i] = x[i]                                 two elements a thread  # load
//! for d = n/2, n/4, ..., 1:              stride = 1, 2, ..., n/2
//!     barrier
//!     if t < d:                                                      # up
//!         right = 2 stride (t + 1) - 1,  left = right - stride
//!         s[right] = s[left] ⊕ s[right]
//! barrier
//! if t == 0: s[n - 1] = identity                                     # root
//! for d = 1, 2, ..., n/2:                stride = n/2, ..., 2, 1
//!     barrier
//!     if t < d:                                                      # down
//!         right = 2 stride (t + 1) - 1,  left = right - stride
//!         old = s[left]
//!         s[left] = s[right]
//!         s[right] = s[right] ⊕ old
//! barrier
//! y[i] = s[i]                                                        # store
//! ```
//!
//! Padded, word i lies at i + i / banks.
//!
//! # Cost
//!
//! 2 (n - 1) operations, with n / 2 threads. The depth is 2 log₂ n: half of the threads fall idle from each level to
//! the next, and the tree is climbed twice. At stride 2ᵏ neighbouring threads are 2ᵏ⁺¹ words apart, so up to min(2ᵏ⁺¹,
//! threads) of them meet in one bank. With padding most conflicts go; with loads of one element of each half
//! neighbouring threads load neighbouring words.
//!
//! # On a GPU
//!
//! For 2²⁶ elements on an H200 this kernel takes 747 µs, and padded 537 µs. It waits for the turns of shared memory, of
//! which padding takes two thirds away. Kogge-Stone takes 607 µs, although it does four times the additions: it has no
//! conflicts. A second form, which asks for the array's end in place of counting nodes, takes 847 µs, and padded
//! 550 µs.
//!
//! A warp issues an instruction once, for 32 threads at work or for one. So what idle threads of a warp at work would
//! add saves nothing. An idle warp issues the 10 to 15 instructions of a round, too, but for those that a branch jumps
//! over; what it saves are turns. `blelloch-dividing` asks `t < n / (2 stride)`, and its division hides all of this.
//!
//! # What differs from the papers
//!
//! Lengths that are no power of two are filled up with the identity. And `right ⊕ old`: what lies before the node
//! comes first, which matters where ⊕ does not commute. Blelloch's and Harris's texts have the sum the other way
//! round, and one of the lectures stores both results in each other's place.

use crate::algorithm::Input;
use crate::machine::{Array, Machine, Word};
use crate::variant::Variant;

pub(super) fn run<T: Word>(
    machine: &mut Machine<T>,
    input: &Input<'_, T>,
    Variant { loads, padding, .. }: Variant,
) -> Array {
    let (n, size) = (input.values.len(), input.values.len().next_power_of_two().max(2));
    let threads = size / 2;
    let banks = machine.shape().banks;
    let (x, y) = (machine.array("x", input.values), machine.empty("y", n));
    machine.launch("blelloch", 1, threads, |block| {
        let identity = block.operator().identity;
        let s = block.shared("s", padding.words(size, banks));
        block.step("load", |t| {
            for index in loads.pair(t.index, threads) {
                let value = if t.branch(index < n) { t.read(x, index) } else { identity };
                let place = padding.place(t, index);
                t.write(s, place, value);
            }
        });
        let (mut d, mut stride) = (size / 2, 1);
        while d > 0 {
            block.barrier();
            block.step("up", |t| {
                if t.branch(t.index < d) {
                    let right = 2 * stride * (t.index + 1) - 1;
                    let (a, b) = (padding.place(t, right - stride), padding.place(t, right));
                    let (left, right) = (t.read(s, a), t.read(s, b));
                    let both = t.combine(left, right);
                    t.write(s, b, both);
                }
            });
            d /= 2;
            stride *= 2;
        }
        block.barrier();
        block.step("root", |t| {
            if t.branch(t.index == 0) {
                let root = padding.place(t, size - 1);
                t.write(s, root, identity);
            }
        });
        d = 1;
        while d < size {
            stride /= 2;
            block.barrier();
            block.step("down", |t| {
                if t.branch(t.index < d) {
                    let right = 2 * stride * (t.index + 1) - 1;
                    let (a, b) = (padding.place(t, right - stride), padding.place(t, right));
                    let (old, before) = (t.read(s, a), t.read(s, b));
                    t.write(s, a, before);
                    let both = t.combine(before, old);
                    t.write(s, b, both);
                }
            });
            d *= 2;
        }
        block.barrier();
        block.step("store", |t| {
            for index in loads.pair(t.index, threads) {
                if t.branch(index < n) {
                    let place = padding.place(t, index);
                    t.copy(s, place, y, index);
                }
            }
        });
    });
    y
}
