//! Reduction with sequential addressing whose last warp works without barriers: y = x₀ ⊕ x₁ ⊕ ... ⊕ xₙ₋₁.
//!
//! Once a single warp works, lockstep (since Volta: `__syncwarp()`) orders its reads and writes, and a barrier of the
//! whole block buys nothing. Nor does a condition: a warp takes as long for 32 additions as for one. So all its threads add in all 6 steps, none
//! diverges, and most of what the upper ones compute nobody needs.
//!
//! ```text
//! 128 words, w: a warp's 32 words
//!         w0      w1      w2      w3
//!          |       |       |       |     stride 64: warps 0 and 1 add the
//!         w0      w1       .       .     upper half; a barrier
//!          |       |                     stride 32: warp 0; no barrier
//!         w0       .                     from here on, all 32 threads
//! ```
//!
//! # Pseudocode
//!
//! ```text
//! s[t] = x[t]              ordered: x[reversed bits of t]            # load
//! for stride = n/2, n/4, ..., 64:
//!     barrier
//!     if t < stride: s[t] = s[t] ⊕ s[t + stride]                     # add
//! barrier
//! if t < 32:
//!     for stride = 32, 16, 8, 4, 2, 1:                  unrolled
//!         temp = s[t] ⊕ s[t + stride]                      # add in one warp
//!         (all threads of the warp have read)
//!         s[t] = temp                                                # write
//! y = s[0]                                                           # store
//! ```
//!
//! # Cost
//!
//! The depth is log₂ n, with log₂ n - 5 barriers. Operations: n - 64 before the last warp, 6 × 32 = 192 in it where 63
//! would do.
//!
//! # What differs from the lecture
//!
//! Its loop runs down to stride 1, so nothing is left for the unrolled part: it has to end at 64. `tid <= 32` lets a
//! thread of the second warp in, which lockstep does not order with the first. And the unrolled lines add `tid + 1`,
//! `tid + 2`, ..., `tid + 5`: the distances must halve, 32, 16, 8, 4, 2, 1, one for each of the last 6 steps, not 5.
//! (The lecture's lines add up 2⁵ = 32 words, but only the first 16, most of them several times: right for equal
//! elements, and for no others.) Since Volta the threads of a warp need not run in lockstep: a CUDA kernel has
//! `__syncwarp()` wherever the model has a new step, between the reads and the writes, too.
//!
//! `reduce-unrolled` takes an operator that commutes; `reduce-unrolled-ordered` takes any, by bit-reversed loads, as
//! `reduce-sequential-ordered` does. Shorter arrays are filled up with the identity, to a power of two and to 64 words
//! at least, so that thread 31 has a word 32 to its right.

use super::reduce_sequential::bit_reversed;
use crate::algorithm::Input;
use crate::machine::{Array, Machine, WARP, Word};
use crate::variant::{Order, Variant};

pub(super) fn run<T: Word>(machine: &mut Machine<T>, input: &Input<'_, T>, variant: Variant) -> Array {
    let (n, warp) = (input.values.len(), machine.shape().warp);
    let size = n.next_power_of_two().max(2 * warp);
    let (x, y) = (machine.array("x", input.values), machine.empty("y", 1));
    machine.launch("reduce_unrolled", 1, size, |block| {
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
        while stride > warp {
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
        block.barrier();
        let mut temp = [identity; WARP];
        while stride > 0 {
            block.step("add in one warp", |t| {
                if t.branch(t.index < warp) {
                    let (own, other) = (t.read(s, t.index), t.read(s, t.index + stride));
                    let both = t.combine(own, other);
                    temp[t.index] = t.keep("temp", both);
                }
            });
            block.step("write", |t| {
                if t.branch(t.index < warp) {
                    t.write(s, t.index, temp[t.index]);
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
