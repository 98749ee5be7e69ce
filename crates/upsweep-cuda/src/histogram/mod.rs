//! Histograms on a CUDA device: see `histogram/histogram.cuh`.
//!
//! A block counts in shared memory. A bin has up to 32 counters, and each lane of a warp uses the one in its own bank.
//! So the throughput does not depend on the distribution of the elements. More bins have fewer counters each, by the
//! plan (`upsweep-plan/src/histogram.rs`).
//!
//! - **More bins than a block has words** (58,111 on compute capability 9.0): counters are halves of words
//!   (`histogram/halves.cuh`), which are emptied into the output before they overflow. Equal neighbours are counted
//!   together, and frequent bins in words of their own.
//! - **More bins than a multiprocessor holds even as halves**: slices. Each slice has blocks of its own, which read the
//!   same part of the array at about the same time.
//! - **Rows and segments**: each has blocks of its own. The host makes a list of the pieces that blocks count.
//! - **Elements of one byte**: the 256 values are counted, and put into bins in the end.
//!
//! The rules of bins (`upsweep-core/src/bins.rs`) are `#[function]`s, written once for both backends. Even bins of
//! `f32` with exact edges are an exception: CUDA finds these by one rounding (`upsweep-core/src/bins/floor.rs`).
//!
//! All sums are of integers, also those of float weights (`upsweep-core/src/tally.rs`), so no result depends on an
//! order. The unit of float weights is that of the largest weight in the bin. A histogram of exponents finds that
//! weight before.

pub mod range;

use super::Cuda;
use super::borrow::Extent;
use super::code::Kernel;
use super::features::{Features, Layout, Layouts};
use super::job::{Begin, Functions, Text};
use super::params::{Params, params};
use super::runtime::Grid;
use cudarc::driver::DeviceSlice;
use std::any::TypeId;
use upsweep_core::buffer::{View, ViewMut};
use upsweep_core::call::bounds::Bounds;
use upsweep_core::error::{Error, Result};
use upsweep_core::memory;
use upsweep_core::operator::{Element, Function, Map, Same, Source};
use upsweep_core::steps::{Code, Held, Known};
use upsweep_core::tally::Amount;
use upsweep_plan::histogram::{HistogramJob, HistogramPlan};

params! {
    /// Parameters of the kernels of histograms.
    struct HistogramParams {
        input: "const In*",
        /// Null, or the address of the weight of each element.
        weights: "const Out*",
        /// Null, or the address of the edges of the bins, `bins + 1` of them.
        edges: "const In*",
        output: "Out*",
        /// Number of elements.
        n: "u64",
        /// Number of elements of a part of the array, which one block counts: a multiple of the elements that a block
        /// loads at once.
        part: "u64",
        /// Number of bins of each channel.
        bins: "u64",
        /// First step of the binary search among the edges: the largest power of two that is less than `bins`, or 0.
        search: "u64",
        slices: "u64",
        /// Number of slots of a slice. A slot is one bin of one channel; a slice is the group of slots that one block
        /// counts.
        slice: "u64",
        /// ROWS: the pieces, one for each block of a slice: its first element, its number of elements, and its row.
        pieces: "const u64*",
        /// Number of rows or segments.
        rows: "u64",
        /// Address of the largest exponent of the finite float weights of each slot (a bin of a channel); null without
        /// float weights.
        largest: "u32*",
        /// Number of bits that a fixed-point sum of float weights has above the largest weight: 2^spare exceeds the
        /// number of elements, so the sum does not overflow.
        spare: "u64",
        /// Address of the flags of each slot (a bin of a channel), which say which non-finite float weights it has.
        marks: "u32*",
        /// Address of the sum of the float weights of each slot (a bin of a channel), an integer of 128 bits.
        sums: "u64*",
        workspace: "Workspace",
    }
}

/// Arguments of a histogram of elements `T`, whose results (counts, or sums of weights) are `O`.
pub struct Call<'a, T, O> {
    pub input: View<'a, T>,
    pub weights: Option<View<'a, O>>,
    pub edges: Option<View<'a, T>>,
    pub output: ViewMut<'a, O>,
    pub job: HistogramJob,
    pub bounds: Bounds,
}

