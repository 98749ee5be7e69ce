//! Digits of keys: counted, and keys moved to where their digit goes.
//!
//! 256 places of the output are written in turns, more than a processor keeps open. So each digit has a line in the first-level
//! cache, which goes out as a whole, past the cache where the output is large. Keys of a small output go there as they come.

use super::store;
use crate::key::KeyBits;
use std::mem::MaybeUninit;

/// The values of a digit.
pub(in crate::cpu) const DIGITS: usize = 256;
const LINE_BYTES: usize = 64;

/// How many keys have each value of each of `NUMBER` digits.
pub(in crate::cpu) type Counts = Vec<[usize; DIGITS]>;

/// Counts all digits of `keys`, which `order` puts into their order.
#[inline(always)]
pub(in crate::cpu) fn count_all<B: KeyBits>(keys: &[B], order: impl Fn(B) -> B) -> Counts {
    let mut counts = vec![[0usize; DIGITS]; size_of::<B>()];
    let tables = counts.as_mut_ptr();
    for &key in keys {
        let key = order(key);
        for digit in 0..size_of::<B>() {
            // SAFETY: there is a table for each digit, and nothing else uses them now.
            unsafe { (*tables.add(digit))[key.digit(8 * digit as u32)] += 1 };
        }
    }
    counts
}

/// Counts the digit from bit `shift` on.
#[inline(always)]
pub(in crate::cpu) fn count_one<B: KeyBits>(keys: &[B], shift: u32, order: impl Fn(B) -> B) -> [usize; DIGITS] {
    // Two tables, so that a key need not wait for the count of an equal one before it.
    let mut counts = [[0usize; DIGITS]; 2];
    let mut pairs = keys.chunks_exact(2);
    for pair in &mut pairs {
        if let [a, b] = *pair {
            counts[0][order(a).digit(shift)] += 1;
            counts[1][order(b).digit(shift)] += 1;
        }
    }
    for &key in pairs.remainder() {
        counts[0][order(key).digit(shift)] += 1;
    }
    std::array::from_fn(|digit| counts[0][digit] + counts[1][digit])
}

/// Where keys and their values go.
pub(in crate::cpu) trait Sink<B, V> {
    /// Takes the next key with this digit, and its value.
    ///
    /// # Safety
    /// The digit is less than [`DIGITS`], and its next place is in the output and nobody else's.
    unsafe fn push(&mut self, digit: usize, key: B, value: V);
    /// Stores what is still held.
    fn finish(self);
}

/// At once to their places.
pub(in crate::cpu) struct Direct<'a, B, V> {
    pub(in crate::cpu) keys: *mut B,
    pub(in crate::cpu) values: *mut V,
    /// Where the next key of a digit goes.
    pub(in crate::cpu) places: &'a mut [usize; DIGITS],
}

impl<B: KeyBits, V: Copy> Sink<B, V> for Direct<'_, B, V> {
    #[inline(always)]
    unsafe fn push(&mut self, digit: usize, key: B, value: V) {
        // SAFETY: the caller's.
        unsafe {
            let next = self.places.get_unchecked_mut(digit);
            let place = *next;
            *next = place + 1;
            self.keys.add(place).write(key);
            self.values.add(place).write(value);
        }
    }

    fn finish(self) {}
}

/// By way of a line for each digit: as many keys as have 64 bytes, and their values.
pub(in crate::cpu) struct Lines<'a, B, V> {
    keys: Vec<Line>,
    values: Vec<MaybeUninit<V>>,
    keys_out: *mut B,
    values_out: *mut V,
    places: &'a mut [usize; DIGITS],
    /// Where the first key of a digit went.
    begins: [usize; DIGITS],
    /// Of the output's first place in its line.
    skew: usize,
    streams: bool,
}

#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Line([MaybeUninit<u8>; LINE_BYTES]);

impl<'a, B: KeyBits, V: Copy> Lines<'a, B, V> {
    const LEN: usize = LINE_BYTES / size_of::<B>();

