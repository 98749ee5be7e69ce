//! Splitters: ranges for arrays in which a few values are frequent, each a value of a sample or the gap between two.
//!
//! If keys have few values, or are crowded in a small interval, each partition by bits leaves nearly all of them in one
//! range. Quantiles of a sample divide them into equal parts. Frequent values are among these quantiles, and equal
//! numbers need no sort. Most numbers are one of the few most frequent values, with which vectors of numbers are
//! compared. The range of any other number is found by a binary search.
//!
//! Source: Frazer and McKellar, "Samplesort: A Sampling Approach to Minimal Storage Tree Sorting", 1970; without
//! branches, and with ranges of equal numbers: Sanders and Winkel, "Super Scalar Sample Sort", 2004.

use std::cmp::Reverse;
use std::hint::select_unpredictable;
use upsweep_core::key::KeyBits;

/// Number of the most frequent values of the sample, with each of which every number is compared.
const FREQUENT: usize = 8;
/// Placeholder for the range of a number that is none of the most frequent values.
const NONE: u16 = u16::MAX;

/// Splitters (values from a sample) of numbers into ranges. Range `2i` has the numbers between value `i - 1` and value
/// `i`, and range `2i + 1` those equal to value `i`.
pub(super) struct Splitters<B> {
    /// Splitters in ascending order, padded with the last one to a length of a power of two less one.
    values: Vec<B>,
    /// Number of splitters without the padding.
    number: usize,
    /// Most frequent splitters, each with its range, padded with the first one.
    frequent: [(B, u16); FREQUENT],
    /// Lowest bit by which numbers are compared. Lower bits are a packed value.
    below: u32,
}

impl<B: KeyBits> Splitters<B> {
    /// Makes splitters of up to `(1 << bits) - 1` quantiles of `sample`, which is not empty. `bits` is 11 at most.
    pub(super) fn of_sample(sample: &[B], bits: u32, below: u32) -> Self {
        let mut sorted: Vec<B> = sample.iter().map(|number| number.above(below)).collect();
        sorted.sort_unstable();
        let parts = 1usize << bits;
        let mut values: Vec<B> = (1..parts).filter_map(|i| sorted.get(i * sorted.len() / parts).copied()).collect();
        values.dedup();
        let number = values.len();
        let times = |value: B| sorted.partition_point(|&x| x <= value) - sorted.partition_point(|&x| x < value);
        let mut by_frequency: Vec<(usize, (B, u16))> =
            values.iter().zip(0..).map(|(&value, i)| (times(value), (value, 2 * i + 1))).collect();
        by_frequency.sort_by_key(|&(times, _)| Reverse(times));
        let at = |i: usize| by_frequency.get(i).or(by_frequency.first()).map_or((B::default(), NONE), |found| found.1);
        values.resize((number + 1).next_power_of_two() - 1, values.last().copied().unwrap_or_default());
        Self { values, number, frequent: std::array::from_fn(at), below }
    }

    pub(super) fn ranges(&self) -> usize {
        2 * self.number + 1
    }

    /// Returns the value of the range with index `range`, if the range is a single value.
    #[inline(always)]
    pub(super) fn only(&self, range: usize) -> Option<B> {
        if range % 2 == 1 { self.values.get(range / 2).copied() } else { None }
    }

    /// Stores the index of the range of each of `numbers` in `to`.
    pub(super) fn of(&self, numbers: &[B], to: &mut [u16]) {
        let Self { frequent, below, .. } = *self;
        for (to, x) in to.iter_mut().zip(numbers) {
            let x = x.above(below);
            *to = frequent.iter().fold(NONE, |range, &(value, of)| if value == x { of } else { range });
        }
        for (to, x) in to.iter_mut().zip(numbers) {
            if *to == NONE {
                *to = self.search(x.above(below));
            }
        }
    }

    #[inline(always)]
    fn search(&self, x: B) -> u16 {
        let Self { ref values, number, .. } = *self;
        let Some(last) = values.len().checked_sub(1) else { return 0 };
        // `less` becomes the number of splitters that are less than `x`.
        let (mut less, mut step) = (0, values.len().div_ceil(2));
        while step > 0 {
            // SAFETY: before a step, `less` is a multiple of `2 * step`, and at most `values.len() - 2 * step + 1`.
            let is_less = unsafe { *values.get_unchecked(less + step - 1) } < x;
            less = select_unpredictable(is_less, less + step, less);
            step /= 2;
        }
        // SAFETY: the index is at most `last`.
        let is_value = unsafe { *values.get_unchecked(less.min(last)) } == x;
        (2 * less.min(number)) as u16 + u16::from(is_value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_and_what_lies_between() {
        for kinds in [1, 2, 3, 4, 7, 8, 100] {
            let sample: Vec<u64> = (0..1000).map(|i| (i % kinds) << 32 | (i * 7919) & 0xffff).collect();
            let splitters = Splitters::of_sample(&sample, 6, 32);
            let numbers: Vec<u64> = (0..3 * kinds).map(|i| i << 31).chain([u64::MAX]).collect();
            let mut of = vec![9; numbers.len()];
            splitters.of(&numbers, &mut of);
            for (&number, &range) in numbers.iter().zip(&of) {
                let (key, range) = (number >> 32, usize::from(range));
                let own = &splitters.values[..splitters.number];
                let less = own.iter().filter(|&&value| value < key).count();
                assert_eq!(range, 2 * less + usize::from(own.contains(&key)), "{number:#x} of {kinds}");
                assert_eq!(splitters.only(range), own.contains(&key).then_some(key));
                assert!(range < splitters.ranges());
            }
        }
    }
}
