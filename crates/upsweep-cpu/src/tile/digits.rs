//! Scatter of keys and values by digit, through write-combining buffers.
//!
//! A scatter writes to more cache lines at once than a processor can combine. So each digit has a buffer of two lines
//! in a core's cache, which is written as a whole, past the cache if the output is large.

use super::store;
use std::mem::MaybeUninit;
use upsweep_core::key::KeyBits;

const LINE_BYTES: usize = 64;
/// Bytes of a digit's buffer. The branch for a full buffer is mispredicted, which costs as much as storing a line: so a
/// buffer has two lines.
const HELD_BYTES: usize = 2 * LINE_BYTES;

/// Memory of one cache line.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct Line([MaybeUninit<u8>; LINE_BYTES]);

/// Write-combining buffers of keys and values: one of each kind for each digit. If there are no values or keys are
/// smaller, a buffer has two cache lines of keys and the same number of values; otherwise two cache lines of values and
/// the same number of keys.
pub(crate) struct Lines<'a, B, V> {
    keys: Vec<Line>,
    values: Vec<Line>,
    keys_out: *mut B,
    values_out: *mut V,
    /// Output index of the next key of each digit.
    places: &'a mut [usize],
    /// Output index of the first key of each digit.
    begins: Vec<usize>,
    /// Number of elements from the boundary before output index 0 to index 0. Boundaries are as far apart as a buffer
    /// has elements, and begin at a cache line of the keys' output. A buffer holds the elements between two boundaries.
    skew: usize,
    streams: bool,
}

impl<'a, B: KeyBits, V: Copy> Lines<'a, B, V> {
    const LEN: usize = HELD_BYTES
        / if size_of::<V>() == 0 || size_of::<B>() < size_of::<V>() { size_of::<B>() } else { size_of::<V>() };

    /// Makes empty buffers for these outputs. `places` has the output index of the first key of each digit, and then
    /// always that of the next key. With `streams`, results are stored past the cache.
    pub(crate) fn new((keys_out, values_out): (*mut B, *mut V), places: &'a mut [usize], streams: bool) -> Self {
        let lines = |bytes: usize| vec![Line([MaybeUninit::uninit(); LINE_BYTES]); places.len() * bytes / LINE_BYTES];
        let (keys, values) = (lines(Self::LEN * size_of::<B>()), lines(Self::LEN * size_of::<V>()));
        let (begins, skew) = (places.to_vec(), keys_out.addr() / size_of::<B>() % Self::LEN);
        Self { keys, values, keys_out, values_out, places, begins, skew, streams }
    }

    /// Scatters the next keys, whose digits are `digits`, and their values.
    ///
    /// # Safety
    /// Each key has an output index of its own, which nobody else uses. Keys, values and digits are equally many.
    #[inline(always)]
    pub(crate) unsafe fn push(&mut self, digits: &[u16], keys: *const B, values: *const V) {
        let (places, skew) = (self.places.as_mut_ptr(), self.skew);
        let (key_lines, value_lines) = (self.keys.as_mut_ptr().cast::<B>(), self.values.as_mut_ptr().cast::<V>());
        for (i, &digit) in digits.iter().enumerate() {
            let digit = usize::from(digit);
            // SAFETY: `i` is below the number of keys and values. There is an output index and a buffer for each digit,
            // and `held` is below the length of a buffer.
            unsafe {
                let place = places.add(digit).read();
                places.add(digit).write(place + 1);
                let held = (place + skew) % Self::LEN;
                // A full buffer is flushed only when the next key arrives. By then its last key has reached the cache,
                // so wide loads need not wait for the narrow store.
                if held == 0 && place > *self.begins.get_unchecked(digit) {
                    self.flush(digit, place);
                }
                key_lines.add(digit * Self::LEN + held).write(keys.add(i).read());
                value_lines.add(digit * Self::LEN + held).write(values.add(i).read());
            }
        }
    }

    /// Flushes all buffers.
    pub(crate) fn finish(self) {
        for (digit, (&end, &begin)) in self.places.iter().zip(&self.begins).enumerate() {
            if end > begin {
                // SAFETY: keys of this digit have been pushed, so its buffer holds the last of them.
                unsafe { self.flush(digit, end) };
            }
        }
        store::fence();
    }

    /// Stores the buffered keys and values of a digit, up to output index `end`.
    ///
    /// # Safety
    /// The digit's buffer holds its keys and values before `end`, and their indices are in the output and nobody
    /// else's.
    #[inline(always)]
    unsafe fn flush(&self, digit: usize, end: usize) {
        // SAFETY: `begins` has an entry for each digit.
        let first = unsafe { *self.begins.get_unchecked(digit) };
        let held_from = (end - 1 + self.skew) / Self::LEN * Self::LEN;
        let begin = held_from.saturating_sub(self.skew).max(first);
        let (held, len) = (begin + self.skew - held_from, end - begin);
        // SAFETY: the buffer holds `len` elements from `held` on, and their indices are in the output and nobody
        // else's.
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

/// Copies `bytes` bytes. With `streams`, whole aligned cache lines are stored past the cache.
///
/// # Safety
/// `from` and `to` are valid for `bytes` bytes and disjoint. Nobody reads the copy before [`store::fence`].
#[inline(always)]
pub(crate) unsafe fn store_lines(to: *mut u8, from: *const u8, bytes: usize, streams: bool) {
    #[cfg(target_arch = "x86_64")]
    if streams && bytes.is_multiple_of(LINE_BYTES) && to.addr().is_multiple_of(LINE_BYTES) {
        use std::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_stream_si128};
        for i in 0..bytes / 16 {
            // SAFETY: SSE2 is part of the x86-64 baseline. `from` and `to` have `bytes` bytes, and `to` is aligned.
            unsafe { _mm_stream_si128(to.cast::<__m128i>().add(i), _mm_loadu_si128(from.cast::<__m128i>().add(i))) };
        }
        return;
    }
    let _ = streams;
    // SAFETY: `from` and `to` are valid for `bytes` bytes and disjoint.
    unsafe { to.cast::<MaybeUninit<u8>>().copy_from_nonoverlapping(from.cast(), bytes) };
}
