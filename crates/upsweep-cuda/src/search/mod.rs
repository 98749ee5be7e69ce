//! Search on a CUDA device: see `search/search.cuh`.
//!
//! Each search takes the same number of steps, without branches. A thread searches several values side by side, so
//! that as many loads are in flight.

use super::borrow::Extent;
use super::code::Kernel;
use super::features::Features;
use super::job::{Begin, Functions, write};
use super::params::{Params, params};
use super::runtime::Grid;
use super::select::with_functions;
use super::{Cuda, Workspace};
use upsweep_core::buffer::View;
use upsweep_core::call::search::Searching;
use upsweep_core::call::select::FirstOf;
use upsweep_core::error::Result;
use upsweep_core::operator::{Element, Function};
use upsweep_plan::search::{THREADS, blocks, constants};

params! {
    /// Parameters of the kernel that searches.
    struct SearchParams {
        sorted: "const In*",
        values: "const In*",
        output: "void*",
        /// `len`: number of sorted elements. `step`: the first step of a search, the largest power of two that does not
        /// exceed it.
        len: "u64",
        step: "u64",
        /// Number of values that are searched for.
        n: "u64",
        /// Workspace, which this kernel does not use: its blocks do not communicate, and it reports no fault.
        workspace: "Workspace",
    }
}

pub fn run<L, I, O>(cuda: &Cuda, call: Searching<'_, I, O>, less: L) -> Result<()>
where
    L: Function<(I, I), Output = bool>,
    I: Element,
    O: Element,
{
    let Searching { sorted, values, mut output, upper } = call;
    let (len, n) = (sorted.len(), values.len());
    let (output, room, _output) = write(cuda, "output", Some(&mut output))?;
    let (sorted_at, _sorted) = cuda.read("sorted array", &sorted)?;
    let (values_at, _values) = cuda.read("input", &values)?;
    let results = Extent::new::<O>(output, room);
    for (address, view) in [(sorted_at, &sorted), (values_at, &values)] {
        results.must_not_meet(Extent::new::<I>(address, View::len(view)))?;
    }
    if n == 0 {
        return Ok(());
    }
    // The comparison takes the place that the equality of neighbouring keys has among the functions of other kernels.
    with_functions::<I, _, _>(&FirstOf(less), |functions| {
        let kernel = kernel(functions, upper, size_of::<O>());
        let loaded = cuda.kernel(kernel.key(), || kernel.source::<SearchParams>())?;
        let fixed = SearchParams {
            sorted: sorted_at,
            values: values_at,
            output,
            len: len as u64,
            step: if len == 0 { 0 } else { 1 << len.ilog2() },
            n: n as u64,
            workspace: Workspace::NONE,
        };
        let params = Params::new(fixed, &Begin::nothing(functions.layouts.acc), 1, &functions.held.values);
        // SAFETY: `Params` begins with the kernel's layout (its text asserts it), and the loans keep its pointers good
        // for `len` sorted elements and `n` values and results until the kernel is enqueued in the stream's order.
        unsafe { cuda.launch(&loaded, Grid::new(blocks(n) as u32, THREADS as u32, 0), &params) }
    })
}

/// Returns the kernel of searches whose results are indices of `index` bytes. With `upper` a result also counts the
/// elements that equal the value.
pub(super) fn kernel<'a>(functions: &'a Functions<'a>, upper: bool, index: usize) -> Kernel<'a> {
    let kernel = ("search/search.cuh", "upsweep_search");
    Kernel { functions, kernel, features: Features::PLAIN, constants: constants(upper, index) }
}
