//! Reduction on a CUDA device: a whole array here (see `reduce.cuh`); lines and segments through the kernels of
//! [`rows`], [`scan`], [`gathered`] and `columns/mod.rs`.
//!
//! | reduction of | kernel |
//! |---|---|
//! | a whole array | `reduce.cuh`: parts, combined by the block of the last part; `lanes.cuh` for float sums and products |
//! | many rows that are not short | `rows.cuh`: a warp reduces a row and waits for no other |
//! | other rows, segments by offsets | `scan/segments.cuh`, see [`scan`] |
//! | segments by flags or keys | the single-pass scan, see [`scan`] |
//! | segments by offsets whose map reads by computed positions | `gathered.cuh`, see [`gathered`] |
//! | interleaved lines | `columns/columns.cuh` |
//!
//! **Commutative operators.** A reduction by an operator that is known to commute strides along the array. Small
//! integers are combined several in a word (`kernels/word/lanes.cuh`). Extremes of f64 are those of integers in the
//! same order (`kernels/word/value.cuh`). None of this changes the bits of integers and of extremes. Float sums and
//! products of whole arrays have one tree, that of the CPU ([`lanes`](upsweep_core::lanes)); those of lines and segments
//! have the same bits in every run.

pub mod gathered;
pub mod rows;

use super::borrow::Extent;
use super::code::Kernel;
use super::features::{Features, Heads, Layouts};
use super::job::{CudaJob, Functions, write, write_one};
use super::open::open;
use super::params::{Params, params};
use super::runtime::Grid;
use super::scan::{self, Extra};
use super::{Cuda, Workspace, columns};
use upsweep_core::buffer::ViewMut;
use upsweep_core::call::{Direction, Job};
use upsweep_core::error::Result;
use upsweep_core::operator::Form;
use upsweep_core::outputs::Target;
use upsweep_core::segments::Segmentation;
use upsweep_core::shape::Shape;
use upsweep_core::steps::JobSteps;
use upsweep_plan::memory::StatusWords;
use upsweep_plan::reduce::ReducePlan;
use upsweep_plan::rows::RowsPlan;

params! {
    /// Parameters of the reduction of a whole array.
    struct ReduceParams {
        input: "const In*",
        output: "Out*",
        /// Number of elements.
        n: "u64",
        /// Number of elements of a part of the array, which one block reduces: a multiple of the elements that a block
        /// loads at once.
        part: "u64",
        /// Whether the loads of elements should leave the present content of the L2 cache in place.
        streamed: "u64",
        /// Null, or the address of the initial value.
        init_from: "const Given*",
        workspace: "Workspace",
    }
}

/// Reduces the elements of `job`. `count` is the output for the number of segments, `keys` that for the first key of
/// each segment.
pub fn run<S: JobSteps, G: Segmentation>(
    cuda: &Cuda,
    mut job: Job<'_, '_, '_, S, G>,
    mut count: Option<ViewMut<'_, u64>>,
    mut keys: Option<Target<'_, G::Key>>,
) -> Result<()> {
    let (count, _count) = write_one(cuda, "count", &mut count)?;
    let asked = keys.is_some();
    let (keys, room, _keys) = write(cuda, "output of the keys", keys.as_mut())?;
    let first_keys = Extent::new::<G::Key>(keys, room);
    first_keys.must_not_meet(Extent::new::<u64>(count, usize::from(count != 0)))?;
    open(cuda, &mut job, false, &mut |job| {
        job.must_not_meet(first_keys)?;
        launch(cuda, job, count, asked.then_some((keys, room)))
    })
}

