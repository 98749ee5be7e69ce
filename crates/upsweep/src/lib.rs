//! Parallel scan (prefix sums) and reduction for the CPU and for NVIDIA GPUs, with operators written once in Rust.
//!
//! ```
//! use upsweep::prelude::*;
//!
//! let device = Device::best()?; // a CUDA GPU if one answers, else every CPU core
//! let x = device.upload(&[3u32, 1, 7, 0, 4, 1, 6, 3])?;
//! let running = device.inclusive_scan(&x, Sum)?; // stays on the device
//! assert_eq!(running.to_vec()?, [3, 4, 11, 11, 15, 16, 22, 25]);
//! # Ok::<(), upsweep::Error>(())
//! ```
//!
//! Options combine in one call, which goes over memory once. On the CPU, inputs and outputs are slices:
//!
//! ```
//! use upsweep::prelude::*;
//!
//! /// A function for the CPU and for the GPU; as a value it is called `Square`.
//! #[function]
//! fn square(x: f64) -> f64 {
//!     x * x
//! }
//!
//! let device = Device::cpu();
//! let (x, offsets) = ([1.0, 2.0, 3.0, 4.0, 5.0], [0u64, 2, 5]);
//! let mut running = [0.0; 5];
//! Scan::new(Sum).exclusive().map(Square).segments(Segments::Offsets(&offsets)).run(&device, &x, &mut running)?;
//! assert_eq!(running, [0.0, 1.0, 0.0, 9.0, 25.0]);
//!
//! let mut highest = [(0.0, 0)];
//! Reduce::new(ArgMax).enumerate().run(&device, &x, &mut highest)?;
//! assert_eq!(highest, [(5.0, 4)]);
//! # Ok::<(), upsweep::Error>(())
//! ```
//!
//! # The builders
//! An operation is a builder: a program makes it, sets its options and runs it.
//!
//! **Scan and reduce**
//! - [`scan`]: prefix sums (cumulative sums, running totals) with any associative operator: inclusive, exclusive,
//!   reversed, along an axis, in segments. Options combine in one pass.
//! - [`scan_axes`]: scans along several axes, one after the other: the summed-area table (integral image).
//!   [`list_scan`]: scans along a linked list (list ranking, pointer jumping).
//! - [`reduce`]: one value from many (fold, aggregate, arg-max), also for each row or segment. [`reduce_by_key`]: one
//!   value for each run of equal keys. [`reduce_by_code`]: one for each of few codes, in any order (group by).
//! - [`carry`]: calls on an array in parts, with the results of one call; it may be longer than memory.
//!   [`Device::streamed`]: a GPU scans and sorts arrays in host memory.
//! - [`Segments`]: segmented scans and reductions, by offsets, head flags or keys.
//! - [`mod@pitch`]: scans and reductions along an axis of arrays with gaps behind their rows.
//! - `views`, with the feature `ndarray`: scans and reductions along an axis of ndarray's views of any strides.
//! - [`transform`]: a function of each element (map), with gathers and scatters.
//! - [`up_sweep`]: the tree of sums of Blelloch's scan (a Fenwick tree).
//!
//! **Select and partition**
//! - [`select`]: stream compaction (filter, `copy_if`), by a predicate or by flags. [`dedup`]: one of each run of equal
//!   neighbours.
//! - [`partition`]: a split in two. [`multisplit`]: a split into several buckets at once (a counting sort).
//! - [`count`]: the number of results, where it depends on the data. It stays on the device until the host reads it.
//!
//! **Sort and search**
//! - [`sort`]: a stable radix sort of keys, of pairs of keys and values, of rows and segments, and of positions
//!   (argsort). [`Key`] defines the order.
//! - [`sort_by_key`], [`sort_by_fields`], [`sort_by`]: sorts by a function, by the fields of a struct, by a comparison
//!   of your own (merge sort).
//! - [`mod@merge`]: merges sorted inputs. [`search`]: binary search (lower bound, upper bound, `searchsorted`).
//! - [`topk`], [`nth`]: the largest or the least k; the median, quantiles and any other order statistics, without
//!   sorting.
//!
//! **Group and count**
//! - [`runs`], [`expand`]: run-length encoding, and decoding (`repeat`, processor allocation).
//! - [`unique`]: distinct values, with their counts. [`sets`]: union, intersection and difference of sorted arrays.
//! - [`histogram`]: counts (`bincount`) or sums of weights in bins. [`range_histogram`]: counts of ranges of bins, and
//!   quantiles.
//!
//! **Recurrences and automata**
//! - [`recurrence`]: linear recurrences with constant coefficients (IIR filter, `lfilter`, exponential average).
//! - [`varying`]: recurrences with an array of coefficients. [`tridiagonal`]: tridiagonal systems, solved in parallel.
//! - [`automaton`]: a deterministic finite automaton (DFA) that reads a text: tokens of a lexer, lines, matches of a
//!   regular expression.
//!
//! **Images and lists**
//! - [`moving_sum`]: sums over a sliding window (moving average, box filter). [`scan_axes`]: the summed-area table.
//! - [`pyramid`]: images at half size, halved again and again (mipmap).
//! - [`list_scan`]: a scan along a linked list, such as the Euler tour of a tree.
//!
//! **Own operators and inputs**
//! - [`#[operator]`](macro@operator), [`#[function]`](macro@function) and [`#[derive(Element)]`](macro@Element) make
//!   operators, functions and elements from Rust functions and structs: see [`mod@operator`]. The [built-in
//!   operators](operator::builtin) are sums, products, extremes, bits and more.
//! - [`inputs`], [`outputs`]: tuples (zip), ranges, gathers, neighbours (stencil), bits of a mask, scatters.
//! - [`Input`], [`Output`]: slices on the CPU, [`Array`]s everywhere, and with CUDA the slices and views of cudarc.
//! - [`Device`]: where to compute; also on your own CUDA stream.
//! - [`Error`]: a variant for each broken precondition, with its values. No input panics.
//!
//! Signals, images, terrain, texts, trees, graphs and sparse matrices are in the crate `upsweep-apps`.
//!
//! # Features
//! `cuda`, on by default, is the CUDA backend. It needs nothing at build time. At run time it loads the driver, and
//! NVRTC to compile kernels. Without the feature, or without a GPU, everything runs on the CPU.
//!
//! NVRTC is taken from the first of: the file that the environment variable `UPSWEEP_NVRTC` names; a library that the
//! process has loaded already; `site-packages` of `VIRTUAL_ENV`, `CONDA_PREFIX` (and its `lib`), and of the program's
//! own environment; the system's loader; `CUDA_PATH`, `CUDA_HOME`, and `/usr/local/cuda*`. `cuda::survey` lists the
//! places tried. Compiled kernels are cached in the folder `upsweep` of the user's caches, or in `UPSWEEP_CACHE_DIR`;
//! with an empty `UPSWEEP_CACHE_DIR` nothing is cached. Relative paths are ignored.

