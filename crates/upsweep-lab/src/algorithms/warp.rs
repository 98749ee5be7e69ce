//! Warp reductions and scans by shuffles, without shared memory and without barriers. A block's registers are a slice
//! with one word for each of its threads; they have a name to show.

use crate::machine::{Block, Word};

/// Whether the lanes hold the values in ascending or in descending order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// Lane 0 has the first of the values to combine.
    Ascending,
    /// Lane 0 has the last of the values to combine.
    Descending,
}

/// Combines the registers of the first `count` lanes of warp 0; lane 0 gets the result.
pub(super) fn reduce<T: Word>(
    block: &mut Block<'_, T>,
    (name, registers): (&'static str, &mut [T]),
    count: usize,
    order: Order,
) {
    let mut stride = 1;
    while stride < count {
        let old = registers.to_vec();
        block.step("reduce the warp", |t| {
            let takes_part = t.warp() == 0 && t.lane() % (2 * stride) == 0 && t.lane() + stride < count;
            if t.branch(takes_part) {
                let (own, other) = (old[t.index], t.shuffle(&old, t.index + stride));
                let both = match order {
                    Order::Ascending => t.combine(own, other),
                    Order::Descending => t.combine(other, own),
                };
                registers[t.index] = t.keep(name, both);
            }
        });
        stride *= 2;
    }
}

/// Kogge-Stone's inclusive scan of the registers of each group of `width` lanes, a power of two, in the block's first
/// `warps` warps.
pub(super) fn scan<T: Word>(
    block: &mut Block<'_, T>,
    (name, registers): (&'static str, &mut [T]),
    warps: usize,
    width: usize,
) {
    let mut stride = 1;
    while stride < width {
        let old = registers.to_vec();
        block.step("scan the warp", |t| {
            if t.branch(t.warp() < warps && t.lane() < width && t.lane() >= stride) {
                let other = t.shuffle(&old, t.index - stride);
                let both = t.combine(other, old[t.index]);
                registers[t.index] = t.keep(name, both);
            }
        });
        stride *= 2;
    }
}
