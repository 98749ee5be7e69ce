//! Sort of an array, stable.
//!
//! ```text
//! keys that are in order, or in the reverse of it, are copied
//! short ones, and what fits in a core's cache, one thread sorts there (cached.rs)
//! keys of 16 bits and less, without values: each is stored as often as it was counted
//! otherwise, by the highest bits that vary, as many as make parts that fit in the cache:
//!     each thread, for its share of the input:   count these bits
//!     for each value of them, share by share:    where the share's keys with it go
//!     each thread, for its share:                move each key there, and its value
//!     thread by thread:                          the keys with one value are sorted in the cache, by the bits below
//!     parts that are too large for it are cut again, by all threads
//! ```

use super::cached::Room;
use super::threads::{in_parts, part_of};
use super::values::{Columns, Memory, Moved, Sort};
use crate::cpu::tile::digits::Lines;
use crate::error::Result;
use crate::key::KeyBits;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// The fewest and the most bits by which an array is cut. Each value of them has a line of keys and one of values, which the
/// second-level cache holds.
const CUT_BITS: (u32, u32) = (6, 11);
/// Parts are to have so much of the bytes of the cache: of fewer bits, fewer digits are left.
const CUT_TO: usize = 8;
/// Parts are cut again that have more than so many times the bytes of the cache.
const CUT_AGAIN: usize = 8;
/// Keys that are compared with their neighbours before it is asked again whether to go on.
const LOOK: usize = 4096;
/// Keys that are looked at first.
const FEW: usize = 64;

/// How keys lie in the input.
enum Found {
    InOrder,
    /// Each key before the one to its left, so that none are equal.
    Reversed,
    Unsorted,
}

/// What is cut: the input, or a part of what has been cut before.
trait Source<B, V>: Copy + Sync {
    /// # Safety
    /// There is an element `i`.
    unsafe fn key(&self, i: usize) -> B;
    /// # Safety
    /// There is an element `i`.
    unsafe fn value(&self, i: usize) -> V;
}

impl<B: KeyBits, V: Moved> Source<B, V> for Sort<B> {
    #[inline(always)]
    unsafe fn key(&self, i: usize) -> B {
        // SAFETY: the caller's.
        unsafe { self.number(i) }
    }
    #[inline(always)]
    unsafe fn value(&self, i: usize) -> V {
        // SAFETY: the caller's.
        unsafe { Sort::value(self, i) }
    }
}

impl<B: KeyBits, V: Moved> Source<B, V> for Columns<B, V> {
    #[inline(always)]
    unsafe fn key(&self, i: usize) -> B {
        // SAFETY: the caller's.
        unsafe { self.keys.add(i).read() }
    }
    #[inline(always)]
    unsafe fn value(&self, i: usize) -> V {
        // SAFETY: the caller's.
        unsafe { self.values.add(i).read() }
    }
}

impl<B: KeyBits> Sort<B> {
    /// Sorts all elements; `room` is the calling thread's.
    pub(super) fn run<V: Moved>(&self, room: &mut Room<B, V>) -> Result<()> {
        let len = self.len;
        let in_place = self.keys_out.cast_const() == self.keys;
        match self.look() {
            Found::InOrder if in_place => return Ok(()),
            Found::InOrder => {
                self.copy::<V>(|i| i);
                return Ok(());
            }
            Found::Reversed if !in_place => {
                self.copy::<V>(|i| len - 1 - i);
                return Ok(());
            }
            Found::Reversed => {
                self.reverse::<V>();
                return Ok(());
            }
            Found::Unsorted => {}
        }
        if self.bytes(len) <= self.limits.cached {
            return room.sort(self);
        }
        if size_of::<V>() == 0 && B::BITS <= 16 {
            self.by_counting();
            return Ok(());
        }
        let (mut keys, mut values) = (Memory::none(), Memory::none());
        let scratch = Columns { keys: keys.of(len)?, values: values.of(len)? };
        self.cut::<V, Self>(*self, 0..len, scratch, None)
    }

