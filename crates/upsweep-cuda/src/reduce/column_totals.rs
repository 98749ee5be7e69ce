//! Float sums and products of columns on a CUDA device, each with the tree of columns: see
//! `reduce/column_totals.cuh` and `reduce/narrow_columns.cuh`.

use crate::code::Kernel;
use crate::features::{Features, Layouts};
use crate::job::{CudaJob, Functions};
use crate::params::{Params, params};
use crate::runtime::{Grid, Scratch};
use crate::{Cuda, Workspace};
use upsweep_core::error::Result;
use upsweep_core::shape::Shape;
use upsweep_plan::column_totals::ColumnTotalsPlan;

params! {
    /// Parameters of both kernels: the one that reduces elements, and the one that joins the totals of parts.
    struct ColumnTotalsParams {
        input: "const In*",
        output: "Out*",
        /// Number of matrices, of elements or of totals of a column, and of columns of a matrix.
        outer: "u64",
        len: "u64",
        inner: "u64",
        /// Number of elements of a part of a column.
        part: "u64",
        /// Number of parts of a column that the launch leaves.
        parts: "u64",
        /// The totals of `len` parts of each column, row by row, to be joined; where those of `parts` parts are left.
        from: "const Acc*",
        to: "Acc*",
        /// Null, or the address of the initial value.
        init_from: "const Given*",
        workspace: "Workspace",
    }
}

/// Returns the plan of a reduction of columns by a tree. None if these are no columns, or the reduction has no tree.
pub(crate) fn plan(shape: Shape, layouts: Layouts) -> Option<ColumnTotalsPlan> {
    let applies = shape.inner > 1 && shape.elements() > 0 && !layouts.counted && layouts.lanes > 0;
    applies.then(|| ColumnTotalsPlan::new(shape))
}

/// Returns the kernels of a plan: the one that reduces elements, and the one that joins the totals of parts.
pub(crate) fn kernels<'a>(plan: &ColumnTotalsPlan, has_init: bool, functions: &'a Functions<'a>) -> [Kernel<'a>; 2] {
    let features = Features { has_init, ..Features::PLAIN };
    let reducing = if plan.is_narrow() {
        ("reduce/narrow_columns.cuh", "upsweep_narrow_columns")
    } else {
        ("reduce/column_totals.cuh", "upsweep_column_totals")
    };
    let [first, second] = plan.constants((functions.layouts.input.size, functions.layouts.streams));
    let joining = ("reduce/join_columns.cuh", "upsweep_join_columns");
    [(reducing, first), (joining, second)].map(|(kernel, constants)| Kernel { functions, kernel, features, constants })
}

pub(crate) fn launch(cuda: &Cuda, job: &CudaJob<'_>, plan: &ColumnTotalsPlan) -> Result<()> {
    let (functions, Shape { outer, len, inner }) = (&job.functions, plan.shape);
    let kernels = kernels(plan, job.begin.has_init, functions);
    let workspace = if functions.may_fault {
        cuda.mark_may_fault(&job.output_stream)?;
        cuda.workspace(0, 0)?
    } else {
        Workspace::NONE
    };
    // Launches store totals and read them in turns.
    let bytes = |parts: usize| (outer * inner * parts).saturating_mul(functions.layouts.acc.size);
    let mut left: Option<(Scratch<'_, u8>, usize)> = None;
    for parts in plan.launches() {
        let kernel = &kernels[usize::from(left.is_some())];
        let loaded = cuda.kernel(kernel.key(), || kernel.source::<ColumnTotalsParams>())?;
        let to = if parts > 1 { Some(cuda.scratch::<u8>(bytes(parts))?) } else { None };
        let fixed = ColumnTotalsParams {
            input: job.input,
            output: job.output,
            outer: outer as u64,
            len: left.as_ref().map_or(len, |(_, parts)| *parts) as u64,
            inner: inner as u64,
            part: plan.part as u64,
            parts: parts as u64,
            from: left.as_ref().map_or(0, |(totals, _)| totals.address()),
            to: to.as_ref().map_or(0, |totals| totals.address()),
            init_from: job.begin.init_from,
            workspace,
        };
        let params = Params::new(fixed, &job.begin, 1, &functions.held.values);
        let grid = Grid::new(plan.grid(parts, left.is_some()) as u32, plan.threads() as u32, 0);
        // SAFETY: `Params` begins with the kernel's layout (its text asserts it), and the loans keep its pointers good for
        // the shape's elements and results until the kernel is enqueued in the stream's order. Scratch memory has room for
        // the totals, and is freed in the stream's order.
        unsafe { cuda.launch(&loaded, grid, &params) }?;
        left = to.map(|to| (to, parts));
    }
    Ok(())
}