/// Counts the elements of each bin, or adds up their weights. `map` returns the bin of an element; with edges it is not
/// used.
pub fn run<T: Element, M: Map<T, Output = u32>, O: Element>(cuda: &Cuda, map: M, call: Call<'_, T, O>) -> Result<()> {
    let Call { input, weights, edges, mut output, job, bounds } = call;
    let ViewMut::Cuda(results) = &mut output else {
        return Err(Error::Place { what: "output", found: "host", expected: "CUDA" });
    };
    let reader = results.stream().clone();
    let slots = results.len();
    let (output, _output) = cuda.write("output", results)?;
    let (input, _input) = cuda.read("input", &input)?;
    let (weights, _weights) = weights.as_ref().map(|view| cuda.read("weights", view)).transpose()?.unwrap_or_default();
    let (edges, _edges) = edges.as_ref().map(|view| cuda.read("edges", view)).transpose()?.unwrap_or_default();
    let results = Extent::new::<O>(output, slots);
    results.must_not_meet(Extent::new::<T>(input, job.len))?;
    results.must_not_meet(Extent::new::<O>(weights, if weights == 0 { 0 } else { job.len }))?;
    results.must_not_meet(Extent::new::<T>(edges, if edges == 0 { 0 } else { job.bins + 1 }))?;
    let text = |source: &mut Source| text_of::<T, M, O>(source, &map);
    let mut held = Held::nothing();
    held.add_function::<M>(|values| map.values(values))?;
    let functions = functions::<T, M, O>(&text, &held);
    let addresses = Addresses { input, weights, edges, output };
    launch(cuda, &functions, (job, &bounds), addresses, || cuda.mark_may_fault(&reader))
}

/// Returns the functions of a histogram for its kernels. `text` is the callback of their text, [`text_of`].
pub(super) fn functions<'a, T: Element, M: Map<T, Output = u32>, O: Element>(
    text: &'a dyn Fn(&mut Source) -> Text,
    held: &'a Held,
) -> Functions<'a> {
    let (input, acc, output) = (Layout::of::<T>(), Layout::of::<u32>(), Layout::of::<O>());
    let layouts = Layouts::of_buffers(input, acc, output);
    let known = Known::default();
    Functions {
        layouts,
        known,
        key: Layout::of::<()>(),
        may_fault: false,
        types: TypeId::of::<(T, M, O)>(),
        held,
        text,
    }
}

/// Returns the text that a histogram contributes to its kernels. Its operator does nothing, because kernels add
/// integers.
pub(super) fn text_of<T: Element, M: Map<T, Output = u32>, O: Element>(source: &mut Source, map: &M) -> Text {
    let acc = u32::cuda_type(source);
    let output = O::cuda_type(source);
    let types = [T::cuda_type(source), acc.clone(), output.clone(), acc.clone()];
    let load = map.cuda_function(source);
    let given = Function::<(u32,)>::cuda_function(&Same, source);
    let combine = source.define("nothing to combine", "nothing", |_, name| {
        format!("__device__ __forceinline__ u32 {name}(u32 a, u32) {{ return a; }}")
    });
    let store = source.define(&format!("nothing to store {output}"), "nothing", |_, name| {
        format!("__device__ __forceinline__ {output} {name}(u32) {{ return {output}(); }}")
    });
    let code = Code { types, load, combine, store, carried: given.clone(), given };
    Text {
        code,
        streams: Vec::new(),
        length: None,
        right: None,
        element: String::new(),
        storing: None,
        key: acc.clone(),
        offset: acc,
        same: None,
    }
}

#[derive(Clone, Copy)]
struct Addresses {
    input: u64,
    weights: u64,
    edges: u64,
    output: u64,
}

/// Returns the kernel of a histogram's plan whose file is `root` and whose name is `entry`.
pub(super) fn kernel<'a>(
    plan: &HistogramPlan,
    (root, entry): (&'static str, &'static str),
    functions: &'a Functions<'a>,
) -> Kernel<'a> {
    Kernel { functions, kernel: (root, entry), features: Features::PLAIN, constants: plan.constants() }
}

/// Kernels of histograms, by file and name: the one that counts, and the one that converts sums of float weights.
pub(super) const COUNT: (&str, &str) = ("histogram/histogram.cuh", "upsweep_histogram");
pub(super) const FINISH: (&str, &str) = ("histogram/tally.cuh", "upsweep_tally_finish");

