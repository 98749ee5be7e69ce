//! Keys and values moved to where their digit goes.
//!
//! More places of the output are written in turns than a processor keeps open. So each digit has a line in a core's cache, which goes
//! out as a whole, past the cache where the output is large.

use super::store;
use crate::key::KeyBits;
use std::mem::MaybeUninit;

const LINE_BYTES: usize = 64;

/// A line of the processor's.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(in crate::cpu) struct Line([MaybeUninit<u8>; LINE_BYTES]);

/// Keys and values on their way: as many keys of each digit as have 64 bytes, and their values.
pub(in crate::cpu) struct Lines<'a, B, V> {
    keys: Vec<Line>,
    values: Vec<MaybeUninit<V>>,
    keys_out: *mut B,
    values_out: *mut V,
    /// Where the next key of a digit goes.
    places: &'a mut [usize],
    /// Where the first key of a digit went.
    begins: Vec<usize>,
    /// Of the output's first place in its line.
    skew: usize,
    streams: bool,
}

impl<'a, B: KeyBits, V: Copy> Lines<'a, B, V> {
    const LEN: usize = LINE_BYTES / size_of::<B>();

    /// To the outputs, of which each digit has the places from `places` on. With `streams`, past the cache.
    pub(in crate::cpu) fn new(
        (keys_out, values_out): (*mut B, *mut V),
        places: &'a mut [usize],
        streams: bool,
    ) -> Self {
        let keys = vec![Line([MaybeUninit::uninit(); LINE_BYTES]); places.len()];
        let values = vec![MaybeUninit::uninit(); places.len() * Self::LEN];
        let (begins, skew) = (places.to_vec(), keys_out.addr() / size_of::<B>() % Self::LEN);
        Self { keys, values, keys_out, values_out, places, begins, skew, streams }
    }

    /// Takes the next key with this digit, and its value.
    ///
    /// # Safety
    /// There is a place for the digit; it is in the output and nobody else's.
    #[inline(always)]
    pub(in crate::cpu) unsafe fn push(&mut self, digit: usize, key: B, value: V) {
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

    /// Stores what is still held.
    pub(in crate::cpu) fn finish(self) {
        for (digit, (&end, &begin)) in self.places.iter().zip(&self.begins).enumerate() {
            if end > begin && !(end + self.skew).is_multiple_of(Self::LEN) {
                // SAFETY: these keys have been pushed.
                unsafe { self.flush(digit, end) };
            }
        }
        store::fence();
    }

    /// Stores what the line of a digit holds, up to place `end`.
    ///
    /// # Safety
    /// The line holds these places' keys and values, and the places are in the output and nobody else's.
    #[inline(always)]
    unsafe fn flush(&self, digit: usize, end: usize) {
        // SAFETY: there are as many beginnings as digits.
        let first = unsafe { *self.begins.get_unchecked(digit) };
        let line_begin = (end - 1 + self.skew) / Self::LEN * Self::LEN;
        let begin = line_begin.saturating_sub(self.skew).max(first);
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
