//! Operands of a kernel: memory, a run of elements in it, and the options of its stores.

use std::ops::Range;
use upsweep_core::inputs::Read;
use upsweep_core::outputs::Write;
use upsweep_core::steps::Steps;

/// Input and output of a kernel.
///
/// Elements are counted in *scan order*: element `k` of a reversed scan lies at `len - 1 - k`. In place, `input` and
/// `output` are the same memory; therefore neither is ever a slice here.
pub(crate) struct Memory<I: Read, O: Write> {
    pub(crate) input: I::Place,
    /// Destination of the results if the output is not a plain buffer.
    pub(crate) sink: O::Place,
    /// Results: the output's memory, or, if it is not a plain buffer, a staging buffer whose contents go to `sink`.
    pub(crate) output: *mut O::Value,
    pub(crate) len: usize,
    pub(crate) reverse: bool,
}

impl<I: Read, O: Write> Clone for Memory<I, O> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<I: Read, O: Write> Copy for Memory<I, O> {}

// SAFETY: the pointers are those of a job, which borrows the input shared and the output exclusively for as long as it
// runs. Elements are `Sync` and only read. Results are only written, each by one thread.
unsafe impl<I: Read, O: Write> Send for Memory<I, O> {}
// SAFETY: elements are `Sync` and only read, and results only written, each by one thread. So sharing the pointers is
// no more than sending copies of them.
unsafe impl<I: Read, O: Write> Sync for Memory<I, O> {}

impl<I: Read, O: Write> Memory<I, O> {
    /// Returns the index in memory of element `k` in scan order.
    #[inline(always)]
    pub(crate) fn at(&self, k: usize) -> usize {
        if self.reverse { self.len - 1 - k } else { k }
    }

    /// Returns the lowest index in memory of the elements of `range`, which counts in scan order; 0 if `range` is
    /// empty.
    #[inline(always)]
    pub(crate) fn lowest(&self, range: &Range<usize>) -> usize {
        if range.is_empty() { 0 } else { self.at(if self.reverse { range.end - 1 } else { range.start }) }
    }

    /// Whether the output is the input's memory.
    #[inline(always)]
    pub(crate) fn in_place(&self) -> bool {
        let (input, bytes) = I::address(&self.input, 0);
        bytes > 0 && input.addr() == self.output.addr()
    }
}

/// Returns element `k` in scan order, mapped. The position given to the map is counted from `origin`.
///
/// # Safety
/// `k` is less than `memory.len`, and the element is initialised and not being written.
#[inline(always)]
pub(crate) unsafe fn load<S: Steps>(steps: &S, memory: &Memory<S::In, S::Out>, k: usize, origin: usize) -> S::Acc {
    let at = memory.at(k);
    // SAFETY: `at` is less than `memory.len`, and `input` is valid for that many elements.
    steps.load(unsafe { S::In::read(&memory.input, at) }, at.wrapping_sub(origin))
}

/// Run of elements `start .. start + len` in scan order, with no segment head after the first element. Positions given
/// to the map count from `origin` in memory.
#[derive(Clone, Copy)]
pub(crate) struct Run {
    pub(crate) start: usize,
    pub(crate) len: usize,
    pub(crate) origin: usize,
}

/// Options of the stores of a scan.
#[derive(Clone, Copy)]
pub(crate) struct Storing<T> {
    pub(crate) exclusive: bool,
    /// Result of an exclusive scan for the first element of a line or segment if there is no initial value.
    pub(crate) identity: Option<T>,
    /// Whether stores are non-temporal. The caller calls `store::fence` afterwards.
    pub(crate) non_temporal: bool,
    /// Index, in scan order, of the first element of the block that is scanned: the elements that a thread scans in one
    /// turn.
    pub(crate) block: usize,
    /// Block to prefetch during the scan: the block that this thread scans next.
    pub(crate) next: NextBlock,
}

/// Block that a thread scans next: `len` elements from `first` on in memory. Empty if it is not prefetched.
#[derive(Clone, Copy)]
pub(crate) struct NextBlock {
    pub(crate) first: usize,
    pub(crate) len: usize,
    /// Distance in elements between the starts of neighbouring parts of a strided block, which has as many parts as a
    /// window ([`windows`](super::windows)) has pages; 0 if the block is contiguous.
    pub(crate) stride: usize,
}

impl NextBlock {
    pub(crate) const NONE: Self = Self { first: 0, len: 0, stride: 0 };
}
