//! Sort of an array, stable.
//!
//! ```text
//! keys that are in order, or in the reverse of it, are copied
//! short ones, and what fits in a core's cache, one thread sorts there (cached.rs)
//! keys of 16 bits and less, without values: each is stored as often as it was counted
//! otherwise, into ranges of about one size, by the highest bits that vary in a sample or by some of its values (ranges.rs):
//!     each thread, for its share of the input:   count the ranges, and see which bits vary in all keys
//!     for each range, share by share:            where the share's keys in it go
//!     each thread, for its share:                move each key there, and its value; not keys of which the range tells all
//!     thread by thread:                          the keys of one range are sorted in the cache, by the bits below
//!     parts that are too large for it are cut again, by all threads; those whose keys are equal are copied
//! ```

use super::cached::{Room, varying};
use super::ranges::Ranges;
use super::threads::{in_parts, part_of};
use super::values::{BLOCK, Block, Blocks, Columns, Memory, Moved, Sort, blocks};
use crate::cpu::tile::digits::Lines;
use crate::cpu::tile::store::fence;
use crate::error::Result;
use crate::key::KeyBits;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// The fewest and the most bits by which an array is cut. Each range has a line of keys and one of values, which the second-level cache
/// holds.
const CUT_BITS: (u32, u32) = (6, 11);
/// Parts are cut again that have more than so many times the bytes of the cache.
const CUT_AGAIN: usize = 4;
/// The most keys of a sample, and of how many at least each is one.
const SAMPLE: usize = 8192;
const SAMPLE_OF: usize = 64;
/// Keys that are counted in 32 bits.
const COUNTED: usize = 1 << 30;
/// Keys that are looked at first.
const FEW: usize = 64;

/// How keys lie in the input.
enum Found {
    InOrder,
    /// Each key before the one to its left, so that none are equal.
    Reversed,
    Unsorted,
}

/// What is cut: a part of what has been cut before, or the input.
type Source<B, V> = Option<Columns<B, V>>;

impl Sort {
    /// Sorts all elements; `room` is the calling thread's.
    pub(super) fn run<B: KeyBits, V: Moved>(&self, room: &mut Room<B, V>) -> Result<()> {
        let len = self.len;
        let in_place = self.keys_out.cast_const() == self.keys;
        match self.look::<B>() {
            Found::InOrder if in_place => return Ok(()),
            Found::InOrder => {
                self.copy::<B, V>(false);
                return Ok(());
            }
            Found::Reversed if !in_place => {
                self.copy::<B, V>(true);
                return Ok(());
            }
            Found::Reversed => {
                self.reverse::<B, V>();
                return Ok(());
            }
            Found::Unsorted => {}
        }
        if Self::bytes::<B, V>(len) <= self.limits.cached {
            return room.sort(self);
        }
        if self.value_bytes == 0 && self.key_bytes <= 2 {
            self.by_counting::<B>();
            return Ok(());
        }
        let (mut keys, mut values) = (Memory::none(), Memory::none());
        // Fresh memory costs as much as a pass, so keys go to the output at once, where they have room.
        let to = match self.output_has_room::<B>() {
            Some(keys) if !in_place => Columns { keys, values: values.of(len)? },
            _ => Columns { keys: keys.of(len)?, values: values.of(len)? },
        };
        self.cut::<B, V>(None, 0..len, to, None, 0)
    }

