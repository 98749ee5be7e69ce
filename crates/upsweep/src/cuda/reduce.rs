//! Reduction on a CUDA device: a whole array here (see `kernels/device/reduce.cuh`); lines and segments through the
//! kernels of [`scan`](super::scan) and [`columns`](super::columns).

use super::scan::{self, BySegment, Extent, read_init};
use super::text::{self, Features, Heads};
use super::{Cuda, KernelKey, KernelSource, Workspace, columns};
use crate::job::{Direction, InitSource, Job, Source, Target};
use crate::operator::{Element, Function, Map, Operator};
use crate::plan::reduce::ReducePlan;
use crate::segments::{SegmentKind, Segmentation};
use crate::{Error, Result, ViewMut};
use std::any::TypeId;
use std::mem::MaybeUninit;

/// `Params` of `device/reduce.cuh`.
#[repr(C)]
struct Params<T> {
    input: u64,
    output: u64,
    n: u64,
    part: u64,
    init_from: u64,
    workspace: Workspace,
    init: MaybeUninit<T>,
    first: MaybeUninit<T>,
}

pub(crate) fn run<I, O, Op, M, F, S>(
    cuda: &Cuda,
    job: Job<'_, I, M::Output, O, Op, M, F, S>,
    count: Option<ViewMut<'_, u64>>,
) -> Result<()>
where
    I: Element,
    O: Element,
    M: Map<I>,
    Op: Operator<M::Output>,
    F: Function<(M::Output,), Output = O>,
    S: Segmentation,
{
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
        reduce_whole(cuda, job)
    } else if whole && (job.shape.inner > 1 || job.shape.len == 0) {
        columns::reduce(cuda, job)
    } else {
        let count = if known.is_some() { 0 } else { count_address };
        scan::launch(cuda, job, Direction { exclusive: false, reverse: false }, Some(BySegment { count }))
    }
}

fn reduce_whole<I, O, Op, M, F, S>(cuda: &Cuda, job: Job<'_, I, M::Output, O, Op, M, F, S>) -> Result<()>
where
    I: Element,
    O: Element,
    M: Map<I>,
    Op: Operator<M::Output>,
    F: Function<(M::Output,), Output = O>,
    S: Segmentation,
{
    let Job { input, output, shape, init, operator, map, finish, .. } = job;
    let Target::Cuda(mut output) = output else {
        return Err(Error::Place { what: "output", found: "host", expected: "CUDA" });
    };
    let (output, _output) = cuda.write("output", &mut output)?;
    let output_extent = Extent::new(output, 1, size_of::<O>());
    let (input, _input) = match &input {
        Source::Buffer(view) => cuda.read("input", view)?,
        Source::Output => (output, Default::default()),
    };
    output_extent.must_not_meet(Extent::new(input, shape.len, size_of::<I>()))?;
    let plan = ReducePlan::new(shape.len, size_of::<I>(), size_of::<M::Output>());
    let mut params = Params {
        input,
        output,
        n: shape.len as u64,
        part: plan.part as u64,
        init_from: 0,
        workspace: Workspace { header: 0, words8: 0, words16: 0, capacity8: 0, capacity16: 0 },
        init: MaybeUninit::zeroed(),
        first: MaybeUninit::zeroed(),
    };
    if let Some(identity) = operator.identity() {
        params.first.write(identity);
    }
    let _init = match &init {
        InitSource::None => None,
        InitSource::Value(value) => {
            params.init.write(*value);
            None
        }
        InitSource::Buffer(view) => Some(read_init(cuda, view, output_extent, &mut params.init_from)?),
    };
    let has_init = !init.is_none();
    let features = Features { heads: Heads::None, exclusive: false, reverse: false, has_init, by_segment: false };
    let data =
        text::data_bits::<(Op, M, F)>(|| text::prelude::<I, O, Op, M, F, S>(features, operator, map, finish, None));
    let options = features.bits() | data;
    let key = KernelKey { types: TypeId::of::<(I, O, Op, M, F)>(), family: "reduce", options };
    let kernel = cuda.kernel(key, || source::<I, O, Op, M, F, S>(features, &plan, operator, map, finish))?;
    if plan.parts > 1 {
        params.workspace = cuda.workspace(plan.words8, plan.words16)?;
    }
    // SAFETY: `Params` has the kernel's layout (the kernel asserts its size), and the loans keep its pointers good for
    // `n` elements and one result until the kernel is enqueued in the stream's order.
    unsafe { cuda.launch(&kernel, plan.parts as u32, plan.threads as u32, 0, (&raw const params).cast()) }
}

/// The kernel's source.
pub(super) fn source<I, O, Op, M, F, S>(
    features: Features,
    plan: &ReducePlan,
    operator: Op,
    map: M,
    finish: F,
) -> KernelSource
where
    I: Element,
    O: Element,
    M: Map<I>,
    Op: Operator<M::Output>,
    F: Function<(M::Output,), Output = O>,
    S: Segmentation,
{
    let mut prelude = text::prelude::<I, O, Op, M, F, S>(features, operator, map, finish, None);
    prelude += &plan.constants();
    prelude += &text::host_sizes(size_of::<Params<M::Output>>(), size_of::<M::Output>());
    KernelSource { root: "device/reduce.cuh", prelude, entry: "upsweep_reduce" }
}
