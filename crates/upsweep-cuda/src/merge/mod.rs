//! Merges on a CUDA device: see `merge/merge.cuh`.
//!
//! One or two launches find where each tile of results begins in both inputs (merge path). A last one merges the tiles,
//! a block each, in shared memory. The splits ascend and stay inside the inputs, whatever the comparison returns.

pub mod four;

use super::Cuda;
use super::borrow::Lender;
use super::code::Kernel;
use super::features::{Features, Heads};
use super::job::{Begin, Functions};
use super::params::{Params, params};
use super::runtime::Grid;
use super::select::with_functions;
use upsweep_core::call::merge::Merging;
use upsweep_core::call::select::FirstOf;
use upsweep_core::error::Result;
use upsweep_core::inputs::Lend;
use upsweep_core::operator::{Element, Function};
use upsweep_core::outputs::LendMut;
use upsweep_plan::merge::{MergePlan, MergeStep as Step, MergeTypes, SPLITTERS};

params! {
    /// Parameters of the kernels of a merge: those that find splits, and the one that merges.
    struct MergeParams {
        a: "const In*",
        b: "const In*",
        values_a: "const void*",
        values_b: "const void*",
        output: "In*",
        values_output: "void*",
        of_a: "u64",
        of_b: "u64",
        /// Number of results of a cell: a group of neighbouring tiles, whose begin in both inputs is found before
        /// theirs.
        cell: "u64",
        /// Address of the split of each cell (group of neighbouring tiles) but the first: the number of elements of `a`
        /// among the results before the cell.
        cell_splits: "u64*",
        /// Address of the split of each tile: the number of elements of `a` among the results before the tile.
        tile_splits: "u64*",
        /// Workspace, which these kernels do not use: their blocks do not communicate, and they report no fault.
        workspace: "Workspace",
    }
}

/// Returns the kernel of a step of a merge: the search for the splits of cells (groups of tiles) or of tiles, or the
/// merge itself.
pub(super) fn kernel<'a>(plan: &MergePlan, step: Step, functions: &'a Functions<'a>) -> Kernel<'a> {
    let features = Features { heads: Heads::Keys, ..Features::PLAIN };
    Kernel { functions, kernel: ("merge/merge.cuh", "upsweep_merge"), features, constants: plan.constants(step) }
}

/// Merges the two sorted arrays of `call`, and the values of their elements, by the comparison `less`.
pub fn run<T, V, F>(cuda: &Cuda, mut call: Merging<'_, T, V>, less: F) -> Result<()>
where
    T: Element,
    V: Element,
    F: Function<(T, T), Output = bool>,
{
    let mut lender = Lender::new(cuda);
    let output = lender.lend_mut("output", &mut call.output)?;
    let values_output =
        call.values_output.as_mut().map(|target| lender.lend_mut("output values", target)).transpose()?;
    let (a, b) = (lender.lend("first input", &call.inputs.0)?, lender.lend("second input", &call.inputs.1)?);
    let (mut values_a, mut values_b) = (0, 0);
    if let Some((first, second)) = &call.values {
        values_a = lender.lend("first values", first)?;
        values_b = lender.lend("second values", second)?;
    }
    lender.check(false)?;
    let _loans = lender.into_loans();
    let (of_a, of_b) = (call.inputs.0.len(), call.inputs.1.len());
    if of_a + of_b == 0 {
        return Ok(());
    }
    let value = if call.values.is_some() { size_of::<V>() } else { 0 };
    let plan = MergePlan::new(of_a + of_b, MergeTypes { key: size_of::<T>(), value, align: align_of::<V>() });
    with_functions::<T, _, _>(&FirstOf(less), |functions| {
        let params = MergeParams {
            a,
            b,
            values_a,
            values_b,
            output,
            values_output: values_output.unwrap_or(0),
            of_a: of_a as u64,
            of_b: of_b as u64,
            cell: 0,
            cell_splits: 0,
            tile_splits: 0,
            workspace: super::Workspace::NONE,
        };
        // SAFETY: the loans keep the pointers good for all elements and values until the kernels are enqueued.
        unsafe { launch(cuda, &plan, functions, params) }
    })
}

/// Launches the kernels of a merge: those that find the splits, and then the one that merges.
///
/// # Safety
/// The pointers are good for as many elements and values as `params` says, until the kernels are enqueued in the
/// stream's order.
pub(super) unsafe fn launch(
    cuda: &Cuda,
    plan: &MergePlan,
    functions: &Functions<'_>,
    params: MergeParams,
) -> Result<()> {
    let (tiles, cell) = (plan.tiles(), plan.cell());
    let cells = if cell > 1 { tiles.div_ceil(cell) } else { 0 };
    let splits = cuda.scratch::<u64>(if tiles > 1 { cells + tiles } else { 0 })?;
    let begin = Begin::nothing(functions.layouts.acc);
    let fixed = MergeParams {
        cell: (cell * plan.tile()) as u64,
        // If there are few tiles, each tile is a cell, so one search finds all splits.
        cell_splits: splits.address(),
        tile_splits: splits.address() + 8 * cells as u64,
        ..params
    };
    let params = Params::new(fixed, &begin, 1, &functions.held.values);
    let of_cells = (tiles.div_ceil(cell) - 1).div_ceil(SPLITTERS / 32);
    let of_tiles = if cell > 1 { tiles.div_ceil(SPLITTERS) } else { 0 };
    let steps =
        [(Step::Cells, of_cells, SPLITTERS), (Step::Tiles, of_tiles, SPLITTERS), (Step::Merge, tiles, plan.threads())];
    for (step, blocks, threads) in steps.into_iter().filter(|(_, blocks, _)| *blocks > 0) {
        let kernel = kernel(plan, step, functions);
        let loaded = cuda.kernel(kernel.key(), || kernel.source::<MergeParams>())?;
        // SAFETY: `Params` begins with the kernel's layout (its text asserts it). The scratch has room for the splits
        // of all cells and tiles. The caller keeps the other pointers good for the elements and values of `params`, as
        // `# Safety` requires.
        unsafe { cuda.launch(&loaded, Grid::new(blocks as u32, threads as u32, 0), &params)? };
    }
    Ok(())
}
