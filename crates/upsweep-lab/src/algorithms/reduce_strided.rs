//! Reduction with strided addressing: y = x₀ ⊕ x₁ ⊕ ... ⊕ xₙ₋₁, the same tree as `reduce-interleaved`, but its
//! additions are done by the first threads, whatever words they concern.
//!
//! ```text
//!          3   1   7   0   4   1   6   3
//!          | /     | /     | /     | /      stride 1: threads 0, 1, 2, 3 at words 0, 2, 4, 6
//!          4   .   7   .   5   .   9   .
//!          | ____/         | ____/          stride 2: threads 0, 1 at words 0, 4
//!         11   .   .   .  14   .   .   .
//!          | ____________/                  stride 4: thread 0 at word 0
//!         25   .   .   .   .   .   .   .
//! ```
//!
//! ```text
//! s[t] = x[t],  s[t + n/2] = x[t + n/2]
//! for stride = 1, 2, 4, ... < n:
//!     barrier
//!     a = stride * 2t,  b = stride * (2t + 1)
//!     if b < n:
//!         s[a] = s[a] ⊕ s[b]                         padded: a += a / banks, b += b / banks
//! y = s[0]
//! ```
//!
//! Cost: n - 1 operations in log₂ n steps, with n / 2 threads. Whole warps fall idle, and only the last 5 steps
//! diverge. What is paid for it are bank conflicts: at stride 2ᵏ neighbouring threads are 2ᵏ⁺¹ words apart, so up to
//! min(2ᵏ⁺¹, threads at work) of them meet in one bank. On this tree the lecture counts the cycles of shared memory, 6
//! an addition of a warp times the degree of its conflicts. With 16 banks:
//!
//! ```text
//! leaves                64    128    512
//! as it is             102    186    570
//! without conflicts     36     48    120
//! padded                84    112    304     8 for the addresses of each warp-step; the lecture prints 106 for 128
//! ```
//!
//! Padding is not foolproof: from stride 16 on neighbouring threads are an even number of banks apart again.
//!
//! What differs from the lecture: its condition is `thid <= d`, one thread too many; and `b < n` says the same as `t <
//! d` for powers of two, and is right for all other lengths, too. Neighbouring ranges are combined, the left one first,
//! so ⊕ need not commute.

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
    let banks = machine.banks();
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
