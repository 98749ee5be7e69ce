//! Scan on a CUDA device: lines that lie one after the other, and segments, in a single pass; see
//! `kernels/device/scan.cuh`. Lines that are interleaved go to [`columns`](super::columns).

use super::text::{self, Features, Heads};
use super::{Cuda, KernelKey, KernelSource, Workspace, columns};
use crate::job::{Direction, InitSource, Job, Source, Target};
use crate::operator::{Element, Function, Map, Operator};
use crate::plan::scan::{ScanPlan, Sizes};
use crate::segments::{SegmentKind, Segmentation};
use crate::{Error, Result, View};
use cudarc::driver::DeviceSlice;
use std::any::TypeId;
use std::mem::MaybeUninit;

/// `Params` of `device/scan.cuh`.
#[repr(C)]
struct Params<T> {
    input: u64,
    output: u64,
    n: u64,
    row: u64,
    flags: u64,
    keys: u64,
    offsets: u64,
    segments: u64,
    outputs: u64,
    count: u64,
    init_from: u64,
    workspace: Workspace,
    init: MaybeUninit<T>,
    first: MaybeUninit<T>,
}

pub(crate) fn run<I, O, Op, M, F, S>(
    cuda: &Cuda,
    job: Job<'_, I, M::Output, O, Op, M, F, S>,
    direction: Direction,
) -> Result<()>
where
    I: Element,
    O: Element,
    M: Map<I>,
    Op: Operator<M::Output>,
    F: Function<(M::Output,), Output = O>,
    S: Segmentation,
{
    if job.shape.inner > 1 {
        return columns::scan(cuda, job, direction);
    }
    launch(cuda, job, direction, None)
}

/// The address of the one value that a reduction by flags or keys stores the number of segments at, or 0.
pub(super) struct BySegment {
    pub(super) count: u64,
}

/// Launches the single-pass kernel: a scan, or a reduction by segment.
pub(super) fn launch<I, O, Op, M, F, S>(
    cuda: &Cuda,
    job: Job<'_, I, M::Output, O, Op, M, F, S>,
    direction: Direction,
    by_segment: Option<BySegment>,
) -> Result<()>
where
    I: Element,
    O: Element,
    M: Map<I>,
    Op: Operator<M::Output>,
    F: Function<(M::Output,), Output = O>,
    S: Segmentation,
{
    let Job { input, output, shape, init, segments, operator, map, finish } = job;
    let n = shape.lines() * shape.len;
    let outputs = output.len();
    let Target::Cuda(mut output) = output else {
        return Err(Error::Place { what: "output", found: "host", expected: "CUDA" });
    };
    let output_stream = output.stream().clone();
    let (output, _output) = cuda.write("output", &mut output)?;
    let output_extent = Extent::new(output, outputs, size_of::<O>());
    let (input, _input) = match &input {
        Source::Buffer(view) => cuda.read("input", view)?,
        Source::Output => (output, Default::default()),
    };
    if input != output || size_of::<I>() != size_of::<O>() || by_segment.is_some() {
        output_extent.must_not_meet(Extent::new(input, n, size_of::<I>()))?;
    }
    let mut params = Params {
        input,
        output,
        n: n as u64,
        row: shape.len as u64,
        flags: 0,
        keys: 0,
        offsets: 0,
        segments: 0,
        outputs: outputs as u64,
        count: by_segment.as_ref().map_or(0, |by_segment| by_segment.count),
        init_from: 0,
        workspace: Workspace { header: 0, words8: 0, words16: 0, capacity8: 0, capacity16: 0 },
        init: MaybeUninit::zeroed(),
        first: MaybeUninit::zeroed(),
    };

    // The segments and the initial value.
    let mut same = None;
    let (heads, _segments) = match &segments {
        SegmentKind::Whole if shape.outer > 1 || by_segment.is_some() => (Heads::Rows, None),
        SegmentKind::Whole => (Heads::None, None),
        SegmentKind::HeadFlags(view) => {
            let (flags, loan) = cuda.read("head flags", view)?;
            output_extent.must_not_meet(Extent::new(flags, view.len(), 1))?;
            params.flags = flags;
            (Heads::Flags, Some(loan))
        }
        SegmentKind::Keys(view, equality) => {
            let (keys, loan) = cuda.read("keys", view)?;
            output_extent.must_not_meet(Extent::new(keys, view.len(), size_of::<S::Key>()))?;
            params.keys = keys;
            same = Some(equality);
            (Heads::Keys, Some(loan))
        }
        SegmentKind::Offsets(view) => {
            let (offsets, loan) = cuda.read("offsets", view)?;
            output_extent.must_not_meet(Extent::new(offsets, view.len(), size_of::<S::Offset>()))?;
            params.offsets = offsets;
            params.segments = view.len() as u64 - 1;
            (Heads::Offsets, Some(loan))
        }
    };
    if n == 0 && heads != Heads::Offsets {
        return Ok(());
    }
    let _init = match &init {
        InitSource::None => {
            if let Some(identity) = operator.identity() {
                params.first.write(identity);
            }
            None
        }
        InitSource::Value(value) => {
            params.init.write(*value);
            None
        }
        InitSource::Buffer(view) => Some(read_init(cuda, view, output_extent, &mut params.init_from)?),
    };

    let Direction { exclusive, reverse } = direction;
    let has_init = !init.is_none();
    let features = Features { heads, exclusive, reverse, has_init, by_segment: by_segment.is_some() };
    let sizes = Sizes { input: size_of::<I>(), state: features.state_bytes::<M::Output>(), output: size_of::<O>() };
    let plan = ScanPlan::new(n, sizes, cuda.compute_capability());
    let key = KernelKey {
        types: TypeId::of::<(I, O, Op, M, F, S::Key, S::Offset, S::Same)>(),
        family: "scan",
        options: features.bits()
            | text::data_bits::<(Op, M, F, S::Same)>(|| {
                text::prelude::<I, O, Op, M, F, S>(features, operator, map, finish, same)
            }),
    };
    let kernel = cuda.kernel(key, || source::<I, O, Op, M, F, S>(features, &plan, operator, map, finish, same))?;

    let threads = plan.threads as u32;
    let shared = plan.shared_bytes as u32;
    let resident = kernel.blocks_per_multiprocessor(threads, shared)?.max(1) * cuda.multiprocessors();
    let grid = plan.tiles.min(resident as usize) as u32;
    if plan.tiles > 1 || heads == Heads::Offsets {
        params.workspace = cuda.workspace(plan.words8, plan.words16)?;
    }
    if heads == Heads::Offsets {
        cuda.mark_may_fault(&output_stream)?;
    }
    // SAFETY: `Params` has the kernel's layout (the kernel asserts its size), and the loans keep its pointers good for
    // `n` elements, or as many as the kernel asks for, until the kernel is enqueued in the stream's order.
    unsafe { cuda.launch(&kernel, grid, threads, shared, (&raw const params).cast()) }
}

