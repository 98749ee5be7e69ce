//! Scans and reductions of interleaved lines on a CUDA device; see `columns/columns.cuh`.
//!
//! Strided lines (lines along any axis but the last) are scanned in one of three ways, by their number:
//!
//! - **Up to 16 lines, with 32 bytes at each position of the axis**: as one line, by the kernels of
//!   [`scan`](super::scan). An element is then an array of one element of each line. The prelude makes the functions
//!   for arrays from those of the job (`code.rs`).
//! - **Many lines**: `columns.cuh`. A block scans the lines of 32 lanes from end to end. A lane has as many
//!   neighbouring lines as 16 bytes hold, where the addresses of the arrays and the number of blocks allow it
//!   (`upsweep-plan/src/columns.rs`).
//! - **Few long lines**: they are cut into chunks, for the same kernel in three launches. The first reduces the chunks
//!   to sums, the second scans the sums, the third scans the chunks from their prefixes. The sums lie in memory of the
//!   call, which is allocated and freed in the order of the stream (`runtime/scratch.rs`).

use super::code::Kernel;
use super::features::{Features, Layouts, Pass};
use super::job::{Begin, CudaJob, Functions};
use super::params::{Params, params};
use super::runtime::Grid;
use super::{Cuda, Workspace};
use upsweep_core::call::Direction;
use upsweep_core::error::{Error, Result};
use upsweep_core::shape::Shape;
use upsweep_plan::columns::ColumnsPlan;

params! {
    /// Parameters of the kernel of interleaved lines.
    struct ColumnsParams {
        input: "const In*",
        output: "Out*",
        /// Number of lines, or of chunks of all lines if lines are cut into chunks: a multiple of VECTOR, the number of
        /// neighbouring lines that a lane has. So is `inner`, unless VECTOR is 1.
        lines: "u64",
        /// Number of elements of a line.
        len: "u64",
        /// Number of lines that are interleaved with each other: the stride in elements from an element to the next one
        /// of its line.
        inner: "u64",
        /// Number of elements of a chunk of a line; the last chunk of a line may have fewer.
        chunk: "u64",
        /// Number of chunks of a line.
        chunks: "u64",
        /// Null, or the address of the inclusive prefixes: for each chunk of each line, the combination of the line's
        /// elements up to the chunk's end in scan order.
        prefixes: "const Acc*",
        /// Null, or the address of the initial value.
        init_from: "const Given*",
        /// Workspace for the report of a fault if the functions can have one; else no workspace.
        workspace: "Workspace",
    }
}

/// Scans interleaved lines, or reduces them and stores one result a line.
pub(super) fn launch(cuda: &Cuda, job: &CudaJob<'_>, direction: Direction, reduces: bool) -> Result<()> {
    if job.outputs == 0 {
        return Ok(());
    }
    let (shape, functions, begin) = (job.shape, &job.functions, &job.begin);
    if functions.may_fault {
        cuda.mark_may_fault(&job.output_stream)?;
    }
    let Direction { exclusive, reverse, .. } = direction;
    let features = Features { exclusive, reverse, has_init: begin.has_init, by_segment: reduces, ..Features::PLAIN };
    let whole = Launch { input: job.input, output: job.output, shape, chunk: shape.len, prefixes: 0, features };
    let chunk = plan(functions.layouts, Pass::Whole).chunk(shape);
    if chunk == shape.len {
        return whole.enqueue(cuda, functions, begin);
    }

    // Few long lines: chunks of them are reduced, the sums scanned or reduced, and the chunks scanned.
    let nothing = Begin::nothing(functions.layouts.acc);
    let sums_shape = Shape { len: shape.len.div_ceil(chunk), ..shape };
    let bytes = (sums_shape.lines() * sums_shape.len).saturating_mul(functions.layouts.acc.size);
    let scratch = cuda.scratch::<u8>(bytes)?;
    let to_sums = Features { by_segment: true, reverse, pass: Pass::ToSums, ..Features::PLAIN };
    Launch { output: scratch.address(), chunk, features: to_sums, ..whole }.enqueue(cuda, functions, &nothing)?;

    let of_sums = Launch { input: scratch.address(), shape: sums_shape, chunk: sums_shape.len, ..whole };
    if reduces {
        let features = Features { pass: Pass::FromSums, ..features };
        return Launch { features, ..of_sums }.enqueue(cuda, functions, begin);
    }
    let features = Features { pass: Pass::OfSums, ..Features::PLAIN };
    Launch { output: scratch.address(), features, ..of_sums }.enqueue(cuda, functions, &nothing)?;
    Launch { prefixes: scratch.address(), chunk, ..whole }.enqueue(cuda, functions, begin)
}

