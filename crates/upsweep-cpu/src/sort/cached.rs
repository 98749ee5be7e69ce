//! Radix sort of an array that fits in a core's cache, by one thread.
//!
//! ```text
//! few elements:   comparison sort
//! more:           at most two digits, of the highest bits that vary, wide enough to separate most elements;
//!                 then an insertion sort for elements that these digits do not separate
//! if these would move far: all digits, from the lowest on (LSD radix sort)
//! ```

use super::values::{Columns, Memory, Moved, Sort, blocks};
use upsweep_core::error::Result;
use upsweep_core::key::KeyBits;

/// Largest number of bits in a digit: two tables of counts of this size fit in the first-level cache.
const DIGIT_BITS: u32 = 12;
/// Least number of bits in each of the two highest digits.
const LEAST_DIGIT_BITS: u32 = 6;
/// Number of bits that the two highest digits have together, in addition to log2 of the number of elements: they then
/// put most elements in order.
const BEYOND: u32 = 5;
/// Limit of the sort by the highest digits alone: for a number, how many others have the same digits, in the mean.
const MOST_EQUAL: usize = 1;
/// Limit of the insertion sort: by how many indices a number is moved, in the mean.
const MOST_MOVES: usize = 2;
/// Largest number of digits of a key: those of 128 bits.
const DIGITS: usize = 11;

/// A radix digit: neighbouring bits of a number.
#[derive(Clone, Copy, Default)]
struct Digit {
    shift: u32,
    mask: u32,
}

/// Returns digits of `bits` bits that cover all bits set in `varying` (the bits in which numbers differ), from the
/// lowest on, and the number of digits.
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

/// Returns the fewest digits of at most `most_bits` bits that cover the bits set in `varying`, each as narrow as this
/// number of digits allows.
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

/// Returns at most two digits of the highest bits set in `varying`, wide enough to separate most of `len` numbers, and
/// the number of digits.
fn highest_digits<B: KeyBits>(varying: B, len: usize) -> ([Digit; 2], usize) {
    let bits = (len.max(1).ilog2() + BEYOND).div_ceil(2).clamp(LEAST_DIGIT_BITS, DIGIT_BITS);
    let digit = |varying: B| Digit { shift: varying.length().saturating_sub(bits), mask: (1 << bits) - 1 };
    let high = digit(varying);
    let below = varying.below(high.shift);
    if below == B::default() { ([high; 2], 1) } else { ([digit(below), high], 2) }
}

