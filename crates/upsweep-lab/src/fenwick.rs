//! Fenwick tree on the host: prefixes of a sequence that changes.

use crate::operator::Operator;
use std::ops::Range;

/// Fenwick tree, or binary indexed tree: the tree that an up-sweep leaves, in one word an element.
///
/// Node i, counted from 1, combines the (i & -i) elements that end with the ith. A prefix combines a node for each bit
/// of its length; an element is in at most one node of each size. So a prefix and an update take log₂ n operations,
/// where an array takes n for one of them.
///
/// ```
/// use upsweep_lab::fenwick::Fenwick;
/// use upsweep_lab::operator::Operator;
///
/// let mut tree = Fenwick::build(Operator::<i64>::sum(), &[3, 1, 7, 0, 4, 1]);
/// assert_eq!(tree.prefix(4), Some(11)); // 3 + 1 + 7 + 0
/// assert!(tree.update(2, 10)); // element 2 becomes 7 + 10
/// assert_eq!(tree.prefix(4), Some(21));
/// assert_eq!(tree.range(2..5, i64::wrapping_sub), Some(21)); // 17 + 0 + 4
/// ```
#[derive(Clone, Debug)]
pub struct Fenwick<T> {
    operator: Operator<T>,
    nodes: Vec<T>,
}

impl<T: Copy> Fenwick<T> {
    /// Builds the tree with less than one operation an element. The operator needs to be associative.
    #[must_use]
    pub fn build(operator: Operator<T>, elements: &[T]) -> Self {
        let mut nodes = elements.to_vec();
        // Strides grow as in an up-sweep: a node is complete before it is added to the next larger one.
        let mut stride = 1;
        while stride < nodes.len() {
            for right in (2 * stride - 1..nodes.len()).step_by(2 * stride) {
                nodes[right] = (operator.combine)(nodes[right - stride], nodes[right]);
            }
            stride *= 2;
        }
        Self { operator, nodes }
    }

    /// Number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Combines the first `count` elements in their order; the identity for none. `None`: there are fewer elements.
    ///
    /// ```
    /// use upsweep_lab::fenwick::Fenwick;
    /// use upsweep_lab::operator::Operator;
    ///
    /// let tree = Fenwick::build(Operator::<i64>::max(), &[3, 1, 7]);
    /// assert_eq!((tree.prefix(0), tree.prefix(2), tree.prefix(3)), (Some(i64::MIN), Some(3), Some(7)));
    /// assert_eq!(tree.prefix(4), None);
    /// ```
    #[must_use]
    pub fn prefix(&self, count: usize) -> Option<T> {
        let mut sum = self.operator.identity;
        let mut left = count;
        while left > 0 {
            // The nodes are combined from the last to the first, so each goes in front of the sum so far.
            sum = (self.operator.combine)(*self.nodes.get(left - 1)?, sum);
            left &= left - 1;
        }
        Some(sum)
    }

    /// Changes element `index` to xᵢ ⊕ `value`. The operator needs to be commutative: a node holds its elements
    /// combined, and `value` can be appended to them all, not put into their middle. An operator without inverses only
    /// changes elements one way: a maximum can be raised. Returns whether there is such an element.
    ///
    /// ```
    /// use upsweep_lab::fenwick::Fenwick;
    /// use upsweep_lab::operator::Operator;
    ///
    /// let mut tree = Fenwick::build(Operator::<i64>::max(), &[3, 1, 7]);
    /// assert!(tree.update(1, 5));
    /// assert_eq!(tree.prefix(2), Some(5));
    /// assert!(!tree.update(3, 9));
    /// ```
    #[must_use = "false: there is no such element"]
    pub fn update(&mut self, index: usize, value: T) -> bool {
        let mut node = index;
        while let Some(sum) = self.nodes.get_mut(node) {
            *sum = (self.operator.combine)(*sum, value);
            // In numbers that count nodes from 1 this is i += i & -i.
            node |= node + 1;
        }
        index < self.nodes.len()
    }