    /// Cuts the elements of `source`, whose results are the places `range`, and sorts the parts. `to` has room for them; so has `free`,
    /// if there is one, which nobody reads. Each of them may be the results' own places. `depth` is how often they have been cut.
    fn cut<B: KeyBits, V: Moved>(
        &self,
        source: Source<B, V>,
        range: Range<usize>,
        to: Columns<B, V>,
        free: Option<Columns<B, V>>,
        depth: usize,
    ) -> Result<()> {
        let (len, threads) = (range.len(), self.threads());
        let bits = Self::bytes::<B, V>(len).div_ceil(self.limits.cached.max(1)).next_power_of_two().ilog2();
        let bits = bits.clamp(CUT_BITS.0, CUT_BITS.1);
        let (sample, below) = (self.sample(source, len), self.below::<B>());
        let mut ranges = Ranges::of_sample(&sample, bits, below);
        if depth > 0 {
            // By bits alone, so that with each cut fewer are left.
            ranges = Ranges::by_bits(varying(&sample).length(), bits, below);
        }
        let (mut counts, mut differ) = self.count(source, len, &ranges);
        if !ranges.hold(differ) {
            ranges = Ranges::by_bits(differ.length(), bits, below);
            (counts, differ) = self.count(source, len, &ranges);
        }
        let streams = cfg!(target_arch = "x86_64") && Self::bytes::<B, V>(len) >= self.limits.non_temporal_from;
        if differ.above(below) == B::default() {
            self.copy_equal(source, range, streams);
            return Ok(());
        }
        // Equal keys without values are the same number.
        let tells_all = self.value_bytes == 0 && ranges.single_out();
        let number = ranges.number();
        let (mut next, mut begins) = (0, Vec::with_capacity(number + 1));
        for value in 0..number {
            begins.push(next);
            for count in counts.iter_mut().filter_map(|part| part.get_mut(value)) {
                next += std::mem::replace(count, next);
            }
        }
        begins.push(next);
        let all_told = tells_all
            && (0..number).all(|value| ranges.only(value).is_some() || begins.get(value) == begins.get(value + 1));
        let shares = if all_told { Vec::new() } else { counts.into_iter().enumerate().collect::<Vec<_>>() };
        let shares = std::sync::Mutex::new(shares);
        in_parts(threads, |_| {
            // A panic of another thread ends the call.
            let Some((part, mut places)) = shares.lock().ok().and_then(|mut shares| shares.pop()) else { return };
            let mut lines = Lines::new(to.both(), &mut places, streams);
            let (mut room, mut of, mut values) = (Block::new(B::default()), [0; BLOCK], Block::new(V::default()));
            let mut others = Block::new(B::default());
            for places in blocks(part_of(len, threads, part)) {
                let numbers = self.numbers(source, places.clone(), &mut room, true);
                let values = self.values_of(source, places, &mut values);
                ranges.of(numbers, &mut of);
                let numbers = if tells_all { without_only(&ranges, numbers, &mut of, &mut others) } else { numbers };
                let of = of.get(..numbers.len()).unwrap_or_default();
                // SAFETY: the places are those of this share's keys in this range, one after the other.
                unsafe { lines.push(of, numbers.as_ptr(), values.as_ptr()) };
            }
            lines.finish();
        });

        let part = |value: usize| {
            let at = |value: usize| begins.get(value).copied().unwrap_or(len);
            at(value)..at(value + 1)
        };
        let again = |part: &Range<usize>| Self::bytes::<B, V>(part.len()) > CUT_AGAIN * self.limits.cached;
        let turn = AtomicUsize::new(0);
        let sorted = in_parts(threads, |_| {
            let mut room = Room::new();
            loop {
                let value = turn.fetch_add(1, Ordering::Relaxed);
                if value >= number {
                    fence();
                    return Ok(());
                }
                let part = part(value);
                if let (true, Some(only)) = (tells_all && !again(&part), ranges.only(value)) {
                    self.store_equal(only, range.start + part.start..range.start + part.end, streams);
                } else if !part.is_empty() && !again(&part) {
                    // SAFETY: the part's elements and results are nobody else's.
                    unsafe {
                        room.finish(self, to.behind(part.start), part.len(), range.start + part.start, streams)?;
                    }
                }
            }
        });
        sorted.into_iter().collect::<Result<()>>()?;
        for (value, part) in (0..number).map(|value| (value, part(value))).filter(|(_, part)| again(part)) {
            let results = range.start + part.start..range.start + part.end;
            if let (true, Some(only)) = (tells_all, ranges.only(value)) {
                in_parts(threads, |share| {
                    let places = part_of(results.len(), threads, share);
                    self.store_equal(only, results.start + places.start..results.start + places.end, streams);
                    fence();
                });
                continue;
            }
            // SAFETY: the parts lie in the memory.
            let (from, free) = unsafe { (to.behind(part.start), free.map(|free| free.behind(part.start))) };
            if ranges.only(value).is_some() {
                self.copy_equal(Some(from), results, streams);
                continue;
            }
            let (mut keys, mut values) = (Memory::none(), Memory::none());
            let to = if let Some(free) = free {
                free
            } else {
                Columns { keys: keys.of(part.len())?, values: values.of(part.len())? }
            };
            self.cut::<B, V>(Some(from), results, to, Some(from), depth + 1)?;
        }
        Ok(())
    }

    /// Some numbers, from all over the source.
    fn sample<B: KeyBits, V: Moved>(&self, source: Source<B, V>, len: usize) -> Vec<B> {
        let size = (len / SAMPLE_OF).clamp(1, SAMPLE);
        let mut one = Block::new(B::default());
        let number = |i: usize| {
            // Not at equal distances, so that what repeats itself is seen as well.
            let at = part_of(len, size, i);
            let at = at.start + (i.wrapping_mul(0x9e37_79b1) >> 7) % at.len().max(1);
            self.numbers(source, at..at + 1, &mut one, false).first().copied().unwrap_or_default()
        };
        (0..size).map(number).collect()
    }

