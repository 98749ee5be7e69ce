//! Order statistics: the keys of some ranks, by a radix selection that reads all keys in chunks.
//!
//! ```text
//! count     histogram of the next 16 bits, of the keys with the known highest bits
//! narrow    find the value of these bits for the key of each rank: more of its bits are known
//! gather    as soon as few keys are left: gather the keys with the known bits, and select the ranks among them
//! ```
//!
//! Ranks whose keys have the same bits so far share their counts. Keys of up to 16 bits take one reading, others mostly
//! two. Memory is needed for counts, 512 KiB a thread, and for an eighth of the keys.
//!
//! The keys with the known bits are gathered as soon as they are few; while they are many, they are counted by their
//! next 16 bits. So this also goes over chunks of data that is longer than memory (`Readings` in `upsweep/src/nth.rs`).
//! A single rank is looked for in a window that a sample suggests, and counted if the window misses it. A value between
//! two neighbouring ranks is the exact sum in fixed point, rounded once (`upsweep-core/src/between.rs`).

use crate::engine::apart;
use std::cmp::Ordering;
use std::mem;
use std::ops::Range;
use upsweep_core::error::{Error, Result};
use upsweep_core::key::KeyBits;
use upsweep_core::memory;
use upsweep_plan::cpu::PARALLEL_FROM_BYTES;

/// Number of bits of a radix digit, one digit a reading.
const DIGIT: u32 = 16;
/// Largest number of keys that are gathered whatever the number of all keys.
const GATHER: u64 = 1 << 16;
/// Largest part of all keys that is gathered (1 / N) instead of counted once more.
const GATHER_PART: u64 = 16;
/// Largest number of bytes of all threads' counts.
const COUNTS_BYTES: usize = 64 << 20;

/// Search for the keys of some ranks: see the [module](self). Keys are numbers with the keys' order.
#[derive(Clone, Debug)]
pub struct Ranks<B> {
    /// Groups of wanted keys with the same known bits, ascending.
    groups: Vec<Group<B>>,
    /// Number of known bits of each group.
    known: u32,
    /// Index after the first reading: for each value of the first 16 bits, one more than the first group with this
    /// value, or 0.
    first: Vec<u32>,
    /// Histogram of the next digit of each group, if keys are counted.
    counts: Vec<Vec<u64>>,
    /// Keys of each group, if keys are gathered.
    gathered: Option<Vec<Vec<B>>>,
    /// Number of keys that the current reading has had so far.
    read: u64,
    /// Number of keys of the first reading.
    len: u64,
}

/// Group of wanted keys with the same known bits.
#[derive(Clone, Debug)]
struct Group<B> {
    /// Known bits, followed by zeros.
    prefix: B,
    /// Indices of the ranks that belong to this group. Ranks ascend.
    ranks: Range<usize>,
    /// Number of keys that are less than all keys of the group.
    before: u64,
    /// Number of keys that have the known bits of the group.
    number: u64,
}

impl<B: KeyBits> Ranks<B> {
    /// Begins a search. The first reading counts.
    pub fn new() -> Result<Self> {
        let groups = memory::filled(1, Group { prefix: B::default(), ranks: 0..0, before: 0, number: 0 })?;
        let mut all = Self { groups, known: 0, first: Vec::new(), counts: Vec::new(), gathered: None, read: 0, len: 0 };
        all.counts = all.no_counts()?;
        Ok(all)
    }

    /// Returns the number of keys of the first reading.
    pub fn len(&self) -> u64 {
        if self.known == 0 { self.read } else { self.len }
    }

    /// Returns the number of bits of the next digit.
    fn digit(&self) -> u32 {
        DIGIT.min(B::BITS - self.known)
    }

    fn no_counts(&self) -> Result<Vec<Vec<u64>>> {
        let mut counts = memory::room(self.groups.len())?;
        for _ in &self.groups {
            counts.push(memory::filled(1 << self.digit(), 0)?);
        }
        Ok(counts)
    }

