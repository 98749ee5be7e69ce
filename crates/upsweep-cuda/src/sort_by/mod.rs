//! Sort by a comparison on a CUDA device: tiles (`sort_by/sort_by.cuh`), and merges of neighbouring runs.
//!
//! A block sorts a tile; the kernel of a merge then merges neighbouring runs.

use super::borrow::Lender;
use super::code::Kernel;
use super::features::{Features, Heads};
use super::job::{Begin, Functions};
use super::merge::four::{self, MergeFourParams};
use super::merge::{self, MergeParams};
use super::params::{Params, params};
use super::runtime::Grid;
use super::select::with_functions;
use super::{Cuda, Workspace};
use upsweep_core::call::Unsorted;
use upsweep_core::call::merge::{Beside, Sorting};
use upsweep_core::call::select::FirstOf;
use upsweep_core::error::Result;
use upsweep_core::inputs::Lend;
use upsweep_core::operator::{Element, Function};
use upsweep_core::outputs::LendMut;
use upsweep_plan::merge::{MergePlan, MergeTypes};

params! {
    /// Parameters of the kernel that sorts tiles.
    struct SortByParams {
        input: "const In*",
        output: "In*",
        /// Address of the value of each element; null if POSITIONS, where the values are the positions of the elements.
        values: "const void*",
        values_output: "void*",
        n: "u64",
        /// Workspace, which this kernel does not use: its blocks do not communicate, and it reports no fault.
        workspace: "Workspace",
    }
}

/// Returns the kernel that sorts tiles. With `positions` the values of the elements are their positions.
pub(super) fn kernel<'a>(plan: &MergePlan, positions: bool, functions: &'a Functions<'a>) -> Kernel<'a> {
    let features = Features { heads: Heads::Keys, ..Features::PLAIN };
    let constants = plan.sort_constants(positions);
    Kernel { functions, kernel: ("sort_by/sort_by.cuh", "upsweep_sort_by"), features, constants }
}

/// Sorts elements by the comparison `less`, with their values or their positions.
pub fn run<T, V, F>(cuda: &Cuda, mut call: Sorting<'_, T, V>, less: F) -> Result<()>
where
    T: Element,
    V: Element,
    F: Function<(T, T), Output = bool>,
{
    let len = call.len();
    let mut lender = Lender::new(cuda);
    let output = call.output.as_mut().map(|target| lender.lend_mut("output", target)).transpose()?;
    let values_output =
        call.values_output.as_mut().map(|target| lender.lend_mut("output values", target)).transpose()?;
    let input = match &call.input {
        Unsorted::Buffer(view) => lender.lend("input", view)?,
        Unsorted::OfOutput => output.unwrap_or(0),
    };
    let values = match &call.beside {
        Beside::Values(Unsorted::Buffer(view)) => lender.lend("values", view)?,
        Beside::Values(Unsorted::OfOutput) | Beside::Nothing | Beside::Positions(_) => 0,
    };
    lender.check(false)?;
    let _loans = lender.into_loans();
    if len == 0 {
        return Ok(());
    }
    let positions = matches!(call.beside, Beside::Positions(_));
    let value = if matches!(call.beside, Beside::Nothing) { 0 } else { size_of::<V>() };
    let plan = MergePlan::new(len, MergeTypes { key: size_of::<T>(), value, align: align_of::<V>() });
    let passes = plan.passes().count();
    let scratch = cuda.scratch::<T>(if passes > 0 { len } else { 0 })?;
    let values_scratch = cuda.scratch::<u8>(if passes > 0 { len * value } else { 0 })?;
    let unwanted = cuda.scratch::<T>(if output.is_none() { len } else { 0 })?;
    let result = (output.unwrap_or(unwanted.address()), values_output.unwrap_or(0));
    let other = (scratch.address(), values_scratch.address());
    // Passes alternate between two buffers, such that the last one stores in the result. `left` is the number of passes
    // that follow.
    let place = |left: usize| if left.is_multiple_of(2) { result } else { other };
    with_functions::<T, _, _>(&FirstOf(less), |functions| {
        let kernel = kernel(&plan, positions, functions);
        let loaded = cuda.kernel(kernel.key(), || kernel.source::<SortByParams>())?;
        let (first, first_values) = place(passes);
        let fixed = SortByParams {
            input,
            output: first,
            values,
            values_output: first_values,
            n: len as u64,
            workspace: Workspace::NONE,
        };
        let params = Params::new(fixed, &Begin::nothing(functions.layouts.acc), 1, &functions.held.values);
        let blocks = len.div_ceil(plan.sorted_tile()) as u32;
        // SAFETY: `Params` begins with the kernel's layout (its text asserts it). The loans and the scratch keep its
        // pointers good for all elements and values until the kernel is enqueued in the stream's order.
        unsafe { cuda.launch(&loaded, Grid::new(blocks, plan.sorters() as u32, 0), &params)? };
        for (done, pass) in plan.passes().enumerate() {
            let ((from, from_values), (to, to_values)) = (place(passes - done), place(passes - done - 1));
            let (n, run) = (len as u64, pass.run as u64);
            // SAFETY: the loans and the scratch are good for all elements and values; source and target are disjoint.
            unsafe {
                if pass.ways == 2 {
                    let two = MergeParams {
                        a: from,
                        b: from + run * size_of::<T>() as u64,
                        values_a: from_values,
                        values_b: from_values + run * value as u64,
                        output: to,
                        values_output: to_values,
                        of_a: run,
                        of_b: n - run,
                        cell: 0,
                        cell_splits: 0,
                        tile_splits: 0,
                        workspace: Workspace::NONE,
                    };
                    merge::launch(cuda, &plan, functions, two)?;
                } else {
                    let four = MergeFourParams {
                        input: from,
                        values: from_values,
                        output: to,
                        values_output: to_values,
                        n,
                        run,
                        pivots: 0,
                        splits: 0,
                        workspace: Workspace::NONE,
                    };
                    four::launch(cuda, &plan, functions, four)?;
                }
            }
        }
        Ok(())
    })
}