// The macros write paths that begin with `::upsweep`, in this crate too.
extern crate self as upsweep;

pub mod automaton;
pub mod carry;
pub mod count;
pub mod dedup;
pub mod device;
pub mod expand;
pub mod histogram;
pub mod inputs;
pub mod list_scan;
pub mod merge;
pub mod moving_sum;
pub mod multisplit;
pub mod nth;
pub mod operator;
pub mod outputs;
pub mod partition;
pub mod pitch;
pub mod pyramid;
pub mod range_histogram;
pub mod recurrence;
pub mod reduce;
pub mod reduce_by_code;
pub mod reduce_by_key;
pub mod runs;
pub mod scan;
pub mod scan_axes;
pub mod search;
pub mod segments;
pub mod select;
pub mod sets;
pub mod sort;
pub mod sort_by;
pub mod sort_by_fields;
pub mod sort_by_key;
pub mod topk;
pub mod transform;
pub mod tridiagonal;
pub mod unique;
pub mod up_sweep;
pub mod varying;
#[cfg(feature = "ndarray")]
pub mod views;

mod array;
mod bounds;
mod buffered;
mod compaction;
mod explain;
mod options;

/// CUDA backend: its devices, and the source text of its kernels.
#[cfg(feature = "cuda")]
pub mod cuda {
    pub use upsweep_cuda::{Cuda, DeviceInfo, KernelSource, Survey, compile_for, survey};
}

