//! The lecture's inverse direction: the inclusive scan yᵢ = x₀ ⊕ ... ⊕ xᵢ, a tree of sums up, and on the way down each
//! word takes what lies to its left.
//!
//! It is Brent-Kung seen from the other side. The same words are added to the same words in the same order. But there
//! a thread stands at the word that gives, here at the one that takes: what is thread t there is thread t + 1 here.
//!
//! ```text
//!    3   1   7   0   4   1   6   3
//!     \  |    \  |    \  |    \  |      up, stride 1
//!    3   4   7   7   4   5   6   9
//!         \      |        \      |      stride 2
//!    3   4   7  11   4   5   6  14
//!                 \              |      stride 4
//!    3   4   7  11   4   5   6  25      the total stays
//!                |                      down, stride 4: thread 0 at
//!    3   4   7  11   4   5   6  25      word 3, nothing to its left
//!        |        \      |              stride 2: threads 0, 1 at words
//!    3   4   7  11   4  16   6  25      1, 5
//!    |    \  |    \  |    \  |          stride 1: threads 0, 1, 2, 3 at
//!    3   4  11  11  15  16  22  25      words 0, 2, 4, 6
//! ```
//!
//! # Pseudocode
//!
//! ```text
//! s[i] = x[i]                                 two elements a thread  # load
//! for stride = 1, 2, 4, ... < n:
//!     barrier
//!     i = 2 stride (t + 1) - 1                                       # up
//!     if i < n: s[i] = s[i - stride] ⊕ s[i]                          # up
//! for stride = ..., 4, 2, 1:                             all of them
//!     barrier
//!     i = 2 stride t + stride - 1                                    # down
//!     if t > 0 and i < n: s[i] = s[i - stride] ⊕ s[i]                # down
//! barrier
//! y[i] = s[i]                                                        # store
//! ```
//!
//! Padded, word i lies at i + i / banks.
//!
//! # Cost
//!
//! 2 n - 2 - log₂ n operations, as Brent-Kung: 2 (n - 1) without those that thread 0 spares itself, one a level.
//! Thread 0 has nothing to take at any level, and at the first level, stride n/2, nobody has: so the way down has one
//! more step in which nobody adds.
//!
//! A warp diverges in every step down, in Brent-Kung the last that works, whose last thread has nobody to give to,
//! here the first. One warp's words are shifted by one node, which padding likes better: of Brent-Kung's conflicts
//! half remain (11 instead of 22 for 512 elements and 32 banks).
//!
//! # On a GPU
//!
//! For 2²⁶ elements on an H200 the kernel takes 691 µs, and padded 539 µs. Brent-Kung's takes 748 µs and 522 µs for the
//! same additions. A second form, which asks for the array's end, takes 763 µs, and padded 554 µs: which of the two
//! directions is faster depends on how they are written, and that padding saves a quarter does not.
//!
//! # What differs from the lecture
//!
//! "The first element adds zero" is a thread that adds nothing. Bounds checks instead of powers of two, as in
//! `brent-kung`, and the left operand first. The CUDA kernel fills its block up to a power of two and counts a round's
//! nodes, as the lecture's trees do.

use crate::algorithm::Input;
use crate::machine::{Array, Machine, Word};
use crate::variant::Variant;

pub(super) fn run<T: Word>(
    machine: &mut Machine<T>,
    input: &Input<'_, T>,
    Variant { loads, padding, .. }: Variant,
) -> Array {
    let n = input.values.len();
    let threads = n.div_ceil(2);
    let banks = machine.shape().banks;
    let (x, y) = (machine.array("x", input.values), machine.empty("y", n));
    machine.launch("inverse", 1, threads, |block| {
        let s = block.shared("s", padding.words(n, banks));
        block.step("load", |t| {
            for index in loads.pair(t.index, threads) {
                if t.branch(index < n) {
                    let place = padding.place(t, index);
                    t.copy(x, index, s, place);
                }
            }
        });
        let mut stride = 1;
        while stride < n {
            block.barrier();
            block.step("up", |t| {
                let i = 2 * stride * (t.index + 1) - 1;
                if t.branch(i < n) {
                    let (a, b) = (padding.place(t, i - stride), padding.place(t, i));
                    let (left, right) = (t.read(s, a), t.read(s, b));
                    let both = t.combine(left, right);
                    t.write(s, b, both);
                }
            });
            stride *= 2;
        }
        while stride > 1 {
            stride /= 2;
            block.barrier();
            block.step("down", |t| {
                let i = 2 * stride * t.index + stride - 1;
                if t.branch(t.index > 0 && i < n) {
                    let (a, b) = (padding.place(t, i - stride), padding.place(t, i));
                    let (before, own) = (t.read(s, a), t.read(s, b));
                    let both = t.combine(before, own);
                    t.write(s, b, both);
                }
            });
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
