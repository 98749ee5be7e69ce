//! Explanations of a call from its sizes alone: what it would do, in words.

use super::cpu::PARALLEL_FROM_BYTES;
use super::expand::{ExpandPlan, ExpandSizes};
use super::histogram::{HistogramJob, HistogramPlan};
use super::merge::{MergePlan, MergeTypes};
use super::recurrence::{CpuRecurrencePlan, Form, RecurrencePlan};
use super::scan_axes::{AxesPlan, CpuAxesPlan};
use super::select::{CpuSelectPlan, SelectPlan, SelectSizes};
use super::sort::SortPlan;
use super::sort::types::{Indices, SortTypes};
use super::tile::Sizes;
use super::topk::{RankTypes, TopKPlan};
use upsweep_core::call::expand::Expanded;
use upsweep_core::key::KeyOrder;
use upsweep_core::shape::Shape;
use upsweep_core::tally::Amount;

/// A call, by its sizes alone. Sizes of elements, keys and values are in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Question {
    /// A scan along the shape's axis, or by the offsets of `segments` segments.
    Scan { shape: Shape, element: usize, segments: Option<usize> },
    /// A reduction along the shape's axis, or by the offsets of `segments` segments.
    Reduce { shape: Shape, element: usize, segments: Option<usize> },
    /// Scans along two axes: a summed-area table of each array.
    ScanAxes { arrays: usize, rows: usize, columns: usize, element: usize },
    /// A selection (stream compaction), a dedup, or runs.
    Select { len: usize, element: usize },
    /// A partition in two.
    Partition { len: usize, element: usize },
    /// A sort of keys, with values of `value` bytes; 0 means no values.
    Sort { len: usize, key: usize, value: usize },
    /// A merge of two sorted arrays into `len` results.
    Merge { len: usize, key: usize, value: usize },
    /// The first `k` keys in order.
    TopK { len: usize, k: usize, key: usize },
    /// A histogram of numbers.
    Histogram { len: usize, element: usize, bins: usize },
    /// An expansion: each of `counts` elements yields as many results, of `result` bytes each, as its count says.
    Expand { counts: usize, result: usize },
    /// A linear recurrence (IIR filter) along the shape's axis.
    Recurrence { shape: Shape, element: usize, order: usize },
}

/// Order of unsigned keys.
const UNSIGNED: KeyOrder = KeyOrder { signed: false, mantissa: 0 };

impl Question {
    /// Explains the call on the CPU. The text is empty for scans and reductions, whose plans contain more detail.
    #[must_use]
    pub fn on_cpu(self) -> String {
        let threads = |bytes: usize| if bytes < PARALLEL_FROM_BYTES { 1 } else { rayon::current_num_threads() };
        let words = |what: &str, elements: String, how: &str, threads: usize| {
            let threads = match threads {
                1 => "the calling one".to_owned(),
                n => format!("{n} of the pool"),
            };
            format!("{what}\n  elements      {elements}\n  how           {how}\n  threads       {threads}")
        };
        match self {
            Self::Scan { .. } | Self::Reduce { .. } => String::new(),
            Self::ScanAxes { arrays, rows, columns, element } => {
                let plan = CpuAxesPlan::new((arrays, rows.max(1), columns.max(1)), (element, element));
                let how = format!(
                    "rows are scanned in {} chunks of {} columns, and added up downwards",
                    plan.chunks(),
                    plan.columns
                );
                words(
                    "scan along two axes",
                    format!("{arrays} arrays of {rows} x {columns}, {element} bytes"),
                    &how,
                    plan.threads,
                )
            }
            Self::Select { len, element } | Self::Partition { len, element } => {
                let plan = CpuSelectPlan::new(len, element, false);
                let what = if matches!(self, Self::Select { .. }) { "selection" } else { "partition" };
                let how =
                    format!("blocks of {} elements are compacted in the cache, in one pass over memory", plan.block);
                words(what, format!("{len} of {element} bytes"), &how, plan.threads)
            }
            Self::Sort { len, key, value } => {
                let how = "keys are moved to ranges by their highest bits; each range is sorted in the cache by digits";
                words("radix sort", pairs(len, key, value), how, threads(len.saturating_mul(key + value)))
            }
            Self::Merge { len, key, value } => {
                let how = "each thread merges a share of the results, from a split of both inputs on";
                words("merge", pairs(len, key, value), how, threads(len.saturating_mul(key + value)))
            }
            Self::TopK { len, k, key } => {
                let how =
                    format!("a sample tells between which keys the {k} first end; these are collected in one pass");
                words("top-k", format!("{len} keys of {key} bytes"), &how, threads(len.saturating_mul(key)))
            }
            Self::Histogram { len, element, bins } => {
                let how = format!("each thread counts in tables of its own, of {bins} bins, which are added up");
                words("histogram", format!("{len} of {element} bytes"), &how, threads(len.saturating_mul(element)))
            }
            Self::Expand { counts, result } => {
                let how = "counts are added up in blocks, and then results are stored in stretches";
                words(
                    "expansion",
                    format!("{counts} counts to results of {result} bytes"),
                    how,
                    threads(counts.saturating_mul(8)),
                )
            }
            Self::Recurrence { shape, element, order } => {
                let plan = CpuRecurrencePlan::new(shape, element, (64 / element.max(1)).max(1), false);
                let how = if plan.long {
                    "parts of a line side by side in vectors, twice"
                } else {
                    "a line in each lane of vectors, or the loop"
                };
                let what = format!("recurrence of order {order}");
                words(&what, format!("{} lines of {}, {element} bytes", shape.lines(), shape.len), how, plan.threads)
            }
        }
    }