/// Version of cudarc whose slices, views and streams CUDA devices take.
#[cfg(feature = "cuda")]
pub use cudarc;

pub use array::Array;
pub use automaton::Automaton;
pub use carry::Carry;
pub use count::Count;
pub use dedup::Dedup;
pub use device::Device;
pub use expand::Expand;
pub use explain::{Plan, Question};
/// Crate of [`f16`](half::f16) and [`bf16`](half::bf16), in the version whose types are elements.
pub use half;
pub use histogram::Histogram;
#[doc(no_inline)]
pub use inputs::{Apply, Bits, Counted, Gather, Inputs, Neighbours, Repeat};
pub use list_scan::ScanAlong;
pub use merge::Merge;
pub use moving_sum::MovingSum;
pub use multisplit::Ways;
/// Version of ndarray whose views [`views`] takes.
#[cfg(feature = "ndarray")]
#[doc(no_inline)]
pub use ndarray;
pub use nth::Nth;
/// Version of num-complex whose complex numbers are elements.
#[cfg(feature = "num-complex")]
#[doc(no_inline)]
pub use num_complex;
#[doc(no_inline)]
pub use operator::{Element, Function, Map, Operator, function, operator};
#[doc(no_inline)]
pub use outputs::{Outputs, Scatter};
pub use partition::Partition;
pub use pitch::Pitched;
pub use pyramid::Pyramid;
pub use range_histogram::RangeHistogram;
pub use recurrence::Recurrence;
pub use reduce::Reduce;
pub use runs::Runs;
pub use scan::Scan;
pub use scan_axes::ScanAxes;
pub use search::Search;
#[doc(no_inline)]
pub use segments::Segments;
pub use select::Select;
pub use sets::Sets;
pub use sort::Sort;
pub use sort_by::SortBy;
pub use topk::TopK;
pub use transform::Transform;
pub use tridiagonal::Tridiagonal;
pub use unique::Unique;
pub use up_sweep::UpSweep;
pub use upsweep_core::between::{Between, Interpolate};
pub use upsweep_core::buffer::{Input, Output, View, ViewMut};
pub use upsweep_core::call::expand::{Fills, Owners, Ranks, Tally, ValuesOf};
pub use upsweep_core::call::search::Ordered;
pub use upsweep_core::call::select::{Choose, FirstOf, Flag, Flagged, Indices, LastOf, Values, Where, Yields};
pub use upsweep_core::error::{Error, Result};
pub use upsweep_core::init::{Init, InitFrom, InitValue, NoInit};
pub use upsweep_core::key::{Index, Key};
pub use upsweep_core::shape::Shape;

/// Names that most programs need: `use upsweep::prelude::*;`.
pub mod prelude {
    #[doc(no_inline)]
    pub use crate::operator::builtin::*;
    #[doc(no_inline)]
    pub use crate::{
        Apply, Array, Bits, Carry, Count, Dedup, Device, Element, Expand, Function, Gather, Histogram, Merge,
        MovingSum, Neighbours, Nth, Operator, Partition, Pyramid, RangeHistogram, Recurrence, Reduce, Repeat, Runs,
        Scan, Scatter,
    };
    #[doc(no_inline)]
    pub use crate::{
        Search, Segments, Select, Sets, Sort, TopK, Transform, Tridiagonal, Unique, UpSweep, function, operator,
        operator::host,
    };
}
