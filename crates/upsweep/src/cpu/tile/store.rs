//! Stores that go past the cache, and loads ahead of their use.
//!
//! A plain store to memory that is not in the cache first reads the line: a scan of a large array then moves three
//! bytes a byte of input instead of two. A non-temporal store writes whole lines without reading them. While the stores
//! go out, the memory can deliver as much: so lines that will be read later are fetched between them, as `memcpy` does.

use super::lanes::{Lanes, ROW_BYTES, Work};
use super::run::Memory;
use super::simd::Set;
use crate::inputs::Read;
use crate::outputs::Write;
use std::marker::PhantomData;
use std::mem::MaybeUninit;

/// Memory to fetch meanwhile, which need not be valid.
#[derive(Clone, Copy)]
pub(in crate::cpu) struct Ahead {
    start: *const u8,
    bytes: usize,
}

impl Ahead {
    pub(in crate::cpu) const NOTHING: Self = Self { start: std::ptr::null(), bytes: 0 };

    /// So many bytes from `start` on.
    #[inline(always)]
    pub(in crate::cpu) fn of(start: *const u8, bytes: usize) -> Self {
        Self { start, bytes }
    }

    /// What lies `distance` elements from the `len` elements of the input from `first` on; nothing if that is 0.
    #[inline(always)]
    pub(in crate::cpu) fn of_tile<I: Read, O: Write>(
        memory: &Memory<I, O>,
        first: usize,
        len: usize,
        distance: isize,
    ) -> Self {
        let (start, size) = I::address(&memory.input, first.wrapping_add_signed(distance));
        Self { start, bytes: if distance == 0 { 0 } else { len * size } }
    }
}

/// A copy in parts, with stores that do not read the line first. The bytes may be uninitialised.
///
/// The stores are ordered before later ones only by [`fence`].
pub(in crate::cpu) struct StreamingCopy<L> {
    from: *const u8,
    to: *mut u8,
    bytes: usize,
    /// The bytes before the first whole line.
    head: usize,
    /// The whole lines, and how many of them are copied.
    lines: usize,
    copied: usize,
    /// Where to fetch with the next line, and how much with each.
    ahead: Ahead,
    lanes: PhantomData<L>,
}

impl<L: Lanes> StreamingCopy<L> {
    /// A copy of `bytes` bytes from `from` to `to`, in the course of which `ahead` is fetched.
    ///
    /// # Safety
    /// Until [`finish`](StreamingCopy::finish), `from` is valid for reads and `to` for writes of `bytes` bytes, they do not
    /// overlap, and nothing reads what `to` points to before this thread has called [`fence`]. The processor has the
    /// instructions of `L`.
    #[inline(always)]
    pub(in crate::cpu) unsafe fn new(from: *const u8, to: *mut u8, bytes: usize, ahead: Ahead) -> Self {
        let head = to.align_offset(ROW_BYTES).min(bytes);
        let lines = (bytes - head) / ROW_BYTES;
        let ahead = Ahead { bytes: ahead.bytes / lines.max(1), ..ahead };
        Self { from, to, bytes, head, lines, copied: 0, ahead, lanes: PhantomData }
    }

    /// Copies the whole lines among the first `bytes` bytes, or the last if `backward`, unless they have been copied.
    #[inline(always)]
    pub(in crate::cpu) fn copy(&mut self, bytes: usize, backward: bool) {
        let ready = if backward {
            // A part of the last line is after the whole lines.
            let after = self.bytes - self.head - self.lines * ROW_BYTES;
            bytes.saturating_sub(after)
        } else {
            bytes.saturating_sub(self.head)
        };
        while self.copied < self.lines && (self.copied + 1) * ROW_BYTES <= ready {
            fetch(self.ahead.start, self.ahead.bytes);
            self.ahead.start = self.ahead.start.wrapping_add(self.ahead.bytes);
            let line = if backward { self.lines - 1 - self.copied } else { self.copied };
            let at = self.head + line * ROW_BYTES;
            // SAFETY: the line is in both (see `new`), and the output's is aligned.
            unsafe { L::stream(self.from.add(at), self.to.add(at)) };
            self.copied += 1;
        }
    }

    /// Copies what is left.
    #[inline(always)]
    pub(in crate::cpu) fn finish(mut self, backward: bool) {
        self.copy(self.bytes, backward);
        // Lines that are stored in two halves would be read and written twice if they went past the cache.
        let tail = self.head + self.lines * ROW_BYTES;
        for (start, end) in [(0, self.head), (tail, self.bytes)] {
            // SAFETY: the part is in both: see `new`.
            unsafe {
                let from = self.from.add(start).cast::<MaybeUninit<u8>>();
                from.copy_to_nonoverlapping(self.to.add(start).cast(), end - start);
            }
        }
    }
}

/// Copies `number` values, with stores past the cache where these are `streamed`.
///
/// # Safety
/// `from` is valid for reads and `to` for writes of as many, they do not overlap, and where stores are streamed nothing reads what `to`
/// points to before this thread has called [`fence`].
pub(in crate::cpu) unsafe fn copy<T>(set: Set, from: *const T, to: *mut T, number: usize, streamed: bool) {
    // SAFETY: the caller's promise; the processor has the instructions of a `Set`.
    unsafe {
        if streamed {
            set.compiled::<Streamed>()(Streamed { from: from.cast(), to: to.cast(), bytes: number * size_of::<T>() });
        } else {
            from.copy_to_nonoverlapping(to, number);
        }
    }
}

/// The kernel of [`copy`].
struct Streamed {
    from: *const u8,
    to: *mut u8,
    bytes: usize,
}

impl Work for Streamed {
    type Result = ();

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) {
        let Self { from, to, bytes } = self;
        // SAFETY: the caller's promise.
        unsafe { StreamingCopy::<L>::new(from, to, bytes, Ahead::NOTHING) }.finish(false);
    }
}

/// Fetches `bytes` bytes from `start`, which need not be valid.
#[inline(always)]
pub(in crate::cpu) fn fetch(start: *const u8, bytes: usize) {
    #[cfg(target_arch = "x86_64")]
    for at in (0..bytes).step_by(ROW_BYTES) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch has no effect but on time, whatever the address; SSE is part of the x86-64 baseline.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(start.wrapping_add(at).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (start, bytes);
}

/// Orders the stores of [`StreamingCopy`] before all later stores of this thread.
#[inline]
pub(in crate::cpu) fn fence() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: SSE is part of the x86-64 baseline.
    unsafe {
        std::arch::x86_64::_mm_sfence();
    }
}
