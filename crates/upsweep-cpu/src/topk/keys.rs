//! Keys of one row: the key of a rank, and the first keys.

use crate::engine::apart;
use crate::order_statistics::{Ranks, select};
use upsweep_core::error::Result;
use upsweep_core::key::{KeyBits, KeyOrder};
use upsweep_core::memory;

/// Least number of keys for which a window is guessed: a range of key values, from a sample, that is likely to contain
/// the key of the wanted rank.
const GUESS_FROM: usize = 64 << 10;
/// Number of keys of the sample from which a window is guessed.
const SAMPLE: usize = 4 << 10;
/// Distance from the expected rank of the wanted key in the sample to each end of the window, in standard deviations of
/// that rank.
const DEVIATIONS: f64 = 6.0;
/// Number of ranks in the sample that are added to the distance of `DEVIATIONS`.
const PLACES: f64 = 4.0;
/// Largest share of the keys that may lie in a window (1 / N). If a thread's part of the keys has more than its equal
/// part of these, the window is not used.
const MOST_CANDIDATES: usize = 4;
/// Number of keys that are compared at once with the ends of a window.
const AT_ONCE: usize = 64;

/// Keys in memory, compared as numbers with the keys' order.
pub(super) struct Keys<'a, B> {
    pub(super) bits: &'a [B],
    pub(super) order: KeyOrder,
    pub(super) descending: bool,
    /// Number of parts into which the keys are divided for the threads.
    pub(super) parts: usize,
}

