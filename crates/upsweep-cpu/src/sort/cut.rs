//! Plan of a partition: the ranges, and the exclusive prefix of their histograms for each thread's share.

use super::cached::varying;
use super::ranges::Ranges;
use super::values::{BLOCK, Block, Columns, Moved, Sort, blocks};
use crate::engine::apart::{fork, forked, part_of};
use std::ops::Range;
use std::sync::Mutex;
use upsweep_core::key::KeyBits;

/// Fewest and most bits by which an array is partitioned into ranges: `1 << bits` ranges. Each range has a
/// write-combining buffer of two cache lines for keys and two for values or more (`tile/digits.rs`): all of these fit
/// in the second-level cache.
const CUT_BITS: (u32, u32) = (6, 11);
/// Largest number of keys in a sample.
const SAMPLE: usize = 8192;
/// Least number of elements of an array for each key of its sample.
const SAMPLE_OF: usize = 64;
/// Number of keys that are counted in 32 bits before these counts are added to wider ones, so that none overflows.
const COUNTED: usize = 1 << 30;
/// Source of a partition: the elements of a range of a previous partition, or the input if `None`.
pub(super) type Source<B, V> = Option<Columns<B, V>>;

/// Plan of a partition of numbers into ranges: the ranges, and where the elements of each range go.
pub(super) struct Cut<B> {
    pub(super) ranges: Ranges<B>,
    /// Index of the first result of each range, and last the number of elements.
    begins: Vec<usize>,
    /// For each thread's share (equal piece of the source), its number and the index of the share's first result in
    /// each range.
    shares: Mutex<Vec<(usize, Vec<usize>)>>,
    /// Whether zeros of both signs may occur in an input that is sorted in place, and so overwritten.
    pub(super) has_zeros: bool,
}

/// Counts and other results of one pass over the keys of a source.
pub(super) struct Counted<B> {
    /// Number of elements in each range, for each thread's share.
    pub(super) shares: Vec<Vec<usize>>,
    /// Bits that are not the same in all numbers.
    differ: B,
    /// Whether zeros of both signs may occur in an input that is sorted in place, and so overwritten.
    pub(super) has_zeros: bool,
}

impl<B: KeyBits> Cut<B> {
    /// Returns the output indices of the elements of the range with index `range`.
    pub(super) fn part(&self, range: usize) -> Range<usize> {
        let at = |range: usize| self.begins.get(range).or(self.begins.last()).copied().unwrap_or(0);
        at(range)..at(range + 1)
    }

    /// Calls `of` with the number of each share (a thread's equal piece of the source) and the indices of its first
    /// result in each range, each on a thread of its own.
    pub(super) fn each_share(&self, threads: usize, of: impl Fn(usize, &mut [usize]) + Sync) {
        fork(threads, &|_| {
            // A poisoned lock means that another thread panics, which ends the call.
            let share = self.shares.lock().ok().and_then(|mut shares| shares.pop());
            if let Some((part, mut places)) = share {
                of(part, &mut places);
            }
        });
    }
}

impl Sort {
    /// Whether the results of `len` elements are so large that they are stored past the cache (non-temporal stores).
    pub(super) fn streams<B, V>(&self, len: usize) -> bool {
        cfg!(target_arch = "x86_64") && Self::bytes::<B, V>(len) >= self.limits.non_temporal_from
    }

