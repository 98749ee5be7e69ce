//! Ranges of numbers for a partition: buckets of about one size, by the highest bits that vary.
//!
//! The distribution may be skewed, as that of floats over their exponents is. If a sample shows that, a value of these
//! bits with many numbers is divided by more of the lower bits, and neighbouring values with few numbers share a range.
//! If one of these ranges still has much of the sample, splitters from the sample replace the bits: each splitter is a
//! range of its own, and so is the gap between two of them (`splitters.rs`). The sample only decides about sizes: the
//! ranges ascend whatever the numbers are.

use super::splitters::Splitters;
use upsweep_core::key::KeyBits;

/// Number of the highest varying bits whose values are counted in a sample, to find out whether it is skewed and then
/// to choose the ranges.
const TABLE_BITS: u32 = 12;
/// Number of the highest varying bits whose values must have about equal shares for a partition by bits alone.
const EVEN_BITS: u32 = 8;
/// Largest share of a sample for one value of the `EVEN_BITS` bits, in multiples of an equal share: above it the sample
/// is skewed.
const UNEVEN: usize = 3;
/// Largest part of a sample for one range (1 / N): above it splitters are used.
const MUCH: usize = 8;

/// Map from numbers (keys as unsigned integers) to the ranges of a partition.
pub(super) struct Ranges<B> {
    /// Number of low bits that may vary: higher bits are the same in all numbers.
    high: u32,
    number: usize,
    shift: u32,
    mask: u32,
    /// Shift (lower half) and addend (upper half) that map a number to its range, for each value of the bits that
    /// `shift` and `mask` select. Empty if these bits themselves are the range.
    table: Vec<u32>,
    splitters: Option<Splitters<B>>,
}

impl<B: KeyBits> Ranges<B> {
    /// Makes ranges by the highest `bits` bits of the low `high` bits, but by none of the lowest `below` bits, which
    /// are not part of a key.
    pub(super) fn by_bits(high: u32, bits: u32, below: u32) -> Self {
        let high = high.max(below);
        let bits = bits.min(high - below);
        let (shift, mask) = (high - bits, (1 << bits) - 1);
        Self { high, number: 1 << bits, shift, mask, table: Vec::new(), splitters: None }
    }

    /// Makes about `1 << bits` ranges for the numbers that `sample` comes from, by none of the lowest `below` bits,
    /// which are not part of a key.
    pub(super) fn of_sample(sample: &[B], bits: u32, below: u32) -> Self {
        let ranges = Self::told_apart(sample, bits, below);
        let (mut of, mut counts) = (vec![0; sample.len()], vec![0; ranges.number]);
        ranges.of(sample, &mut of);
        of.iter().for_each(|&range| counts[usize::from(range)] += 1);
        if counts.into_iter().all(|count: usize| count * MUCH <= sample.len()) {
            return ranges;
        }
        let splitters = Splitters::of_sample(sample, bits - 1, below);
        Self { high: B::BITS, number: splitters.ranges(), splitters: Some(splitters), ..ranges }
    }

    /// Makes about `1 << bits` ranges by bits, without splitters. If the sample is skewed, frequent values of the
    /// highest bits are divided by more bits.
    fn told_apart(sample: &[B], bits: u32, below: u32) -> Self {
        let high = super::cached::varying(sample).length();
        let Some(&first) = sample.first().filter(|_| high > bits + below) else {
            return Self::by_bits(high, bits, below);
        };
        let top = TABLE_BITS.min(high - below);
        let (shift, mask) = (high - top, (1 << top) - 1);
        let mut counts = vec![0; 1 << top];
        for number in sample {
            counts[number.bits(shift, mask)] += 1;
        }
        let even = EVEN_BITS.min(bits).min(top);
        let most = counts.chunks(1 << (top - even)).map(|values| values.iter().sum::<usize>()).max();
        if most.is_none_or(|most| most <= UNEVEN * sample.len().div_ceil(1 << even)) {
            return Self::by_bits(high, bits, below);
        }
        let (share, mut number, mut room) = ((sample.len() >> bits).max(1), 0u32, 0);
        let entry = |(value, count): (u32, usize)| {
            let more = if count > share {
                room = 0;
                count.div_ceil(share).next_power_of_two().ilog2().min(shift - below)
            } else {
                if count > room || number == 0 {
                    (number, room) = (number + 1, share);
                }
                room -= count;
                0
            };
            let begin = if count > share { number } else { number - 1 };
            if count > share {
                number += 1 << more;
            }
            // The first number with this value, shifted. Only its low 16 bits matter.
            let shift = shift - more;
            let above = first.bits(shift, u32::MAX) as u32 & !(((1u64 << (top + more)) - 1) as u32);
            begin.wrapping_sub(above | value << more) << 16 | shift
        };
        let table = (0..).zip(counts).map(entry).collect();
        Self { high, number: number as usize, shift, mask, table, splitters: None }
    }

