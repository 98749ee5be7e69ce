//! Memory in large pages.

/// Bytes from which it is worth it.
#[cfg(target_os = "linux")]
const FROM_BYTES: usize = 4 << 20;

/// Asks the system for large pages where memory is that has been reserved and not been written. Whoever first writes to a page waits until
/// it is there: with small ones that is a fifth of the time of a sort.
#[cfg(target_os = "linux")]
pub(super) fn prefer_large(start: *mut u8, bytes: usize) {
    const PAGE: usize = 4096;
    /// `MADV_HUGEPAGE`.
    const LARGE_PAGES: i32 = 14;
    // In the C library that std links.
    unsafe extern "C" {
        fn madvise(start: *mut u8, bytes: usize, advice: i32) -> i32;
    }
    let begin = start.align_offset(PAGE);
    if bytes < FROM_BYTES.max(begin) {
        return;
    }
    // SAFETY: the pages are memory of the caller's, whose contents this advice leaves as they are. Where it is refused, nothing
    // changes.
    unsafe { madvise(start.add(begin), bytes - begin, LARGE_PAGES) };
}

#[cfg(not(target_os = "linux"))]
pub(super) fn prefer_large(_: *mut u8, _: usize) {}