    /// Plans the partition of the `len` elements of `source`, which went through `depth` partitions already. Returns
    /// `None` if all keys are equal.
    pub(super) fn plan_cut<B: KeyBits, V: Moved>(
        &self,
        source: Source<B, V>,
        len: usize,
        depth: usize,
    ) -> Option<Cut<B>> {
        let bits = Self::bytes::<B, V>(len).div_ceil(self.limits.cached.max(1)).next_power_of_two().ilog2();
        let bits = bits.clamp(CUT_BITS.0, CUT_BITS.1);
        let (sample, below) = (self.sample(source, len), self.below::<B>());
        let mut ranges = Ranges::of_sample(&sample, bits, below);
        if depth > 0 {
            // By bits alone, so that each partition leaves fewer bits.
            ranges = Ranges::by_bits(varying(&sample).length(), bits, below);
        }
        let mut counted = self.count(source, len, &ranges);
        if !ranges.hold(counted.differ) {
            ranges = Ranges::by_bits(counted.differ.length(), bits, below);
            counted = self.count(source, len, &ranges);
        }
        let Counted { shares: mut counts, differ, has_zeros } = counted;
        if differ.above(below) == B::default() {
            return None;
        }
        let (mut next, mut begins) = (0, Vec::with_capacity(ranges.number() + 1));
        for value in 0..ranges.number() {
            begins.push(next);
            for count in counts.iter_mut().filter_map(|part| part.get_mut(value)) {
                next += std::mem::replace(count, next);
            }
        }
        begins.push(next);
        Some(Cut { ranges, begins, shares: Mutex::new(counts.into_iter().enumerate().collect()), has_zeros })
    }

    /// Returns numbers from all over the source, as a sample of its distribution.
    fn sample<B: KeyBits, V: Moved>(&self, source: Source<B, V>, len: usize) -> Vec<B> {
        let size = (len / SAMPLE_OF).clamp(1, SAMPLE);
        let mut one = Block::new(B::default());
        let number = |i: usize| {
            // Distances are unequal, so that the sample of a periodic input is not biased.
            let at = part_of(len, size, i);
            let at = at.start + (i.wrapping_mul(0x9e37_79b1) >> 7) % at.len().max(1);
            self.numbers(source, at..at + 1, &mut one, false).first().copied().unwrap_or_default()
        };
        (0..size).map(number).collect()
    }

    /// Builds, for each thread's share of the source, the histogram of the ranges: the number of elements in each.
    pub(super) fn count<B: KeyBits, V: Moved>(
        &self,
        source: Source<B, V>,
        len: usize,
        ranges: &Ranges<B>,
    ) -> Counted<B> {
        // An input sorted in place is gone later.
        let zeros = self.zeros::<B>().filter(|_| source.is_none() && self.is_in_place());
        let below = self.below::<B>();
        let (threads, number) = (self.threads(), ranges.number());
        let first =
            self.numbers(source, 0..1, &mut Block::new(B::default()), false).first().copied().unwrap_or_default();
        // Several tables, so that the count of a key does not wait for that of an equal key just before. The
        // first-level cache holds this number of them.
        let tables = if number <= 1024 { 4 } else { 2 };
        let begins = [0, 1, 2, 3].map(|table| table % tables * number);
        let shares = forked(threads, &|part| {
            let (mut counts, mut all) = (vec![0u32; tables * number], vec![0; number]);
            let (mut room, mut of, mut differ) = (Block::new(B::default()), [0; BLOCK], B::default());
            let (share, mut found) = (part_of(len, threads, part), [false; 2]);
            for stretch in share.clone().step_by(COUNTED) {
                for places in blocks(stretch..share.end.min(stretch.saturating_add(COUNTED))) {
                    let numbers = self.numbers(source, places, &mut room, false);
                    differ = numbers.iter().fold(differ, |differ, &number| differ | (number ^ first));
                    if let Some(zeros) = zeros {
                        for (found, zero) in found.iter_mut().zip(zeros) {
                            *found |= numbers.iter().fold(false, |any, number| any | (number.above(below) == zero));
                        }
                    }
                    ranges.of(numbers, &mut of);
                    for four in of.get(..numbers.len()).unwrap_or_default().chunks(4) {
                        for (&range, table) in four.iter().zip(begins) {
                            // SAFETY: a table has a count for each range.
                            unsafe { *counts.get_unchecked_mut(table + usize::from(range)) += 1 };
                        }
                    }
                }
                for table in counts.chunks_mut(number) {
                    all.iter_mut().zip(table).for_each(|(all, count)| *all += std::mem::take(count) as usize);
                }
            }
            (all, differ, found)
        });
        let differ = shares.iter().fold(B::default(), |all, share| all | share.1);
        let has_zeros = [0, 1].iter().all(|&sign| shares.iter().any(|(.., found)| found.get(sign) == Some(&true)));
        Counted { shares: shares.into_iter().map(|share| share.0).collect(), differ, has_zeros }
    }
}
