//! Sort of what fits in a core's cache, by one thread: by digits from the lowest on, or by comparisons.

use super::values::{Columns, Memory, Moved, Sort};
use crate::error::Result;
use crate::key::KeyBits;

/// The most bits of a digit; of fewer elements, the most of theirs.
const DIGIT_BITS: u32 = 11;
const SMALL_DIGIT_BITS: u32 = 8;
const SMALL_BELOW: usize = 2048;
/// Digits of the longest keys.
const DIGITS: usize = 16;

/// Some neighbouring bits.
#[derive(Clone, Copy, Default)]
struct Digit {
    shift: u32,
    mask: u32,
}

/// The digits of at most `bits` bits that hold all bits of `varying`, from the lowest on, and their number.
fn digits_of<B: KeyBits>(varying: B, bits: u32) -> ([Digit; DIGITS], usize) {
    let (mut digits, mut number, mut shift) = ([Digit::default(); DIGITS], 0, 0);
    while let Some(digit) = digits.get_mut(number) {
        let skipped = varying.above(shift).trailing_zeros();
        if shift + skipped >= B::BITS {
            break;
        }
        shift += skipped;
        *digit = Digit { shift, mask: (1 << bits) - 1 };
        (number, shift) = (number + 1, shift + bits);
        if shift >= B::BITS {
            break;
        }
    }
    (digits, number)
}

/// The fewest digits, each as narrow as that allows.
fn fewest_digits<B: KeyBits>(varying: B, most_bits: u32) -> ([Digit; DIGITS], usize) {
    let mut found = digits_of(varying, most_bits);
    for bits in (1..most_bits).rev() {
        let narrower = digits_of(varying, bits);
        if narrower.1 > found.1 || narrower.1 == DIGITS {
            break;
        }
        found = narrower;
    }
    found
}

/// A thread's memory for such sorts.
pub(super) struct Room<B, V> {
    keys: [Memory<B>; 2],
    values: [Memory<V>; 2],
    counts: [Vec<u32>; 2],
    items: Vec<(B, u32)>,
}

impl<B: KeyBits, V: Moved> Room<B, V> {
    pub(super) fn new() -> Self {
        let (keys, values) = ([const { Memory::none() }; 2], [const { Memory::none() }; 2]);
        Self { keys, values, counts: [Vec::new(), Vec::new()], items: Vec::new() }
    }

    fn columns(&mut self, which: usize, len: usize) -> Result<Columns<B, V>> {
        let which = which % 2;
        Ok(Columns { keys: self.keys[which].of(len)?, values: self.values[which].of(len)? })
    }

    /// Sorts the whole input.
    pub(super) fn sort(&mut self, sort: &Sort<B>) -> Result<()> {
        let own = self.columns(1, sort.len)?;
        for i in 0..sort.len {
            // SAFETY: the input and the memory have as many elements.
            unsafe {
                own.keys.add(i).write(sort.number(i));
                own.values.add(i).write(sort.value(i));
            }
        }
        // SAFETY: as above.
        unsafe { self.finish(sort, own, sort.len, 0) }
    }

    /// Sorts `len` numbers, which are not needed afterwards, and stores them as results from place `at` on.
    ///
    /// # Safety
    /// `from` and the results have as many elements, which nobody else uses; `from` is not this room's first memory.
    pub(super) unsafe fn finish(&mut self, sort: &Sort<B>, from: Columns<B, V>, len: usize, at: usize) -> Result<()> {
        // SAFETY: the caller's.
        unsafe {
            if len < sort.limits.compare_below {
                self.by_comparison(sort, from, len, at);
                return Ok(());
            }
            self.by_digits(sort, from, len, at)
        }
    }

    /// # Safety
    /// As [`finish`](Self::finish).
    unsafe fn by_comparison(&mut self, sort: &Sort<B>, from: Columns<B, V>, len: usize, at: usize) {
        if size_of::<V>() == 0 {
            // SAFETY: the caller's.
            let numbers = unsafe { std::slice::from_raw_parts_mut(from.keys, len) };
            // Keys that are equal in every bit cannot be told apart.
            numbers.sort_unstable();
            for (i, &number) in numbers.iter().enumerate() {
                // SAFETY: the caller's.
                unsafe { sort.store(at + i, number, V::default()) };
            }
            return;
        }
        self.items.clear();
        // SAFETY: the caller's.
        self.items.extend((0..len).map(|i| (unsafe { from.keys.add(i).read() }, i as u32)));
        self.items.sort_unstable();
        for (i, &(number, place)) in self.items.iter().enumerate() {
            // SAFETY: the caller's; the places are below the length.
            unsafe { sort.store(at + i, number, from.values.add(place as usize).read()) };
        }
    }

