//! Reduction by shuffles: y = x₀ ⊕ x₁ ⊕ ... ⊕ xₙ₋₁, as it is written today.
//!
//! ```text
//! lanes    0   1   2   3   4   5   6   7      a warp of 8, in registers
//!          3   1   7   0   4   1   6   3
//!          | / | / | / | / | / | / | / |      distance 1: each lane adds
//!          4   8   7   4   5   7   9   6      the lane to its right
//!          | __|_/ |   |   |                  distance 2
//!         11  12  12  11  14   .   .   .
//!          | ______________/                  distance 4
//!         25   .   .   .   .   .   .   .
//!          |
//!        s[warp]   then the first warp does the same to all warps' words
//! ```
//!
//! # Pseudocode
//!
//! ```text
//! v = x[t]                                                           # load
//! for d = 1, 2, 4, 8, 16: v = v ⊕ (v of lane + d)                    # shuffle
//! if lane == 0: s[warp] = v                                # one word a warp
//! barrier
//! if warp == 0:
//!     v = s[lane]          the identity where there is no such warp  # load them
//!     for d = 1, 2, 4, 8, 16: v = v ⊕ (v of lane + d)                # shuffle
//!     if lane == 0: y = v                                            # store
//! ```
//!
//! Beyond the warp's end a lane takes its own v.
//!
//! # Cost
//!
//! A depth of 5 + 5, one barrier, one word of shared memory a warp, and no bank conflicts. All lanes combine in all
//! steps, 160 times a warp where 31 would do, because a warp takes as long for one as for 32: nothing diverges. What
//! the other lanes find nobody needs; what lane 0 needs never comes from beyond the warp's end.
//!
//! # What differs from most texts
//!
//! The distances grow, while in most texts they shrink: 16, 8, 4, 2, 1. Those combine lane 0 with lane 16 first, which
//! only a commutative ⊕ bears. With growing ones lane 0 holds x₀, then x₀ ⊕ x₁, then x₀ ⊕ ... ⊕ x₃: neighbouring
//! ranges in their order, at the same price, and no element needs to be loaded out of order.

use crate::algorithm::Input;
use crate::machine::{Array, Block, Machine, Word};
use crate::variant::Variant;

/// Combines, by shuffles, the registers of each of the first `warps` warps; lane 0 of the warp gets the result.
fn warp_sums<T: Word>(block: &mut Block<'_, T>, registers: &mut [T], warps: usize) {
    let (mut distance, width) = (1, block.shape().warp);
    while distance < width {
        let before = registers.to_vec();
        block.step("shuffle", |t| {
            if t.branch(t.warp() < warps) {
                let from = if t.lane() + distance < width { t.index + distance } else { t.index };
                let other = t.shuffle(&before, from);
                let both = t.combine(before[t.index], other);
                registers[t.index] = t.keep("v", both);
            }
        });
        distance *= 2;
    }
}

pub(super) fn run<T: Word>(machine: &mut Machine<T>, input: &Input<'_, T>, _: Variant) -> Array {
    let (n, width) = (input.values.len(), machine.shape().warp);
    let warps = n.div_ceil(width);
    let (x, y) = (machine.array("x", input.values), machine.empty("y", 1));
    machine.launch("reduce_shuffle", 1, warps * width, |block| {
        let mut v = vec![block.operator().identity; warps * width];
        let s = block.shared("s", warps);
        block.step("load", |t| {
            if t.branch(t.index < n) {
                let own = t.read(x, t.index);
                v[t.index] = t.keep("v", own);
            }
        });
        warp_sums(block, &mut v, warps);
        block.step("one word a warp", |t| {
            if t.branch(t.lane() == 0) {
                t.write(s, t.warp(), v[t.index]);
            }
        });
        block.barrier();
        v.fill(block.operator().identity);
        block.step("load them", |t| {
            if t.branch(t.index < warps) {
                let own = t.read(s, t.index);
                v[t.index] = t.keep("v", own);
            }
        });
        warp_sums(block, &mut v, 1);
        block.step("store", |t| {
            if t.branch(t.index == 0) {
                t.write(y, 0, v[0]);
            }
        });
    });
    y
}
