//! Software prefetch from several pages at once.
//!
//! The hardware prefetcher follows sequential reads only to the end of their page, as it does not know the physical
//! address of the next one. At each page it begins anew. If several pages are read in turns, some prefetches are always
//! in flight. So a loop that reads its block in order prefetches the next window of the block meanwhile, a line of each
//! of its pages in turn. Two threads that only read took 0.65 to 0.7 of the time (Xeon, 2026-11-24).

use super::lanes::ROW_BYTES;

/// Bytes of a page.
pub(crate) const PAGE: usize = 4 << 10;
/// Number of pages of a window, the memory that is prefetched a line of each page in turn. Of 4, 8 and 16, 8 were the
/// fastest. A window fits in the first-level cache.
pub(crate) const PAGES: usize = 8;
/// Bytes of a window.
pub(crate) const WINDOW: usize = PAGES * PAGE;
/// Number of cache lines of a window.
const LINES: usize = WINDOW / ROW_BYTES;

/// Prefetcher of a block, ahead of a loop that reads it in order, and then of the first window of the next block.
/// Neither address need be valid.
pub(crate) struct Windows {
    /// Start of the window that is being prefetched.
    window: *const u8,
    /// Number of lines of the window that are prefetched already.
    line: usize,
    /// Number of bytes from the start of the window to the end of the block.
    bytes: usize,
    next: *const u8,
}

impl Windows {
    /// Makes a prefetcher of `bytes` bytes from `block` on, and then of the block at `next`. The first window is not
    /// prefetched.
    #[inline(always)]
    pub(crate) fn new(block: *const u8, bytes: usize, next: *const u8) -> Self {
        let mut windows = Self { window: block, line: 0, bytes, next };
        windows.go_on();
        windows
    }

    #[inline(always)]
    fn go_on(&mut self) {
        self.bytes = self.bytes.saturating_sub(WINDOW);
        self.window = if self.bytes > 0 { self.window.wrapping_add(WINDOW) } else { self.next };
    }

    /// Prefetches the next `lines` cache lines. Called once for every `lines` lines that the loop reads, always with
    /// the same number.
    #[inline(always)]
    pub(crate) fn fetch(&mut self, lines: usize) {
        for i in 0..lines {
            // If `lines` divides the number of pages, the offsets between the lines are constants.
            let in_row = PAGES.is_multiple_of(lines);
            let place = if in_row { place(self.line) + i * PAGE } else { place(self.line + i) };
            fetch(self.window.wrapping_add(place), ROW_BYTES);
        }
        self.line += lines;
        if self.line >= LINES {
            self.line = 0;
            self.go_on();
        }
    }
}

/// Returns the offset in bytes, from the start of its window, of the line that is prefetched as number `turn`, counted
/// from 0.
#[inline(always)]
fn place(turn: usize) -> usize {
    turn % PAGES * PAGE + turn / PAGES * ROW_BYTES
}

/// Returns the offset in bytes, from the start of its block, of the line that is prefetched as number `turn`, counted
/// from 0, window by window.
#[inline(always)]
pub(crate) fn place_in_block(turn: usize) -> usize {
    turn / LINES * WINDOW + place(turn % LINES)
}

/// Prefetches `bytes` bytes from `start`, which need not be valid, into the second-level cache. In the first-level
/// cache they would evict data that the loop needs before it comes to them.
#[inline(always)]
pub(crate) fn fetch(start: *const u8, bytes: usize) {
    #[cfg(target_arch = "x86_64")]
    for at in (0..bytes).step_by(ROW_BYTES) {
        use std::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
        // SAFETY: a prefetch has no effect but on time, whatever the address. SSE is part of the x86-64 baseline.
        unsafe { _mm_prefetch::<_MM_HINT_T1>(start.wrapping_add(at).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (start, bytes);
}

/// Prefetches a line, whose address need not be valid, into the first-level cache.
#[inline(always)]
pub(crate) fn fetch_near(line: *const u8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch has no effect but on time, whatever the address. SSE is part of the x86-64 baseline.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(line.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = line;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_of_a_window_is_fetched_once() {
        let mut fetched: Vec<_> = (0..LINES).map(place).collect();
        assert_eq!(fetched[..2], [0, PAGE]);
        fetched.sort_unstable();
        assert_eq!(fetched, (0..LINES).map(|line| line * ROW_BYTES).collect::<Vec<_>>());
    }

    #[test]
    fn the_windows_of_a_block_come_before_the_next_block() {
        let memory = [0u8; 4 * WINDOW];
        let at = |windows: &Windows| windows.window.addr() - memory.as_ptr().addr();
        let mut windows = Windows::new(memory.as_ptr(), 2 * WINDOW + 1, memory[3 * WINDOW..].as_ptr());
        for expected in [WINDOW, 2 * WINDOW, 3 * WINDOW] {
            assert_eq!(at(&windows), expected);
            (0..LINES / 4).for_each(|_| windows.fetch(4));
        }
        assert_eq!(at(&Windows::new(memory.as_ptr(), WINDOW, memory[7..].as_ptr())), 7);
    }
}