    /// # Safety
    /// As [`finish`](Self::finish).
    unsafe fn by_digits(&mut self, sort: &Sort<B>, mut from: Columns<B, V>, len: usize, at: usize) -> Result<()> {
        // SAFETY: the caller's.
        let varying = varying(unsafe { std::slice::from_raw_parts(from.keys, len) });
        let (digits, number) = fewest_digits(varying, if len < SMALL_BELOW { SMALL_DIGIT_BITS } else { DIGIT_BITS });
        let digits = digits.get(..number).unwrap_or_default();
        let [now, next] = &mut self.counts;
        let clear = |counts: &mut Vec<u32>, digit: Digit| {
            counts.clear();
            counts.resize(digit.mask as usize + 1, 0);
        };
        let Some((&last, _)) = digits.split_last() else {
            for i in 0..len {
                // SAFETY: the caller's.
                unsafe { sort.store::<V>(at + i, from.keys.add(i).read(), from.values.add(i).read()) };
            }
            return Ok(());
        };
        let first = digits.first().copied().unwrap_or(last);
        clear(now, first);
        for i in 0..len {
            // SAFETY: the caller's; a digit is less than the number of counts.
            unsafe { *now.get_unchecked_mut(from.keys.add(i).read().bits(first.shift, first.mask)) += 1 };
        }
        for (turn, pair) in digits.windows(2).enumerate() {
            let &[digit, after] = pair else { continue };
            let to = Columns { keys: self.keys[turn % 2].of(len)?, values: self.values[turn % 2].of(len)? };
            clear(next, after);
            places(now);
            for i in 0..len {
                // SAFETY: the caller's; the memory has as many elements; digits are less than the number of counts.
                unsafe {
                    let (key, value) = (from.keys.add(i).read(), from.values.add(i).read());
                    *next.get_unchecked_mut(key.bits(after.shift, after.mask)) += 1;
                    let place = now.get_unchecked_mut(key.bits(digit.shift, digit.mask));
                    to.keys.add(*place as usize).write(key);
                    to.values.add(*place as usize).write(value);
                    *place += 1;
                }
            }
            std::mem::swap(now, next);
            from = to;
        }
        places(now);
        for i in 0..len {
            // SAFETY: as above.
            unsafe {
                let (key, value) = (from.keys.add(i).read(), from.values.add(i).read());
                let place = now.get_unchecked_mut(key.bits(last.shift, last.mask));
                sort.store(at + *place as usize, key, value);
                *place += 1;
            }
        }
        Ok(())
    }
}

/// The bits that are not the same in all numbers.
pub(super) fn varying<B: KeyBits>(numbers: &[B]) -> B {
    let Some(&first) = numbers.first() else { return B::default() };
    numbers.iter().fold(B::default(), |differ, &number| differ | (number ^ first))
}

/// Counts become the places of the first of each.
fn places(counts: &mut [u32]) {
    let mut next = 0;
    for count in counts {
        next += std::mem::replace(count, next);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shifts(varying: u64, most: u32) -> Vec<(u32, u32)> {
        let (digits, number) = fewest_digits(varying, most);
        digits[..number].iter().map(|digit| (digit.shift, digit.mask.count_ones())).collect()
    }

    #[test]
    fn digits_hold_the_bits_that_vary() {
        assert_eq!(shifts(0, 11), []);
        assert_eq!(shifts(1 << 63, 11), [(63, 1)]);
        assert_eq!(shifts(0x1f_ffff, 11), [(0, 11), (11, 11)]);
        assert_eq!(shifts(0x00ff_00ff_0000, 11), [(16, 8), (32, 8)]);
        assert_eq!(shifts(u64::MAX, 8).len(), 8);
        assert_eq!(fewest_digits(u128::MAX, 8).1, 16);
    }
}
