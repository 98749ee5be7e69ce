//! Scans along two axes on a CUDA device in one pass: see `scan_axes/scan_axes.cuh`.
//!
//! A matrix that has many rows for its size takes two scans instead (`pays` in `upsweep-plan/src/scan_axes.rs`).
//!
//! The kernel cuts a matrix into strips of neighbouring columns. A block goes down a strip, tile by tile, and reads
//! each element once: the running values of the columns stay in the block. A strip publishes only the combination of
//! each row, for the strips to the right of it. Some warps scan the rows of tiles as they arrive from memory. Other
//! warps look back over the strips to the left. Earlier tiles wait in shared memory meanwhile. They are finished by the
//! first warps or, where elements are widened, by warps of their own. The width of a strip depends on the number of
//! strips.

use super::Cuda;
use super::code::Kernel;
use super::features::{Features, Layouts};
use super::job::{CudaJob, Functions, layouts_of};
use super::open::open;
use super::params::{Params, params};
use super::runtime::Grid;
use upsweep_core::call::{Direction, Job};
use upsweep_core::error::Result;
use upsweep_core::segments::Whole;
use upsweep_core::steps::JobSteps;
use upsweep_plan::scan_axes::AxesPlan;

params! {
    /// Parameters of the scan along two axes.
    struct ScanAxesParams {
        input: "const In*",
        output: "Out*",
        /// `height`: number of rows of each array. `width`: number of columns.
        height: "u64",
        width: "u64",
        /// Number of rows and of columns of the results of each array.
        out_height: "u64",
        out_width: "u64",
        /// Number of strips of each array (a strip is the neighbouring columns that one block goes down), number of
        /// tiles of a strip, and number of groups of neighbouring strips.
        strips: "u64",
        tiles: "u64",
        groups: "u64",
        /// Index of the first group's entry among the entries that strips and groups of strips publish for their rows.
        group_entries: "u64",
        /// Alignment in bytes that all vectors of elements in the input have, at most the number of bytes that one copy
        /// moves.
        access: "u64",
        /// Whether all vectors of results are aligned to the width of a vector's store.
        out_aligned: "u64",
        workspace: "Workspace",
    }
}

/// Returns the features of a scan along two axes, in which `interleaved` elements at each position are scanned as one.
fn features_of(interleaved: usize, direction: Direction) -> Features {
    Features { exclusive: direction.exclusive, interleaved, ..Features::PLAIN }
}

/// Returns the plan for `shape`: (arrays, rows, columns). Each element is an array of `interleaved` elements of the
/// job. None if there is nothing to scan, or no room for it in shared memory.
pub(super) fn plan(
    shape: (usize, usize, usize),
    interleaved: usize,
    layouts: Layouts,
    capability: (u32, u32),
) -> Option<AxesPlan> {
    let sizes = (layouts.input.size * interleaved, layouts.acc.size * interleaved, layouts.output.size * interleaved);
    AxesPlan::new(shape, sizes, capability)
}

/// Scans a job along two axes. Its shape is (arrays, rows, columns), with `interleaved` elements at each position. With
/// `direction.total` the scan is exclusive, and the results have one more row and column. Returns false where a scan
/// along each axis is faster.
pub fn run<S: JobSteps>(
    cuda: &Cuda,
    mut job: Job<'_, '_, '_, S, Whole>,
    interleaved: usize,
    direction: Direction,
) -> Result<bool> {
    let shape = (job.shape.outer, job.shape.len, job.shape.inner);
    let plan = plan(shape, interleaved, layouts_of::<S>(), cuda.compute_capability());
    let Some(plan) = plan.filter(|plan| plan.pays(direction.total)) else { return Ok(false) };
    let features = features_of(interleaved, direction);
    open(cuda, &mut job, false, &mut |job| launch(cuda, job, &plan, features, direction.total))?;
    Ok(true)
}

fn launch(cuda: &Cuda, job: &CudaJob<'_>, plan: &AxesPlan, features: Features, bordered: bool) -> Result<()> {
    let (shape, functions) = (job.shape, &job.functions);
    let kernel = kernel(plan, features, functions);
    let loaded = cuda.kernel(kernel.key(), || kernel.source::<ScanAxesParams>())?;
    let (threads, shared) = (plan.threads() as u32, plan.shared_bytes() as u32);
    let words = plan.words();
    let border = usize::from(bordered);
    let (height, width) = (shape.len, shape.inner);
    let (out_height, out_width) = (height + border, width + border);
    // All rows have the same alignment if the first row's address and the number of bytes of a row have it.
    let begins = |address: u64, row: usize, size: usize| {
        let most = AxesPlan::copy_bytes(size, plan.vector) as u64;
        1 << (address | (row * size) as u64 | most).trailing_zeros()
    };
    let (input_bytes, _, output_bytes) = plan.sizes;
    let store = AxesPlan::copy_bytes(output_bytes, plan.vector) as u64;
    let fixed = ScanAxesParams {
        input: job.input,
        output: job.output,
        height: height as u64,
        width: width as u64,
        out_height: out_height as u64,
        out_width: out_width as u64,
        strips: plan.strips() as u64,
        tiles: plan.tiles() as u64,
        groups: plan.groups() as u64,
        group_entries: plan.row_entries() as u64,
        access: begins(job.input, width, input_bytes),
        out_aligned: u64::from(begins(job.output, out_width, output_bytes) == store),
        workspace: cuda.workspace(words.words8, words.words16)?,
    };
    let params = Params::new(fixed, &job.begin, features.interleaved, &functions.held.values);
    let grid = plan.grid() as u32;
    // SAFETY: `Params` begins with the kernel's layout (its text asserts it), and the loans keep its pointers good for
    // the elements of the shape, and for `out_height` rows of `out_width` results of each array, until the kernel is
    // enqueued in the stream's order.
    unsafe { cuda.launch(&loaded, Grid::new(grid, threads, shared), &params) }
}

/// Returns the kernel of a plan of a scan along two axes.
pub(super) fn kernel<'a>(plan: &AxesPlan, features: Features, functions: &'a Functions<'a>) -> Kernel<'a> {
    let kernel = ("scan_axes/scan_axes.cuh", "upsweep_scan_axes");
    Kernel { functions, kernel, features, constants: plan.constants() }
}
