//! Features of a job for which its kernels are compiled, besides the job's functions.

use upsweep_core::inputs::Streams;
use upsweep_plan::scan::RunSizes;
use upsweep_plan::tile::{Marks, Sizes};

/// Size and alignment of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    pub size: usize,
    pub align: usize,
}

impl Layout {
    pub(crate) fn of<T>() -> Self {
        Self { size: size_of::<T>(), align: align_of::<T>() }
    }

    /// Returns the size of a C structure of two fields: one with this layout, then one with the layout `other`.
    fn then(self, other: Self) -> usize {
        (self.size.next_multiple_of(other.align) + other.size).next_multiple_of(self.align.max(other.align))
    }
}

/// Layouts of an element, of a partial result, and of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layouts {
    /// Layout of an element. With several inputs: of the elements of all streams at one position together.
    pub input: Layout,
    /// Streams of the input (buffers that are read in order), unless the input is one buffer.
    pub streams: Option<Streams>,
    /// Whether the number of elements lies in device memory.
    pub counted: bool,
    /// Whether the map gathers: reads memory by computed positions, besides the streams.
    pub apart: bool,
    /// Whether the output is one buffer.
    pub plain_output: bool,
    pub acc: Layout,
    pub output: Layout,
    /// Number of elements of a row of the tree of float scans ([`tree`](upsweep_core::tree)); 0 for other operators.
    pub row: usize,
    /// Number of lanes of the tree of float reductions ([`lanes`](upsweep_core::lanes)); 0 for other operators.
    pub lanes: usize,
}

/// Options of one scan or reduction for which a kernel is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Features {
    pub heads: Heads,
    pub exclusive: bool,
    pub reverse: bool,
    pub has_init: bool,
    /// Whether the job is a reduction by segment: only the last result of each segment is stored.
    pub by_segment: bool,
    /// Whether a scan stores the state after its last element, or the value that follows it.
    pub carries: bool,
    /// Whether a scan or reduction goes on where another ended.
    pub continues: bool,
    /// Number of interleaved lines that are scanned as one line, whose elements are arrays: 1, or up to 16.
    pub interleaved: usize,
    pub pass: Pass,
}

/// Source of the segment heads (the elements that begin a segment): what a kernel finds them by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Heads {
    None,
    Rows,
    /// Rows whose float sums have trees of their own (`tile/places.cuh`).
    Lines,
    Flags,
    Keys,
    Offsets,
}

impl Heads {
    pub(crate) const ALL: [(Self, &'static str); 6] = [
        (Self::None, "NONE"),
        (Self::Rows, "ROWS"),
        (Self::Lines, "LINES"),
        (Self::Flags, "FLAGS"),
        (Self::Keys, "KEYS"),
        (Self::Offsets, "OFFSETS"),
    ];
}

/// Part of a job that one launch does, for jobs of several launches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Pass {
    /// Whole job: reads elements and stores results.
    Whole,
    /// First part: reads elements and stores partial results.
    ToSums,
    /// Middle part: reads partial results and stores partial results.
    OfSums,
    /// Last part: reads partial results and stores results.
    FromSums,
}

impl Pass {
    pub(crate) fn reads_elements(self) -> bool {
        matches!(self, Self::Whole | Self::ToSums)
    }

    pub(crate) fn writes_results(self) -> bool {
        matches!(self, Self::Whole | Self::FromSums)
    }
}

impl Layouts {
    /// Returns the layouts of a job from one buffer to another whose operator has no tree.
    pub(crate) fn of_buffers(input: Layout, acc: Layout, output: Layout) -> Self {
        let (streams, counted, apart, plain_output, row, lanes) = (None, false, false, true, 0, 0);
        Self { input, streams, counted, apart, plain_output, acc, output, row, lanes }
    }

    /// Whether the elements are those of one buffer, and the results go to one buffer.
    pub(crate) fn plain(&self) -> bool {
        self.streams.is_none() && self.plain_output
    }
}