/// Enqueues the kernels of a histogram: one, or three if weights are floats.
fn launch(
    cuda: &Cuda,
    functions: &Functions<'_>,
    (job, bounds): (HistogramJob, &Bounds),
    addresses: Addresses,
    mark_may_fault: impl FnOnce() -> Result<()>,
) -> Result<()> {
    let plan = |amount| {
        HistogramPlan::new(HistogramJob { amount, ..job }, cuda.compute_capability(), cuda.multiprocessors() as usize)
    };
    let (exponents, plan) = (plan(Amount::Exponent), plan(job.amount));
    let slots = job.channels.1 * job.bins * job.rows;
    if slots == 0 {
        return Ok(());
    }
    let Addresses { input, weights, edges, output } = addresses;
    let workspace = if job.by_edges { cuda.workspace(0, 0)? } else { super::Workspace::NONE };
    let mut fixed = HistogramParams {
        input,
        weights,
        edges,
        output,
        n: job.len as u64,
        part: plan.part as u64,
        bins: job.bins as u64,
        search: if job.bins > 1 { 1 << (job.bins - 1).ilog2() } else { 0 },
        slices: plan.slices as u64,
        slice: plan.slice as u64,
        pieces: 0,
        rows: job.rows as u64,
        largest: 0,
        spare: u64::from(usize::BITS - job.len.leading_zeros()),
        marks: 0,
        sums: 0,
        workspace,
    };
    let begin = Begin::nothing(functions.layouts.acc);
    let enqueue = |plan: &HistogramPlan, which, grid: usize, shared: usize, fixed: HistogramParams| {
        let Ok(grid) = i32::try_from(grid) else {
            let reason = "there are too many for a launch: give a part of them at once";
            return Err(Error::Options { options: "rows of a histogram", reason });
        };
        let kernel = kernel(plan, which, functions);
        let loaded = cuda.kernel(kernel.key(), || kernel.source::<HistogramParams>())?;
        let params = Params::new(fixed, &begin, 1, &functions.held.values);
        // SAFETY: `Params` begins with the kernel's layout (its text asserts it), and the caller's loans and the
        // scratch keep its pointers good for the elements, the edges and the slots until the kernel is enqueued in the
        // stream's order.
        unsafe { cuda.launch(&loaded, Grid::new(grid as u32, plan.threads as u32, shared as u32), &params) }
    };
    let count = |plan: &HistogramPlan, fixed: HistogramParams| {
        if job.rows == 1 {
            return enqueue(plan, COUNT, plan.grid(), plan.shared_bytes(), fixed);
        }
        let mut pieces = Vec::new();
        for piece in plan.pieces((0..job.rows).map(|row| bounds.range(row))) {
            memory::reserve(&mut pieces, piece.len())?;
            pieces.extend(piece);
        }
        let list = cuda.upload(&pieces)?;
        let view = View::Cuda(list.as_view());
        let (address, _list) = cuda.read("pieces", &view)?;
        let fixed = HistogramParams { pieces: address, ..fixed };
        enqueue(plan, COUNT, pieces.len() / 3 * plan.slices, plan.shared_bytes(), fixed)
    };
    if job.amount == Amount::Float {
        // The scratch holds, for each slot, 16 bytes for the sum, 4 for the flags, and 4 for the largest exponent.
        let scratch = cuda.scratch::<u8>(slots.saturating_mul(24))?.zeroed()?;
        fixed.sums = scratch.address();
        fixed.marks = fixed.sums + 16 * slots as u64;
        fixed.largest = fixed.marks + 4 * slots as u64;
        let HistogramPlan { part, slices, slice, .. } = exponents;
        let (part, slices, slice) = (part as u64, slices as u64, slice as u64);
        let largest = HistogramParams { output: fixed.largest, part, slices, slice, ..fixed };
        count(&exponents, largest)?;
        count(&plan, HistogramParams { output: fixed.sums, ..fixed })?;
        enqueue(&plan, FINISH, slots.div_ceil(plan.threads).min(1024), 0, fixed)?;
    } else {
        cuda.clear(output, slots * functions.layouts.output.size)?;
        count(&plan, fixed)?;
    }
    if job.by_edges { mark_may_fault() } else { Ok(()) }
}
