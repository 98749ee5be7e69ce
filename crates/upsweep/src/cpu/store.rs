//! Stores that go around the cache, and loads ahead of their use.
//!
//! A plain store to memory that is not in the cache first reads the line: a scan of a large array then moves three
//! bytes a byte of input instead of two. A non-temporal store writes whole lines without reading them. While the stores
//! go out, the memory can deliver as much: so lines that will be read later are fetched between them, as `memcpy` does.

#[cfg(target_arch = "x86_64")]
use std::arch::{asm, x86_64::__m128i};
use std::mem::MaybeUninit;

/// Whether [`around_cache`] does what it says on this processor.
pub(super) const AROUND_CACHE: bool = cfg!(target_arch = "x86_64");

/// The bytes of a cache line.
const LINE: usize = 64;

/// Memory to fetch meanwhile, which need not be valid.
#[derive(Clone, Copy)]
pub(super) struct Ahead {
    pub(super) start: *const u8,
    pub(super) bytes: usize,
}

/// Copies `bytes` bytes from `from` to `to` with stores that do not read the line first. Neighbouring calls that
/// together fill a line should follow each other soon. The bytes may be uninitialised.
///
/// The stores are ordered before later ones only by [`fence`].
///
/// # Safety
/// `from` is valid for reads and `to` for writes of `bytes` bytes, they do not overlap, and nothing reads what `to`
/// points to before this thread has called [`fence`].
#[cfg(target_arch = "x86_64")]
pub(super) unsafe fn around_cache(from: *const u8, to: *mut u8, bytes: usize, ahead: Ahead) {
    // SAFETY: the caller's promise; the parts follow each other and end at `bytes`. The processor has AVX-512 where it
    // is used; SSE2 is part of the x86-64 baseline.
    unsafe {
        let narrow = to.align_offset(WIDTH).min(bytes);
        plain(from, to, narrow);
        let lines_at = to.align_offset(LINE).min(bytes - (bytes - narrow) % WIDTH);
        stream(from, to, narrow..lines_at);
        let lines = (bytes - lines_at) / LINE;
        let (line_from, line_to) = (from.add(lines_at), to.add(lines_at));
        if is_x86_feature_detected!("avx512f") {
            lines_avx512(line_from, line_to, lines, ahead);
        } else {
            lines_sse2(line_from, line_to, lines, ahead);
        }
        let rest = lines_at + lines * LINE;
        let end = bytes - (bytes - rest) % WIDTH;
        stream(from, to, rest..end);
        plain(from.add(end), to.add(end), bytes - end);
    }
}

/// The bytes of the narrowest store around the cache.
#[cfg(target_arch = "x86_64")]
const WIDTH: usize = size_of::<__m128i>();

/// # Safety
/// As [`around_cache`], but for the fence.
unsafe fn plain(from: *const u8, to: *mut u8, bytes: usize) {
    // SAFETY: the caller's promise.
    unsafe { from.cast::<MaybeUninit<u8>>().copy_to_nonoverlapping(to.cast(), bytes) };
}

/// Copies the bytes of `range`, whose length is a multiple of [`WIDTH`], to where `to` is aligned to it.
///
/// # Safety
/// As [`around_cache`] for the range.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn stream(from: *const u8, to: *mut u8, range: std::ops::Range<usize>) {
    for at in range.step_by(WIDTH) {
        // SAFETY: the range is valid in both; padding may be uninitialised, which `MaybeUninit` allows; the address is
        // aligned as the instruction demands.
        unsafe {
            let value = from.add(at).cast::<MaybeUninit<__m128i>>().read_unaligned();
            asm!("movntdq [{to}], {value}", to = in(reg) to.add(at), value = in(xmm_reg) value,
                options(nostack, preserves_flags));
        }
    }
}

/// # Safety
/// As [`around_cache`], for `lines` lines; `to` is aligned to a line.
#[cfg(target_arch = "x86_64")]
unsafe fn lines_sse2(from: *const u8, to: *mut u8, lines: usize, ahead: Ahead) {
    for line in 0..lines {
        fetch_part(ahead, line, lines);
        // SAFETY: the line is among `lines`.
        unsafe { stream(from, to, line * LINE..(line + 1) * LINE) };
    }
}

/// # Safety
/// As [`lines_sse2`].
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
unsafe fn lines_avx512(from: *const u8, to: *mut u8, lines: usize, ahead: Ahead) {
    use std::arch::x86_64::__m512i;
    for line in 0..lines {
        fetch_part(ahead, line, lines);
        // SAFETY: the line is among `lines`; the rest as in `stream`.
        unsafe {
            let value = from.add(line * LINE).cast::<MaybeUninit<__m512i>>().read_unaligned();
            asm!("vmovntdq [{to}], {value}", to = in(reg) to.add(line * LINE), value = in(zmm_reg) value,
                options(nostack, preserves_flags));
        }
    }
}

/// Fetches part `part` of `parts`.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn fetch_part(ahead: Ahead, part: usize, parts: usize) {
    let bytes = ahead.bytes / parts;
    fetch(ahead.start.wrapping_add(part * bytes), bytes);
}

/// Fetches `bytes` bytes from `start`, which need not be valid.
#[inline(always)]
pub(super) fn fetch(start: *const u8, bytes: usize) {
    #[cfg(target_arch = "x86_64")]
    for at in (0..bytes).step_by(LINE) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch has no effect but on time, whatever the address; SSE is part of the x86-64 baseline.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(start.wrapping_add(at).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (start, bytes);
}

/// See the x86-64 version: elsewhere this is a plain copy.
///
/// # Safety
/// `from` is valid for reads and `to` for writes of `bytes` bytes, and they do not overlap.
#[cfg(not(target_arch = "x86_64"))]
pub(super) unsafe fn around_cache(from: *const u8, to: *mut u8, bytes: usize, _: Ahead) {
    // SAFETY: the caller's promise.
    unsafe { plain(from, to, bytes) };
}

/// Orders the stores of [`around_cache`] before all later stores of this thread.
#[inline]
pub(super) fn fence() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: SSE is part of the x86-64 baseline.
    unsafe {
        std::arch::x86_64::_mm_sfence();
    }
}
