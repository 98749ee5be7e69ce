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
//! # The way in
//! - [`scan`] and [`reduce`] say what each option computes, in which order, and what it costs.
//! - [`transform`] computes a function of each element.
//! - [`select`], [`partition`], [`dedup`] and [`runs`] keep some elements. How many depends on the data: [`count`] says how a number
//!   stays on the device.
//! - [`sort`] orders keys, values that follow them, or positions; [`Key`] says in which order. [`sort_by_key`] makes the keys by a
//!   function, and [`sort_by`] takes an order of your own.
//! - [`topk`] and [`nth`] find the first elements in order, and elements at places in it; [`mod@merge`] makes one of sorted inputs.
//! - [`varying`] has recurrences whose coefficients are arrays, and [`tridiagonal`] solves systems by them.
//! - [`moving_sum`] sums the window around each value.
//! - [`pyramid`] halves images, level by level.
//! - [`unique`] finds distinct values, with their counts and places; [`sets`] has union, intersection and difference of sorted arrays.
//! - [`mod@operator`] is about operators of your own: [`#[operator]`](macro@operator) and [`#[function]`](macro@function) make
//!   them of Rust functions, [`#[derive(Element)]`](macro@Element) makes an element of a struct. The
//!   [built-in operators](operator::builtin) are sums, products, extremes, bits and more.
//! - [`automaton`] goes along a text with a deterministic automaton, and tells what it finds and where: tokens, lines.
//! - [`Segments`] scans or reduces many pieces of one array: by offsets, head flags or keys.
//! - [`Device`] says where to compute, and [`Input`] and [`Output`] what a call takes: slices on the CPU, [`Array`]s
//!   everywhere, and with CUDA the slices and views of cudarc, on your own stream.
//! - [`inputs`] and [`outputs`] are about what else may stand there: tuples, ranges, gathers, neighbours, scatters.
//! - [`Error`] has a variant for each broken precondition, with its values. No input panics.
//!
//! # Features
//! `cuda`, on by default, is the CUDA backend. It needs nothing at build time; at run time it loads the driver, and NVRTC to
//! compile kernels. Without it, or without a GPU, everything runs on the CPU.
//!
//! NVRTC is taken from the first of: the file that the environment variable `UPSWEEP_NVRTC` names; what the process has loaded already;
//! `site-packages` of `VIRTUAL_ENV`, `CONDA_PREFIX` (and its `lib`), and of the program's own environment; the system's loader; `CUDA_PATH`,
//! `CUDA_HOME`, and `/usr/local/cuda*`. `cuda::survey` says what was tried. Compiled kernels are kept in the folder `upsweep` of the user's
//! caches, or of `UPSWEEP_CACHE_DIR`; nothing is kept where that is empty. Relative paths are ignored.

// The macros write paths that begin with `::upsweep`, in this crate too.
extern crate self as upsweep;

pub mod along;
pub mod automaton;
pub mod between;
pub mod buffer;
mod choosing;
pub mod count;
pub mod dedup;
pub mod device;
pub mod error;
pub mod expand;
pub mod histogram;
pub mod init;
pub mod inputs;
pub mod key;
pub mod memory;
pub mod merge;
pub mod moving_sum;
pub mod nth;
pub mod operator;
pub mod outputs;
pub mod partition;
pub mod plan;
pub mod pyramid;
pub mod range_histogram;
pub mod recurrence;
pub mod reduce;
pub mod reduce_by_key;
pub mod runs;
pub mod scan;
pub mod scan_axes;
pub mod search;
mod searching;
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
pub mod ways;

mod bins;
mod cpu;
#[cfg(feature = "cuda")]
pub mod cuda;
mod expanding;
mod halves;
mod job;
mod keeping;
mod linear;
mod merging;
mod options;
mod planned;
mod ranking;
mod sealed;
mod sorting;
mod steps;
mod tally;
mod walking;

/// Slices, views and streams of this crate are what CUDA devices take: the same version of it.
#[cfg(feature = "cuda")]
pub use cudarc;

pub use along::ScanAlong;
pub use automaton::Automaton;
pub use between::{Between, Interpolate};
pub use buffer::{Array, Input, Output, View, ViewMut};
pub use choosing::{Choose, FirstOf, Flag, Flagged, Indices, LastOf, Values, Where, Yields};
pub use count::{Count, Counted, CountedInput};
pub use dedup::Dedup;
pub use device::Device;
pub use error::{Error, Result};
pub use expand::Expand;
pub use expanding::{Fills, Owners, Ranks, Tally, ValuesOf};
/// The crate of [`f16`](half::f16) and [`bf16`](half::bf16), in the version whose types are elements.
pub use half;
pub use histogram::Histogram;
pub use init::{Init, InitFrom, InitSource, InitValue, NoInit};
pub use inputs::{Apply, Bits, Gather, Inputs, Neighbours, Repeat};
pub use key::{Index, Key};
pub use merge::Merge;
pub use moving_sum::MovingSum;
pub use nth::Nth;
pub use operator::{Element, Function, Map, Operator, function, operator};
pub use outputs::{Outputs, Scatter};
pub use partition::Partition;
pub use pyramid::Pyramid;
pub use range_histogram::RangeHistogram;
pub use recurrence::Recurrence;
pub use reduce::Reduce;
pub use runs::Runs;
pub use scan::Scan;
pub use scan_axes::ScanAxes;
pub use search::Search;
pub use searching::Ordered;
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
pub use ways::Ways;

/// What a program that scans usually needs: `use upsweep::prelude::*;`.
pub mod prelude {
    pub use crate::operator::builtin::*;
    pub use crate::{
        Apply, Array, Bits, Count, Dedup, Device, Element, Expand, Function, Gather, Histogram, Merge, MovingSum,
        Neighbours, Nth, Operator, Partition, Pyramid, RangeHistogram, Recurrence, Reduce, Repeat, Runs, Scan, Scatter,
    };
    pub use crate::{
        Search, Segments, Select, Sets, Sort, TopK, Transform, Tridiagonal, Unique, UpSweep, function, operator,
    };
}
