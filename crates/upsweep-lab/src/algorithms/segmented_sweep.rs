//! The work-efficient segmented scan: yᵢ = what lies before element i in its segment, by an up- and a down-sweep that
//! know of heads.
//!
//! ```text
//!    head  1   .   .   .   1   .   1   .
//!    s     1   2   3   4   6   5   1   3     * marks f: a head in the range
//!           \  |    \  |    \  |    \  |     up, stride 1: a node with a
//!    s    *1  *3   3   7  *6 *11  *1  *4     head keeps its own
//!             \      |        \      |       stride 2
//!    s    *1  *3   3 *10  *6 *11  *1  *4
//!                     \              |       stride 4
//!    s    *1  *3   3 *10  *6 *11  *1   0     the root: the identity
//!    s     1   3   3   0   6  11   1   0     down, stride 4: the right half
//!    s     1   0   3   3   6   0   1   0     begins with a head; stride 2
//!    s     0   1   3   6   0   6   0   1     stride 1
//! ```
//!
//! # Pseudocode
//!
//! ```text
//! s[i], f[i] = x[i], head[i]                                         # load
//! for d = n/2, n/4, ..., 1:              stride = 1, 2, ..., n/2
//!     barrier
//!     if t < d:                                                      # up
//!         right = 2 stride (t + 1) - 1,  left = right - stride
//!         if not f[right]: s[right] = s[left] ⊕ s[right]
//!         f[right] = f[left] or f[right]
//! barrier
//! if t == 0: s[n - 1] = identity                                     # root
//! for d = 1, 2, ..., n/2:                stride = n/2, ..., 2, 1
//!     barrier
//!     if t < d:                                                      # down
//!         old = s[left];  s[left] = s[right]
//!         if head[left + 1]: s[right] = identity
//!         else if f[left]:   s[right] = old
//!         else:              s[right] = s[right] ⊕ old
//! barrier
//! y[i] = s[i]                                                        # store
//! ```
//!
//! On the way down there are three cases. The right half's first element is a head: nothing lies before it. The left
//! half has a head: only what follows its last one lies before the right half. Otherwise it is as in `blelloch`.
//!
//! # Cost
//!
//! At most 2 (n - 1) operations, and as many reads of flags. The depth is 2 log₂ n. Where it goes three ways, warps
//! diverge.
//!
//! # What differs from the lecture
//!
//! - Its down-sweep asks for the original flag at k + 2ᵈ, k being the node's first element. That is left + 1, the
//!   first element of the right half: neither `left`, nor the flag of a range, so the original flags are kept in an
//!   array of their own. In an exclusive scan the half that begins with a head has nothing before it.
//! - `s[right] ⊕ old`, what lies before the node first, where the lecture has the sum the other way round. It matters
//!   where ⊕ does not commute.
//! - It ends a round with the flag at `left` set to 0. That is left out: a word is `left` in one round only, so
//!   nothing reads its flag again.
//! - A length that is no power of two is filled up with the identity, without heads.

use crate::algorithm::Input;
use crate::machine::{Array, Machine, Word};
use crate::variant::Variant;

pub(super) fn run<T: Word>(machine: &mut Machine<T>, input: &Input<'_, T>, _: Variant) -> Array {
    let (n, size) = (input.values.len(), input.values.len().next_power_of_two().max(2));
    let threads = size / 2;
    let flags: Vec<_> = input.heads.iter().map(|&head| u32::from(head)).collect();
    let (x, heads, y) = (machine.array("x", input.values), machine.flags("heads", &flags), machine.empty("y", n));
    machine.launch("segmented_sweep", 1, threads, |block| {
        let identity = block.operator().identity;
        let (s, f, head) = (block.shared("s", size), block.shared_flags("f", size), block.shared_flags("head", size));
        block.step("load", |t| {
            for index in [t.index, t.index + threads] {
                let (flag, value) =
                    if t.branch(index < n) { (t.read_flag(heads, index), t.read(x, index)) } else { (0, identity) };
                t.write(s, index, value);
                t.write_flag(f, index, flag);
                t.write_flag(head, index, flag);
            }
        });
        let (mut d, mut stride) = (size / 2, 1);
        while d > 0 {
            block.barrier();
            block.step("up", |t| {
                if t.branch(t.index < d) {
                    let right = 2 * stride * (t.index + 1) - 1;
                    let cut = t.read_flag(f, right) != 0;
                    if t.branch(!cut) {
                        let (left, own) = (t.read(s, right - stride), t.read(s, right));
                        let both = t.combine(left, own);
                        t.write(s, right, both);
                        // Only in this branch: a node that has a head keeps its flag, as it keeps its value.
                        let flag = t.read_flag(f, right - stride);
                        t.write_flag(f, right, flag);
                    }
                }
            });
            d /= 2;
            stride *= 2;
        }
        block.barrier();
        block.step("root", |t| {
            if t.branch(t.index == 0) {
                t.write(s, size - 1, identity);
            }
        });
        d = 1;
        while d < size {
            stride /= 2;
            block.barrier();
            block.step("down", |t| {
                if t.branch(t.index < d) {
                    let right = 2 * stride * (t.index + 1) - 1;
                    let left = right - stride;
                    let (old, before) = (t.read(s, left), t.read(s, right));
                    let (begins, cut) = (t.read_flag(head, left + 1) != 0, t.read_flag(f, left) != 0);
                    t.write(s, left, before);
                    let both = if t.branch(begins) {
                        identity
                    } else if t.branch(cut) {
                        old
                    } else {
                        t.combine(before, old)
                    };
                    t.write(s, right, both);
                }
            });
            d *= 2;
        }
        block.barrier();
        block.step("store", |t| {
            for index in [t.index, t.index + threads] {
                if t.branch(index < n) {
                    t.copy(s, index, y, index);
                }
            }
        });
    });
    y
}