impl Features {
    /// Features of a forward inclusive scan of a whole array, and of a reduction of a whole array.
    pub(crate) const PLAIN: Self = Self {
        heads: Heads::None,
        exclusive: false,
        reverse: false,
        has_init: false,
        by_segment: false,
        carries: false,
        continues: false,
        interleaved: 1,
        pass: Pass::Whole,
    };

    /// Whether the job is a reduction in which the index of each result is known before anything is reduced: by rows or
    /// offsets, which `scan/segments.cuh` computes.
    pub(crate) fn in_one_pass(self) -> bool {
        self.by_segment && matches!(self.heads, Heads::Rows | Heads::Offsets)
    }

    /// Returns the sizes that the plan of a single-pass scan depends on.
    pub(crate) fn sizes(self, layouts: Layouts) -> Sizes {
        let [input, acc, output] =
            [layouts.input, layouts.acc, layouts.output].map(|layout| layout.size * self.interleaved);
        // The slots (room for one element each) of the first stream's elements in shared memory are used again. In a
        // reduction by rows or offsets they then hold partial results; in a scan whose input is not one buffer,
        // results.
        let first = layouts.streams.map_or(input, |streams| streams.sizes().first().copied().unwrap_or(1));
        let place = if self.in_one_pass() {
            first.max(acc)
        } else if layouts.streams.is_some() && !self.by_segment {
            // Memory that the map gathers is read once: the slot then keeps the mapped element.
            first.max(output).max(if layouts.apart { acc } else { 0 })
        } else {
            first
        };
        let marks = match self.heads {
            Heads::None | Heads::Rows | Heads::Lines => Marks::None,
            Heads::Flags | Heads::Keys => Marks::Vectors,
            Heads::Offsets => Marks::Offsets,
        };
        // Mapped elements are kept from one pass over a tile to the next if they have up to 4 bytes; if they are mapped
        // from several inputs, up to 8 bytes. This saves mapping them a second time.
        let most = if layouts.streams.is_some_and(|streams| streams.sizes().len() > 1) { 8 } else { 4 };
        // Reductions by segment, and lines that are scanned as one, have another grouping.
        let row = if self.by_segment || self.interleaved > 1 { 0 } else { layouts.row };
        let kept = if self.heads != Heads::None && row == 0 && acc <= most { acc } else { 0 };
        let counted = self.counts_heads();
        Sizes {
            input,
            streams: layouts.streams,
            state: self.state_bytes(layouts.acc),
            output,
            place,
            kept,
            marks,
            counted,
            row,
        }
    }

    /// Whether the state that a tile publishes has the number of segment heads so far: in reductions by flags or keys.
    fn counts_heads(self) -> bool {
        self.by_segment && matches!(self.heads, Heads::Flags | Heads::Keys)
    }

    /// Returns the sizes for the plan of a reduction of `n` elements by keys in `reduce/runs.cuh`; none if that kernel
    /// cannot compute the reduction.
    pub(crate) fn runs(self, n: usize, layouts: Layouts, key: Option<Layout>) -> Option<RunSizes> {
        let (acc, key) = (layouts.acc, key?);
        let by_keys = self.by_segment && self.heads == Heads::Keys && self.interleaved == 1;
        let number = if u32::try_from(n).is_ok() { Layout::of::<u32>() } else { Layout::of::<u64>() };
        let plain = layouts.streams.is_none();
        (by_keys && plain).then(|| RunSizes {
            key: key.size,
            acc: acc.size,
            head: key.then(acc),
            state: acc.then(number),
        })
    }

    /// Returns the number of bytes of the state that a tile publishes for the tiles after it, as `tile/state.cuh` lays
    /// it out.
    fn state_bytes(self, acc: Layout) -> usize {
        let acc = Layout { size: acc.size * self.interleaved, ..acc };
        match self.heads {
            Heads::None => acc.size,
            _ if self.counts_heads() => acc.then(Layout::of::<u64>()),
            _ => acc.then(Layout::of::<u32>()),
        }
    }
}