    /// Cuts the elements of `source`, whose results are the places `range`, by their highest bits, and sorts the parts. `to` has
    /// room for them; so has `free`, if there is one, which nobody reads.
    fn cut<V: Moved, S: Source<B, V>>(
        &self,
        source: S,
        range: Range<usize>,
        to: Columns<B, V>,
        free: Option<Columns<B, V>>,
    ) -> Result<()> {
        let (len, threads) = (range.len(), self.threads());
        let key = |i: usize| {
            // SAFETY: it is below the length.
            unsafe { source.key(i) }
        };
        let first = key(0);
        let differ = in_parts(threads, |part| {
            part_of(len, threads, part).fold(B::default(), |differ, i| differ | (key(i) ^ first))
        });
        let high = differ.into_iter().fold(B::default(), |all, part| all | part).length();
        if high == 0 {
            in_parts(threads, |part| {
                for i in part_of(len, threads, part) {
                    // SAFETY: `i` is below the length, and the results are other memory than the source.
                    unsafe { self.store(range.start + i, first, source.value(i)) };
                }
            });
            return Ok(());
        }
        let wanted = (self.bytes(len) / (self.limits.cached / CUT_TO).max(1)).checked_ilog2().unwrap_or(0);
        let bits = wanted.clamp(CUT_BITS.0, CUT_BITS.1).min(high);
        let (shift, mask) = (high - bits, (1u32 << bits) - 1);
        let number = 1usize << bits;
        let part_of_key = |key: B| key.bits(shift, mask);

        let mut places = in_parts(threads, |part| {
            // Two tables, so that a key need not wait for the count of an equal one before it.
            let mut counts = vec![0usize; 2 * number];
            for i in part_of(len, threads, part) {
                // SAFETY: the bits are less than the number of counts of a table.
                unsafe { *counts.get_unchecked_mut(i % 2 * number + part_of_key(key(i))) += 1 };
            }
            let (even, odd) = counts.split_at(number);
            even.iter().zip(odd).map(|(a, b)| a + b).collect::<Vec<usize>>()
        });
        let (mut next, mut begins) = (0, Vec::with_capacity(number + 1));
        for value in 0..number {
            begins.push(next);
            for count in places.iter_mut().filter_map(|part| part.get_mut(value)) {
                next += std::mem::replace(count, next);
            }
        }
        begins.push(next);
        let streams = cfg!(target_arch = "x86_64") && self.bytes(len) >= self.limits.non_temporal_from;
        let shares = std::sync::Mutex::new(places.into_iter().enumerate().collect::<Vec<_>>());
        in_parts(threads, |_| {
            // A panic of another thread ends the call.
            let Some((part, mut places)) = shares.lock().ok().and_then(|mut shares| shares.pop()) else { return };
            let mut lines = Lines::new(to.both(), &mut places, streams);
            for i in part_of(len, threads, part) {
                // SAFETY: `i` is below the length, and the places are those of this share's keys with these bits, one after the other.
                unsafe {
                    let number = source.key(i);
                    lines.push(part_of_key(number), number, source.value(i));
                }
            }
            lines.finish();
        });

        let part = |value: usize| {
            let at = |value: usize| begins.get(value).copied().unwrap_or(len);
            at(value)..at(value + 1)
        };
        let again = |part: &Range<usize>| shift > 0 && self.bytes(part.len()) > CUT_AGAIN * self.limits.cached;
        let turn = AtomicUsize::new(0);
        let sorted = in_parts(threads, |_| {
            let mut room = Room::new();
            loop {
                let value = turn.fetch_add(1, Ordering::Relaxed);
                if value >= number {
                    return Ok(());
                }
                let part = part(value);
                if !part.is_empty() && !again(&part) {
                    // SAFETY: the part's elements and results are nobody else's.
                    unsafe { room.finish(self, to.behind(part.start), part.len(), range.start + part.start)? };
                }
            }
        });
        sorted.into_iter().collect::<Result<()>>()?;
        for part in (0..number).map(part).filter(again) {
            let results = range.start + part.start..range.start + part.end;
            // SAFETY: the parts lie in the memory.
            let (from, free) = unsafe { (to.behind(part.start), free.map(|free| free.behind(part.start))) };
            let (mut keys, mut values) = (Memory::none(), Memory::none());
            let to = if let Some(free) = free {
                free
            } else {
                Columns { keys: keys.of(part.len())?, values: values.of(part.len())? }
            };
            self.cut::<V, Columns<B, V>>(from, results, to, Some(from))?;
        }
        Ok(())
    }