/// Returns the plan of the kernel for `pass`, a part of a job that one launch does. `layouts` are those of the job's
/// elements, partial results and results.
pub(super) fn plan(layouts: Layouts, pass: Pass) -> ColumnsPlan {
    let acc = layouts.acc.size;
    let input = if pass.reads_elements() { layouts.input.size } else { acc };
    let output = if pass.writes_results() { layouts.output.size } else { acc };
    let plan = ColumnsPlan::new(input, acc, output);
    let plain_input = layouts.streams.is_none() || !pass.reads_elements();
    let plain_output = layouts.plain_output || !pass.writes_results();
    if plain_input && plain_output { plan } else { plan.by_line() }
}

/// Returns the kernel of a plan whose lanes scan `vector` neighbouring lines each.
pub(super) fn kernel<'a>(
    plan: &ColumnsPlan,
    vector: usize,
    features: Features,
    functions: &'a Functions<'a>,
) -> Kernel<'a> {
    let kernel = ("columns/columns.cuh", "upsweep_columns");
    Kernel { functions, kernel, features, constants: plan.constants(vector) }
}

/// Arguments of one launch of the kernel of interleaved lines.
#[derive(Clone, Copy)]
struct Launch {
    input: u64,
    output: u64,
    shape: Shape,
    /// Number of elements of a chunk of a line; the length of a line if lines are not cut into chunks.
    chunk: usize,
    /// Address of the inclusive prefix of each chunk of each line, as `ColumnsParams::prefixes` says; 0 if lines are
    /// not cut into chunks.
    prefixes: u64,
    features: Features,
}

impl Launch {
    /// Enqueues the kernel on the stream of `cuda`. The loans that the caller holds keep the addresses in `self` good.
    fn enqueue(self, cuda: &Cuda, functions: &Functions<'_>, begin: &Begin) -> Result<()> {
        let Self { input, output, shape, chunk, prefixes, features } = self;
        let chunks = shape.len.div_ceil(chunk.max(1)).max(1);
        let lines = shape.lines() * chunks;
        let plan = plan(functions.layouts, features.pass);
        let (input_bytes, _, output_bytes) = plan.sizes;
        let vector = plan.vector(lines, cuda.multiprocessors() as usize, |vector| {
            let begins = |address: u64, size: usize| address.is_multiple_of(ColumnsPlan::alignment(size, vector));
            begins(input, input_bytes) && begins(output, output_bytes) && shape.inner.is_multiple_of(vector)
        });
        let kernel = kernel(&plan, vector, features, functions);
        let loaded = cuda.kernel(kernel.key(), || kernel.source::<ColumnsParams>())?;
        let grid = u32::try_from(ColumnsPlan::blocks(lines, vector)).ok().filter(|&grid| grid < 1 << 31);
        let grid = grid.ok_or(Error::Options {
            options: "axis",
            reason: "more than 2^36 interleaved lines: scan a part of the array at a time",
        })?;
        let fixed = ColumnsParams {
            input,
            output,
            lines: lines as u64,
            len: shape.len as u64,
            inner: shape.inner as u64,
            chunk: chunk as u64,
            chunks: chunks as u64,
            prefixes,
            init_from: begin.init_from,
            workspace: if functions.may_fault { cuda.workspace(0, 0)? } else { Workspace::NONE },
        };
        let params = Params::new(fixed, begin, 1, &functions.held.values);
        // SAFETY: `Params` begins with the kernel's layout (its text asserts it), and the caller's loans keep its
        // pointers good for the elements of the shape until the kernel is enqueued in the stream's order.
        unsafe { cuda.launch(&loaded, Grid::new(grid, plan.threads() as u32, 0), &params) }
    }
}
