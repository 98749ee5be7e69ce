//! Reduction of many rows that are not short on a CUDA device: see `reduce/rows.cuh`.

use crate::code::Kernel;
use crate::features::{Features, Layouts};
use crate::job::{CudaJob, Functions};
use crate::params::{Params, params};
use crate::runtime::Grid;
use crate::{Cuda, Workspace};
use upsweep_core::error::Result;
use upsweep_core::operator::Form;
use upsweep_core::shape::Shape;
use upsweep_plan::rows::RowsPlan;

params! {
    /// Parameters of the kernel in which each warp reduces a row.
    struct RowsParams {
        input: "const In*",
        output: "Out*",
        rows: "u64",
        /// Number of elements of a row.
        row: "u64",
        /// Null, or the address of the initial value.
        init_from: "const Given*",
        workspace: "Workspace",
    }
}

/// Returns the plan of the kernel in which each warp reduces a row, for lines of the shape `shape`. None if these are
/// not many rows, or if the rows are short.
pub(crate) fn plan(shape: Shape, layouts: Layouts, form: Form) -> Option<RowsPlan> {
    let Layouts { input, streams, counted, apart, acc, .. } = layouts;
    if shape.inner > 1 || counted || apart {
        return None;
    }
    RowsPlan::new((shape.outer, shape.len), (input.size, streams), acc.size, form != Form::Other)
}

/// Returns the kernel of a plan in which each warp reduces a row.
pub(crate) fn kernel<'a>(plan: &RowsPlan, has_init: bool, functions: &'a Functions<'a>) -> Kernel<'a> {
    let features = Features { has_init, ..Features::PLAIN };
    Kernel { functions, kernel: ("reduce/rows.cuh", "upsweep_rows"), features, constants: plan.constants() }
}

pub(crate) fn launch(cuda: &Cuda, job: &CudaJob<'_>, plan: &RowsPlan) -> Result<()> {
    let kernel = kernel(plan, job.begin.has_init, &job.functions);
    let loaded = cuda.kernel(kernel.key(), || kernel.source::<RowsParams>())?;
    let workspace = if job.functions.may_fault {
        cuda.mark_may_fault(&job.output_stream)?;
        cuda.workspace(0, 0)?
    } else {
        Workspace::NONE
    };
    let fixed = RowsParams {
        input: job.input,
        output: job.output,
        rows: plan.rows as u64,
        row: plan.len as u64,
        init_from: job.begin.init_from,
        workspace,
    };
    let params = Params::new(fixed, &job.begin, 1, &job.functions.held.values);
    // SAFETY: `Params` begins with the kernel's layout (its text asserts it), and the loans keep its pointers good for
    // all rows and their results until the kernel is enqueued in the stream's order.
    unsafe { cuda.launch(&loaded, Grid::new(plan.grid() as u32, plan.threads as u32, 0), &params) }
}
