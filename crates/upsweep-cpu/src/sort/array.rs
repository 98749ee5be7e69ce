//! Sort of an array, stable.
//!
//! ```text
//! keys in order or in reverse order:           copied (in_order.rs)
//! arrays that fit in a core's cache:           sorted there by one thread (cached.rs)
//! keys of 16 bits or less, without values:     counting sort
//! all others are partitioned into ranges of about one size, by the highest bits that vary in a sample,
//! or by splitters from the sample (ranges.rs, cut.rs):
//!     each thread, for its share of the input:   histogram of the ranges; bits that vary in all keys
//!     for each range, share by share:            exclusive prefix of the counts: destination of the share's keys
//!     each thread, for its share:                scatter keys and values; not keys whose range is a single value
//!     thread by thread:                          sort the keys of one range in the cache, by the lower bits
//!         (pairs with a separate output are scattered into it unchanged, and each range is sorted there: halves.rs)
//!     parts too large for the cache are partitioned again: small ones each by one thread, the others by all threads;
//!     parts of equal keys are copied
//! last, zeros of both signs, which differ as numbers, are restored to their input order (zeros.rs)
//! ```

use super::cached::Room;
use super::cut::Source;
use super::in_order::Found;
use super::ranges::Ranges;
use super::values::{BLOCK, Block, Blocks, Columns, Memory, Moved, Sort, blocks, fetch_ahead};
use crate::engine::apart::{fork, forked, part_of};
use crate::tile::digits::Lines;
use crate::tile::store::fence;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use upsweep_core::error::Result;
use upsweep_core::key::KeyBits;
use upsweep_plan::cpu::SortLimits;

/// Largest part that is sorted without another partition, in multiples of the bytes of the cache.
pub(super) const CUT_AGAIN: usize = 4;
/// A part that is cut again is one thread's if it is at most a thread's share divided by this number: threads that share a part
/// meet several times in it. So all scratch memory of the threads is at most this part of the array.
const SMALL: usize = 8;

impl Sort {
    /// Sorts all elements. `room` is the calling thread's scratch memory.
    pub(super) fn run<B: KeyBits, V: Moved>(&self, room: &mut Room<B, V>) -> Result<()> {
        self.run_by_numbers(room)?;
        if !self.is_in_place() {
            self.order_zeros();
        }
        Ok(())
    }