/// Scratch memory of one thread for sorts in the cache: two memories for elements (a double buffer), and counts.
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

    /// Sorts the whole input of `sort` into its output. With `streams`, results are stored past the cache: nobody reads
    /// them before this thread has called [`fence`](crate::tile::store::fence).
    pub(super) fn sort(&mut self, sort: &Sort, streams: bool) -> Result<()> {
        let own = self.columns(1, sort.len)?;
        for places in blocks(0..sort.len) {
            // SAFETY: the input and the memory have `sort.len` elements.
            unsafe {
                let to = own.behind(places.start);
                sort.load_numbers(places.start, std::slice::from_raw_parts_mut(to.keys, places.len()), true);
                sort.load_values(places.start, std::slice::from_raw_parts_mut(to.values, places.len()));
            }
        }
        // SAFETY: `own` is this room's second memory and has `sort.len` elements, as the results have.
        unsafe { self.finish(sort, own, sort.len, 0, streams) }
    }

    /// Sorts the `len` elements of `from` and stores them as results of `sort` from index `at` on, with `streams` past
    /// the cache. Overwrites `from`.
    ///
    /// # Safety
    /// `from`, and the results from `at` on, have `len` elements, which nobody else uses. They are the same memory or
    /// disjoint. `from` is not this room's first memory. With `streams` nobody reads the results before this thread has
    /// called [`fence`](crate::tile::store::fence).
    pub(super) unsafe fn finish(
        &mut self,
        sort: &Sort,
        from: Columns<B, V>,
        len: usize,
        at: usize,
        streams: bool,
    ) -> Result<()> {
        let below = sort.below::<B>();
        // SAFETY: there are `len` elements in `from` and `len` results from `at` on, which nobody else uses.
        unsafe {
            let sorted = if len < sort.limits.compare_below {
                self.by_comparison(below, from, len)?
            } else {
                self.by_digits(below, from, len)?
            };
            if sorted.keys.cast() == sort.keys_out.wrapping_add(at * sort.key_bytes) {
                sort.restore(std::slice::from_raw_parts_mut(sorted.keys, len));
            } else {
                sort.store(at, sorted, len, streams);
            }
        }
        Ok(())
    }

    /// Sorts the elements of `from` by comparisons of their bits from `below` on. Returns the columns that hold the
    /// sorted elements.
    ///
    /// # Safety
    /// `from` has `len` elements, which nobody else uses, and is not this room's first memory.
    unsafe fn by_comparison(&mut self, below: u32, from: Columns<B, V>, len: usize) -> Result<Columns<B, V>> {
        // SAFETY: `from` has `len` elements, which nobody else uses.
        let numbers = unsafe { std::slice::from_raw_parts_mut(from.keys, len) };
        if size_of::<V>() == 0 {
            if below == 0 {
                // Stability does not matter: equal keys are equal in every bit.
                numbers.sort_unstable();
            } else {
                numbers.sort_by_key(|number| number.above(below));
            }
            return Ok(from);
        }
        let to = self.columns(0, len)?;
        self.items.clear();
        self.items.extend(numbers.iter().zip(0..).map(|(&number, place)| (number, place)));
        self.items.sort_unstable();
        for (i, &(number, place)) in self.items.iter().enumerate() {
            // SAFETY: the indices are below `len`, and `from` and `to` have `len` elements.
            unsafe {
                to.keys.add(i).write(number);
                to.values.add(i).write(from.values.add(place as usize).read());
            }
        }
        Ok(to)
    }

    /// Sorts the elements of `from` by the highest digits if they separate most numbers, and then by insertion;
    /// otherwise by all digits. Returns the columns that hold the sorted elements.
    ///
    /// # Safety
    /// `from` has `len` elements, which nobody else uses, and is not this room's first memory.
    unsafe fn by_digits(&mut self, below: u32, from: Columns<B, V>, len: usize) -> Result<Columns<B, V>> {
        // SAFETY: `from` has `len` elements, which nobody else uses and which are not this room's first memory.
        unsafe {
            let varying = varying(std::slice::from_raw_parts(from.keys, len));
            let varying = varying ^ varying.below(below);
            let (all, number) = fewest_digits(varying, DIGIT_BITS);
            let all = all.get(..number).unwrap_or_default();
            let mut sorted = from;
            if number > 2 {
                let (digits, number) = highest_digits(varying, len);
                let digits = digits.get(..number).unwrap_or_default();
                self.count(sorted, len, digits);
                if self.tells_apart(digits, len) {
                    sorted = self.by_counted(sorted, from, len, digits)?;
                    if insert(below, sorted, len) {
                        return Ok(sorted);
                    }
                }
            }
            for two in all.chunks(2) {
                self.count(sorted, len, two);
                sorted = self.by_counted(sorted, from, len, two)?;
            }
            Ok(sorted)
        }
    }

    /// Whether few of `len` numbers have equal digits, by the histogram of the higher digit. If there are two, the
    /// lower one is assumed to be spread evenly.
    fn tells_apart(&self, digits: &[Digit], len: usize) -> bool {
        let [low, high] = match digits {
            [low, _] => [low.mask as usize + 1, 1],
            _ => [1, 0],
        };
        let equal = |counts: &Vec<u32>| counts.iter().map(|&count| (count as usize).pow(2)).sum::<usize>();
        self.counts.get(high).is_none_or(|counts| equal(counts) / low <= len * (1 + MOST_EQUAL))
    }

    /// Builds the histograms of one or two digits of the `len` numbers in `from`.
    ///
    /// # Safety
    /// `from` has `len` elements.
    unsafe fn count(&mut self, from: Columns<B, V>, len: usize, digits: &[Digit]) {
        for (counts, digit) in self.counts.iter_mut().zip(digits) {
            counts.clear();
            counts.resize(digit.mask as usize + 1, 0);
        }
        let [first, second] = self.counts.each_mut().map(Vec::as_mut_slice);
        // SAFETY: `from` has `len` elements, and each digit is less than the number of its counts.
        unsafe {
            let numbers = std::slice::from_raw_parts(from.keys, len);
            match *digits {
                [low, high] => {
                    for number in numbers {
                        *first.get_unchecked_mut(number.bits(low.shift, low.mask)) += 1;
                        *second.get_unchecked_mut(number.bits(high.shift, high.mask)) += 1;
                    }
                }
                [digit] => {
                    for number in numbers {
                        *first.get_unchecked_mut(number.bits(digit.shift, digit.mask)) += 1;
                    }
                }
                _ => {}
            }
        }
    }

    /// Sorts by the digits whose histograms have been built, from the lowest on. `own`, which has room for `len`
    /// elements, and this room's first memory are a double buffer. Returns the one that holds the sorted elements.
    ///
    /// # Safety
    /// `from` is one of the two memories, and has `len` elements, whose digits have been counted.
    unsafe fn by_counted(
        &mut self,
        mut from: Columns<B, V>,
        own: Columns<B, V>,
        len: usize,
        digits: &[Digit],
    ) -> Result<Columns<B, V>> {
        let room = self.columns(0, len)?;
        for (which, digit) in digits.iter().enumerate() {
            let to = if from.keys == room.keys { own } else { room };
            let Some(counts) = self.counts.get_mut(which) else { break };
            places(counts);
            let (next, Digit { shift, mask }) = (counts.as_mut_ptr(), *digit);
            // The index of the current digit's next result stays in a register while the digit repeats. In memory, a
            // load of it may run ahead of the store before it, whose address is not known yet, and the processor has to
            // repeat the load.
            let (mut own, mut place) = (0, counts.first().copied().unwrap_or(0));
            for i in 0..len {
                // SAFETY: both memories have `len` elements, and digits are less than the number of counts.
                unsafe {
                    let key = from.keys.add(i).read();
                    let digit = key.bits(shift, mask);
                    if digit != own {
                        next.add(own).write(place);
                        (own, place) = (digit, next.add(digit).read());
                    }
                    to.keys.add(place as usize).write(key);
                    to.values.add(place as usize).write(from.values.add(i).read());
                    place += 1;
                }
            }
            from = to;
        }
        Ok(from)
    }
}

