//! Stores that go around the cache, and loads ahead of their use.
//!
//! A plain store to memory that is not in the cache first reads the line: a scan of a large array then moves three
//! bytes a byte of input instead of two. A non-temporal store writes whole lines without reading them.

/// Whether [`around_cache`] does what it says on this processor.
pub(super) const AROUND_CACHE: bool = cfg!(target_arch = "x86_64");

/// Copies `bytes` bytes from `from` to `to` with stores that do not read the line first. Neighbouring calls that
/// together fill a line should follow each other soon. The bytes may be uninitialised.
///
/// The stores are ordered before later ones only by [`fence`].
///
/// # Safety
/// `from` is valid for reads and `to` for writes of `bytes` bytes, they do not overlap, and nothing reads what `to`
/// points to before this thread has called [`fence`].
#[cfg(target_arch = "x86_64")]
pub(super) unsafe fn around_cache(from: *const u8, to: *mut u8, bytes: usize) {
    use std::arch::asm;
    use std::arch::x86_64::__m128i;
    use std::mem::MaybeUninit;
    const WIDTH: usize = size_of::<__m128i>();

    let head = to.align_offset(WIDTH).min(bytes);
    // SAFETY: `head` is at most `bytes`, for which both are valid; they do not overlap.
    unsafe { from.cast::<MaybeUninit<u8>>().copy_to_nonoverlapping(to.cast(), head) };
    let chunks = (bytes - head) / WIDTH;
    for i in 0..chunks {
        let at = head + i * WIDTH;
        // SAFETY: `at + WIDTH` is at most `bytes`; padding may be uninitialised, which `MaybeUninit` allows; the
        // address is a multiple of `WIDTH` as the instruction demands; SSE2 is part of the x86-64 baseline.
        unsafe {
            let value = from.add(at).cast::<MaybeUninit<__m128i>>().read_unaligned();
            asm!("movntdq [{to}], {value}", to = in(reg) to.add(at), value = in(xmm_reg) value,
                options(nostack, preserves_flags));
        }
    }
    let done = head + chunks * WIDTH;
    // SAFETY: `done` is at most `bytes`, for which both are valid; they do not overlap.
    unsafe { from.add(done).cast::<MaybeUninit<u8>>().copy_to_nonoverlapping(to.add(done).cast(), bytes - done) };
}

/// See the x86-64 version: elsewhere this is a plain copy.
///
/// # Safety
/// `from` is valid for reads and `to` for writes of `bytes` bytes, and they do not overlap.
#[cfg(not(target_arch = "x86_64"))]
pub(super) unsafe fn around_cache(from: *const u8, to: *mut u8, bytes: usize) {
    use std::mem::MaybeUninit;
    // SAFETY: the caller's promise.
    unsafe { from.cast::<MaybeUninit<u8>>().copy_to_nonoverlapping(to.cast(), bytes) };
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

/// Asks for the cache line at `address`, which need not be valid.
#[inline(always)]
pub(super) fn prefetch(address: *const u8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch has no effect but on time, whatever the address; SSE is part of the x86-64 baseline.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T1>(address.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}