    /// How many elements each thread's share has of each range, and the bits that are not the same in all numbers.
    fn count<B: KeyBits, V: Moved>(
        &self,
        source: Source<B, V>,
        len: usize,
        ranges: &Ranges<B>,
    ) -> (Vec<Vec<usize>>, B) {
        let (threads, number) = (self.threads(), ranges.number());
        let first =
            self.numbers(source, 0..1, &mut Block::new(B::default()), false).first().copied().unwrap_or_default();
        // Several tables, so that a key need not wait for the count of an equal one before it; as many as the first-level cache holds.
        let tables = if number <= 1024 { 4 } else { 2 };
        let begins = [0, 1, 2, 3].map(|table| table % tables * number);
        let shares = in_parts(threads, |part| {
            let (mut counts, mut all) = (vec![0u32; tables * number], vec![0; number]);
            let (mut room, mut of, mut differ) = (Block::new(B::default()), [0; BLOCK], B::default());
            let share = part_of(len, threads, part);
            for stretch in share.clone().step_by(COUNTED) {
                for places in blocks(stretch..share.end.min(stretch.saturating_add(COUNTED))) {
                    let numbers = self.numbers(source, places, &mut room, false);
                    differ = numbers.iter().fold(differ, |differ, &number| differ | (number ^ first));
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
            (all, differ)
        });
        let differ = shares.iter().fold(B::default(), |all, share| all | share.1);
        (shares.into_iter().map(|share| share.0).collect(), differ)
    }

    /// The numbers at `places` of the source, no more than a block: where they are, or in `room`. Without values there may be others in
    /// their place.
    #[inline(always)]
    fn numbers<'a, B: KeyBits, V: Moved>(
        &'a self,
        source: Source<B, V>,
        places: Range<usize>,
        room: &'a mut Block<B>,
        with_values: bool,
    ) -> &'a [B] {
        // SAFETY: whoever asks has elements at these places, which nobody writes meanwhile.
        unsafe {
            match source {
                Some(from) => std::slice::from_raw_parts(from.keys.add(places.start), places.len()),
                None => self.plain_numbers(places.start, places.len()).unwrap_or_else(|| {
                    let room = room.first(places.len());
                    self.load_numbers(places.start, room, with_values);
                    room
                }),
            }
        }
    }