    /// Returns the index of the group whose known bits are those of `key`, if there is one.
    #[inline(always)]
    fn group(&self, key: B) -> Option<usize> {
        let unknown = B::BITS - self.known;
        let first = *self.first.get(first_bits(key))? as usize;
        // Groups with the same first bits are neighbours.
        for (at, group) in self.groups.iter().enumerate().skip(first.checked_sub(1)?) {
            match group.prefix.above(unknown).cmp(&key.above(unknown)) {
                Ordering::Less => {}
                Ordering::Equal => return Some(at),
                Ordering::Greater => return None,
            }
        }
        None
    }

    /// Reads a chunk of keys. `number` maps the bits of a key to its number.
    pub fn read(&mut self, bits: &[B], number: impl Fn(B) -> B + Send + Sync) -> Result<()> {
        self.read = self.read.saturating_add(bits.len() as u64);
        let mut threads = if size_of_val(bits) < PARALLEL_FROM_BYTES { 1 } else { rayon::current_num_threads().max(1) };
        if let Some(mut all) = self.gathered.take() {
            let found = in_parts(bits, threads, |keys| self.of_groups(keys, &number))?;
            for own in found {
                for ((all, own), group) in all.iter_mut().zip(own).zip(&self.groups) {
                    // Room is reserved for the counted keys only.
                    let room = (group.number as usize).saturating_sub(all.len());
                    all.extend(own.into_iter().take(room));
                }
            }
            self.gathered = Some(all);
            return Ok(());
        }
        let mut all = mem::take(&mut self.counts);
        let bytes = all.len().max(1) * (size_of::<u64>() << self.digit());
        threads = threads.min((COUNTS_BYTES / bytes).max(1));
        if threads == 1 {
            self.count(bits, &number, &mut all);
        } else {
            let found = in_parts(bits, threads, |keys| {
                let mut own = self.no_counts()?;
                self.count(keys, &number, &mut own);
                Ok(own)
            })?;
            for own in &found {
                all.iter_mut().flatten().zip(own.iter().flatten()).for_each(|(to, number)| *to += number);
            }
        }
        self.counts = all;
        Ok(())
    }

    fn count(&self, bits: &[B], number: impl Fn(B) -> B, counts: &mut [Vec<u64>]) {
        let (shift, mask) = (B::BITS - self.known - self.digit(), (1u32 << self.digit()) - 1);
        if let ([counts], 0) = (&mut *counts, self.known) {
            for &bits in bits {
                if let Some(count) = counts.get_mut(number(bits).bits(shift, mask)) {
                    *count += 1;
                }
            }
            return;
        }
        for key in bits.iter().map(|&bits| number(bits)) {
            let counts = self.group(key).and_then(|group| counts.get_mut(group));
            if let Some(count) = counts.and_then(|counts| counts.get_mut(key.bits(shift, mask))) {
                *count += 1;
            }
        }
    }

    /// Returns, for each group, those of the keys `bits` that belong to it, as numbers.
    fn of_groups(&self, bits: &[B], number: impl Fn(B) -> B) -> Result<Vec<Vec<B>>> {
        let mut found: Vec<Vec<B>> = memory::filled(self.groups.len(), Vec::new())?;
        for key in bits.iter().map(|&bits| number(bits)) {
            if let Some(own) = self.group(key).and_then(|group| found.get_mut(group)) {
                if own.len() == own.capacity() {
                    memory::reserve(own, own.len().max(64))?;
                }
                own.push(key);
            }
        }
        Ok(found)
    }