/// The kernel's source.
pub(super) fn source<I, O, Op, M, F, S>(
    features: Features,
    plan: &ScanPlan,
    operator: Op,
    map: M,
    finish: F,
    same: Option<&S::Same>,
) -> KernelSource
where
    I: Element,
    O: Element,
    M: Map<I>,
    Op: Operator<M::Output>,
    F: Function<(M::Output,), Output = O>,
    S: Segmentation,
{
    let mut prelude = text::prelude::<I, O, Op, M, F, S>(features, operator, map, finish, same);
    prelude += &plan.constants();
    prelude += &text::host_sizes(size_of::<Params<M::Output>>(), plan.sizes.state);
    KernelSource { root: "device/scan.cuh", prelude, entry: "upsweep_scan" }
}

/// The address of an initial value's buffer.
pub(super) fn read_init<'a, T: Element>(
    cuda: &'a Cuda,
    view: &'a View<'_, T>,
    output: Extent,
    address: &mut u64,
) -> Result<super::Loan<'a>> {
    if view.is_empty() {
        return Err(Error::Length { what: "initial value", found: 0, expected: 1 });
    }
    let (init, loan) = cuda.read("initial value", view)?;
    output.must_not_meet(Extent::new(init, 1, size_of::<T>()))?;
    *address = init;
    Ok(loan)
}

/// A range of device memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extent {
    start: u64,
    bytes: u64,
}

impl Extent {
    pub(super) fn new(start: u64, len: usize, size: usize) -> Self {
        Self { start, bytes: len as u64 * size as u64 }
    }

    /// # Errors
    /// [`Error::Overlap`] when the two have a byte in common.
    pub(super) fn must_not_meet(self, other: Self) -> Result<()> {
        let apart = self.bytes == 0
            || other.bytes == 0
            || self.start + self.bytes <= other.start
            || other.start + other.bytes <= self.start;
        if apart { Ok(()) } else { Err(Error::Overlap) }
    }
}
