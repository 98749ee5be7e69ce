//! Keys and values moved to where their digit goes.
//!
//! More places of the output are written in turns than a processor keeps open. So each digit has two lines in a core's cache, which go
//! out as a whole, past the cache where the output is large.

use super::store;
use std::mem::MaybeUninit;
use upsweep_core::key::KeyBits;

const LINE_BYTES: usize = 64;
/// That a digit's lines are full comes as a surprise to the processor, which costs as much as storing them: so they are two.
const HELD_BYTES: usize = 2 * LINE_BYTES;

/// A line of the processor's.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct Line([MaybeUninit<u8>; LINE_BYTES]);

/// Keys and values on their way: of each digit as many as have two lines' bytes, and where keys and values differ in size, as many of
/// which the smaller have.
pub(crate) struct Lines<'a, B, V> {
    keys: Vec<Line>,
    values: Vec<Line>,
    keys_out: *mut B,
    values_out: *mut V,
    /// Where the next key of a digit goes.
    places: &'a mut [usize],
    /// Where the first key of a digit went.
    begins: Vec<usize>,
    /// Of the output's first place in its lines.
    skew: usize,
    streams: bool,
}

impl<'a, B: KeyBits, V: Copy> Lines<'a, B, V> {
    const LEN: usize = HELD_BYTES
        / if size_of::<V>() == 0 || size_of::<B>() < size_of::<V>() { size_of::<B>() } else { size_of::<V>() };

    /// To the outputs, of which each digit has the places from `places` on. With `streams`, past the cache.
    pub(crate) fn new((keys_out, values_out): (*mut B, *mut V), places: &'a mut [usize], streams: bool) -> Self {
        let lines = |bytes: usize| vec![Line([MaybeUninit::uninit(); LINE_BYTES]); places.len() * bytes / LINE_BYTES];
        let (keys, values) = (lines(Self::LEN * size_of::<B>()), lines(Self::LEN * size_of::<V>()));
        let (begins, skew) = (places.to_vec(), keys_out.addr() / size_of::<B>() % Self::LEN);
        Self { keys, values, keys_out, values_out, places, begins, skew, streams }
    }

    /// Takes the next keys, with these digits, and their values.
    ///
    /// # Safety
    /// There is a place for each; it is in the output and nobody else's. There are as many keys and values as digits.
    #[inline(always)]
    pub(crate) unsafe fn push(&mut self, digits: &[u16], keys: *const B, values: *const V) {
        let (places, skew) = (self.places.as_mut_ptr(), self.skew);
        let (key_lines, value_lines) = (self.keys.as_mut_ptr().cast::<B>(), self.values.as_mut_ptr().cast::<V>());
        for (i, &digit) in digits.iter().enumerate() {
            let digit = usize::from(digit);
            // SAFETY: the caller's; there are as many places and lines as digits, and as many elements in a digit's lines.
            unsafe {
                let place = places.add(digit).read();
                places.add(digit).write(place + 1);
                let held = (place + skew) % Self::LEN;
                // Lines go out when the next ones begin: their last key has reached the cache by then, from where wide loads have it.
                if held == 0 && place > *self.begins.get_unchecked(digit) {
                    self.flush(digit, place);
                }
                key_lines.add(digit * Self::LEN + held).write(keys.add(i).read());
                value_lines.add(digit * Self::LEN + held).write(values.add(i).read());
            }
        }
    }

    /// Stores what is still held.
    pub(crate) fn finish(self) {
        for (digit, (&end, &begin)) in self.places.iter().zip(&self.begins).enumerate() {
            if end > begin {
                // SAFETY: these keys have been pushed.
                unsafe { self.flush(digit, end) };
            }
        }
        store::fence();
    }

    /// Stores what the lines of a digit hold, up to place `end`.
    ///
    /// # Safety
    /// The lines hold these places' keys and values, and the places are in the output and nobody else's.
    #[inline(always)]
    unsafe fn flush(&self, digit: usize, end: usize) {
        // SAFETY: there are as many beginnings as digits.
        let first = unsafe { *self.begins.get_unchecked(digit) };
        let held_from = (end - 1 + self.skew) / Self::LEN * Self::LEN;
        let begin = held_from.saturating_sub(self.skew).max(first);
        let (held, len) = (begin + self.skew - held_from, end - begin);
        // SAFETY: the caller's.
        unsafe {
            let keys = self.keys.as_ptr().cast::<B>().add(digit * Self::LEN);
            let values = self.values.as_ptr().cast::<V>().add(digit * Self::LEN);
            if len == Self::LEN {
                let bytes = (Self::LEN * size_of::<B>(), Self::LEN * size_of::<V>());
                store_lines(self.keys_out.add(begin).cast(), keys.cast(), bytes.0, self.streams);
                store_lines(self.values_out.add(begin).cast(), values.cast(), bytes.1, self.streams);
            } else {
                self.keys_out.add(begin).copy_from_nonoverlapping(keys.add(held), len);
                self.values_out.add(begin).copy_from_nonoverlapping(values.add(held), len);
            }
        }
    }
}

/// Copies bytes, past the cache where that is asked for and they are whole lines of the processor's.
///
/// # Safety
/// Both are valid for so many bytes and apart. Until [`store::fence`] nobody reads what is written.
#[inline(always)]
pub(crate) unsafe fn store_lines(to: *mut u8, from: *const u8, bytes: usize, streams: bool) {
    #[cfg(target_arch = "x86_64")]
    if streams && bytes.is_multiple_of(LINE_BYTES) && to.addr().is_multiple_of(LINE_BYTES) {
        use std::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_stream_si128};
        for i in 0..bytes / 16 {
            // SAFETY: SSE2 is part of the x86-64 baseline; the caller's memory has these bytes, the output's aligned.
            unsafe { _mm_stream_si128(to.cast::<__m128i>().add(i), _mm_loadu_si128(from.cast::<__m128i>().add(i))) };
        }
        return;
    }
    let _ = streams;
    // SAFETY: the caller's.
    unsafe { to.cast::<MaybeUninit<u8>>().copy_from_nonoverlapping(from.cast(), bytes) };
}