    /// Ends a reading. Returns whether another reading is needed. The ranks ascend, are from 1 to [`len`](Self::len),
    /// and are the same after each reading.
    pub fn narrow(&mut self, ranks: &[u64]) -> Result<bool> {
        if self.known == 0 {
            self.len = self.read;
            self.groups.iter_mut().for_each(|all| (all.ranks, all.number) = (0..ranks.len(), self.read));
        } else if self.read != self.len {
            return Err(changed(self.read, self.len));
        }
        self.read = 0;
        if self.gathered.is_some() {
            return Ok(false);
        }
        let digit = self.digit();
        let shift = B::BITS - self.known - digit;
        let mut groups = memory::room(ranks.len())?;
        for (group, counts) in self.groups.iter().zip(mem::take(&mut self.counts)) {
            let (mut before, mut next) = (group.before, group.ranks.start);
            for (value, number) in (0u128..).zip(counts) {
                let begin = next;
                let own = ranks.get(begin..group.ranks.end).unwrap_or_default();
                next += own.iter().take_while(|&&rank| rank <= before + number).count();
                if next > begin {
                    let prefix = group.prefix | B::of(value << shift);
                    groups.push(Group { prefix, ranks: begin..next, before, number });
                }
                before += number;
            }
            if next < group.ranks.end {
                return Err(changed(before - group.before, group.number));
            }
        }
        self.groups = groups;
        self.known += digit;
        if self.known == B::BITS || self.groups.is_empty() {
            return Ok(false);
        }
        self.first = memory::filled(1 << DIGIT, 0)?;
        for (group, number) in self.groups.iter().zip(1..) {
            if let Some(first @ 0) = self.first.get_mut(first_bits(group.prefix)) {
                *first = number;
            }
        }
        let left: u64 = self.groups.iter().map(|group| group.number).sum();
        if left <= GATHER.max(self.len / GATHER_PART) {
            let mut gathered = memory::room(self.groups.len())?;
            for group in &self.groups {
                gathered.push(memory::room(group.number as usize)?);
            }
            self.gathered = Some(gathered);
        } else {
            self.counts = self.no_counts()?;
        }
        Ok(true)
    }

    /// Returns the keys of the ranks, when no other reading is needed.
    pub fn found(self, ranks: &[u64]) -> Result<Vec<B>> {
        let mut found = memory::room(ranks.len())?;
        let mut gathered = self.gathered.into_iter().flatten();
        for group in &self.groups {
            let own = ranks.get(group.ranks.clone()).unwrap_or_default();
            match gathered.next() {
                Some(keys) if keys.len() as u64 != group.number => {
                    return Err(changed(keys.len() as u64, group.number));
                }
                Some(mut keys) => select(&mut keys, group.before, own, |key| found.push(key)),
                None => found.extend(own.iter().map(|_| group.prefix)),
            }
        }
        Ok(found)
    }
}

/// Calls `each` with the key of each of `ranks`. `before` keys come before all of `keys`. The ranks ascend and are
/// greater than `before`.
pub(super) fn select<B: KeyBits>(keys: &mut [B], mut before: u64, ranks: &[u64], mut each: impl FnMut(B)) {
    let mut left = keys;
    let mut last = B::default();
    for &rank in ranks {
        let at = (rank - before) as usize;
        // A repeated rank has the same key as before.
        if at > 0 && at <= left.len() {
            let (_, &mut key, rest) = left.select_nth_unstable(at - 1);
            (left, before, last) = (rest, rank, key);
        }
        each(last);
    }
}

/// Returns the first 16 bits of a longer key.
#[inline(always)]
fn first_bits<B: KeyBits>(key: B) -> usize {
    key.bits(B::BITS - DIGIT, (1 << DIGIT) - 1)
}

fn changed(found: u64, expected: u64) -> Error {
    Error::Length { what: "chunks in a later reading", found: found as usize, expected: expected as usize }
}

/// Calls `work` for parts of the keys, one part a thread, and returns the results.
fn in_parts<B: Sync, R: Send>(
    bits: &[B],
    threads: usize,
    work: impl Fn(&[B]) -> Result<R> + Send + Sync,
) -> Result<Vec<R>> {
    let part = bits.len().div_ceil(threads).max(1);
    let parts: Vec<_> = bits.chunks(part).collect();
    apart::collect(parts.len(), threads > 1, &|i| work(parts[i])).into_iter().collect()
}
