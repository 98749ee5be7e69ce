//! What kernels know of a job beside its functions.

use upsweep_core::inputs::Streams;
use upsweep_plan::scan::RunSizes;
use upsweep_plan::tile::{Marks, Sizes};

/// The size and alignment of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    pub size: usize,
    pub align: usize,
}

impl Layout {
    pub(crate) fn of<T>() -> Self {
        Self { size: size_of::<T>(), align: align_of::<T>() }
    }

    /// The size of a structure of this type and another one.
    fn then(self, other: Self) -> usize {
        (self.size.next_multiple_of(other.align) + other.size).next_multiple_of(self.align.max(other.align))
    }
}

/// Of an element, of what is combined, and of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layouts {
    /// Of several inputs, of all that is streamed of an element.
    pub input: Layout,
    /// The streams, where the input is not one buffer.
    pub streams: Option<Streams>,
    /// Whether the device knows how many elements there are.
    pub counted: bool,
    /// Whether memory is read for an element that is not streamed.
    pub apart: bool,
    /// Whether the output is one buffer.
    pub plain_output: bool,
    pub acc: Layout,
    pub output: Layout,
}

/// What one scan or reduction computes, as kernels see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Features {
    pub heads: Heads,
    pub exclusive: bool,
    pub reverse: bool,
    pub has_init: bool,
    /// A reduction by segment: only the last result of each segment is stored.
    pub by_segment: bool,
    /// A scan of the whole array that stores what follows it.
    pub carries: bool,
    /// How many interleaved lines are scanned as one, whose elements are arrays: 1, or up to 16.
    pub interleaved: usize,
    pub pass: Pass,
}

/// How a kernel finds the segment heads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Heads {
    None,
    Rows,
    Flags,
    Keys,
    Offsets,
}

impl Heads {
    pub(crate) const ALL: [(Self, &'static str); 5] = [
        (Self::None, "NONE"),
        (Self::Rows, "ROWS"),
        (Self::Flags, "FLAGS"),
        (Self::Keys, "KEYS"),
        (Self::Offsets, "OFFSETS"),
    ];
}

/// Which part of a job a launch does, where it takes several.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Pass {
    /// All of it: from elements to results.
    Whole,
    /// From elements to what is combined.
    ToSums,
    /// From what is combined to the same.
    OfSums,
    /// From what is combined to results.
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
    /// Whether elements and results are those of one buffer each.
    pub(crate) fn plain(&self) -> bool {
        self.streams.is_none() && self.plain_output
    }
}

impl Features {
    /// The forward inclusive scan of a whole array, and its reduction.
    pub(crate) const PLAIN: Self = Self {
        heads: Heads::None,
        exclusive: false,
        reverse: false,
        has_init: false,
        by_segment: false,
        carries: false,
        interleaved: 1,
        pass: Pass::Whole,
    };

    /// Whether it is a reduction whose results' places are known before anything is reduced: `scan/segments.cuh`.
    pub(crate) fn in_one_pass(self) -> bool {
        self.by_segment && matches!(self.heads, Heads::Rows | Heads::Offsets)
    }

    /// What a single-pass scan has to plan with.
    pub(crate) fn sizes(self, layouts: Layouts) -> Sizes {
        let [input, acc, output] =
            [layouts.input, layouts.acc, layouts.output].map(|layout| layout.size * self.interleaved);
        // A reduction by rows or offsets leaves sums in the places of the first stream's elements; a scan of what is not one
        // buffer, results.
        let first = layouts.streams.map_or(input, |streams| streams.sizes().first().copied().unwrap_or(1));
        let place = if self.in_one_pass() {
            first.max(acc)
        } else if layouts.streams.is_some() && !self.by_segment {
            // What is read apart is read once: what the map makes of it is kept.
            first.max(output).max(if layouts.apart { acc } else { 0 })
        } else {
            first
        };
        let marks = match self.heads {
            Heads::None | Heads::Rows => Marks::None,
            Heads::Flags | Heads::Keys => Marks::Vectors,
            Heads::Offsets => Marks::Offsets,
        };
        // Where several inputs are mapped, more is kept, so that they are mapped once less.
        let most = if layouts.streams.is_some_and(|streams| streams.sizes().len() > 1) { 8 } else { 4 };
        let kept = if self.heads != Heads::None && acc <= most { acc } else { 0 };
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
        }
    }

    /// Whether what one tile tells another has the number of segments.
    fn counts_heads(self) -> bool {
        self.by_segment && matches!(self.heads, Heads::Flags | Heads::Keys)
    }

    /// What a reduction of `n` elements by keys has to plan with, if it may go by runs: `reduce/runs.cuh`.
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

    /// Bytes of what one tile tells another, as `tile/state.cuh` lays it out.
    fn state_bytes(self, acc: Layout) -> usize {
        let acc = Layout { size: acc.size * self.interleaved, ..acc };
        match self.heads {
            Heads::None => acc.size,
            _ if self.counts_heads() => acc.then(Layout::of::<u64>()),
            _ => acc.then(Layout::of::<u32>()),
        }
    }
}