    /// Sorts all elements by their numbers: keys as unsigned integers in the order of the sort. If the input survives,
    /// zeros of both signs are not yet in their input order.
    fn run_by_numbers<B: KeyBits, V: Moved>(&self, room: &mut Room<B, V>) -> Result<()> {
        let (len, in_place) = (self.len, self.is_in_place());
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
                self.exchange_zeros();
                return Ok(());
            }
            Found::Unsorted => {}
        }
        if Self::bytes::<B, V>(len) <= self.limits.cached {
            let zeros = self.keep_zeros()?;
            room.sort(self, false)?;
            return self.put_zeros(zeros);
        }
        if self.value_bytes == 0 && self.key_bytes <= 2 {
            return self.by_counting::<B>();
        }
        if let Some(sorted) = self.within_output::<B, V>(room) {
            return sorted;
        }
        let (mut keys, mut values) = (Memory::none(), Memory::none());
        // Fresh memory costs as much as a pass, so keys go straight to the output if it is as wide as the numbers.
        let to = match self.output_has_room::<B>() {
            Some(keys) if !in_place => Columns { keys, values: values.of(len)? },
            _ => Columns { keys: keys.of(len)?, values: values.of(len)? },
        };
        self.cut::<B, V>(None, 0..len, to, None, 0)
    }

    /// Partitions the elements of `source` into ranges, and sorts each range. The results have the indices `range`.
    /// `to` has room for the partitioned elements, and so has `free`, if given: memory that nobody reads. Either may be
    /// the memory of the results. `depth` is the number of partitions these elements went through.
    fn cut<B: KeyBits, V: Moved>(
        &self,
        source: Source<B, V>,
        range: Range<usize>,
        to: Columns<B, V>,
        free: Option<Columns<B, V>>,
        depth: usize,
    ) -> Result<()> {
        let (len, threads) = (range.len(), self.threads());
        let streams = self.streams::<B, V>(len);
        let Some(cut) = self.plan_cut::<B, V>(source, len, depth) else {
            self.copy_equal(source, range, streams);
            return Ok(());
        };
        let zeros = if cut.has_zeros { self.keep_zeros()? } else { None };
        let ranges = &cut.ranges;
        // Without values, equal keys are the same number.
        let tells_all = self.value_bytes == 0 && ranges.single_out();
        let number = ranges.number();
        let all_told = tells_all && (0..number).all(|value| ranges.only(value).is_some() || cut.part(value).is_empty());
        cut.each_share(if all_told { 0 } else { threads }, |part, places| {
            let mut lines = Lines::new(to.both(), places, streams);
            let (mut room, mut of, mut values) = (Block::new(B::default()), [0; BLOCK], Block::new(V::default()));
            let mut others = Block::new(B::default());
            for places in blocks(part_of(len, threads, part)) {
                let numbers = self.numbers(source, places.clone(), &mut room, true);
                let values = self.values_of(source, places, &mut values);
                ranges.of(numbers, &mut of);
                let numbers = if tells_all { without_only(ranges, numbers, &mut of, &mut others) } else { numbers };
                let of = of.get(..numbers.len()).unwrap_or_default();
                // SAFETY: the output indices `places` are disjoint from those of other threads: the keys of this
                // thread's share in each range, consecutively.
                unsafe { lines.push(of, numbers.as_ptr(), values.as_ptr()) };
            }
            lines.finish();
        });

        let again = |part: &Range<usize>| Self::bytes::<B, V>(part.len()) > CUT_AGAIN * self.limits.cached;
        let turn = AtomicUsize::new(0);
        let sorted = forked(threads, &|_| {
            let mut room = Room::new();
            loop {
                let value = turn.fetch_add(1, Ordering::Relaxed);
                if value >= number {
                    fence();
                    return Ok(());
                }
                let part = cut.part(value);
                if let (true, Some(only)) = (tells_all && !again(&part), ranges.only(value)) {
                    self.store_equal(only, range.start + part.start..range.start + part.end, streams);
                } else if !part.is_empty() && !again(&part) {
                    // SAFETY: each part is taken by one thread, and parts are disjoint.
                    unsafe {
                        room.finish(self, to.behind(part.start), part.len(), range.start + part.start, streams)?;
                    }
                }
            }
        });
        sorted.into_iter().collect::<Result<()>>()?;
        let parts = (0..number).map(|value| (tells_all, ranges.only(value), cut.part(value)));
        let parts: Vec<_> = parts.filter(|(.., part)| again(part)).collect();
        let small = |part: &Range<usize>| part.len() <= len / (SMALL * threads);
        let alone = Self { limits: SortLimits { threads: 1, ..self.limits }, ..*self };
        let turn = AtomicUsize::new(0);
        let helpers = if parts.iter().any(|(.., part)| small(part)) { threads } else { 0 };
        let sorted = forked(helpers, &|_| {
            let mut room = (Memory::none(), Memory::none());
            while let Some(part) = parts.get(turn.fetch_add(1, Ordering::Relaxed)) {
                if small(&part.2) {
                    alone.cut_again(part, range.start, (to, free), &mut room, depth)?;
                }
            }
            Ok(())
        });
        sorted.into_iter().collect::<Result<()>>()?;
        for part in parts.iter().filter(|(.., part)| !small(part)) {
            self.cut_again(part, range.start, (to, free), &mut (Memory::none(), Memory::none()), depth)?;
        }
        self.put_zeros(zeros)
    }

    /// Sorts a part of a partition that is too large for the cache: `part` of `to`, whose results begin at `start + part.start`.
    /// `only` is its only number, if it is known, and `tells_all` says whether that is all there is to store. Allocates
    /// in `room` what `free` has no room for.
    fn cut_again<B: KeyBits, V: Moved>(
        &self,
        &(tells_all, only, ref part): &(bool, Option<B>, Range<usize>),
        start: usize,
        (to, free): (Columns<B, V>, Option<Columns<B, V>>),
        (keys, values): &mut (Memory<B>, Memory<V>),
        depth: usize,
    ) -> Result<()> {
        let (threads, len) = (self.threads(), part.len());
        let results = start + part.start..start + part.end;
        if let (true, Some(only)) = (tells_all, only) {
            let streams = self.streams::<B, V>(len);
            fork(threads, &|share| {
                let places = part_of(len, threads, share);
                self.store_equal(only, results.start + places.start..results.start + places.end, streams);
                fence();
            });
            return Ok(());
        }
        // SAFETY: the part begins within `to` and `free`, which have room for the elements of all parts.
        let (from, free) = unsafe { (to.behind(part.start), free.map(|free| free.behind(part.start))) };
        if only.is_some() {
            self.copy_equal(Some(from), results, self.streams::<B, V>(len));
            return Ok(());
        }
        let to = match free {
            Some(free) => free,
            None => Columns { keys: keys.of(len)?, values: values.of(len)? },
        };
        self.cut::<B, V>(Some(from), results, to, Some(from), depth + 1)
    }

    /// Returns the numbers at the indices `places` of the source, at most [`BLOCK`] of them: in place, or loaded into
    /// `room`. If not `with_values`, the bits of values packed in the numbers are undetermined.
    #[inline(always)]
    pub(super) fn numbers<'a, B: KeyBits, V: Moved>(
        &'a self,
        source: Source<B, V>,
        places: Range<usize>,
        room: &'a mut Block<B>,
        with_values: bool,
    ) -> &'a [B] {
        // SAFETY: the callers pass indices below the source's length, whose elements nobody writes meanwhile.
        unsafe {
            match source {
                Some(from) => std::slice::from_raw_parts(from.keys.add(places.start), places.len()),
                None => {
                    fetch_ahead(self.keys, places.clone(), self.key_bytes);
                    self.plain_numbers(places.start, places.len()).unwrap_or_else(|| {
                        let room = room.first(places.len());
                        self.load_numbers(places.start, room, with_values);
                        room
                    })
                }
            }
        }
    }

    /// Returns the values at the indices `places` of the source, at most [`BLOCK`] of them: in place, or loaded into
    /// `room`.
    #[inline(always)]
    fn values_of<'a, B: KeyBits, V: Moved>(
        &self,
        source: Source<B, V>,
        places: Range<usize>,
        room: &'a mut Block<V>,
    ) -> &'a [V] {
        // SAFETY: the callers pass indices below the source's length, whose elements nobody writes meanwhile.
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

    /// Copies all elements of the source, whose keys are equal, in their order to the results with the indices `range`.
    fn copy_equal<B: KeyBits, V: Moved>(&self, source: Source<B, V>, range: Range<usize>, streams: bool) {
        let (len, threads) = (range.len(), self.threads());
        fork(threads, &|part| {
            let (mut numbers, mut values) = (Block::new(B::default()), Block::new(V::default()));
            for places in blocks(part_of(len, threads, part)) {
                let mut own = Blocks::<B, V>::new();
                // The source may overlap the results: so its numbers are copied before they are stored.
                own.0.first(places.len()).copy_from_slice(self.numbers(source, places.clone(), &mut numbers, true));
                own.1.first(places.len()).copy_from_slice(self.values_of(source, places.clone(), &mut values));
                let from = Columns { keys: own.0.first(BLOCK).as_mut_ptr(), values: own.1.first(BLOCK).as_mut_ptr() };
                // SAFETY: results and elements are equally many, and threads write disjoint results.
                unsafe { self.store(range.start + places.start, from, places.len(), streams) };
            }
            fence();
        });
    }

    /// Sorts keys of 16 bits at most, without values, by counting: a key is stored as often as it occurs.
    fn by_counting<B: KeyBits>(&self) -> Result<()> {
        let (ranges, numbers) = (Ranges::by_bits(8 * self.key_bytes as u32, 16, 0), 1usize << (8 * self.key_bytes));
        let counted = self.count::<B, ()>(None, self.len, &ranges);
        let zeros = if counted.has_zeros { self.keep_zeros()? } else { None };
        let mut next = 0;
        for number in 0..numbers {
            let count: usize = counted.shares.iter().filter_map(|share| share.get(number)).sum();
            self.store_equal(B::of(number as u128), next..next + count, false);
            next += count;
        }
        self.put_zeros(zeros)
    }

    /// Fills the results at the indices `places`, which no other thread writes, with one number. There are no values.
    fn store_equal<B: KeyBits>(&self, number: B, places: Range<usize>, streams: bool) {
        let mut room = Block::new(B::default());
        room.first(places.len().min(BLOCK)).fill(number);
        let from = Columns { keys: room.first(BLOCK).as_mut_ptr(), values: std::ptr::dangling_mut::<()>() };
        for places in blocks(places) {
            // SAFETY: the caller counted this many keys, so the indices are below the length.
            unsafe { self.store(places.start, from, places.len(), streams) };
        }
    }
}

/// Copies to `others` the `numbers` whose range holds more than one value, and returns them. `of` has the index of each
/// number's range; it is compacted likewise, in place.
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
