//! Non-temporal stores, and software prefetch between them.
//!
//! A plain store to memory that is not in the cache first reads the line: a scan of a large array then moves three
//! bytes a byte of input instead of two. A non-temporal store writes whole lines without reading them. While the stores
//! drain, memory can also serve reads: so lines that will be read later are prefetched between the stores, as `memcpy`
//! does.

use super::lanes::{Lanes, ROW_BYTES, Work};
use super::run::{Memory, Run, Storing};
use super::simd::Set;
use super::windows::{PAGE, PAGES, WINDOW, fetch, fetch_near, place_in_block};
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ops::Range;
use upsweep_core::inputs::Read;
use upsweep_core::outputs::Write;

/// Prefetcher of the memory at `block`, some bytes at a time between other work, and then perhaps of the memory at
/// `next`. Neither address need be valid.
#[derive(Clone, Copy)]
pub(crate) struct Ahead {
    block: *const u8,
    bytes: usize,
    /// Address of the memory that is prefetched after this block, or null.
    next: *const u8,
    order: Order,
    /// Number of bytes that are prefetched already.
    done: usize,
}

/// Order in which lines are prefetched.
#[derive(Clone, Copy)]
enum Order {
    /// Order of [`windows`](super::windows): a line of each of several pages in turn.
    Windows,
    /// Sequential order, for loops that do not read the block in order.
    Lines,
    /// A line of each of `PAGES` parts in turn. The parts begin at multiples of this stride in bytes.
    Parts(usize),
}

impl Ahead {
    pub(crate) const NOTHING: Self = Self::of(std::ptr::null(), 0, Order::Windows);

    /// Makes a prefetcher of `bytes` bytes from `block` on, line by line.
    #[inline(always)]
    pub(crate) const fn lines(block: *const u8, bytes: usize) -> Self {
        Self::of(block, bytes, Order::Lines)
    }

    #[inline(always)]
    const fn of(block: *const u8, bytes: usize, order: Order) -> Self {
        Self { block, bytes, next: std::ptr::null(), order, done: 0 }
    }

    /// Makes the prefetcher to use while `run` is scanned. `run` is a run of elements in the block `storing.block`. In
    /// the block that the thread scans next, it prefetches elements from the same offset on.
    #[inline(always)]
    pub(crate) fn of_scan<I: Read, O: Write, T>(memory: &Memory<I, O>, run: Run, storing: &Storing<T>) -> Self {
        let (block, size) = I::address(&memory.input, storing.next.first);
        let (done, stride) = ((run.start - storing.block) * size, storing.next.stride * size);
        let order = if stride > 0 { Order::Parts(stride) } else { Order::Windows };
        Self { done, ..Self::of(block, storing.next.len * size, order) }
    }

    /// Makes the prefetcher to use while `range` is reduced: of the range without its first window, and then of the
    /// block from `next` on in scan order, which this thread reduces next. It is `NOTHING` for several inputs, as it
    /// would prefetch only the first, and for reversed scans.
    #[inline(always)]
    pub(crate) fn of_reduction<I: Read, O: Write>(
        memory: &Memory<I, O>,
        range: Range<usize>,
        next: Option<usize>,
    ) -> Self {
        let (block, size) = I::address(&memory.input, range.start);
        if size != size_of::<I::Value>() || memory.reverse {
            return Self::NOTHING;
        }
        let next = next.map_or(std::ptr::null(), |next| I::address(&memory.input, next).0);
        let bytes = (range.len() * size).next_multiple_of(WINDOW);
        Self { next, done: WINDOW, ..Self::of(block, bytes, Order::Windows) }
    }

    #[inline(always)]
    pub(crate) fn is_nothing(&self) -> bool {
        self.bytes == 0
    }

    /// Prefetches the next `bytes` bytes.
    #[inline(always)]
    pub(crate) fn fetch(&mut self, bytes: usize) {
        if self.is_nothing() {
            return;
        }
        let (mut turn, end) = (self.done / ROW_BYTES, (self.done + bytes) / ROW_BYTES);
        self.done += bytes;
        let all = end.min(self.bytes / ROW_BYTES);
        match self.order {
            Order::Windows => {}
            Order::Lines => {
                (turn..all).for_each(|turn| fetch(self.block.wrapping_add(turn * ROW_BYTES), ROW_BYTES));
                return;
            }
            Order::Parts(stride) => {
                for turn in turn..all {
                    fetch_near(self.block.wrapping_add(turn % PAGES * stride + turn / PAGES * ROW_BYTES));
                }
                return;
            }
        }
        while turn < end {
            let place = place_in_block(turn);
            // A line of each page at once, if the turn begins with the first page.
            let pages = if turn.is_multiple_of(PAGES) && end - turn >= PAGES { PAGES } else { 1 };
            let block = if place + (pages - 1) * PAGE < self.bytes {
                self.block
            } else if self.next.is_null() {
                return;
            } else {
                self.next.wrapping_sub(self.bytes)
            };
            for page in 0..pages {
                fetch(block.wrapping_add(place + page * PAGE), ROW_BYTES);
            }
            turn += pages;
        }
    }
}