    /// Combines the elements of a range. `subtract(whole, front)` is the left inverse: the value after `front` that
    /// gives `whole`. With it operators need not commute. `None`: the sequence has no such range.
    ///
    /// ```
    /// use upsweep_lab::fenwick::Fenwick;
    /// use upsweep_lab::operator::Operator;
    ///
    /// let tree = Fenwick::build(Operator::<i64>::sum(), &[3, 1, 7, 0, 4]);
    /// assert_eq!(tree.range(1..4, |whole, front| whole - front), Some(8));
    /// assert_eq!(tree.range(4..6, |whole, front| whole - front), None);
    /// ```
    #[must_use]
    pub fn range(&self, range: Range<usize>, subtract: impl Fn(T, T) -> T) -> Option<T> {
        if range.start > range.end {
            return None;
        }
        Some(subtract(self.prefix(range.end)?, self.prefix(range.start)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operator::Affine;

    const LENGTHS: [usize; 9] = [0, 1, 2, 3, 7, 8, 9, 64, 100];

    fn elements(n: usize) -> Vec<i64> {
        (0..n as i64).map(|i| (i * 7919 + 13) % 101 - 50).collect()
    }

    fn all<T: Copy>(operator: Operator<T>, elements: &[T]) -> T {
        elements.iter().fold(operator.identity, |a, &b| (operator.combine)(a, b))
    }

    #[test]
    fn prefixes_and_ranges_are_those_of_the_elements() {
        for n in LENGTHS {
            let x = elements(n);
            let tree = Fenwick::build(Operator::<i64>::sum(), &x);
            assert_eq!((tree.len(), tree.is_empty()), (n, n == 0));
            for end in 0..=n {
                assert_eq!(tree.prefix(end), Some(all(Operator::<i64>::sum(), &x[..end])), "{end} of {n}");
                for start in 0..=end {
                    let expected = Some(x[start..end].iter().sum());
                    assert_eq!(tree.range(start..end, i64::wrapping_sub), expected, "{start}..{end} of {n}");
                }
            }
            assert_eq!(tree.prefix(n + 1), None);
            assert_eq!(tree.range(0..n + 1, i64::wrapping_sub), None);
        }
        let backwards = Range { start: 2, end: 1 };
        assert_eq!(Fenwick::build(Operator::<i64>::sum(), &[1, 2, 3]).range(backwards, i64::wrapping_sub), None);
    }

    /// Inverse m⁻¹ modulo 2⁶⁴ of an odd m, by Newton's iteration.
    fn inverse(m: i64) -> i64 {
        (0..6).fold(m, |y, _| y.wrapping_mul(2i64.wrapping_sub(m.wrapping_mul(y))))
    }

    #[test]
    fn order_matters_where_the_operator_does_not_commute() {
        let operator = Operator::affine();
        // Returns the function that, after f, gives `whole`: m = whole.m / f.m and c = whole.c - m f.c.
        let subtract = |whole: Affine, f: Affine| {
            let m = whole.m.wrapping_mul(inverse(f.m));
            Affine { m, c: whole.c.wrapping_sub(m.wrapping_mul(f.c)) }
        };
        for n in LENGTHS {
            let x: Vec<_> = elements(n).iter().map(|&i| Affine { m: 2 * i + 1, c: i - 3 }).collect();
            let tree = Fenwick::build(operator, &x);
            for end in 0..=n {
                assert_eq!(tree.prefix(end), Some(all(operator, &x[..end])));
                let start = end / 3;
                assert_eq!(tree.range(start..end, subtract), Some(all(operator, &x[start..end])));
            }
        }
    }

    #[test]
    fn updates_change_every_prefix_behind_them() {
        for operator in [Operator::<i64>::sum(), Operator::<i64>::max()] {
            for n in LENGTHS {
                let mut x = elements(n);
                let mut tree = Fenwick::build(operator, &x);
                for index in (0..n).chain((0..n).rev()) {
                    let value = (index as i64 * 31) % 77;
                    x[index] = (operator.combine)(x[index], value);
                    assert!(tree.update(index, value));
                    for end in 0..=n {
                        assert_eq!(tree.prefix(end), Some(all(operator, &x[..end])), "{index}, {end} of {n}");
                    }
                }
                assert!(!tree.update(n, 1));
            }
        }
    }
}
