//! Segmented scan as a scan of pairs: yᵢ = what lies before element i in its segment, combined; the identity at a
//! head.
//!
//! The pair of a range of elements says whether a segment begins in it, and what its elements from the last head on
//! combine to. Two neighbouring ranges give the pair of both by an operator that is associative where ⊕ is, and never
//! commutative. So any scan will do; this is `blelloch`.
//!
//! ```text
//!    x        1   2   3   4   6   5   1   3   5
//!    head     1   .   .   .   1   .   1   .   .
//!    pairs   *1  .2  .3  .4  *6  .5  *1  .3  .5     * has a head in it
//!
//!    before  .0  *1  *3  *6 *10  *6 *11  *1  *4     their exclusive scan
//!    y        0   1   3   6   0   6   0   1   4     the identity at a head
//!
//!    (f, a) ⊙ (g, b)  =  (f or g,  if g: b  else: a ⊕ b)
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
//!         s, f[right] = (f, s[left]) ⊙ (f, s[right])
//! barrier
//! if t == 0: f, s[n - 1] = (0, identity)                             # root
//! for d = 1, 2, ..., n/2:                stride = n/2, ..., 2, 1
//!     barrier
//!     if t < d:                                                      # down
//!         old = f, s[left];  f, s[left] = f, s[right]
//!         f, s[right] = (f, s[right]) ⊙ old
//! barrier
//! y[i] = identity if head[i] else s[i]                               # store
//! ```
//!
//! # Cost
//!
//! 2 (n - 1) applications of ⊙ however many segments there are and however long they are. The depth is 2 log₂ n. Each
//! word comes with its flag, so there are twice as many accesses as without segments; and where some threads of a warp
//! find g set, they leave ⊕ out and the warp diverges.
//!
//! # What differs from the lecture
//!
//! Its operator asks for "f" where it has f₁ and f₂. It is the flag of the right operand, for a head there cuts off
//! what lies on the left. And the scan of the pairs alone does not begin anew at a head in an exclusive scan, as the
//! head's own pair is not in it: so y looks at the head.

use crate::algorithm::Input;
use crate::machine::{Array, Flags, Machine, Thread, Word};
use crate::variant::Variant;

/// Pair of a range of elements: the flag of a head in it, and the combination of its elements from the last head on.
type Pair<T> = (u32, T);

/// Returns (f, a) ⊙ (g, b): the pair of two neighbouring ranges of elements, from the pairs of both.
#[track_caller]
fn combine_pairs<T: Word>(t: &mut Thread<'_, T>, (f, a): Pair<T>, (g, b): Pair<T>) -> Pair<T> {
    let both = if t.branch(g == 0) { t.combine(a, b) } else { b };
    (f | g, both)
}

/// Pairs in shared memory, with flags and values in arrays of their own: neighbouring words lie in neighbouring banks.
#[derive(Clone, Copy)]
struct Pairs {
    flags: Flags,
    values: Array,
}

impl Pairs {
    #[track_caller]
    fn read<T: Word>(self, t: &mut Thread<'_, T>, index: usize) -> Pair<T> {
        (t.read_flag(self.flags, index), t.read(self.values, index))
    }

    #[track_caller]
    fn write<T: Word>(self, t: &mut Thread<'_, T>, index: usize, (flag, value): Pair<T>) {
        t.write_flag(self.flags, index, flag);
        t.write(self.values, index, value);
    }
}

pub(super) fn run<T: Word>(machine: &mut Machine<T>, input: &Input<'_, T>, _: Variant) -> Array {
    let (n, size) = (input.values.len(), input.values.len().next_power_of_two().max(2));
    let threads = size / 2;
    let heads: Vec<_> = input.heads.iter().map(|&head| u32::from(head)).collect();
    let (x, head, y) = (machine.array("x", input.values), machine.flags("head", &heads), machine.empty("y", n));
    machine.launch("segmented_pairs", 1, threads, |block| {
        let identity = block.operator().identity;
        let s = Pairs { flags: block.shared_flags("f", size), values: block.shared("s", size) };
        block.step("load", |t| {
            for index in [t.index, t.index + threads] {
                let pair =
                    if t.branch(index < n) { (t.read_flag(head, index), t.read(x, index)) } else { (0, identity) };
                s.write(t, index, pair);
            }
        });
        let (mut d, mut stride) = (size / 2, 1);
        while d > 0 {
            block.barrier();
            block.step("up", |t| {
                if t.branch(t.index < d) {
                    let right = 2 * stride * (t.index + 1) - 1;
                    let (left, own) = (s.read(t, right - stride), s.read(t, right));
                    let both = combine_pairs(t, left, own);
                    s.write(t, right, both);
                }
            });
            d /= 2;
            stride *= 2;
        }
        block.barrier();
        block.step("root", |t| {
            if t.branch(t.index == 0) {
                s.write(t, size - 1, (0, identity));
            }
        });
        d = 1;
        while d < size {
            stride /= 2;
            block.barrier();
            block.step("down", |t| {
                if t.branch(t.index < d) {
                    let right = 2 * stride * (t.index + 1) - 1;
                    let (old, before) = (s.read(t, right - stride), s.read(t, right));
                    s.write(t, right - stride, before);
                    let both = combine_pairs(t, before, old);
                    s.write(t, right, both);
                }
            });
            d *= 2;
        }
        block.barrier();
        block.step("store", |t| {
            for index in [t.index, t.index + threads] {
                if t.branch(index < n) {
                    let begins = t.read_flag(head, index) != 0;
                    let value = if t.branch(begins) { identity } else { t.read(s.values, index) };
                    t.write(y, index, value);
                }
            }
        });
    });
    y
}