/// Copy in parts, with non-temporal stores. The bytes may be uninitialised.
///
/// The stores are ordered before later ones only by [`fence`].
pub(crate) struct StreamingCopy<L> {
    from: *const u8,
    to: *mut u8,
    bytes: usize,
    /// Bytes before the first whole cache line of the output.
    head: usize,
    /// Number of whole cache lines of the output.
    lines: usize,
    /// Number of whole lines that are copied already.
    copied: usize,
    lanes: PhantomData<L>,
}

impl<L: Lanes> StreamingCopy<L> {
    /// Prepares a copy of `bytes` bytes from `from` to `to`.
    ///
    /// # Safety
    /// Until [`finish`](StreamingCopy::finish), `from` is valid for reads and `to` for writes of `bytes` bytes, they do not
    /// overlap, and nothing reads what `to` points to before this thread has called [`fence`]. The processor has the
    /// instructions of `L`.
    #[inline(always)]
    pub(crate) unsafe fn new(from: *const u8, to: *mut u8, bytes: usize) -> Self {
        let head = to.align_offset(ROW_BYTES).min(bytes);
        let lines = (bytes - head) / ROW_BYTES;
        Self { from, to, bytes, head, lines, copied: 0, lanes: PhantomData }
    }

    /// Copies the whole lines among the first `bytes` bytes, or the last if `backward`, that have not been copied yet.
    #[inline(always)]
    pub(crate) fn copy(&mut self, bytes: usize, backward: bool) {
        let ready = if backward {
            // Bytes after the last whole line.
            let after = self.bytes - self.head - self.lines * ROW_BYTES;
            bytes.saturating_sub(after)
        } else {
            bytes.saturating_sub(self.head)
        };
        let ready = (ready / ROW_BYTES).min(self.lines);
        for copied in self.copied..ready {
            let line = if backward { self.lines - 1 - copied } else { copied };
            let at = self.head + line * ROW_BYTES;
            // SAFETY: the line is in both memories (see `new`), and aligned in the output.
            unsafe { L::stream(self.from.add(at), self.to.add(at)) };
        }
        self.copied = self.copied.max(ready);
    }

    /// Copies the remaining bytes.
    #[inline(always)]
    pub(crate) fn finish(mut self, backward: bool) {
        self.copy(self.bytes, backward);
        // Partial lines are stored through the cache. Non-temporal stores of the two parts of a line would read and
        // write it twice.
        let tail = self.head + self.lines * ROW_BYTES;
        for (start, end) in [(0, self.head), (tail, self.bytes)] {
            // SAFETY: the part is in both memories, by the conditions of `new`.
            unsafe {
                let from = self.from.add(start).cast::<MaybeUninit<u8>>();
                from.copy_to_nonoverlapping(self.to.add(start).cast(), end - start);
            }
        }
    }
}

/// Copies `number` values, with non-temporal stores if `streamed`.
///
/// # Safety
/// `from` is valid for reads and `to` for writes of `number` values, and they do not overlap. If `streamed`, nothing
/// reads `to` before this thread has called [`fence`].
pub(crate) unsafe fn copy<T>(set: Set, from: *const T, to: *mut T, number: usize, streamed: bool) {
    // SAFETY: `from` has `number` values, and `to` has room for them and does not overlap. The processor has the
    // instructions of every `Set`.
    unsafe {
        if streamed {
            set.compiled::<Streamed>()(Streamed { from: from.cast(), to: to.cast(), bytes: number * size_of::<T>() });
        } else {
            from.copy_to_nonoverlapping(to, number);
        }
    }
}

/// Copy of `bytes` bytes with non-temporal stores, for [`copy`].
///
/// # Safety
/// `from` is valid for reads and `to` for writes of `bytes` bytes, and they do not overlap. Nothing reads `to` before
/// this thread has called [`fence`].
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
        // SAFETY: the processor has the instructions of `L`. `from` has `bytes` bytes, and `to` has room for them and
        // does not overlap. Nobody reads `to` before a [`fence`].
        unsafe { StreamingCopy::<L>::new(from, to, bytes) }.finish(false);
    }
}

/// Orders the stores of [`StreamingCopy`] before all later stores of this thread.
#[inline]
pub(crate) fn fence() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: SSE is part of the x86-64 baseline.
    unsafe {
        std::arch::x86_64::_mm_sfence();
    }
}
