//! Reduction of segments by offsets on a CUDA device where the map gathers: reads memory besides the streams. See
//! `reduce/gathered.cuh`.
//!
//! A map that reads memory by computed positions, as a sparse product does, waits for the latency of its loads. So
//! instead of a pipeline of few blocks, this kernel has many small blocks on a multiprocessor, whose loads overlap. The
//! mapped elements of a tile go to shared memory. There a thread, a warp or the whole block reduces a segment, by the
//! length of the segment. An earlier launch (`reduce/gathered_starts.cuh`) has found where the tiles begin.

use crate::Cuda;
use crate::code::Kernel;
use crate::features::{Features, Heads, Layouts};
use crate::job::{CudaJob, Functions};
use crate::params::{Params, params};
use crate::runtime::Grid;
use upsweep_core::error::Result;
use upsweep_plan::gathered::GatheredPlan;

params! {
    /// Parameters of both kernels: the one that finds where tiles begin, and the one that reduces.
    struct GatheredParams {
        input: "const In*",
        output: "Out*",
        /// Number of elements.
        n: "u64",
        /// Address of the offsets, one more than there are segments.
        offsets: "const Offset*",
        segments: "u64",
        /// Number of results that the output has room for; further results are not stored.
        outputs: "u64",
        /// Address of an index for each tile: of the first offset that is not less than the tile's begin. After these
        /// come the index of the last offset, and the workspace's epoch (the number of the launch) for the second
        /// kernel.
        starts: "u64*",
        /// Null, or the address of the initial value.
        init_from: "const Given*",
        workspace: "Workspace",
    }
}

/// Returns the features of a reduction of segments by offsets.
pub(crate) fn features(has_init: bool) -> Features {
    Features { heads: Heads::Offsets, by_segment: true, has_init, ..Features::PLAIN }
}

/// Returns the plan for `n` elements in `segments` segments.
pub(crate) fn plan(n: usize, segments: usize, layouts: Layouts, capability: (u32, u32)) -> GatheredPlan {
    GatheredPlan::new(n, segments, features(false).sizes(layouts), layouts.acc.size, capability)
}

/// Returns both kernels of a plan: first the one that finds where tiles begin, then the one that reduces.
pub(crate) fn kernels<'a>(plan: &GatheredPlan, features: Features, functions: &'a Functions<'a>) -> [Kernel<'a>; 2] {
    [("reduce/gathered_starts.cuh", "upsweep_segments_starts"), ("reduce/gathered.cuh", "upsweep_segments_apart")]
        .map(|kernel| Kernel { functions, kernel, features, constants: plan.constants() })
}

pub(crate) fn launch(cuda: &Cuda, job: &CudaJob<'_>) -> Result<()> {
    let (n, segments) = (job.shape.lines() * job.shape.len, job.head_items.saturating_sub(1));
    let plan = plan(n, segments, job.functions.layouts, cuda.compute_capability());
    let [starts, reduction] = kernels(&plan, features(job.begin.has_init), &job.functions);
    let starting = cuda.kernel(starts.key(), || starts.source::<GatheredParams>())?;
    let reducing = cuda.kernel(reduction.key(), || reduction.source::<GatheredParams>())?;
    let places = cuda.scratch::<u64>(plan.tiles + 2)?;
    let workspace = cuda.workspace(plan.words.words8, plan.words.words16)?;
    cuda.mark_may_fault(&job.output_stream)?;
    let fixed = GatheredParams {
        input: job.input,
        output: job.output,
        n: n as u64,
        offsets: job.head_source,
        segments: segments as u64,
        outputs: job.outputs as u64,
        starts: places.address(),
        init_from: job.begin.init_from,
        workspace,
    };
    let params = Params::new(fixed, &job.begin, 1, &job.functions.held.values);
    let threads = plan.threads() as u32;
    let starting_blocks = plan.starting_blocks(segments, cuda.multiprocessors() as usize) as u32;
    // SAFETY: `Params` begins with the kernels' layout (their text asserts it); the loans keep its pointers good for
    // `n` elements, the offsets and the results, and the scratch is freed in the order of the stream.
    unsafe { cuda.launch(&starting, Grid::new(starting_blocks, threads, 0), &params) }?;
    // SAFETY: `Params` begins with the kernels' layout (their text asserts it); the loans and the scratch keep its
    // pointers good, as for the launch above.
    unsafe { cuda.launch(&reducing, Grid::new(plan.tiles as u32, threads, 0), &params) }
}
