//! Merges of four runs of a sort by a comparison at once: see `merge/four.cuh`.

use crate::Cuda;
use crate::code::Kernel;
use crate::features::{Features, Heads};
use crate::job::{Begin, Functions};
use crate::params::{Params, params};
use crate::runtime::Grid;
use upsweep_core::error::Result;
use upsweep_plan::merge::{MergePlan, MergeStep, SPLITTERS};

params! {
    /// Parameters of the two kernels of a merge of four runs at once: the one that finds the splits, and the one that
    /// merges.
    struct MergeFourParams {
        input: "const In*",
        values: "const void*",
        output: "In*",
        values_output: "void*",
        n: "u64",
        /// Number of elements of a run; the last run may have fewer.
        run: "u64",
        /// Number of pivots for each group of four runs. The results of a group are cut into parts at these elements.
        pivots: "u64",
        /// Address of four numbers for each pivot, its splits: how many elements of each run come before it.
        splits: "u64*",
        /// Workspace, which these kernels do not use: their blocks do not communicate, and they report no fault.
        workspace: "Workspace",
    }
}

/// Returns one of the two kernels: with `splits` the one that finds the splits, else the one that merges.
pub(crate) fn kernel<'a>(plan: &MergePlan, splits: bool, functions: &'a Functions<'a>) -> Kernel<'a> {
    let features = Features { heads: Heads::Keys, ..Features::PLAIN };
    let constants = plan.four_constants(if splits { MergeStep::Cells } else { MergeStep::Merge });
    Kernel { functions, kernel: ("merge/four.cuh", "upsweep_merge_four"), features, constants }
}

/// Merges each four neighbouring runs into one, by launches of both kernels.
///
/// # Safety
/// The pointers are good for as many elements and values as `params` says, until the kernels are enqueued in the
/// stream's order; source and target are disjoint.
pub(crate) unsafe fn launch(
    cuda: &Cuda,
    plan: &MergePlan,
    functions: &Functions<'_>,
    params: MergeFourParams,
) -> Result<()> {
    let (groups, pivots) = plan.groups_and_pivots(params.run as usize);
    let splits = cuda.scratch::<[u64; 4]>(groups * pivots)?;
    let begin = Begin::nothing(functions.layouts.acc);
    let fixed = MergeFourParams { pivots: pivots as u64, splits: splits.address(), ..params };
    let params = Params::new(fixed, &begin, 1, &functions.held.values);
    for (first, blocks, threads) in [
        (true, (groups * pivots).div_ceil(SPLITTERS / 32), SPLITTERS),
        (false, groups * (pivots + 1), plan.four_threads()),
    ] {
        let kernel = kernel(plan, first, functions);
        let loaded = cuda.kernel(kernel.key(), || kernel.source::<MergeFourParams>())?;
        // SAFETY: `Params` begins with the kernel's layout (its text asserts it). The scratch has room for the splits
        // of all pivots. The caller keeps the other pointers good for the elements and values of `params`, as `#
        // Safety` requires.
        unsafe { cuda.launch(&loaded, Grid::new(blocks as u32, threads as u32, 0), &params)? };
    }
    Ok(())
}