    /// To the places that `direct` has. With `streams`, past the cache.
    pub(in crate::cpu) fn new(direct: Direct<'a, B, V>, streams: bool) -> Self {
        let Direct { keys: keys_out, values: values_out, places } = direct;
        let keys = vec![Line([MaybeUninit::uninit(); LINE_BYTES]); DIGITS];
        let values = vec![MaybeUninit::uninit(); DIGITS * Self::LEN];
        let (begins, skew) = (*places, keys_out.addr() / size_of::<B>() % Self::LEN);
        Self { keys, values, keys_out, values_out, places, begins, skew, streams }
    }

    /// Stores what the line of a digit holds, up to place `end`.
    ///
    /// # Safety
    /// The line holds these places' keys and values, and the places are in the output and nobody else's.
    #[inline(always)]
    unsafe fn flush(&self, digit: usize, end: usize) {
        let line_begin = (end - 1 + self.skew) / Self::LEN * Self::LEN;
        let begin = line_begin.saturating_sub(self.skew).max(self.begins[digit]);
        let (in_line, len) = (begin + self.skew - line_begin, end - begin);
        // SAFETY: the caller's.
        unsafe {
            let keys = self.keys.as_ptr().add(digit).cast::<B>();
            let values = self.values.as_ptr().add(digit * Self::LEN).cast::<V>();
            if len == Self::LEN {
                store_line::<B>(self.keys_out.add(begin), keys, Self::LEN, self.streams);
                store_line::<V>(self.values_out.add(begin), values, Self::LEN, self.streams);
            } else {
                self.keys_out.add(begin).copy_from_nonoverlapping(keys.add(in_line), len);
                self.values_out.add(begin).copy_from_nonoverlapping(values.add(in_line), len);
            }
        }
    }
}

impl<B: KeyBits, V: Copy> Sink<B, V> for Lines<'_, B, V> {
    #[inline(always)]
    unsafe fn push(&mut self, digit: usize, key: B, value: V) {
        // SAFETY: there are as many places and lines as digits, and as many elements in a line.
        unsafe {
            let next = self.places.get_unchecked_mut(digit);
            let place = *next;
            *next = place + 1;
            let in_line = (place + self.skew) % Self::LEN;
            self.keys.as_mut_ptr().add(digit).cast::<B>().add(in_line).write(key);
            self.values.as_mut_ptr().add(digit * Self::LEN + in_line).write(MaybeUninit::new(value));
            if in_line == Self::LEN - 1 {
                self.flush(digit, place + 1);
            }
        }
    }

    fn finish(self) {
        for digit in 0..DIGITS {
            let end = self.places[digit];
            if end > self.begins[digit] && !(end + self.skew).is_multiple_of(Self::LEN) {
                // SAFETY: these keys have been pushed.
                unsafe { self.flush(digit, end) };
            }
        }
        store::fence();
    }
}

/// Copies a line, past the cache where that is asked for and the output's line is one of the processor's.
///
/// # Safety
/// Both are valid for `len` elements and apart. Until [`store::fence`] nobody reads what is written.
#[inline(always)]
unsafe fn store_line<T: Copy>(to: *mut T, from: *const T, len: usize, streams: bool) {
    #[cfg(target_arch = "x86_64")]
    if streams
        && size_of::<T>() > 0
        && (len * size_of::<T>()).is_multiple_of(LINE_BYTES)
        && to.addr().is_multiple_of(LINE_BYTES)
    {
        use std::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_stream_si128};
        for i in 0..len * size_of::<T>() / 16 {
            // SAFETY: SSE2 is part of the x86-64 baseline; the caller's elements have these bytes, the output's aligned.
            unsafe { _mm_stream_si128(to.cast::<__m128i>().add(i), _mm_loadu_si128(from.cast::<__m128i>().add(i))) };
        }
        return;
    }
    let _ = streams;
    // SAFETY: the caller's.
    unsafe { to.copy_from_nonoverlapping(from, len) };
}