/// Launches the kernels that the job needs. `count` is the address for the number of segments, or 0. `keys` is the
/// address for the first key of each segment, and the number of keys that there is room for.
fn launch(cuda: &Cuda, job: &CudaJob<'_>, count: u64, keys: Option<(u64, usize)>) -> Result<()> {
    // If the number of segments does not depend on the data, the host stores it.
    let known = match job.heads {
        Heads::None | Heads::Rows | Heads::Offsets => Some(job.outputs as u64),
        Heads::Flags | Heads::Keys if job.shape.len == 0 => Some(0),
        Heads::Flags | Heads::Keys => None,
    };
    if let Some(known) = known.filter(|_| count != 0) {
        cuda.store_u64(count, known)?;
    }
    match way(job.shape, job.heads, job.functions.layouts, job.functions.known.form) {
        Way::Rows(plan) => rows::launch(cuda, job, &plan),
        Way::Whole => launch_whole(cuda, job),
        Way::Columns => columns::launch(cuda, job, Direction::default(), true),
        Way::Gathered => gathered::launch(cuda, job),
        Way::Segments => {
            let count = if known.is_some() { 0 } else { count };
            scan::launch(cuda, job, Direction::default(), Extra { by_segment: Some(count), keys, ..Extra::default() })
        }
    }
}

/// Way to reduce a job: the kernel, or the family of kernels, that does it.
pub(super) enum Way {
    Whole,
    Columns,
    Rows(RowsPlan),
    Gathered,
    Segments,
}

pub(super) fn way(shape: Shape, heads: Heads, layouts: Layouts, form: Form) -> Way {
    let whole = heads == Heads::None;
    if whole && shape.lines() == 1 {
        Way::Whole
    } else if whole && (shape.len == 0 || !scan::interleaves_as_one(shape, layouts)) {
        Way::Columns
    } else if let Some(plan) = rows::plan(shape, layouts, form).filter(|_| whole) {
        Way::Rows(plan)
    } else if heads == Heads::Offsets && layouts.apart {
        Way::Gathered
    } else {
        Way::Segments
    }
}

/// Returns the plan for the reduction of `n` elements by an operator of the form `form`.
pub(super) fn plan(n: usize, layouts: Layouts, form: Form) -> ReducePlan {
    let plan = match layouts.streams {
        None => ReducePlan::new(n, layouts.input.size, layouts.acc.size),
        Some(streams) => ReducePlan::of_streams(n, streams, layouts.acc.size),
    };
    match (layouts.lanes, form) {
        (0, Form::Other) => plan.in_order(),
        (0, _) => plan,
        (lanes, _) => plan.in_tree(lanes),
    }
}

/// Returns the kernel that reduces a whole array by a plan.
pub(super) fn kernel<'a>(plan: &ReducePlan, features: Features, functions: &'a Functions<'a>) -> Kernel<'a> {
    Kernel { functions, kernel: ("reduce/reduce.cuh", "upsweep_reduce"), features, constants: plan.constants() }
}

fn launch_whole(cuda: &Cuda, job: &CudaJob<'_>) -> Result<()> {
    let n = job.shape.len;
    let plan = plan(n, job.functions.layouts, job.functions.known.form);
    let kernel = kernel(&plan, Features { has_init: job.begin.has_init, ..Features::PLAIN }, &job.functions);
    let loaded = cuda.kernel(kernel.key(), || kernel.source::<ReduceParams>())?;
    let counted = job.functions.layouts.counted;
    let grid = if counted { plan.most_parts() } else { plan.parts };
    let words = if counted { StatusWords::of(grid, job.functions.layouts.acc.size) } else { plan.words };
    let workspace = if grid > 1 || job.functions.may_fault {
        cuda.workspace(words.words8, words.words16)?
    } else {
        Workspace::NONE
    };
    let fixed = ReduceParams {
        input: job.input,
        output: job.output,
        n: n as u64,
        part: plan.part as u64,
        streamed: plan.streamed.into(),
        init_from: job.begin.init_from,
        workspace,
    };
    if job.functions.may_fault {
        cuda.mark_may_fault(&job.output_stream)?;
    }
    let params = Params::new(fixed, &job.begin, 1, &job.functions.held.values);
    // SAFETY: `Params` begins with the kernel's layout (its text asserts it), and the loans keep its pointers good for
    // `n` elements and one result until the kernel is enqueued in the stream's order.
    unsafe { cuda.launch(&loaded, Grid::new(grid as u32, plan.threads as u32, 0), &params) }
}
