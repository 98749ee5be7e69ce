//! Brent-Kung: the inclusive scan yᵢ = x₀ ⊕ ... ⊕ xᵢ, a tree of sums up, and the sums handed on to the right on the
//! way down.
//!
//! After the way up the word at i = m 2ᵏ - 1, m odd, holds the last 2ᵏ elements up to it. So those with m = 1 are
//! done. On the way down all multiples of 2 stride are done already, and the odd multiples of stride get what is
//! missing from the neighbour to their left.
//!
//! ```text
//!    3   1   7   0   4   1   6   3
//!     \  |    \  |    \  |    \  |      up, stride 1
//!    3   4   7   7   4   5   6   9
//!         \      |        \      |      stride 2
//!    3   4   7  11   4   5   6  14
//!                 \              |      stride 4
//!    3   4   7  11   4   5   6  25
//!                 \      |              down, stride 2
//!    3   4   7  11   4  16   6  25
//!         \  |    \  |    \  |          stride 1
//!    3   4  11  11  15  16  22  25
//! ```
//!
//! # Pseudocode
//!
//! ```text
//! s[i] = x[i]                     two elements a thread, modulo: one # load
//! for stride = 1, 2, 4, ... < n:
//!     barrier
//!     i = 2 stride (t + 1) - 1                                       # up
//!     modulo: only if (t + 1) % (2 stride) == 0, and i = t           # up
//!     if i < n: s[i] = s[i - stride] ⊕ s[i]                          # up
//! for stride = ..., 4, 2, 1, from the second last of them on:
//!     barrier
//!     i = 2 stride (t + 1) - 1                                       # down
//!     modulo: only if (t + 1) % (2 stride) == 0, and i = t           # down
//!     if i + stride < n: s[i + stride] = s[i] ⊕ s[i + stride]        # down
//! barrier
//! y[i] = s[i]                                                        # store
//! ```
//!
//! Padded, word i lies at i + i / banks.
//!
//! # Cost
//!
//! For n a power of two: 2 n - 2 - log₂ n operations, n - 1 of them up; down it is one less at each of the log₂ n
//! levels, because the leftmost word of a level is done. The depth is 2 log₂ n - 1, with n / 2 threads. Bank conflicts
//! are those of the tree: at stride 2ᵏ up to min(2ᵏ⁺¹, threads at work) threads meet in one bank, unless a word of
//! padding follows each round of the banks.
//!
//! `brent-kung-modulo` leaves the threads where their words are. It needs n threads, and while stride < 32 all warps
//! diverge (at stride 16 on the way down all but the last); but the few threads of a warp that work are as far apart
//! in the array as in the warp, so it has no bank conflicts. The others take the first threads, and words that are 2
//! stride apart.
//!
//! # On a GPU
//!
//! For 2²⁶ elements on an H200 the kernel takes 748 µs, and padded 522 µs. A round takes 10 to 15 instructions, so the
//! turns of shared memory are what it waits for, and padding takes most of them away. A second form, which counts the
//! nodes of a round, takes 748 µs, and padded 520 µs. `brent-kung-modulo` takes 1456 µs: every warp issues every round,
//! 29 or 30 instructions with the remainder, and a block of 256 threads has half as many elements. With a mask for the
//! remainder a round has 13 instructions, and it takes 772 µs: the remainder cost more than the divergence.
//!
//! # What differs from the texts
//!
//! Bounds checks instead of powers of two. A tree node whose word lies beyond the end is left out, and no word before
//! it ever needs it. The course says that threads 0 to b / (2 stride) - 1 work on the way up, and 0 to b / stride - 1
//! on the way down, for a block of b = n / 2 threads; as its own code has it, they are b / stride up, and one less
//! down.

use crate::algorithm::Input;
use crate::machine::{Array, Machine, Word};
use crate::variant::{Mapping, Variant};

pub(super) fn run<T: Word>(machine: &mut Machine<T>, input: &Input<'_, T>, variant: Variant) -> Array {
    match variant.mapping {
        Mapping::Contiguous => contiguous(machine, input.values, variant),
        Mapping::Modulo => modulo(machine, input.values),
    }
}

fn contiguous<T: Word>(machine: &mut Machine<T>, values: &[T], Variant { loads, padding, .. }: Variant) -> Array {
    let n = values.len();
    let threads = n.div_ceil(2);
    let banks = machine.shape().banks;
    let (x, y) = (machine.array("x", values), machine.empty("y", n));
    machine.launch("brent_kung", 1, threads, |block| {
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
        stride /= 2;
        while stride > 1 {
            stride /= 2;
            block.barrier();
            block.step("down", |t| {
                let i = 2 * stride * (t.index + 1) - 1;
                if t.branch(i + stride < n) {
                    let (a, b) = (padding.place(t, i), padding.place(t, i + stride));
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

fn modulo<T: Word>(machine: &mut Machine<T>, values: &[T]) -> Array {
    let n = values.len();
    let (x, y) = (machine.array("x", values), machine.empty("y", n));
    machine.launch("brent_kung_modulo", 1, n, |block| {
        let s = block.shared("s", n);
        block.step("load", |t| t.copy(x, t.index, s, t.index));
        let mut stride = 1;
        while stride < n {
            block.barrier();
            block.step("up", |t| {
                let i = t.index;
                if t.branch((i + 1).is_multiple_of(2 * stride)) {
                    let (left, right) = (t.read(s, i - stride), t.read(s, i));
                    let both = t.combine(left, right);
                    t.write(s, i, both);
                }
            });
            stride *= 2;
        }
        stride /= 2;
        while stride > 1 {
            stride /= 2;
            block.barrier();
            block.step("down", |t| {
                let i = t.index;
                if t.branch((i + 1).is_multiple_of(2 * stride) && i + stride < n) {
                    let (before, own) = (t.read(s, i), t.read(s, i + stride));
                    let both = t.combine(before, own);
                    t.write(s, i + stride, both);
                }
            });
        }
        block.barrier();
        block.step("store", |t| t.copy(s, t.index, y, t.index));
    });
    y
}
