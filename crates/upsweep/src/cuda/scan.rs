//! Scan on a CUDA device: lines that lie one after the other, and segments, in a single pass; see
//! `kernels/device/scan.cuh` and, for short arrays, `kernels/device/wave.cuh`. Interleaved lines go
//! to [`columns`](super::columns), unless so few that their elements at one place can be taken as one.

use super::prepare::{self, Buffers};
use super::text::{self, Features, Functions, Heads, JobOf, Types};
use super::{Cuda, KernelSource, Workspace, columns};
use crate::Result;
use crate::job::{Direction, Job};
use crate::plan::Shape;
use crate::plan::scan::{ScanPlan, Schedule};
use crate::segments::SegmentKind;
use std::mem::{MaybeUninit, offset_of};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The most tiles that a block of a wave has; see [`limit_waves`].
static LONGEST_WAVE: AtomicUsize = AtomicUsize::new(usize::MAX);

/// Limits the tiles that a block of a wave has, in the whole process: with 0, short arrays go to the pipeline, too. For
/// tests.
#[doc(hidden)]
pub fn limit_waves(tiles: usize) {
    // It decides what the next calls do and guards no data.
    LONGEST_WAVE.store(tiles, Ordering::Relaxed);
}

/// The most interleaved lines that are scanned as one, and the most bytes of an element of theirs: larger ones leave room
/// for few tiles in shared memory.
const MOST_INTERLEAVED: usize = 16;
const MOST_INTERLEAVED_BYTES: usize = 32;

/// `Params` of `tile/job.cuh`.
#[repr(C)]
struct Params<T> {
    input: u64,
    output: u64,
    n: u64,
    row: u64,
    row_reciprocal: u64,
    row_pattern: u64,
    signs: u64,
    offsets: u64,
    segments: u64,
    share: u64,
    outputs: u64,
    count: u64,
    init_from: u64,
    workspace: Workspace,
    /// `init` and then `first`, each as many times as lines are scanned as one. The rest is not the kernel's.
    values: [MaybeUninit<T>; 2 * MOST_INTERLEAVED],
}

impl<T> Params<T> {
    /// The size of the kernel's struct.
    fn bytes(features: Features) -> usize {
        let end = offset_of!(Self, values) + 2 * features.interleaved * size_of::<T>();
        end.next_multiple_of(align_of::<Self>())
    }
}

pub(crate) fn run<J: Types>(cuda: &Cuda, job: JobOf<'_, J>, direction: Direction) -> Result<()> {
    if interleaves_as_one::<J>(job.shape) {
        launch::<J>(cuda, job, direction, None)
    } else {
        columns::launch::<J>(cuda, job, direction, false)
    }
}

/// Whether the single-pass kernels take the lines of this shape: those that lie one after the other, and few interleaved
/// ones, whose elements at one place of the axis are then one element.
pub(super) fn interleaves_as_one<J: Types>(shape: Shape) -> bool {
    let largest = size_of::<J::In>().max(size_of::<J::Acc>()).max(size_of::<J::Out>());
    let few = shape.inner <= MOST_INTERLEAVED && shape.inner * largest <= MOST_INTERLEAVED_BYTES;
    shape.inner <= 1 || few
}

/// The address of the one value that a reduction by flags or keys stores the number of segments at, or 0.
pub(super) struct BySegment {
    pub(super) count: u64,
}

