//! Reduction with strided addressing: y = x₀ ⊕ x₁ ⊕ ... ⊕ xₙ₋₁, the same tree as `reduce-interleaved`, but its
//! additions are done by the first threads, whatever words they concern.
//!
//! ```text
//!          3   1   7   0   4   1   6   3
//!          | /     | /     | /     | /      stride 1: threads 0, 1, 2, 3
//!          4   .   7   .   5   .   9   .    at words 0, 2, 4, 6
//!          | ____/         | ____/          stride 2: threads 0, 1 at
//!         11   .   .   .  14   .   .   .    words 0, 4
//!          | ____________/                  stride 4: thread 0 at word 0
//!         25   .   .   .   .   .   .   .
//! ```
//!
//! # Pseudocode
//!
//! ```text
//! s[t] = x[t],  s[t + n/2] = x[t + n/2]                              # load
//! for stride = 1, 2, 4, ... < n:
//!     barrier
//!     a = stride * 2t,  b = stride * (2t + 1)                        # add
//!     if b < n: s[a] = s[a] ⊕ s[b]                                   # add
//! y = s[0]                                                           # store
//! ```
//!
//! Padded, word i lies at i + i / banks.
//!
//! # Cost
//!
//! n - 1 operations, with n / 2 threads. The depth is log₂ n. Whole warps fall idle, and only the last 5 steps
//! diverge. What is paid for it are bank conflicts: at stride 2ᵏ neighbouring threads are 2ᵏ⁺¹ words apart, so up to
//! min(2ᵏ⁺¹, threads at work) of them meet in one bank. On this tree the lecture counts the cycles of shared memory, 6
//! an addition of a warp times the degree of its conflicts. With 16 banks:
//!
//! ```text
//! leaves                64    128    512
//! as it is             102    186    570
//! without conflicts     36     48    120
//! padded                84    112    304     the lecture prints 106 for 128
//! ```
//!
//! Padded, a warp-step has 8 cycles more, for its addresses. Padding is not foolproof: from stride 16 on neighbouring
//! threads are an even number of banks apart again.
//!
//! # What differs from the lecture
//!
//! Its condition is `thid <= d`, one thread too many; and `b < n` says the same as `t < d` for powers of two, and is
//! right for all other lengths, too. Neighbouring ranges are combined, the left one first, so ⊕ need not commute.

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
    let (x, y) = (machine.array("x", input.values), machine.empty("y", 1));
    machine.launch("reduce_strided", 1, threads, |block| {
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
            block.step("add", |t| {
                let (a, b) = (stride * 2 * t.index, stride * (2 * t.index + 1));
                if t.branch(b < n) {
                    let (a, b) = (padding.place(t, a), padding.place(t, b));
                    let (left, right) = (t.read(s, a), t.read(s, b));
                    let both = t.combine(left, right);
                    t.write(s, a, both);
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
