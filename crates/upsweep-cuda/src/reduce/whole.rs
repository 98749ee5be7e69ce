//! Reduction of a whole array, or of a piece of one that is reduced in parts: one launch of `reduce.cuh`.

use super::super::code::Kernel;
use super::super::features::{Features, Layouts};
use super::super::job::{CudaJob, Functions};
use super::super::params::{Params, params};
use super::super::runtime::Grid;
use super::super::{Cuda, Workspace};
use upsweep_core::error::Result;
use upsweep_core::operator::Form;
use upsweep_plan::memory::StatusWords;
use upsweep_plan::reduce::ReducePlan;

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
        /// If CONTINUES: index of the first element, for float sums and products; else it is 0.
        first: "u64",
        /// If CONTINUES: number of elements of the array before index 0.
        position: "u64",
        /// If CONTINUES: null, or the address of the total before the first element; the address that the total is left
        /// at.
        before: "const Acc*",
        after: "Acc*",
        /// If CONTINUES: whether the total is stored as the result, too.
        total: "u64",
        /// Null, or the address of the initial value.
        init_from: "const Given*",
        workspace: "Workspace",
    }
}

/// Neighbouring elements of a job, which one launch reduces.
#[derive(Clone, Copy)]
pub(super) struct Piece {
    /// Index of the first element, and the number of elements.
    pub(super) first: usize,
    pub(super) len: usize,
    /// Number of elements before the job's first, in all parts.
    pub(super) position: u64,
    /// Address of the total before the first element, or 0.
    pub(super) before: u64,
    /// Address for the total.
    pub(super) after: u64,
    /// Whether the total is stored as the result, too.
    pub(super) total: bool,
}

impl Piece {
    /// Returns the elements of a job that is no part.
    pub(super) fn whole(len: usize) -> Self {
        Self { first: 0, len, position: 0, before: 0, after: 0, total: true }
    }
}

/// Returns the plan for the reduction of `n` elements by an operator of the form `form`.
pub(crate) fn plan(n: usize, layouts: Layouts, form: Form) -> ReducePlan {
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
pub(crate) fn kernel<'a>(plan: &ReducePlan, features: Features, functions: &'a Functions<'a>) -> Kernel<'a> {
    Kernel { functions, kernel: ("reduce/reduce.cuh", "upsweep_reduce"), features, constants: plan.constants() }
}

/// Launches the kernel of a whole array, or of a `piece` of an array that is reduced in parts.
pub(super) fn launch(cuda: &Cuda, job: &CudaJob<'_>, piece: Option<Piece>) -> Result<()> {
    let Piece { first, len: n, position, before, after, total } = piece.unwrap_or(Piece::whole(job.shape.len));
    let plan = plan(n, job.functions.layouts, job.functions.known.form);
    let features = Features { has_init: job.begin.has_init, continues: piece.is_some(), ..Features::PLAIN };
    let kernel = kernel(&plan, features, &job.functions);
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
        first: first as u64,
        position,
        before,
        after,
        total: total.into(),
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