/// Launches the single-pass kernel: a scan, or a reduction by segment. What it calls an element are those of all
/// interleaved lines at one place.
pub(super) fn launch<J: Types>(
    cuda: &Cuda,
    job: JobOf<'_, J>,
    direction: Direction,
    by_segment: Option<BySegment>,
) -> Result<()> {
    let Job { input, mut output, shape, init, segments, operator, map, finish } = job;
    let interleaved = shape.inner.max(1);
    let (n, outputs) = (shape.lines() * shape.len / interleaved, output.len() / interleaved);
    let buffers = Buffers::borrow(cuda, &input, &mut output, n * interleaved, by_segment.is_some())?;

    // The segments: how and where they are given, and how many there are by offsets.
    let (mut same, mut number) = (None, 0);
    let (heads, (address, _segments)) = match &segments {
        SegmentKind::Whole if shape.outer > 1 || by_segment.is_some() => (Heads::Rows, Default::default()),
        SegmentKind::Whole => (Heads::None, Default::default()),
        SegmentKind::HeadFlags(view) => (Heads::Flags, buffers.read("head flags", view, view.len())?),
        SegmentKind::Keys(view, equality) => {
            same = Some(equality);
            (Heads::Keys, buffers.read("keys", view, view.len())?)
        }
        SegmentKind::Offsets(view) => {
            number = view.len() as u64 - 1;
            (Heads::Offsets, buffers.read("offsets", view, view.len())?)
        }
    };
    if n == 0 && heads != Heads::Offsets {
        return Ok(());
    }
    let begin = buffers.begin(&init, &operator)?;

    let Direction { exclusive, reverse } = direction;
    let (has_init, reduces) = (!init.is_none(), by_segment.is_some());
    let features = Features { heads, exclusive, reverse, has_init, by_segment: reduces, interleaved };
    let sizes = features.sizes::<J::In, J::Acc, J::Out>();
    let capability = cuda.compute_capability();
    let plan = if features.in_one_pass() {
        ScanPlan::of_segments(n, sizes, capability)
    } else {
        ScanPlan::with_waves(n, sizes, capability, LONGEST_WAVE.load(Ordering::Relaxed))
    };
    let plan = if heads == Heads::Offsets { plan.with_offsets() } else { plan };
    let functions = Functions::<J> { operator, map, finish, same };
    let kernel = prepare::kernel(cuda, plan.family(), features, &functions, || source(features, &plan, &functions))?;

    let threads = plan.threads as u32;
    let shared = plan.shared_bytes as u32;
    let resident = kernel.blocks_per_multiprocessor(threads, shared)?.max(1) * cuda.multiprocessors();
    let grid = plan.grid(resident as usize) as u32;
    let workspace = if plan.tiles > 1 || heads == Heads::Offsets {
        cuda.workspace(plan.words8, plan.words16)?
    } else {
        Workspace::NONE
    };
    if heads == Heads::Offsets {
        cuda.mark_may_fault(&buffers.output_stream)?;
    }
    let row = shape.len as u64;
    let mut params = Params {
        input: buffers.input,
        output: buffers.output,
        n: n as u64,
        row,
        row_reciprocal: u64::MAX / row.max(1),
        row_pattern: (0..64).filter(|bit| bit % row.max(1) == 0).fold(0, |pattern, bit| pattern | 1 << bit),
        signs: if heads == Heads::Offsets { 0 } else { address },
        offsets: if heads == Heads::Offsets { address } else { 0 },
        segments: number,
        share: number / plan.tiles as u64 + 1,
        outputs: outputs as u64,
        count: by_segment.map_or(0, |by_segment| by_segment.count),
        init_from: begin.init_from,
        workspace,
        values: [begin.first; 2 * MOST_INTERLEAVED],
    };
    params.values[..interleaved].fill(begin.init);
    // SAFETY: `Params` begins with the kernel's layout (the kernel asserts its size), and the loans keep its pointers good for
    // `n` elements, or as many as the kernel asks for, until the kernel is enqueued in the stream's order.
    unsafe { cuda.launch(&kernel, grid, threads, shared, &params) }
}

/// The kernel's source.
pub(super) fn source<J: Types>(features: Features, plan: &ScanPlan, functions: &Functions<'_, J>) -> KernelSource {
    let mut prelude = functions.prelude(features);
    prelude += &plan.constants();
    prelude += &text::host_sizes(Params::<J::Acc>::bytes(features), plan.sizes.state);
    let entry = match plan.schedule {
        Schedule::Wave { .. } => "upsweep_wave",
        Schedule::Pipeline => "upsweep_scan",
        Schedule::OnePass => "upsweep_segments",
    };
    KernelSource { root: plan.root(), prelude, entry }
}
