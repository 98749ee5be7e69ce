//! Selection masks of a block: whether each element is selected, as a bit, for 64 elements at a time, with prefetch of
//! the next elements.

use super::compress::CHUNK;
use super::lanes::{Lanes, ROW_BYTES};
use super::windows::Windows;
use std::ops::Range;
use upsweep_core::call::select::{Marks, Stretch};

/// Number of elements that are marked before the first mark is used. Marks are written by narrow stores and read by
/// wide loads. A load right after the stores waits for them, which took half of the time (2026-11-22).
const MARKED: usize = 16 * CHUNK;

/// Chunk of a block: [`CHUNK`] elements, or fewer at the end.
pub(crate) struct Chunk<I> {
    pub(crate) from: *const I,
    /// Index in the input of the chunk's first element.
    pub(crate) at: usize,
    pub(crate) len: usize,
    /// Mask of the selected elements: bit `i` is set if element `at + i` is selected.
    pub(crate) mask: u64,
}

impl<I> Chunk<I> {
    /// Returns a mask in which the bits of all elements of the chunk are set.
    #[inline(always)]
    pub(crate) fn all(&self) -> u64 {
        if self.len < CHUNK { !(!0 << self.len) } else { !0 }
    }
}

/// Consumer of the chunks of a block, in ascending order.
pub(crate) trait Chunks<I> {
    /// Processes the next chunk.
    ///
    /// # Safety
    /// The processor has the instructions of `L`, and the chunk's elements are valid for reads, if the input is not null.
    unsafe fn take<L: Lanes>(&mut self, chunk: Chunk<I>);
}

/// Test that marks the selected elements, and its input. The input is not a slice, as a selection in place also writes
/// to it. It is null where nobody reads the elements.
pub(crate) struct Masks<M, I> {
    pub(crate) marks: M,
    pub(crate) input: *const I,
    pub(crate) len: usize,
    pub(crate) neighbours: bool,
    /// Whether elements are prefetched before they are read.
    pub(crate) ahead: bool,
}

impl<M: Marks<I>, I: Copy> Masks<M, I> {
    /// Marks the elements of a block and passes its chunks to `chunks`. `next` is the first element of this thread's
    /// next block, for prefetch.
    ///
    /// # Safety
    /// The processor has the instructions of `L`; the block is in the input, and nobody writes to it meanwhile.
    #[inline(always)]
    pub(crate) unsafe fn each<L: Lanes>(&self, range: Range<usize>, next: usize, chunks: &mut impl Chunks<I>) {
        let place = |at: usize| self.input.wrapping_add(at).cast::<u8>();
        let mut windows = Windows::new(place(range.start), range.len() * size_of::<I>(), place(next));
        let mut keep = [0; MARKED];
        let mut start = range.start;
        while start < range.end {
            let len = (range.end - start).min(MARKED);
            let own = match self.input.is_null() {
                true => &[],
                // SAFETY: the elements are in the input, and nobody writes to them meanwhile.
                false => unsafe { std::slice::from_raw_parts(self.input.add(start), len) },
            };
            // SAFETY: both neighbours are in the input. The element before the block is only ever overwritten by
            // itself, and such stores are left out. The element after the block is overwritten only by results of later
            // blocks, which are stored only after this block has been read.
            let beside = |at: usize| unsafe { self.input.add(at).read() };
            let before = (self.neighbours && start > 0).then(|| beside(start - 1));
            let after = (self.neighbours && start + len < self.len).then(|| beside(start + len));
            if let Some(keep) = keep.get_mut(..len) {
                self.marks.mark(Stretch { start, own, before, after }, keep);
            }
            let (kept, _) = keep.as_chunks::<CHUNK>();
            for (i, keep) in kept.iter().enumerate().take(len.div_ceil(CHUNK)) {
                if self.ahead {
                    // A chunk has as many cache lines as an element has bytes.
                    windows.fetch(size_of::<I>() * CHUNK / ROW_BYTES);
                }
                let first = i * CHUNK;
                let left = (len - first).min(CHUNK);
                let mut chunk = Chunk { from: own.as_ptr().wrapping_add(first), at: start + first, len: left, mask: 0 };
                // SAFETY: the processor has the instructions of `L`, and the chunk's elements are in the block, which
                // nobody writes to.
                unsafe {
                    chunk.mask = L::bits(keep) & chunk.all();
                    chunks.take::<L>(chunk);
                }
            }
            start += len;
        }
    }
}