    /// Looks at the keys up to the first that is neither in order nor in the reverse.
    fn look(&self) -> Found {
        if self.all::<false>() {
            Found::InOrder
        } else if self.all::<true>() {
            Found::Reversed
        } else {
            Found::Unsorted
        }
    }

    /// Whether each key follows the one to its left in order; if it `DESCENDS`, whether it is before that one.
    fn all<const DESCENDS: bool>(&self) -> bool {
        let wrong = |i: usize| {
            // SAFETY: both are below the length.
            let (before, own) = unsafe { (self.number(i - 1), self.number(i)) };
            if DESCENDS { before <= own } else { before > own }
        };
        // Most keys that are in no order show that at once.
        if (1..self.len.min(FEW)).any(wrong) {
            return false;
        }
        let (threads, failed) = (self.threads(), AtomicBool::new(false));
        in_parts(threads, |part| {
            let mut range = part_of(self.len, threads, part);
            range.start = range.start.max(1);
            while !range.is_empty() && !failed.load(Ordering::Relaxed) {
                let end = range.end.min(range.start + LOOK);
                if (range.start..end).fold(0, |any, i| any | u32::from(wrong(i))) > 0 {
                    failed.store(true, Ordering::Relaxed);
                }
                range.start = end;
            }
        });
        !failed.into_inner()
    }

    /// Stores element `from(i)` of the input at place `i`, in other memory.
    fn copy<V: Moved>(&self, from: impl Fn(usize) -> usize + Sync) {
        let threads = self.threads();
        in_parts(threads, |part| {
            for i in part_of(self.len, threads, part) {
                // SAFETY: all have as many elements, and the output is another memory than the input.
                unsafe {
                    if !self.keys_out.is_null() {
                        self.keys_out.add(i).write(self.keys.add(from(i)).read());
                    }
                    self.value::<V>(from(i)).store(self.values_out, i, self.value_bytes);
                }
            }
        });
    }

    /// Exchanges the first element and the last, and so on, in place.
    fn reverse<V: Moved>(&self) {
        for (i, j) in (0..self.len / 2).map(|i| (i, self.len - 1 - i)) {
            // SAFETY: both are below the length; in place nothing else reads or writes them.
            unsafe {
                self.keys_out.add(i).swap(self.keys_out.add(j));
                let (a, b) = (self.value::<V>(i), self.value::<V>(j));
                a.store(self.values_out, j, self.value_bytes);
                b.store(self.values_out, i, self.value_bytes);
            }
        }
    }

    /// Stores each key, of 16 bits at most, as often as there is one.
    fn by_counting(&self) {
        let (threads, numbers) = (self.threads(), 1usize << B::BITS.min(16));
        let counts = in_parts(threads, |part| {
            let mut counts = vec![0usize; 2 * numbers];
            for i in part_of(self.len, threads, part) {
                // SAFETY: `i` is below the length, and a number of 16 bits at most has a count.
                unsafe { *counts.get_unchecked_mut(i % 2 * numbers + self.number(i).bits(0, 0xffff)) += 1 };
            }
            counts
        });
        let count = |number: usize| -> usize {
            let of = |part: &Vec<usize>| part.get(number).unwrap_or(&0) + part.get(numbers + number).unwrap_or(&0);
            counts.iter().map(of).sum()
        };
        let mut next = 0;
        for number in 0..numbers {
            let (key, count) = (B::of(number).restored(self.order, self.descending), count(number));
            // SAFETY: all counts together are as many as the output has keys.
            unsafe { std::slice::from_raw_parts_mut(self.keys_out.add(next), count) }.fill(key);
            next += count;
        }
    }
}
