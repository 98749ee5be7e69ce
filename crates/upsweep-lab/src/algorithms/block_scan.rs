//! Block scans that the algorithms of many blocks share. Both are the up- and down-sweep, in place, of `size` words, a
//! power of two, by at least `size` / 2 threads. They begin with a barrier and end without one.

use crate::machine::{Array, Block, Machine, Word};

/// Brent-Kung's inclusive scan of the words of `s`: on the way down a node is added to the middle of the next node.
pub(super) fn inclusive<T: Word>(block: &mut Block<'_, T>, s: Array, size: usize) {
    up(block, s, size);
    let mut stride = size / 2;
    while stride > 1 {
        stride /= 2;
        block.barrier();
        block.step("down", |t| {
            if t.branch(t.index + 1 < size / (2 * stride)) {
                let left = 2 * stride * (t.index + 1) - 1;
                let (before, own) = (t.read(s, left), t.read(s, left + stride));
                let both = t.combine(before, own);
                t.write(s, left + stride, both);
            }
        });
    }
}

/// Blelloch's exclusive scan of the words of `s`; their aggregate goes to word `total.1` of the array `total.0`.
pub(super) fn exclusive<T: Word>(block: &mut Block<'_, T>, s: Array, size: usize, total: (Array, usize)) {
    up(block, s, size);
    block.barrier();
    block.step("total", |t| {
        if t.branch(t.index == 0) {
            t.copy(s, size - 1, total.0, total.1);
        }
    });
    block.step("root", |t| {
        if t.branch(t.index == 0) {
            let identity = t.operator().identity;
            t.write(s, size - 1, identity);
        }
    });
    let mut stride = size;
    while stride > 1 {
        stride /= 2;
        block.barrier();
        block.step("down", |t| {
            if t.branch(t.index < size / (2 * stride)) {
                let right = 2 * stride * (t.index + 1) - 1;
                let (old, before) = (t.read(s, right - stride), t.read(s, right));
                t.write(s, right - stride, before);
                let both = t.combine(before, old);
                t.write(s, right, both);
            }
        });
    }
}

/// Up-sweep: the last word of each node's range gets the aggregate of the range. The result is a Fenwick tree.
fn up<T: Word>(block: &mut Block<'_, T>, s: Array, size: usize) {
    let mut stride = 1;
    while stride < size {
        block.barrier();
        block.step("up", |t| {
            if t.branch(t.index < size / (2 * stride)) {
                let right = 2 * stride * (t.index + 1) - 1;
                let (left, own) = (t.read(s, right - stride), t.read(s, right));
                let both = t.combine(left, own);
                t.write(s, right, both);
            }
        });
        stride *= 2;
    }
}

/// Loads `size` words of the array `x`, which has `n`, from index `first` on, to shared memory; the identity past the
/// array's end. Neighbouring threads load neighbouring words.
pub(super) fn load<T: Word>(block: &mut Block<'_, T>, (x, n): (Array, usize), first: usize, s: Array, size: usize) {
    let (identity, threads) = (block.operator().identity, block.threads);
    block.step("load", |t| {
        for word in (t.index..size).step_by(threads) {
            let value = if t.branch(first + word < n) { t.read(x, first + word) } else { identity };
            t.write(s, word, value);
        }
    });
}

/// Stores `size` words of shared memory to the array `y`, which has `n`, from index `first` on.
pub(super) fn store<T: Word>(block: &mut Block<'_, T>, s: Array, size: usize, (y, n): (Array, usize), first: usize) {
    let threads = block.threads;
    block.step("store", |t| {
        for word in (t.index..size).step_by(threads) {
            if t.branch(first + word < n) {
                t.copy(s, word, y, first + word);
            }
        }
    });
}

/// Launches a block for each segment but the first, which puts `before[before_of(segment)]` in front of its elements.
pub(super) fn add_before<T: Word>(
    machine: &mut Machine<T>,
    (y, n): (Array, usize),
    segment: usize,
    before: Array,
    before_of: impl Fn(usize) -> usize,
) {
    let blocks = n.div_ceil(segment) - 1;
    machine.launch("add", blocks, segment / 2, |block| {
        // Block 0 works on segment 1, as no words lie before segment 0.
        let number = block.index + 1;
        let threads = block.threads;
        block.step("add", |t| {
            let lower = t.read(before, before_of(number));
            for word in (t.index..segment).step_by(threads) {
                let index = number * segment + word;
                if t.branch(index < n) {
                    let own = t.read(y, index);
                    let both = t.combine(lower, own);
                    t.write(y, index, both);
                }
            }
        });
    });
}
