//! Float sums and products of rows on a CUDA device, each with the tree of a whole array: see
//! `reduce/row_totals.cuh` and `reduce/short_rows.cuh`.

use crate::code::Kernel;
use crate::features::{Features, Layouts};
use crate::job::{CudaJob, Functions};
use crate::params::{Params, params};
use crate::runtime::Grid;
use crate::{Cuda, Workspace};
use upsweep_core::error::Result;
use upsweep_core::shape::Shape;
use upsweep_plan::row_totals::RowTotalsPlan;

params! {
    /// Parameters of both kernels: the one that reduces elements, and the one that joins the totals of parts.
    struct RowTotalsParams {
        input: "const In*",
        output: "Out*",
        rows: "u64",
        /// Number of elements of a row.
        row: "u64",
        /// Number of elements of a part of a row, and number of parts.
        part: "u64",
        parts: "u64",
        /// Null, or the address of the total of each part, row by row.
        totals: "Acc*",
        /// Null, or the address of the initial value.
        init_from: "const Given*",
        workspace: "Workspace",
    }
}

/// Returns the plan of a reduction of rows by a tree. None if these are no rows, or the reduction has no tree.
pub(crate) fn plan(shape: Shape, layouts: Layouts) -> Option<RowTotalsPlan> {
    if shape.inner > 1 || layouts.counted || layouts.lanes == 0 || shape.len == 0 {
        return None;
    }
    let input = (layouts.input.size, layouts.streams);
    Some(RowTotalsPlan::new((shape.outer, shape.len), layouts.lanes, input, layouts.acc.size))
}

/// Returns the kernels of a plan: the one that reduces elements, and the one that joins the totals of parts.
pub(crate) fn kernels<'a>(plan: &RowTotalsPlan, has_init: bool, functions: &'a Functions<'a>) -> [Kernel<'a>; 2] {
    let features = Features { has_init, ..Features::PLAIN };
    let reducing = if plan.is_short() {
        ("reduce/short_rows.cuh", "upsweep_short_rows")
    } else {
        ("reduce/row_totals.cuh", "upsweep_row_totals")
    };
    [reducing, ("reduce/join_totals.cuh", "upsweep_join_totals")].map(|kernel| Kernel {
        functions,
        kernel,
        features,
        constants: plan.constants(),
    })
}

pub(crate) fn launch(cuda: &Cuda, job: &CudaJob<'_>, plan: &RowTotalsPlan) -> Result<()> {
    if plan.rows == 0 {
        return Ok(());
    }
    let functions = &job.functions;
    let [reducing, joining] = kernels(plan, job.begin.has_init, functions);
    let loaded = cuda.kernel(reducing.key(), || reducing.source::<RowTotalsParams>())?;
    let workspace = if functions.may_fault {
        cuda.mark_may_fault(&job.output_stream)?;
        cuda.workspace(0, 0)?
    } else {
        Workspace::NONE
    };
    let joins = plan.parts > 1;
    let words = (plan.rows * plan.parts * functions.layouts.acc.size).div_ceil(size_of::<u64>());
    let totals = if joins { Some(cuda.scratch::<u64>(words)?) } else { None };
    let fixed = RowTotalsParams {
        input: job.input,
        output: job.output,
        rows: plan.rows as u64,
        row: plan.len as u64,
        part: plan.part as u64,
        parts: plan.parts as u64,
        totals: totals.as_ref().map_or(0, |totals| totals.address()),
        init_from: job.begin.init_from,
        workspace,
    };
    let params = Params::new(fixed, &job.begin, 1, &functions.held.values);
    let grid = |blocks: usize, shared: usize| Grid::new(blocks as u32, plan.threads() as u32, shared as u32);
    // SAFETY: `Params` begins with the kernel's layout (its text asserts it), and the loans keep its pointers good for
    // all rows and their results until the kernel is enqueued in the stream's order. The scratch has a total for each part.
    unsafe { cuda.launch(&loaded, grid(plan.grid(), plan.shared_bytes()), &params) }?;
    if !joins {
        return Ok(());
    }
    let loaded = cuda.kernel(joining.key(), || joining.source::<RowTotalsParams>())?;
    // SAFETY: as for the launch above, which has stored a total for each part; the scratch is freed in the stream's order.
    unsafe { cuda.launch(&loaded, grid(plan.joining_grid(), 0), &params) }
}
