//! What a kernel works on: memory, a run of elements in it, and how results are stored.

use std::ops::Range;
use upsweep_core::inputs::Read;
use upsweep_core::outputs::Write;

/// Where the elements are read and the results written.
///
/// Elements are counted in *scan order*: element `k` of a reversed scan lies at `len - 1 - k`. In place, `input` and
/// `output` are the same memory; therefore neither is ever a slice here.
pub(crate) struct Memory<I: Read, O: Write> {
    pub(crate) input: I::Place,
    /// Where the output's results go, of an output that is no buffer of its own.
    pub(crate) sink: O::Place,
    /// The results: the output's memory, or, of one that is no buffer of its own, other memory from which they go to `sink`.
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

// SAFETY: the places are those of a job, which borrows the input shared and the output exclusively for as long as it runs;
// elements, which all threads may have, are only read, and results only written, each by one thread.
unsafe impl<I: Read, O: Write> Send for Memory<I, O> {}
// SAFETY: as above; sharing the pointers shares what sending copies of them does.
unsafe impl<I: Read, O: Write> Sync for Memory<I, O> {}

impl<I: Read, O: Write> Memory<I, O> {
    /// Where the element `k` in scan order lies.
    #[inline(always)]
    pub(crate) fn at(&self, k: usize) -> usize {
        if self.reverse { self.len - 1 - k } else { k }
    }

    /// The lowest place of some elements.
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

/// A run of elements without a head but its first: `start .. start + len` in scan order. Positions given to the map
/// count from `origin` in memory.
#[derive(Clone, Copy)]
pub(crate) struct Run {
    pub(crate) start: usize,
    pub(crate) len: usize,
    pub(crate) origin: usize,
}

/// How the results of a scan are stored.
#[derive(Clone, Copy)]
pub(crate) struct Storing<T> {
    pub(crate) exclusive: bool,
    /// What an exclusive scan stores at a head without initial value.
    pub(crate) identity: Option<T>,
    /// Whether stores are non-temporal; the caller calls `store::fence` afterwards.
    pub(crate) non_temporal: bool,
    /// Where the block begins that is scanned, in scan order.
    pub(crate) block: usize,
    /// What to fetch meanwhile.
    pub(crate) next: NextBlock,
}

/// The elements, from `first` on in memory, of the block that a thread scans next; none, if it is not to be fetched.
#[derive(Clone, Copy)]
pub(crate) struct NextBlock {
    pub(crate) first: usize,
    pub(crate) len: usize,
    /// 0, or the elements from one of its parts to the next, where it is as many parts as a window has pages, and these lie apart.
    pub(crate) stride: usize,
}

impl NextBlock {
    pub(crate) const NONE: Self = Self { first: 0, len: 0, stride: 0 };
}
