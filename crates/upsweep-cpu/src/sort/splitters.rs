//! Ranges of numbers of which a few values have much: values of a sample, and what lies between them.
//!
//! Where keys have few values, or crowd together at one place, cutting by bits leaves nearly all of them in one range, time and again. Values
//! of a sample at equal distances in its order cut them into equal parts, and what occurs often is found among these values: numbers that
//! are equal need no sort. Most numbers are one of the few most frequent values, with which vectors of numbers are compared; to find the
//! range of another takes a step for each doubling of the values.
//!
//! Source: Frazer and McKellar, "Samplesort: A Sampling Approach to Minimal Storage Tree Sorting", 1970; without branches, and with ranges
//! of equal numbers: Sanders and Winkel, "Super Scalar Sample Sort", 2004.

use std::cmp::Reverse;
use std::hint::select_unpredictable;
use upsweep_core::key::KeyBits;

/// So many of the most frequent values are compared with each number.
const FREQUENT: usize = 8;
/// The range of a number that is none of these.
const NONE: u16 = u16::MAX;

/// Range `2i` lies between value `i - 1` and value `i`; range `2i + 1` is value `i`.
pub(super) struct Splitters<B> {
    /// The values in ascending order, and the last one again up to a number that is one less than a power of two.
    values: Vec<B>,
    /// How many there are.
    number: usize,
    /// The most frequent ones, each with its range; of fewer the first one again.
    frequent: [(B, u16); FREQUENT],
    /// Numbers are compared by the bits from here on.
    below: u32,
}

impl<B: KeyBits> Splitters<B> {
    /// Up to `(1 << bits) - 1` values of a sample, which has one at least; `bits` are 11 at most.
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

    /// The bits of all numbers of a range, if it is that of a value.
    #[inline(always)]
    pub(super) fn only(&self, range: usize) -> Option<B> {
        if range % 2 == 1 { self.values.get(range / 2).copied() } else { None }
    }

    /// The range of each number.
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
        // How many values are less.
        let (mut less, mut step) = (0, values.len().div_ceil(2));
        while step > 0 {
            // SAFETY: before a step `less` is a multiple of twice the step, and at most as many as there are values less that.
            let is_less = unsafe { *values.get_unchecked(less + step - 1) } < x;
            less = select_unpredictable(is_less, less + step, less);
            step /= 2;
        }
        // SAFETY: it is at most `last`.
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
