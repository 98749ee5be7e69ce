//! Pairwise summation: values that come from left to right are combined in a tree.
//!
//! ```text
//! parts after 1, 2, 3 ... values     a    ab    ab c    abcd    abcd e    abcd ef    abcd ef g    abcdefgh
//! total of 7                         abcd ⊕ (ef ⊕ g)
//! ```
//!
//! The tree depends on the number of values alone: it is balanced, and what is missing on the right is left out. So the
//! totals of any 2^k values from a multiple of 2^k on are subtrees. No value goes through more than log2(n) + 1
//! applications of the operator, so the error of a float sum grows with log2(n) instead of n.
//!
//! Source: Higham, "The Accuracy of Floating Point Summation", 1993, pairwise summation; what differs: the tree is
//! built while the values come, as a binary counter counts.

use super::hidden::hidden;
use std::mem::MaybeUninit;

/// Pairwise reduction of fewer than `2^LEVELS` values: a stack of partial results.
pub(crate) struct Pairwise<T, const LEVELS: usize = 64> {
    /// Partial results, one for each set bit of `pushed`, the leftmost and largest first.
    parts: [MaybeUninit<T>; LEVELS],
    height: usize,
    pushed: usize,
}

impl<T: Copy, const LEVELS: usize> Pairwise<T, LEVELS> {
    #[inline(always)]
    pub(crate) fn new() -> Self {
        Self { parts: [MaybeUninit::uninit(); LEVELS], height: 0, pushed: 0 }
    }

    /// Returns the number of partial results.
    #[inline(always)]
    pub(crate) fn height(&self) -> usize {
        self.height
    }

    /// Adds `value` on the right.
    #[inline(always)]
    pub(crate) fn push(&mut self, mut value: T, combine: impl Fn(T, T) -> T) {
        // Not unrolled: this runs once for many values, and would be most of a kernel's code.
        let mut left = self.pushed.trailing_ones() as usize;
        while left > 0 {
            self.height -= 1;
            value = combine(self.part(self.height), value);
            left = hidden(left - 1);
        }
        self.parts[self.height].write(value);
        self.height += 1;
        self.pushed += 1;
    }

    /// Returns all pushed values combined, or `None` if there are none.
    #[inline(always)]
    pub(crate) fn total(&self, combine: impl Fn(T, T) -> T) -> Option<T> {
        if self.height == 0 {
            return None;
        }
        let mut left = self.height - 1;
        let mut total = self.part(left);
        while left > 0 {
            left = hidden(left - 1);
            total = combine(self.part(left), total);
        }
        Some(total)
    }

    /// Returns the total as [`total`](Self::total) does, of values that change with the level of the tree: `combine` is
    /// given a right value that may be missing, and then it lifts the left one by a level.
    #[inline(always)]
    pub(crate) fn tree(&self, combine: impl Fn(T, Option<T>) -> T) -> Option<T> {
        let (mut left, mut height, mut right) = (self.pushed, self.height, None);
        while left > 1 || (left == 1 && right.is_some()) {
            if left % 2 == 1 {
                height -= 1;
                right = Some(combine(self.part(height), right));
            } else if right.is_some() {
                right = right.map(|part| combine(part, None));
            }
            left = hidden(left / 2);
        }
        right.or_else(|| (height > 0).then(|| self.part(0)))
    }

    #[inline(always)]
    fn part(&self, i: usize) -> T {
        // SAFETY: `i` is below the height, or below the height before it was just decremented. All parts below that
        // have been written.
        unsafe { self.parts[i].assume_init() }
    }
}

#[cfg(test)]
mod tests {
    use super::Pairwise;

    #[test]
    fn in_order_and_shallow() {
        // Start, number of values and depth of a tree.
        type Tree = (usize, u32, u32);
        let combine = |(a, ends, depth): Tree, (b, other_ends, other): Tree| {
            assert_eq!(a + ends as usize, b, "a value out of order");
            (a, ends + other_ends, depth.max(other) + 1)
        };
        let mut values = Pairwise::<Tree, 11>::new();
        assert_eq!(values.total(combine), None);
        for n in 1..2048 {
            values.push((n - 1, 1, 0), combine);
            let (first, ends, depth) = values.total(combine).unwrap();
            assert_eq!((first, ends as usize), (0, n));
            assert_eq!(depth, n.next_power_of_two().ilog2(), "{n} values");
        }
    }
}