    /// Returns the number of ranges.
    pub(super) fn number(&self) -> usize {
        self.number
    }

    /// Whether the ranges are valid for numbers that differ in the bits `differ`.
    pub(super) fn hold(&self, differ: B) -> bool {
        differ.length() <= self.high
    }

    /// Whether some numbers are ranges of their own (splitters).
    pub(super) fn single_out(&self) -> bool {
        self.splitters.is_some()
    }

    /// Returns the number of a range, shifted right by `below` bits, if the range is a single number.
    #[inline(always)]
    pub(super) fn only(&self, range: usize) -> Option<B> {
        self.splitters.as_ref().and_then(|splitters| splitters.only(range))
    }

    /// Stores the index of the range of each of `numbers` in `to`. Numbers that the ranges do not [hold](Self::hold)
    /// get a valid range too, but may be out of order.
    #[inline(always)]
    pub(super) fn of(&self, numbers: &[B], to: &mut [u16]) {
        if let Some(splitters) = &self.splitters {
            return splitters.of(numbers, to);
        }
        let Self { shift, mask, .. } = *self;
        if self.table.is_empty() {
            for (to, number) in to.iter_mut().zip(numbers) {
                *to = number.bits(shift, mask) as u16;
            }
            return;
        }
        let last = (self.number - 1) as u16;
        for (to, number) in to.iter_mut().zip(numbers) {
            // SAFETY: the table has an entry for each value that `mask` allows.
            let entry = unsafe { *self.table.get_unchecked(number.bits(shift, mask)) };
            *to = (number.bits(entry & 0xffff, 0xffff) as u16).wrapping_add((entry >> 16) as u16).min(last);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that ranges ascend with the numbers, that none is out of bounds, and that a skewed sample is spread.
    fn check(numbers: &mut [u64], bits: u32, most: usize) {
        let ranges = Ranges::of_sample(numbers, bits, 0);
        numbers.sort_unstable();
        let mut of = vec![0; numbers.len()];
        ranges.of(numbers, &mut of);
        assert!(of.is_sorted(), "{of:?}");
        assert!(of.iter().all(|&range| usize::from(range) < ranges.number()));
        assert!(ranges.number() <= (2 << bits) + 1, "{}", ranges.number());
        let largest = of.chunk_by(|a, b| a == b).map(<[u16]>::len).max();
        assert!(largest.unwrap() <= most, "{largest:?} of {}", numbers.len());
    }

    #[test]
    fn ranges_ascend_and_spread() {
        let hash =
            |i: u64| (i + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let of = |f: &dyn Fn(u64) -> u64| (0..8192).map(f).collect::<Vec<u64>>();
        check(&mut of(&hash), 7, 200);
        check(&mut of(&|i| (hash(i) as i64 as f64).to_bits()), 7, 200);
        // Constant bits above and below the bits that vary.
        check(&mut of(&|i| 0xabcd << 48 | (hash(i) >> 20 >> (i % 12)) << 4 | 5), 8, 400);
        check(&mut of(&|i| hash(i) & 0x55), 8, 8192);
        check(&mut of(&|i| if i % 2 == 0 { 3 } else { 1 << 63 }), 8, 4096);
        check(&mut of(&|_| 7), 8, 8192);
        // A third of the numbers are 2, and a sixth are 3: the frequency of a number v falls as 1 / v², so few have
        // many bits.
        check(&mut of(&|i| u64::MAX / ((hash(i) >> 1) + 1)), 8, 4200);
        check(&mut of(&|i| if i % 8 == 0 { hash(i) } else { 5 + i % 3 }), 7, 2500);
        assert!(Ranges::<u8>::of_sample(&[], 6, 0).hold(0));
        // The sample has bits that do not vary, but vary in other numbers.
        let ranges = Ranges::of_sample(&of(&|i| hash(i) >> 30 >> (i % 12)), 8, 0);
        assert!(!ranges.single_out());
        let mut found = vec![0; 8192];
        ranges.of(&of(&hash), &mut found);
        assert!(found.iter().all(|&range| usize::from(range) < ranges.number()));
        assert!(!ranges.hold(u64::MAX));
    }
}
