//! Heads of segments: by offsets, by flags and by keys.

use super::heads::Heads;
use crate::tile::lanes::{Lanes, ROW_BYTES, Work};
use crate::tile::simd::Set;
use std::ops::Range;
use upsweep_core::operator::Function;
use upsweep_core::segments::Offset;

/// Returns the first `len` of `all` flags or keys. There may be more of them than elements if the number of elements is
/// read from a buffer.
pub(crate) fn first<T>(all: &[T], len: usize) -> &[T] {
    all.get(..len).unwrap_or(all)
}

/// Heads of segments that are given by ascending offsets. The offsets are as `check_offsets` of the core requires.
pub(crate) struct ByOffsets<'a, I> {
    pub(crate) offsets: &'a [I],
    pub(crate) len: usize,
    pub(crate) reverse: bool,
}

impl<I: Offset> ByOffsets<'_, I> {
    /// Returns offset `i`, where both offsets and elements count in scan order. Checked offsets are not negative.
    #[inline(always)]
    fn bound(&self, i: usize) -> usize {
        if self.reverse {
            self.len - self.offsets[self.offsets.len() - 1 - i].to_usize().unwrap_or(0)
        } else {
            self.offsets[i].to_usize().unwrap_or(0)
        }
    }

    /// Returns the number of offsets that are at most the position `k`.
    fn up_to(&self, k: usize) -> usize {
        let (mut low, mut high) = (0, self.offsets.len());
        while low < high {
            let middle = low + (high - low) / 2;
            if self.bound(middle) <= k { low = middle + 1 } else { high = middle }
        }
        low
    }
}

impl<I: Offset> Heads for ByOffsets<'_, I> {
    type Cursor = usize;
    fn cursor(&self, k: usize) -> usize {
        self.up_to(k)
    }
    #[inline(always)]
    fn next(&self, cursor: &mut usize, from: usize, end: usize) -> usize {
        while *cursor < self.offsets.len() {
            let bound = self.bound(*cursor);
            if bound > from {
                return bound.min(end);
            }
            *cursor += 1;
        }
        end
    }
    fn last(&self, start: usize, end: usize) -> Option<usize> {
        // Offset 0 is 0, so at least one offset is at most `end - 1`.
        let head = self.bound(self.up_to(end - 1).saturating_sub(1));
        (head >= start).then_some(head)
    }
}

/// Heads that are found by a test of each element: of its flag, or of its key and the key before.
pub(crate) struct ByTest<F> {
    /// Counts the elements that begin a segment, in a range of indices in memory. The range does not include index 0.
    begin: F,
    len: usize,
    reverse: bool,
    set: Set,
}

impl<F: Fn(Range<usize>) -> usize> ByTest<F> {
    /// Returns the number of heads in `start .. end`.
    #[inline(always)]
    pub(crate) fn count(&self, start: usize, end: usize) -> usize {
        if start == 0 {
            return 1 + if end > 1 { self.count_after_first(1, end) } else { 0 };
        }
        self.count_after_first(start, end)
    }

    /// Returns the number of heads in `start .. end`, where `start` is not 0.
    #[inline(always)]
    fn count_after_first(&self, start: usize, end: usize) -> usize {
        // In a reversed scan, an element is a head if the element after it in memory begins a segment.
        (self.begin)(if self.reverse { self.len + 1 - end..self.len + 1 - start } else { start..end })
    }

    #[inline(always)]
    fn test(&self, k: usize) -> bool {
        k == 0 || self.count_after_first(k, k + 1) > 0
    }
}

/// Number of elements that are tested together if heads are rare: the flags of one vector row.
const TOGETHER: usize = ROW_BYTES;
/// Number of elements that are tested one by one first: this finds the next head of short segments without a call.
const ALONE: usize = 8;

/// Search for a head, [`TOGETHER`] elements at a time. Skips elements of `range` as long as there is no head among
/// them: from its start, or if `backward`, from its end. Returns the index at which that stops.
///
/// # Safety
/// The processor has the instructions for which `run` is compiled. There are no other conditions.
struct Skip<'a, F> {
    heads: &'a ByTest<F>,
    range: Range<usize>,
    backward: bool,
}

impl<F: Fn(Range<usize>) -> usize> Work for Skip<'_, F> {
    type Result = usize;

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) -> usize {
        let Self { heads, range: Range { mut start, mut end }, backward } = self;
        if backward {
            while end >= start + TOGETHER && heads.count(end - TOGETHER, end) == 0 {
                end -= TOGETHER;
            }
            return end;
        }
        while start + TOGETHER <= end && heads.count(start, start + TOGETHER) == 0 {
            start += TOGETHER;
        }
        start
    }
}

impl<F: Fn(Range<usize>) -> usize + Sync> Heads for ByTest<F> {
    type Cursor = ();
    #[inline(always)]
    fn cursor(&self, _: usize) {}
    #[inline(always)]
    fn next(&self, (): &mut (), from: usize, end: usize) -> usize {
        let mut k = from + 1;
        while k < end && k <= from + ALONE {
            if self.test(k) {
                return k;
            }
            k += 1;
        }
        if k + TOGETHER <= end {
            // SAFETY: the processor has the instructions of every `Set`.
            k = unsafe { self.set.compiled()(Skip { heads: self, range: k..end, backward: false }) };
        }
        while k < end && !self.test(k) {
            k += 1;
        }
        k.min(end)
    }
    #[inline(always)]
    fn last(&self, start: usize, end: usize) -> Option<usize> {
        let mut k = end;
        while k > start && k + ALONE > end {
            k -= 1;
            if self.test(k) {
                return Some(k);
            }
        }
        if k >= start + TOGETHER {
            // SAFETY: the processor has the instructions of every `Set`.
            k = unsafe { self.set.compiled()(Skip { heads: self, range: start..k, backward: true }) };
        }
        (start..k).rev().find(|&k| self.test(k))
    }
}

/// Makes heads at the elements whose `flags` are set.
pub(crate) fn by_flags(flags: &[bool], reverse: bool) -> ByTest<impl Fn(Range<usize>) -> usize + Sync> {
    let begin = move |at: Range<usize>| flags[at].iter().map(|&flag| usize::from(flag)).sum();
    ByTest { begin, len: flags.len(), reverse, set: Set::widest() }
}

/// Makes heads at the elements whose key differs from the key before.
pub(crate) fn by_keys<K, E>(keys: &[K], same: E, reverse: bool) -> ByTest<impl Fn(Range<usize>) -> usize + Sync>
where
    K: Copy + Sync,
    E: Function<(K, K), Output = bool>,
{
    let begin = move |at: Range<usize>| {
        keys[at.start - 1..at.end].windows(2).map(|pair| usize::from(!same.call((pair[0], pair[1])))).sum()
    };
    ByTest { begin, len: keys.len(), reverse, set: Set::widest() }
}