/// Sorts `len` elements by insertion, by the bits from `below` on. Returns false, with the numbers partly sorted, if
/// they would move too far.
///
/// # Safety
/// There are `len` elements, which nobody else uses.
unsafe fn insert<B: KeyBits, V: Moved>(below: u32, Columns { keys, values }: Columns<B, V>, len: usize) -> bool {
    let mut moves = MOST_MOVES * len;
    for i in 1..len {
        // SAFETY: indices are at most `i`, which is below `len`.
        unsafe {
            let key = keys.add(i).read();
            if key.above(below) >= keys.add(i - 1).read().above(below) {
                continue;
            }
            let (value, mut to) = (values.add(i).read(), i);
            while to > 0 && key.above(below) < keys.add(to - 1).read().above(below) {
                keys.add(to).write(keys.add(to - 1).read());
                values.add(to).write(values.add(to - 1).read());
                to -= 1;
            }
            keys.add(to).write(key);
            values.add(to).write(value);
            if i - to > moves {
                return false;
            }
            moves -= i - to;
        }
    }
    true
}

/// Returns the bits that are not the same in all numbers.
pub(super) fn varying<B: KeyBits>(numbers: &[B]) -> B {
    let Some(&first) = numbers.first() else { return B::default() };
    numbers.iter().fold(B::default(), |differ, &number| differ | (number ^ first))
}

/// Replaces the counts of a digit's values by their exclusive prefix: the index of the first result with each value.
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
        assert_eq!(fewest_digits(u128::MAX, DIGIT_BITS).1, DIGITS);
    }
}
