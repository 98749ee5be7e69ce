//! Memory fetched ahead from several pages at once.
//!
//! A processor that sees lines read one after the other fetches those that follow, but only to the end of their page, because it does not
//! know where the next one is. At each page it begins anew. Of several pages that are read side by side, some are always on their way. So
//! a loop that reads its block in order fetches the next window of the block meanwhile, a line of each of its pages in turn. Two threads that
//! only read took 0.65 to 0.7 of the time (Xeon, 2026-11-24).

use super::lanes::ROW_BYTES;

/// The bytes of a page, and the pages of a window. Of 4, 8 and 16, 8 were the fastest; the first-level cache holds such a window.
pub(crate) const PAGE: usize = 4 << 10;
pub(crate) const PAGES: usize = 8;
pub(crate) const WINDOW: usize = PAGES * PAGE;
/// The lines of a window.
const LINES: usize = WINDOW / ROW_BYTES;

/// Fetches a block ahead of a loop that goes along it, and the first window of another behind it. Neither need be valid.
pub(crate) struct Windows {
    /// The window that is fetched, its next line, and the block's bytes from the window on.
    window: *const u8,
    line: usize,
    bytes: usize,
    next: *const u8,
}

impl Windows {
    /// Of `bytes` bytes from `block` on, before the block at `next`. The first window is not fetched.
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

    /// To be called while the loop goes along so many lines, each time as many.
    #[inline(always)]
    pub(crate) fn fetch(&mut self, lines: usize) {
        for i in 0..lines {
            // Constants, where that is all the same.
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

/// Where a window's line begins that is fetched in this turn.
#[inline(always)]
fn place(turn: usize) -> usize {
    turn % PAGES * PAGE + turn / PAGES * ROW_BYTES
}

/// Where the line of a block begins that is fetched in this turn, window by window.
#[inline(always)]
pub(crate) fn place_in_block(turn: usize) -> usize {
    turn / LINES * WINDOW + place(turn % LINES)
}

/// Fetches `bytes` bytes from `start`, which need not be valid, into the second-level cache: in the first one they would be in the way of what
/// the loop does until it comes to them.
#[inline(always)]
pub(crate) fn fetch(start: *const u8, bytes: usize) {
    #[cfg(target_arch = "x86_64")]
    for at in (0..bytes).step_by(ROW_BYTES) {
        use std::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
        // SAFETY: a prefetch has no effect but on time, whatever the address; SSE is part of the x86-64 baseline.
        unsafe { _mm_prefetch::<_MM_HINT_T1>(start.wrapping_add(at).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (start, bytes);
}

/// Fetches a line, whose address need not be valid, into the first-level cache.
#[inline(always)]
pub(crate) fn fetch_near(line: *const u8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: as above.
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
