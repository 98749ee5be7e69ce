//! Up-sweeps on a CUDA device: see `up_sweep/up_sweep.cuh`.
//!
//! A block combines the aligned blocks of elements in its tile. Further launches combine the last elements of all
//! tiles.

use super::code::Kernel;
use super::features::Features;
use super::job::{Begin, CudaJob, Functions};
use super::open::open;
use super::params::{Params, params};
use super::runtime::Grid;
use super::{Cuda, Workspace};
use upsweep_core::call::Job;
use upsweep_core::error::Result;
use upsweep_core::segments::Whole;
use upsweep_core::steps::JobSteps;
use upsweep_plan::up_sweep::{THREADS, constants, tile};

params! {
    /// Parameters of the kernel that sweeps tiles.
    struct UpSweepParams {
        input: "const In*",
        output: "Out*",
        /// `n`: number of elements that this launch combines. `stride`: distance between two of them in the array.
        n: "u64",
        stride: "u64",
        /// Workspace, which this kernel does not use: its blocks do not communicate, and it reports no fault.
        workspace: "Workspace",
    }
}

/// Returns the kernel that sweeps the tiles of one launch.
pub(super) fn kernel<'a>(functions: &'a Functions<'a>) -> Kernel<'a> {
    let kernel = ("up_sweep/up_sweep.cuh", "upsweep_up_sweep");
    Kernel { functions, kernel, features: Features::PLAIN, constants: constants(functions.layouts.acc.size) }
}

pub fn run<S: JobSteps>(cuda: &Cuda, mut job: Job<'_, '_, '_, S, Whole>) -> Result<()> {
    open(cuda, &mut job, false, &mut |job| launch(cuda, job))
}

fn launch(cuda: &Cuda, job: &CudaJob<'_>) -> Result<()> {
    let tile = tile(job.functions.layouts.acc.size);
    let kernel = kernel(&job.functions);
    let loaded = cuda.kernel(kernel.key(), || kernel.source::<UpSweepParams>())?;
    // The first launch reads the input; later launches read the results so far.
    let (mut input, mut stride, mut n) = (job.input, 1, job.shape.len);
    while n > 0 && (stride == 1 || n > 1) {
        let workspace = Workspace::NONE;
        let fixed = UpSweepParams { input, output: job.output, n: n as u64, stride: stride as u64, workspace };
        let params = Params::new(fixed, &Begin::nothing(job.functions.layouts.acc), 1, &job.functions.held.values);
        // SAFETY: `Params` begins with the kernel's layout (its text asserts it), and the loans keep its pointers good
        // for the elements and results until the kernel is enqueued in the stream's order.
        unsafe { cuda.launch(&loaded, Grid::new(n.div_ceil(tile) as u32, THREADS as u32, 0), &params) }?;
        (input, stride, n) = (job.output, stride * tile, n / tile);
    }
    Ok(())
}