    /// The values there.
    #[inline(always)]
    fn values_of<'a, B: KeyBits, V: Moved>(
        &self,
        source: Source<B, V>,
        places: Range<usize>,
        room: &'a mut Block<V>,
    ) -> &'a [V] {
        // SAFETY: as above.
        unsafe {
            match source {
                Some(from) => std::slice::from_raw_parts(from.values.add(places.start), places.len()),
                None => {
                    let room = room.first(places.len());
                    self.load_values(places.start, room);
                    room
                }
            }
        }
    }

    /// Stores all elements of the source, whose keys are equal, as results from `range` on.
    fn copy_equal<B: KeyBits, V: Moved>(&self, source: Source<B, V>, range: Range<usize>, streams: bool) {
        let (len, threads) = (range.len(), self.threads());
        in_parts(threads, |part| {
            let (mut numbers, mut values) = (Block::new(B::default()), Block::new(V::default()));
            for places in blocks(part_of(len, threads, part)) {
                let mut own = Blocks::<B, V>::new();
                // The source may be where the results go.
                own.0.first(places.len()).copy_from_slice(self.numbers(source, places.clone(), &mut numbers, true));
                own.1.first(places.len()).copy_from_slice(self.values_of(source, places.clone(), &mut values));
                let from = Columns { keys: own.0.first(BLOCK).as_mut_ptr(), values: own.1.first(BLOCK).as_mut_ptr() };
                // SAFETY: there are as many results as elements, and each place is one thread's.
                unsafe { self.store(range.start + places.start, from, places.len(), streams) };
            }
            fence();
        });
    }

    /// Looks at the keys up to the first that is neither in order nor in the reverse.
    fn look<B: KeyBits>(&self) -> Found {
        if self.all::<B>(false) {
            Found::InOrder
        } else if self.all::<B>(true) {
            Found::Reversed
        } else {
            Found::Unsorted
        }
    }

    /// Whether each key follows the one to its left in order; if it `descends`, whether it is before that one.
    fn all<B: KeyBits>(&self, descends: bool) -> bool {
        let below = self.below::<B>();
        let wrong = |numbers: &[B]| {
            let after = numbers.get(1..).unwrap_or_default();
            let pairs = numbers.iter().zip(after).map(|(before, own)| (before.above(below), own.above(below)));
            if descends {
                pairs.fold(0, |any, (before, own)| any | u32::from(before <= own)) > 0
            } else {
                pairs.fold(0, |any, (before, own)| any | u32::from(before > own)) > 0
            }
        };
        let mut room = Block::new(B::default());
        // Most keys that are in no order show that at once.
        if wrong(self.numbers::<B, ()>(None, 0..self.len.min(FEW), &mut room, false)) {
            return false;
        }
        let (threads, failed) = (self.threads(), AtomicBool::new(false));
        in_parts(threads, |part| {
            let mut room = Block::new(B::default());
            let share = part_of(self.len, threads, part);
            let mut begin = share.start;
            while begin + 1 < share.end.saturating_add(1).min(self.len) && !failed.load(Ordering::Relaxed) {
                // The last one is the first one of the next block, or share.
                let end = self.len.min(share.end + 1).min(begin + BLOCK);
                if wrong(self.numbers::<B, ()>(None, begin..end, &mut room, false)) {
                    failed.store(true, Ordering::Relaxed);
                }
                begin = end - 1;
            }
        });
        !failed.into_inner()
    }

    /// Copies all elements to other memory, or `reversed`.
    fn copy<B: KeyBits, V: Moved>(&self, reversed: bool) {
        let threads = self.threads();
        in_parts(threads, |part| {
            let mut room = Blocks::<B, V>::new();
            for places in blocks(part_of(self.len, threads, part)) {
                // SAFETY: both have as many elements, and the output is another memory than the input.
                unsafe {
                    let from = room.load(self, places.start, places.len());
                    if reversed {
                        room.reverse(places.len());
                    }
                    let to = if reversed { self.len - places.end } else { places.start };
                    self.store(to, from, places.len(), false);
                }
            }
        });
    }

    /// Exchanges the first element and the last, and so on, in place.
    fn reverse<B: KeyBits, V: Moved>(&self) {
        let threads = self.threads();
        in_parts(threads, |part| {
            let (mut room, mut other) = (Blocks::<B, V>::new(), Blocks::<B, V>::new());
            for places in blocks(part_of(self.len / 2, threads, part)) {
                let (len, mirror) = (places.len(), self.len - places.end);
                // SAFETY: the places and their mirror images are below the length, apart, and no other thread has them.
                unsafe {
                    let (first, last) = (room.load(self, places.start, len), other.load(self, mirror, len));
                    room.reverse(len);
                    other.reverse(len);
                    self.store(mirror, first, len, false);
                    self.store(places.start, last, len, false);
                }
            }
        });
    }

    /// Stores each key, of 16 bits at most, as often as there is one.
    fn by_counting<B: KeyBits>(&self) {
        let (ranges, numbers) = (Ranges::by_bits(8 * self.key_bytes as u32, 16, 0), 1usize << (8 * self.key_bytes));
        let (shares, _) = self.count::<B, ()>(None, self.len, &ranges);
        let mut next = 0;
        for number in 0..numbers {
            let count: usize = shares.iter().filter_map(|share| share.get(number)).sum();
            self.store_equal(B::of(number as u128), next..next + count, false);
            next += count;
        }
    }

    /// Stores one number as the results `places`, which nobody else has; there are no values.
    fn store_equal<B: KeyBits>(&self, number: B, places: Range<usize>, streams: bool) {
        let mut room = Block::new(B::default());
        room.first(places.len().min(BLOCK)).fill(number);
        let from = Columns { keys: room.first(BLOCK).as_mut_ptr(), values: std::ptr::dangling_mut::<()>() };
        for places in blocks(places) {
            // SAFETY: the caller has counted as many keys.
            unsafe { self.store(places.start, from, places.len(), streams) };
        }
    }
}

/// The numbers of which their ranges do not tell all, and these ranges.
#[inline(always)]
fn without_only<'a, B: KeyBits>(
    ranges: &Ranges<B>,
    numbers: &[B],
    of: &mut [u16; BLOCK],
    others: &'a mut Block<B>,
) -> &'a [B] {
    let (room, mut number) = (others.first(numbers.len()), 0);
    for (i, &x) in numbers.iter().enumerate() {
        let range = of.get(i).copied().unwrap_or_default();
        if let (Some(to), Some(of)) = (room.get_mut(number), of.get_mut(number)) {
            (*to, *of) = (x, range);
        }
        number += usize::from(ranges.only(usize::from(range)).is_none());
    }
    room.get(..number).unwrap_or_default()
}