impl<B: KeyBits> Keys<'_, B> {
    #[inline(always)]
    fn number(&self, bits: B) -> B {
        bits.compared(self.order, self.descending)
    }

    /// Calls `of` for each part of the keys, in parallel if there are several, and returns the results. The arguments
    /// of `of` are the part's element of `given`, the index of the part's first key, and its keys.
    fn with_parts<T: Send, R: Send>(&self, given: Vec<T>, of: &(dyn Fn(T, usize, &[B]) -> R + Sync)) -> Vec<R> {
        let mut parts: Vec<_> = given.into_iter().map(|given| (Some(given), None)).collect();
        apart::each(&mut parts, self.parts > 1, &|part, (given, result)| {
            let places = apart::part_of(self.bits.len(), self.parts, part);
            let keys = self.bits.get(places.clone()).unwrap_or_default();
            *result = given.take().map(|given| of(given, places.start, keys));
        });
        parts.into_iter().filter_map(|(_, result)| result).collect()
    }

    /// Calls `of` with the keys of each part, in parallel if there are several, and returns the results.
    fn in_parts<R: Send>(&self, of: &(dyn Fn(&[B]) -> R + Sync)) -> Vec<R> {
        self.with_parts(vec![(); self.parts], &|(), _, keys| of(keys))
    }

    /// Returns the key of `rank`, as a number. Ranks begin with 1.
    fn of_rank(&self, rank: usize) -> Result<B> {
        if self.bits.len() >= GUESS_FROM
            && let Some(found) = self.in_window(rank)
        {
            return Ok(found);
        }
        Ok(self.of_ranks(&[rank as u64])?.first().copied().unwrap_or_default())
    }

    /// Returns the keys of ascending ranks, as numbers. Ranks begin with 1.
    fn of_ranks(&self, ranks: &[u64]) -> Result<Vec<B>> {
        let len = self.bits.len();
        if len < GUESS_FROM {
            let mut numbers = memory::collected(len, self.bits.iter().map(|&bits| self.number(bits)))?;
            let mut found = memory::room(ranks.len())?;
            select(&mut numbers, 0, ranks, |key| found.push(key));
            return Ok(found);
        }
        let mut search = Ranks::new()?;
        loop {
            search.read(self.bits, |bits| self.number(bits))?;
            if !search.narrow(ranks)? {
                return search.found(ranks);
            }
        }
    }

    /// Returns the key of `rank` as a number, if the window that a sample suggests contains it and is small.
    fn in_window(&self, rank: usize) -> Option<B> {
        let len = self.bits.len();
        let part = len / SAMPLE;
        let place = |i: usize| i * part + (i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) as usize % part;
        let mut sample: Vec<B> =
            (0..SAMPLE).filter_map(|i| self.bits.get(place(i))).map(|&bits| self.number(bits)).collect();
        sample.sort_unstable();
        let share = rank as f64 / len as f64;
        let centre = share * SAMPLE as f64;
        let spread = DEVIATIONS * (centre * (1.0 - share)).max(0.0).sqrt() + PLACES;
        let low = sample.get(((centre - spread).max(0.0) as usize).wrapping_sub(1)).copied();
        let high = sample.get((centre + spread).ceil() as usize).copied();
        let most = len / MOST_CANDIDATES / self.parts;
        let found = self.in_parts(&|keys| {
            // On a lack of memory the radix selection is used, which needs less.
            let (mut before, mut within) = (0, Vec::new());
            for keys in keys.chunks(AT_ONCE) {
                let is_before = |key: B| low.is_some_and(|low| key < low);
                let is_behind = |key: B| high.is_some_and(|high| key > high);
                let outside = keys.iter().map(|&bits| self.number(bits)).fold((0, 0), |(before, behind), key| {
                    (before + u32::from(is_before(key)), behind + u32::from(is_behind(key)))
                });
                before += outside.0 as usize;
                if ((outside.0 + outside.1) as usize) < keys.len() {
                    memory::reserve(&mut within, keys.len()).ok()?;
                    let numbers = keys.iter().map(|&bits| self.number(bits));
                    within.extend(numbers.filter(|&key| !is_before(key) && !is_behind(key)));
                    if within.len() > most {
                        return None;
                    }
                }
            }
            Some((before, within))
        });
        let found: Vec<(usize, Vec<B>)> = found.into_iter().collect::<Option<_>>()?;
        let before: usize = found.iter().map(|(before, _)| before).sum();
        let number = found.iter().map(|(_, within)| within.len()).sum();
        let mut within = memory::collected(number, found.into_iter().flat_map(|(_, within)| within)).ok()?;
        let wanted = rank.checked_sub(before + 1).filter(|&wanted| wanted < within.len())?;
        Some(*within.select_nth_unstable(wanted).1)
    }

    /// Returns the bits of the keys of ascending ranks. Ranks begin with 1. Of equal keys it is the one that a stable
    /// sort puts there.
    pub(super) fn bits_of_ranks(&self, ranks: &[u64]) -> Result<Vec<B>> {
        let mut found = match *ranks {
            [rank] => memory::filled(1, self.of_rank(rank as usize)?)?,
            _ => self.of_ranks(ranks)?,
        };
        // The compared numbers do not have a zero's sign.
        let zero = B::default().compared(self.order, self.descending);
        let zeros = found.partition_point(|&key| key < zero)..found.partition_point(|&key| key <= zero);
        found.iter_mut().for_each(|key| *key = key.restored(self.order, self.descending));
        if self.order.mantissa > 0 && !zeros.is_empty() {
            let own = ranks.get(zeros.clone()).unwrap_or_default();
            let bits = self.zeros(zero, own)?;
            found.iter_mut().skip(zeros.start).zip(bits).for_each(|(key, bits)| *key = bits);
        }
        Ok(found)
    }

    /// Returns the bits of the zeros of ascending ranks. `zero` is the number that all zeros are compared as.
    fn zeros(&self, zero: B, ranks: &[u64]) -> Result<Vec<B>> {
        let counts = self.in_parts(&|keys| {
            keys.iter().map(|&bits| self.number(bits)).fold((0u64, 0u64), |(before, equal), key| {
                (before + u64::from(key < zero), equal + u64::from(key == zero))
            })
        });
        // Rank of each part's first zero, and its number of zeros.
        let mut next = 1 + counts.iter().map(|(before, _)| before).sum::<u64>();
        let mut shares = memory::room(counts.len())?;
        for (_, equal) in counts {
            shares.push((next, equal));
            next += equal;
        }
        let found = self.with_parts(shares, &|(first, equal), _, keys| {
            let own = ranks.partition_point(|&rank| rank < first)..ranks.partition_point(|&rank| rank < first + equal);
            let own = ranks.get(own).unwrap_or_default();
            let mut found = memory::room(own.len())?;
            let mut zeros = (first..).zip(keys.iter().filter(|&&bits| self.number(bits) == zero)).peekable();
            for &rank in own {
                while zeros.next_if(|(at, _)| *at < rank).is_some() {}
                found.extend(zeros.peek().map(|(_, bits)| **bits));
            }
            Ok(found)
        });
        let mut all = memory::room(ranks.len())?;
        for own in found {
            all.extend(own?);
        }
        Ok(all)
    }

    /// Returns the first `rank` keys as numbers, each with its index, in the order of the input.
    pub(super) fn first(&self, rank: usize) -> Result<Vec<(B, usize)>> {
        let wanted = self.of_rank(rank)?;
        let counts = self.in_parts(&|keys| {
            keys.iter().map(|&bits| self.number(bits)).fold((0usize, 0usize), |(before, equal), key| {
                (before + usize::from(key < wanted), equal + usize::from(key == wanted))
            })
        });
        let mut ties = rank - counts.iter().map(|(before, _)| before).sum::<usize>();
        let mut results = memory::room(rank)?;
        results.resize(rank, (wanted, 0));
        // Output of each part, and the number of keys equal to the wanted key that it stores.
        let mut left = results.as_mut_slice();
        let mut shares = Vec::new();
        for (before, equal) in counts {
            let equal = equal.min(ties);
            ties -= equal;
            let (own, rest) = left.split_at_mut(before + equal);
            shares.push((own, equal));
            left = rest;
        }
        self.with_parts(shares, &|(own, mut equal), begin, keys| {
            let mut own = own.iter_mut();
            for (keys, at) in keys.chunks(AT_ONCE).zip((begin..).step_by(AT_ONCE)) {
                let numbers = || keys.iter().map(|&bits| self.number(bits));
                if numbers().map(|key| u32::from(key <= wanted)).sum::<u32>() == 0 {
                    continue;
                }
                for (key, at) in numbers().zip(at..) {
                    if key < wanted || (key == wanted && equal > 0) {
                        equal -= usize::from(key == wanted);
                        if let Some(place) = own.next() {
                            *place = (key, at);
                        }
                    }
                }
            }
        });
        Ok(results)
    }
}
