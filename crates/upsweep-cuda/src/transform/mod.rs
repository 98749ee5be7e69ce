//! Transform on a CUDA device: see `transform/transform.cuh`.
//!
//! Each thread issues all of its loads before it stores a result, so that all loads are in flight at once.

use super::code::Kernel;
use super::features::{Features, Layouts};
use super::job::{CudaJob, Functions};
use super::open::open;
use super::params::{Params, params};
use super::runtime::Grid;
use super::{Cuda, Workspace};
use upsweep_core::call::Job;
use upsweep_core::error::Result;
use upsweep_core::segments::Whole;
use upsweep_core::steps::JobSteps;
use upsweep_plan::transform::TransformPlan;

params! {
    /// Parameters of the kernel that transforms elements.
    struct TransformParams {
        input: "const In*",
        output: "Out*",
        /// Number of elements.
        n: "u64",
        workspace: "Workspace",
    }
}

/// Returns the plan for a transform of `n` elements.
pub(super) fn plan(n: usize, layouts: Layouts) -> TransformPlan {
    match layouts.streams {
        None => TransformPlan::new(n, layouts.input.size, layouts.output.size),
        Some(streams) => TransformPlan::of_streams(n, streams, layouts.apart, layouts.output.size),
    }
}

/// Returns the kernel of a transform's plan.
pub(super) fn kernel<'a>(plan: &TransformPlan, functions: &'a Functions<'a>) -> Kernel<'a> {
    let constants = plan.constants();
    Kernel { functions, kernel: ("transform/transform.cuh", "upsweep_transform"), features: Features::PLAIN, constants }
}

pub fn run<S: JobSteps>(cuda: &Cuda, mut job: Job<'_, '_, '_, S, Whole>) -> Result<()> {
    open(cuda, &mut job, true, &mut |job| launch(cuda, job))
}

fn launch(cuda: &Cuda, job: &CudaJob<'_>) -> Result<()> {
    let n = job.shape.len;
    if n == 0 {
        return Ok(());
    }
    let plan = plan(n, job.functions.layouts);
    let kernel = kernel(&plan, &job.functions);
    let loaded = cuda.kernel(kernel.key(), || kernel.source::<TransformParams>())?;
    let workspace = if job.functions.may_fault { cuda.workspace(0, 0)? } else { Workspace::NONE };
    if job.functions.may_fault {
        cuda.mark_may_fault(&job.output_stream)?;
    }
    let fixed = TransformParams { input: job.input, output: job.output, n: n as u64, workspace };
    let params = Params::new(fixed, &job.begin, 1, &job.functions.held.values);
    // SAFETY: `Params` begins with the kernel's layout (its text asserts it), and the loans keep its pointers good for
    // `n` elements and as many results until the kernel is enqueued in the stream's order.
    unsafe { cuda.launch(&loaded, Grid::new(plan.blocks() as u32, plan.threads() as u32, 0), &params) }
}