    /// Explains the call on a CUDA device of this compute capability with `multiprocessors` multiprocessors. The text
    /// is empty for scans and reductions.
    #[must_use]
    pub fn on_cuda(self, capability: (u32, u32), multiprocessors: usize) -> String {
        match self {
            Self::Scan { .. } | Self::Reduce { .. } => String::new(),
            Self::ScanAxes { arrays, rows, columns, element } => {
                let plan =
                    AxesPlan::new((arrays, rows.max(1), columns.max(1)), (element, element, element), capability);
                plan.map_or_else(|| "scans along one axis after the other".to_owned(), |plan| plan.to_string())
            }
            Self::Select { len, element } => select(len, element, false, capability),
            Self::Partition { len, element } => select(len, element, true, capability),
            Self::Sort { len, key, value } => {
                let types = SortTypes {
                    key,
                    order: UNSIGNED,
                    descending: false,
                    value,
                    indices: Indices::None,
                    keys_out: true,
                };
                let plan = SortPlan::new(len.max(1), types, false, capability, multiprocessors);
                format!(
                    "radix sort\n  elements      {}\n  passes        {} at most, each a launch: {} tiles of {} keys\n  block         \
                     {} threads: {} rank keys, {} look back and store\n  shared memory {} bytes a block",
                    pairs(len, key, value),
                    plan.launches(),
                    plan.tiles(),
                    plan.tile(),
                    plan.threads(),
                    plan.rankers,
                    plan.storers,
                    plan.shared_bytes()
                )
            }
            Self::Merge { len, key, value } => {
                let plan = MergePlan::new(len, MergeTypes { key, value, align: value.max(1) });
                format!(
                    "merge\n  elements      {}\n  tiles         {} of {} results\n  block         {} threads",
                    pairs(len, key, value),
                    plan.tiles(),
                    plan.tile(),
                    plan.threads()
                )
            }
            Self::TopK { len, k, key } => {
                let types = RankTypes { key, order: UNSIGNED, descending: true, place: 4 };
                let plan = TopKPlan::new(len, k, types, true, capability);
                let how = if plan.window.is_some() {
                    "a sample tells a window of keys, which one pass collects"
                } else {
                    "by digits"
                };
                let (tiles, elements, blocks) = (plan.pass.tiles, plan.pass.shape.elements(), plan.pass.blocks);
                format!(
                    "top-k\n  elements      {len} keys of {key} bytes, the first {k}\n  how           {how}\n  tiles         {tiles} of \
                     {elements} keys; {blocks} blocks a multiprocessor"
                )
            }
            Self::Histogram { len, element, bins } => {
                let job = HistogramJob {
                    len,
                    input: element,
                    number: true,
                    bins,
                    channels: (1, 1),
                    amount: Amount::One,
                    by_edges: false,
                    rows: 1,
                };
                HistogramPlan::new(job, capability, multiprocessors).to_string()
            }
            Self::Expand { counts, result } => {
                let sizes = ExpandSizes { expanded: Expanded::Value, count: 4, result };
                let plan = ExpandPlan::new(counts, sizes, capability);
                format!(
                    "expansion\n  elements      {counts} counts to results of {result} bytes\n  tiles         {} of {} counts\n  block         \
                     {} threads; {} blocks a multiprocessor\n  shared memory {} bytes a block",
                    plan.tiles,
                    plan.shape.elements(),
                    plan.threads(),
                    plan.blocks,
                    plan.shared_bytes()
                )
            }
            Self::Recurrence { shape, element, order } => {
                let form = Form { order: order.max(1), sections: 0, feedback: true, careful: false, basis: false };
                let plan = RecurrencePlan::new(
                    shape.lines().saturating_mul(shape.len),
                    form,
                    Sizes::plain(element, order.max(1) * element, element),
                    element,
                    capability,
                );
                format!(
                    "recurrence of order {order}\n  elements      {} lines of {}, {element} bytes\n  block         {} threads\n  shared memory {} \
                     bytes a block",
                    shape.lines(),
                    shape.len,
                    plan.pipeline.threads(),
                    plan.shared_bytes()
                )
            }
        }
    }
}

fn select(len: usize, element: usize, others: bool, capability: (u32, u32)) -> String {
    let sizes = SelectSizes {
        input: element,
        index: 0,
        flags: false,
        neighbours: false,
        last: false,
        others,
        run: 0,
        lengths: false,
    };
    let plan = SelectPlan::new(len, sizes, capability);
    let what = if others { "partition" } else { "selection" };
    format!(
        "{what}, one kernel\n  elements      {len} of {element} bytes\n  tiles         {} of {} elements\n  block         {} threads; {} blocks a \
         multiprocessor\n  shared memory {} bytes a block",
        plan.tiles,
        plan.shape.elements(),
        plan.threads(),
        plan.blocks,
        plan.shared_bytes()
    )
}

fn pairs(len: usize, key: usize, value: usize) -> String {
    if value > 0 {
        format!("{len} keys of {key} bytes, with values of {value}")
    } else {
        format!("{len} keys of {key} bytes")
    }
}
