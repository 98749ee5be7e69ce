//! Reduction on a CUDA device: a whole array here (see `kernels/device/reduce.cuh`); lines and segments through the
//! kernels of [`scan`](super::scan) and [`columns`](super::columns).

use super::prepare::{self, Buffers};
use super::scan::{self, BySegment};
use super::text::{self, Features, Functions, JobOf, Types};
use super::{Cuda, KernelSource, Workspace, columns};
use crate::job::{Direction, Job};
use crate::plan::reduce::ReducePlan;
use crate::segments::SegmentKind;
use crate::{Error, Result, ViewMut};
use std::mem::MaybeUninit;

/// `Params` of `device/reduce.cuh`.
#[repr(C)]
struct Params<T> {
    input: u64,
    output: u64,
    n: u64,
    part: u64,
    streamed: u64,
    init_from: u64,
    workspace: Workspace,
    init: MaybeUninit<T>,
    first: MaybeUninit<T>,
}

pub(crate) fn run<J: Types>(cuda: &Cuda, job: JobOf<'_, J>, count: Option<ViewMut<'_, u64>>) -> Result<()> {
    // Where the number of segments does not depend on the data, it is stored here.
    let known = match &job.segments {
        SegmentKind::Whole | SegmentKind::Offsets(_) => Some(job.output.len() as u64),
        SegmentKind::HeadFlags(_) | SegmentKind::Keys(..) if job.shape.len == 0 => Some(0),
        SegmentKind::HeadFlags(_) | SegmentKind::Keys(..) => None,
    };
    let mut count = match count {
        None => None,
        Some(ViewMut::Cuda(count)) => Some(count),
        Some(ViewMut::Host(_)) => return Err(Error::Place { what: "count", found: "host", expected: "CUDA" }),
    };
    let (count_address, _count) = match &mut count {
        None => (0, Default::default()),
        Some(count) => cuda.write("count", count)?,
    };
    if let Some(known) = known.filter(|_| count_address != 0) {
        cuda.store_u64(count_address, known)?;
    }
    let whole = matches!(job.segments, SegmentKind::Whole);
    if whole && job.shape.lines() == 1 {
        reduce_whole::<J>(cuda, job)
    } else if whole && (job.shape.len == 0 || !scan::interleaves_as_one::<J>(job.shape)) {
        columns::launch::<J>(cuda, job, Direction::default(), true)
    } else {
        let count = if known.is_some() { 0 } else { count_address };
        scan::launch::<J>(cuda, job, Direction::default(), Some(BySegment { count }))
    }
}

fn reduce_whole<J: Types>(cuda: &Cuda, job: JobOf<'_, J>) -> Result<()> {
    let Job { input, mut output, shape, init, operator, map, finish, .. } = job;
    let buffers = Buffers::borrow(cuda, &input, &mut output, shape.len, true)?;
    let begin = buffers.begin(&init, &operator)?;
    let plan = ReducePlan::new(shape.len, size_of::<J::In>(), size_of::<J::Acc>());
    let features = Features { has_init: !init.is_none(), ..Features::PLAIN };
    let functions = Functions::<J> { operator, map, finish, same: None };
    let kernel = prepare::kernel(cuda, "reduce", features, &functions, || source(features, &plan, &functions))?;
    let workspace = if plan.parts > 1 { cuda.workspace(plan.words8, plan.words16)? } else { Workspace::NONE };
    let params = Params {
        input: buffers.input,
        output: buffers.output,
        n: shape.len as u64,
        part: plan.part as u64,
        streamed: plan.streamed.into(),
        init_from: begin.init_from,
        workspace,
        init: begin.init,
        first: begin.first,
    };
    // SAFETY: `Params` has the kernel's layout (the kernel asserts its size), and the loans keep its pointers good for
    // `n` elements and one result until the kernel is enqueued in the stream's order.
    unsafe { cuda.launch(&kernel, plan.parts as u32, plan.threads as u32, 0, &params) }
}

/// The kernel's source.
pub(super) fn source<J: Types>(features: Features, plan: &ReducePlan, functions: &Functions<'_, J>) -> KernelSource {
    let mut prelude = functions.prelude(features);
    prelude += &plan.constants();
    prelude += &text::host_sizes(size_of::<Params<J::Acc>>(), size_of::<J::Acc>());
    KernelSource { root: "device/reduce.cuh", prelude, entry: "upsweep_reduce" }
}
